"""Ticket queues of writers in memory."""

from dataclasses import dataclass, field
from threading import Lock

from membrane.usecases.ports.records import TicketQueue
from tests.fakes.stand_in import StandIn


@dataclass(slots=True)
class FakeTicketQueues(StandIn):
    """A fake of DynamoTicketQueues, for several threads."""

    lines: dict[bytes, TicketQueue] = field(default_factory=dict)
    _changing: Lock = field(default_factory=Lock)

    def take_ticket(self, key: bytes) -> TicketQueue:
        """See DynamoTicketQueues."""
        with self._changing:
            before = self.load(key)
            self.lines[key] = TicketQueue(before.given + 1, before.served)
            return self.lines[key]

    def load(self, key: bytes) -> TicketQueue:
        """See DynamoTicketQueues."""
        return self.lines.get(key, TicketQueue())

    def serve(self, key: bytes, ticket: int) -> None:
        """See DynamoTicketQueues."""
        with self._changing:
            before = self.load(key)
            if before.served < ticket <= before.given:
                self.lines[key] = TicketQueue(before.given, ticket)
