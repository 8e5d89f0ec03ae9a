"""What a call is made of: parameters, steps, the answers of a driver, and several results."""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from membrane_client.errors import InvalidCall, MembraneError
from membrane_client.value import Value

T = TypeVar("T")
E = TypeVar("E")

_BLANK = re.compile(
    r"[\s\0-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
"""A text in which nothing can be seen: blanks, controls, and the characters that programs may leave
out (Unicode's property Default_Ignorable_Code_Point)."""


class NotGiven(Enum):
    """The type of NOT_GIVEN."""

    NOT_GIVEN = "NOT_GIVEN"

    def __repr__(self) -> str:
        return "NOT_GIVEN"

    def __bool__(self) -> Literal[False]:
        return False


NOT_GIVEN: Final = NotGiven.NOT_GIVEN
"""Nobody, as a user: None is refused, as every lost name is."""

User: TypeAlias = str | NotGiven
Time: TypeAlias = datetime | str
"""An aware datetime, or RFC 3339."""
Json: TypeAlias = Mapping[str, Any] | Value
"""A JSON object."""
Texts: TypeAlias = Sequence[str]


def is_blank(value: object) -> bool:
    """Whether the value is a text without a character that can be seen."""
    return isinstance(value, str) and _BLANK.fullmatch(value) is not None


def require_user(user: object) -> None:
    """Raises InvalidCall for a user without a name.

    A caller that lost the name would read the memories of all users, and write for everybody.
    """
    if user is NOT_GIVEN or (isinstance(user, str) and not is_blank(user)):
        return
    raise InvalidCall(f"user is {user!r}, which names nobody: leave user out, or name one")


def require_scope(scope: object) -> None:
    """Raises InvalidCall for an empty scope, which the service takes for no scope."""
    if scope == "":
        raise InvalidCall("scope is empty: leave it out, or name one")


@dataclass(frozen=True, slots=True)
class Request:
    """A complete HTTP request."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None
    timeout_s: float | None
    is_repeatable: bool = True
    """Whether sending the request twice does the same as sending the request once."""
    least_wait_s: float = 0.0
    """The least time to wait for the next bytes of the reply, even if `timeout_s` is shorter."""
    is_streamed: bool = False
    """Whether the reply to a success stays open."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP reply; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    connection: Any = None
    """The driver's own, of a reply that stays open; `body` is empty."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Time to let pass."""

    seconds: float


Answer: TypeAlias = Reply | MembraneError | None
"""To a request: the reply, or the failure. To a pause: None."""

Steps: TypeAlias = Generator[Request | Pause, Answer, T]
"""A call: yields requests and pauses, gets the answers, and returns a typed value."""


@dataclass(frozen=True, slots=True)
class Series(Generic[T]):
    """A call with several results, one after another."""

    next: Callable[[T | None], Steps[T | None]]
    """Makes the call for the result after the given one; None before the first, and at the end."""


@dataclass(frozen=True, slots=True)
class Stream(Generic[E]):
    """A call whose reply comes as server-sent events."""

    opening: Steps[Reply]
    """The call up to the open reply."""
    read: Callable[[str], tuple[E, bool]]
    """Makes an event of its data, and says whether the event is the last.

    Raises MembraneError for an event that reports an error."""
