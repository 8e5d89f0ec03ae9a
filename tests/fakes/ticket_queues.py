"""Ticket queues of writers in memory."""

from dataclasses import dataclass, field
from threading import Lock

from membrane.usecases.ports.ticket_queues import TicketQueue


@dataclass(slots=True)
class FakeTicketQueues:
    """The TicketQueues of a world, for several threads."""

    lines: dict[bytes, TicketQueue] = field(default_factory=dict)
    _changing: Lock = field(default_factory=Lock)

    def take_ticket(self, key: bytes) -> TicketQueue:
        """See TicketQueues."""
        with self._changing:
            before = self.load(key)
            self.lines[key] = TicketQueue(before.given + 1, before.served)
            return self.lines[key]

    def load(self, key: bytes) -> TicketQueue:
        """See TicketQueues."""
        return self.lines.get(key, TicketQueue())

    def serve(self, key: bytes, ticket: int) -> None:
        """See TicketQueues."""
        with self._changing:
            before = self.load(key)
            if before.served < ticket <= before.given:
                self.lines[key] = TicketQueue(before.given, ticket)
