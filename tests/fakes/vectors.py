"""The store of vectors and its catalogue, over plain dicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from threading import Lock

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.entries import Entry
from membrane.usecases.ports.catalogue import Checkpoint, Page
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.services import Clock
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.stand_in import StandIn


@dataclass(frozen=True, slots=True)
class KeptVector:
    """What stands for a record, or topic."""

    entry: Entry
    version: int
    expires_at_s: int | None
    embedder: str
    former: bytes | None = None
    """Its dense vector by the former embedder."""

    def of(self, dimensions: int) -> Entry:
        """The entry with the dense vector that has so many dimensions."""
        if self.former is None or len(self.entry.dense) == dimensions:
            return self.entry
        return replace(self.entry, dense=self.former)


@dataclass(slots=True)
class FakeVectors(StandIn):
    """A fake of DynamoVectors, for several threads."""

    embedder: str = "lexical"
    now: Clock = field(default_factory=FakeClock)
    ended: Mapping[str, int] = field(default_factory=dict)
    """By id the `index_version` in which a record, or topic, lost its vector."""
    superseded: Mapping[str, int] = field(default_factory=dict)
    """By id the `index_version` in which a record was superseded."""
    kept: dict[str, KeptVector] = field(default_factory=dict)
    levels: dict[str, set[Sensitivity]] = field(default_factory=dict)
    """By scope those of its vectors."""
    lock: Lock = field(default_factory=Lock)

    def put_entry(
        self, entry: Entry, version: int, expires_at_s: int | None, former: bytes | None = None
    ) -> bool:
        """See DynamoVectors."""
        with self.lock:
            self.levels.setdefault(entry.scope, set()).add(entry.sensitivity)
            there = self.kept.get(entry.record_id)
            ends = (ended.get(entry.record_id, 0) for ended in (self.ended, self.superseded))
            if max(*ends, there.version if there else 0) > version:
                return False
            kept = KeptVector(entry, version, expires_at_s, self.embedder, former)
            self.kept[entry.record_id] = kept
            return True

    def end_entry(self, source_id: str, version: int) -> None:
        """See DynamoVectors."""
        with self.lock:
            if source_id in self.kept and self.kept[source_id].version <= version:
                del self.kept[source_id]

    @property
    def living(self) -> Sequence[KeptVector]:
        """What is not ended, and not removed by TTL, by id."""
        now_s = epoch_seconds(self.now())
        return [
            self.kept[each]
            for each in sorted(self.kept)
            if self.kept[each].version > self.ended.get(each, -1)
            and (self.kept[each].expires_at_s or inf) > now_s
        ]

    @property
    def entries(self) -> Sequence[Entry]:
        """Those of what is living."""
        return [each.entry for each in self.living]


@dataclass(slots=True)
class FakeCatalogue(StandIn):
    """A fake of DynamoCatalogue over fakes, some at a time."""

    records: FakeRecords
    vectors: FakeVectors
    at_a_time: int = 2
    kept: Checkpoint | None = None

    def page(self, after: str | None) -> Page:
        """See DynamoCatalogue."""
        every = sorted(
            each.id
            for each in self.records.places.values()
            if isinstance(each, StoredRecord) and each.tombstone is None
        )
        left = [each for each in every if each > (after or "")]
        some, rest = left[: self.at_a_time], left[self.at_a_time :]
        lacking = [
            each
            for each in self.vectors.living
            if each.entry.record_id in some and each.embedder != self.vectors.embedder
        ]
        own_keys = [(f"record#{each}", "record") for each in some]
        return Page(own_keys, len(lacking), some[-1] if rest else None)

    def make_stale(self, own_key: tuple[str, str], since: str) -> bool:
        """See DynamoCatalogue."""
        record_id = own_key[0].removeprefix("record#")
        held = self.records.load(record_id)
        if not isinstance(held, StoredRecord) or held.tombstone is not None:
            return False
        self.records.stale[record_id] = since
        return True

    def progress(self) -> Checkpoint | None:
        """See DynamoCatalogue."""
        return self.kept

    def keep_progress(self, progress: JsonObject, before: Checkpoint | None) -> Checkpoint:
        """See DynamoCatalogue."""
        if self.kept != before:
            raise LostRace
        self.kept = Checkpoint(dict(progress), 1 if before is None else before.revision + 1)
        return self.kept


@dataclass(slots=True)
class SetAsides:
    """Remembers what was set aside, and the scopes that were named with it."""

    records: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    others: list[tuple[Waiting, str]] = field(default_factory=list)
    """All but records that are to be indexed."""

    def __call__(
        self, source_id: str, scopes: Sequence[str], kind: Waiting = Waiting.RECORD
    ) -> None:
        if kind is Waiting.RECORD:
            self.records.append((source_id, tuple(scopes)))
        else:
            self.others.append((kind, source_id))
