"""Read the records behind index rows, consistently, at most once a request."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.records.versions import as_of
from membrane.usecases.records.successors import newest_known, successor_ids, with_successors

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.records.store import DynamoRecords


@dataclass(slots=True)
class Hydration:
    """Reads and caches records; an answer relies on the records, never on the index."""

    records: "DynamoRecords"
    as_of: str | None = None
    """The instant of the wanted versions, as RFC 3339; None = now."""
    known: dict[str, AnyRecord | None] = field(default_factory=dict)
    _ahead: dict[str, None] = field(default_factory=dict)
    _then: dict[str, StoredRecord | None] = field(default_factory=dict)

    def read_ahead(self, record_ids: Iterable[str]) -> None:
        """Read the records together with the records that the next request reads."""
        self._ahead |= dict.fromkeys(record_ids)

    def living(self, record_ids: Iterable[str]) -> Mapping[str, StoredRecord]:
        """The records, by id, that exist and are not deleted; with `as_of`, existed then too."""
        asked = list(record_ids)
        unknown = [each for each in dict.fromkeys(asked) if each not in self.known]
        if unknown:
            also = [each for each in self._ahead if each not in self.known]
            unknown, self._ahead = list(dict.fromkeys([*unknown, *also])), {}
            found = self.records.load_all(unknown, whole=self.as_of is not None)
            self.known |= {each: found.get(each) for each in unknown}
        living = {
            each: held
            for each in asked
            if isinstance(held := self.known[each], StoredRecord) and held.tombstone is None
        }
        return living if self.as_of is None else self._as_of(self.as_of, living)

    def newest_successors(self, record_ids: Iterable[str]) -> Mapping[str, StoredRecord]:
        """The newest active successors of the superseded records among the read ones, by id.

        One request for each step of the longest chain; none if no record was superseded.
        """
        read = {each: held for each in record_ids if (held := self.known[each]) is not None}
        next_ids = {each: next(successor_ids([held]), None) for each, held in read.items()}
        loaded = {each: held for each, held in self.known.items() if held is not None}
        known = with_successors(filter(None, next_ids.values()), self.records.load_all, loaded)
        self.known |= known
        return {
            each: newest
            for each, next_id in next_ids.items()
            if next_id in known and (newest := newest_known(known[next_id], known))
        }

    def _as_of(
        self, instant: str, living: Mapping[str, StoredRecord]
    ) -> Mapping[str, StoredRecord]:
        unknown = [each for each in living if each not in self._then]
        self._then |= {each: as_of(living[each], instant) for each in unknown}
        return {each: then for each in living if (then := self._then[each]) is not None}
