"""Records as they are now, each read once a request."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from membrane.domain.stored import Held, StoredRecord
from membrane.usecases.ports.records import RecordStore


@dataclass(slots=True)
class Hydration:
    """Reads records consistently, so that nothing rests on what an index says of them."""

    records: RecordStore
    known: dict[str, Held | None] = field(default_factory=dict)

    def living(self, record_ids: Iterable[str]) -> Mapping[str, StoredRecord]:
        """By id, those that are there and not deleted."""
        asked = list(record_ids)
        unknown = [each for each in dict.fromkeys(asked) if each not in self.known]
        if unknown:
            found = self.records.load_all(unknown)
            self.known |= {each: found.get(each) for each in unknown}
        return {
            each: held
            for each in asked
            if isinstance(held := self.known[each], StoredRecord) and held.tombstone is None
        }
