"""Ticket queues: the order in which competing writers of one head try again."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TicketQueue:
    """The state of a queue; tickets are numbered from 1."""

    given: int = 0
    """The newest ticket handed out."""
    served: int = 0
    """The newest ticket whose writer is done; the writer with the next ticket may try."""


class TicketQueues(Protocol):
    """One queue of writers per head. A queue orders attempts; the version of the head is the guard.

    Any method may raise ResourceExhausted or Unavailable.
    """

    def take_ticket(self, key: bytes) -> TicketQueue:
        """Hand out the next ticket at the head; `given` is the number of the ticket."""

    def load(self, key: bytes) -> TicketQueue:
        """The queue at the head, read consistently; empty if nobody ever waited."""

    def serve(self, key: bytes, ticket: int) -> None:
        """Let the ticket after `ticket` try, unless the queue is already past `ticket`."""
