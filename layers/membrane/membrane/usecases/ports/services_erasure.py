"""The dependencies of the erasure use cases."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from membrane.usecases.ports.services_topics import TopicStoreServices

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.erasure.erasure_store import DynamoErasures


class DeadLetters(Protocol):
    """The dead-letter queues of the stack. May raise ResourceExhausted or Unavailable."""

    def remove_where(self, is_wanted: Callable[[str], bool]) -> Sequence[str]:
        """Delete each message whose body is wanted; returns the ids. All others stay."""

    def are_all_visible(self) -> bool:
        """Whether no message is hidden, because a killed run received it shortly before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureServices(TopicStoreServices):
    erasures: "DynamoErasures"
    dead_letters: "DeadLetters"
    start_erasing: Callable[[str], None]
    """Start the job of an erasure in a function of its own; do not wait for the end."""
    pause: Callable[[float], None]
    """Sleep for a number of seconds."""
    recovery_days: int
    """Days for which point-in-time recovery holds earlier states of the table."""
    fence_wait_s: float
    """Seconds after which no writer is left that does not know a new fence."""
