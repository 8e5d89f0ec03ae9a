"""The steps of a call, the answers of a driver, and calls with several results."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from membrane_client.errors import MembraneError

T = TypeVar("T")
E = TypeVar("E")


class NotGiven(Enum):
    """The type of NOT_GIVEN."""

    NOT_GIVEN = "NOT_GIVEN"

    def __repr__(self) -> str:
        return "NOT_GIVEN"

    def __bool__(self) -> Literal[False]:
        return False


NOT_GIVEN: Final = NotGiven.NOT_GIVEN
"""Nobody, as a user: None is refused, as every lost name is."""


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
