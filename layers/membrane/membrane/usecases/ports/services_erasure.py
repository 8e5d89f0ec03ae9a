"""The dependencies of the erasure use cases."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services_topics import TopicStoreServices

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.erasure.erasure_store import DynamoErasures
    from membrane.usecases.ports.surroundings import DeadLetters


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
