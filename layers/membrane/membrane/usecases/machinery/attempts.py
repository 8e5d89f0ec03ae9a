"""Recognise a write of the same call after a lost reply, by the audit entry of the write."""

from collections import defaultdict
from dataclasses import dataclass, field

from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.ports.world import World


@dataclass(frozen=True, slots=True)
class Attempts:
    """The audit entries that a call tried to write."""

    tried: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """The position in the trail, by record id and hash of the entry."""

    def note(self, after: AnyRecord) -> None:
        self.tried[after.id][after.trail[-1].hash] = after.written_entries - 1

    def note_first(self, record: MemoryRecord) -> None:
        self.tried[record.id][record.audit_log[0].hash] = 0

    def were_written(self, held: AnyRecord, world: World) -> bool:
        """Whether the trail of the record has a tried entry; older entries are read singly."""
        positions = self.tried.get(held.id, {})
        if any(entry.hash in positions for entry in held.trail):
            return True
        loaded_from = held.written_entries - len(held.trail)
        return any(
            entry.hash in positions
            for position in positions.values()
            if position < loaded_from
            for _, entry in world.records.entries(held, position, position + 1)
        )

    def find_written(self, world: World) -> AnyRecord | None:
        """The present state of the record that an attempt wrote; None if no attempt succeeded."""
        for record_id in self.tried:
            held = world.records.load(record_id)
            if held is not None and self.were_written(held, world):
                return held
        return None
