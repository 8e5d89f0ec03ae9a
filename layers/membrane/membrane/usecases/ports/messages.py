"""Messages that wait for an operator: the dead letters of all queues."""

from collections.abc import Callable, Sequence
from typing import Protocol


class DeadLetters(Protocol):
    """The dead-letter queues of the stack. May raise ResourceExhausted or Unavailable."""

    def remove_where(self, is_wanted: Callable[[str], bool]) -> Sequence[str]:
        """Delete each message whose body is wanted; returns the ids. All others stay."""

    def are_all_visible(self) -> bool:
        """Whether no message is hidden, because a killed run received it shortly before."""
