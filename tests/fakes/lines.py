"""Lines of writers in memory."""

from dataclasses import dataclass, field
from threading import Lock

from membrane.usecases.ports.lines import Line


@dataclass(slots=True)
class FakeLines:
    """The Lines of a world, for several threads."""

    lines: dict[bytes, Line] = field(default_factory=dict)
    _changing: Lock = field(default_factory=Lock)

    def join(self, key: bytes) -> Line:
        """See Lines."""
        with self._changing:
            before = self.look(key)
            self.lines[key] = Line(before.given + 1, before.served)
            return self.lines[key]

    def look(self, key: bytes) -> Line:
        """See Lines."""
        return self.lines.get(key, Line())

    def serve(self, key: bytes, ticket: int) -> None:
        """See Lines."""
        with self._changing:
            before = self.look(key)
            if before.served < ticket <= before.given:
                self.lines[key] = Line(before.given, ticket)
