"""Recognising a write of one's own whose reply was lost, by the audit entry that came with it."""

from dataclasses import dataclass, field

from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import Held
from membrane.usecases.ports.services import Services


@dataclass(frozen=True, slots=True)
class Attempts:
    """The audit entries that one call tried to write to one record."""

    positions: dict[str, int] = field(default_factory=dict)
    """By hash of the entry its position in the trail."""

    def note(self, after: Held) -> None:
        self.positions[after.trail[-1].hash] = after.written_entries - 1

    def note_first(self, record: MemoryRecord) -> None:
        self.positions[record.audit_log[0].hash] = 0

    def were_written(self, held: Held, services: Services) -> bool:
        """Whether the record's trail has one of the entries; older ones are read one by one."""
        if any(entry.hash in self.positions for entry in held.trail):
            return True
        loaded_from = held.written_entries - len(held.trail)
        return any(
            entry.hash in self.positions
            for position in self.positions.values()
            if position < loaded_from
            for _, entry in services.records.entries(held, position, position + 1)
        )
