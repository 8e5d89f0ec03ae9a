"""The steps of a call, and the answers of a driver."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias, TypeVar

from membrane_client.errors import MembraneError

T = TypeVar("T")


class NotGiven(Enum):
    """The type of NOT_GIVEN."""

    NOT_GIVEN = "NOT_GIVEN"

    def __repr__(self) -> str:
        return "NOT_GIVEN"

    def __bool__(self) -> Literal[False]:
        return False


NOT_GIVEN: Final = NotGiven.NOT_GIVEN
"""A parameter left out of the request; None is sent, as null."""


@dataclass(frozen=True, slots=True)
class Request:
    """A complete HTTP request."""

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes | None
    timeout_s: float | None
    is_repeatable: bool
    """Whether sending the request twice does the same as sending the request once."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP reply; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Pause:
    """Time to let pass."""

    seconds: float


Answer: TypeAlias = Reply | MembraneError | None
"""To a request: the reply, or the failure. To a pause: None."""

Steps: TypeAlias = Generator[Request | Pause, Answer, T]
"""A call: yields requests and pauses, gets the answers, and returns a typed value."""
