"""Recognising a write of one's own whose reply was lost, by the audit entry that came with it."""

from collections import defaultdict
from dataclasses import dataclass, field

from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.ports.services import Services


@dataclass(frozen=True, slots=True)
class Attempts:
    """The audit entries that one call tried to write."""

    tried: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """By record id and hash of the entry its position in the trail."""

    def note(self, after: AnyRecord) -> None:
        self.tried[after.id][after.trail[-1].hash] = after.written_entries - 1

    def note_first(self, record: MemoryRecord) -> None:
        self.tried[record.id][record.audit_log[0].hash] = 0

    def were_written(self, held: AnyRecord, services: Services) -> bool:
        """Whether the record's trail has one of the entries; older ones are read one by one."""
        positions = self.tried.get(held.id, {})
        if any(entry.hash in positions for entry in held.trail):
            return True
        loaded_from = held.written_entries - len(held.trail)
        return any(
            entry.hash in positions
            for position in positions.values()
            if position < loaded_from
            for _, entry in services.records.entries(held, position, position + 1)
        )

    def written(self, services: Services) -> AnyRecord | None:
        """The record that one of the attempts wrote, as it is now."""
        for record_id in self.tried:
            held = services.records.load(record_id)
            if held is not None and self.were_written(held, services):
                return held
        return None
