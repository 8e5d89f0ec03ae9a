"""Lines of writers who wait for one fact."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TicketQueue:
    """A line of writers, by the numbers of their tickets."""

    given: int = 0
    """The newest ticket."""
    served: int = 0
    """The newest ticket whose writer is done: the next number has the turn."""


class TicketQueues(Protocol):
    """Lines of writers, one for each head; a line orders writers and guards nothing.

    Any method may raise ResourceExhausted or Unavailable.
    """

    def take_ticket(self, key: bytes) -> TicketQueue:
        """Give a ticket at the head; `given` is its number."""

    def load(self, key: bytes) -> TicketQueue:
        """The line at the head, consistently read; empty where nobody ever waited."""

    def serve(self, key: bytes, ticket: int) -> None:
        """Call the ticket after this one, unless the line has passed it already."""
