"""The store of search entries and its catalogue, over plain dicts."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from threading import Lock

from membrane.adapters.dynamodb.table.keys import shard_of
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.stored import Held
from membrane.domain.search.entries import Entry, unpack_terms
from membrane.domain.search.frequencies import Snapshot, counted
from membrane.usecases.ports.catalogue import EntryPlace, Page
from membrane.usecases.ports.catalogue import Kept as Progress
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.search import Layout, Standing, Waiting
from membrane.usecases.ports.services import Clock
from tests.fakes.bucket import MARKER_PERIOD_S
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords


@dataclass(slots=True)
class KeptEntry:
    """What stands at a place of a FakeEntries: an entry or a marker."""

    entry: Entry | None
    standing: Standing
    embedder: str
    expires_at_s: float = inf


@dataclass(slots=True)
class FakeScope:
    """What a FakeEntries tells readers of a scope."""

    version: int = 0
    documents: int = 0
    embedders: set[str] = field(default_factory=set)
    snapshot: Snapshot = field(default_factory=Snapshot)
    counted: int | None = None

    @property
    def is_to_be_counted(self) -> bool:
        """Whether there is no snapshot, or the scope has since doubled or lost over half of it."""
        documents = max(self.documents, 0)
        return (
            self.counted is None
            or 2 * documents < self.counted
            or (documents > 0 and documents >= 2 * self.counted)
        )


@dataclass(slots=True)
class FakeEntries:
    """An EntryStore in memory, for several threads."""

    embedder_name: str = "lexical"
    now: Clock = field(default_factory=FakeClock)
    places: dict[tuple[str, str], KeptEntry] = field(default_factory=dict)
    """By scope and record id."""
    scopes: dict[str, FakeScope] = field(default_factory=dict)
    moves: list[tuple[str, int]] = field(default_factory=list)
    """Scope and how many more, by call."""
    lock: Lock = field(default_factory=Lock)
    shards: int = 1
    strays: dict[tuple[str, str, int], KeptEntry] = field(default_factory=dict)
    """By scope, record id and shard those that stand where they stood with other shards."""
    at_a_time: int = 3
    """Entries that are counted in one go."""

    @property
    def layout(self) -> Layout:
        """See EntryStore."""
        return Layout(self.embedder_name, vector=False, shards=self.shards)

    def spread(self, shards: int) -> None:
        """Over so many shards from now on."""
        for scope, record_id in list(self.places):
            shard = shard_of(record_id, self.shards)
            if shard != shard_of(record_id, shards):
                self.strays[scope, record_id, shard] = self.places.pop((scope, record_id))
        self.shards = shards

    def entries(self, scope: str) -> Sequence[Entry]:
        """Those of a scope, by record id."""
        kept = [self.places[place] for place in sorted(self.places) if place[0] == scope]
        return [each.entry for each in kept if each.entry is not None]

    def standing(self, places: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], Standing]:
        """See EntryStore."""
        there = {place: self._at(place) for place in places}
        return {
            place: kept.standing
            if kept.entry is None or kept.embedder == self.embedder_name
            else Standing(kept.standing.version, b"otherwise")
            for place, kept in there.items()
            if kept is not None
        }

    def put(self, entry: Entry, standing: Standing) -> bool:
        """See EntryStore."""
        place = (entry.scope, entry.record_id)
        with self.lock:
            there = self._at(place)
            if there is not None and (
                there.standing.version > standing.version
                or (there.standing.version == standing.version and there.entry is None)
            ):
                return False
            self.places[place] = KeptEntry(entry, standing, self.embedder_name)
            return True

    def remove(self, scope: str, record_id: str, version: int) -> bool:
        """See EntryStore."""
        place = (scope, record_id)
        with self.lock:
            there = self._at(place)
            if there is not None and there.standing.version > version:
                return False
            end_s = int(epoch_seconds(self.now()) + MARKER_PERIOD_S)
            self.places[place] = KeptEntry(None, Standing(version, b""), "", end_s)
            return True

    def moved(self, scope: str, added: int) -> None:
        """See EntryStore."""
        state = self.scopes.setdefault(scope, FakeScope())
        self.moves.append((scope, added))
        state.version += 1
        state.documents += added
        state.embedders.add(self.embedder_name)
        if state.is_to_be_counted:
            self._snap(scope, state)

    def displace(self, scope: str, record_id: str, shard: int) -> bool:
        """See EntryStore."""
        return self.strays.pop((scope, record_id, shard), None) is not None

    def disown(self, scope: str, record_id: str) -> bool:
        """See EntryStore."""
        with self.lock:
            there = self.places.get((scope, record_id))
            if there is None or there.entry is None or there.embedder == self.embedder_name:
                return False
            del self.places[scope, record_id]
            return True

    def count(self, scope: str, after: str | None) -> tuple[int, str | None]:
        """See EntryStore."""
        left = [each.record_id for each in self.entries(scope) if each.record_id > (after or "")]
        some = left[: self.at_a_time]
        return len(some), some[-1] if len(left) > self.at_a_time else None

    def settled(self, scope: str, documents: int) -> None:
        """See EntryStore."""
        state = self.scopes[scope]
        state.version += 1
        state.documents = documents
        state.embedders = {self.embedder_name}
        self._snap(scope, state)

    def _snap(self, scope: str, state: FakeScope) -> None:
        sample = [(entry.sensitivity, unpack_terms(entry.terms)) for entry in self.entries(scope)]
        state.counted = max(state.documents, 0)
        state.snapshot = counted(sample, state.counted)

    def _at(self, place: tuple[str, str]) -> KeptEntry | None:
        there = self.places.get(place)
        now_s = epoch_seconds(self.now())
        return None if there is None or there.expires_at_s <= now_s else there


@dataclass(slots=True)
class FakeCatalogue:
    """The Catalogue over fakes, some at a time."""

    records: FakeRecords
    entries: FakeEntries
    at_a_time: int = 2
    kept: Progress | None = None

    def page(self, after: str | None) -> Page:
        """See Catalogue."""
        held = [each for each in self.records.places.values() if isinstance(each, Held)]
        every = sorted(
            [(each.id, each.scope, "record", 0) for each in held]
            + [
                (record_id, scope, "entry", shard_of(record_id, self.entries.shards))
                for (scope, record_id), kept in self.entries.places.items()
                if kept.entry is not None
            ]
            + [
                (record_id, scope, "entry", shard)
                for scope, record_id, shard in self.entries.strays
            ]
        )
        left = [each for each in every if after is None or json.dumps(each) > after]
        some = left[: self.at_a_time]
        return Page(
            [(name, scope) for name, scope, kind, _ in some if kind == "record"],
            [
                EntryPlace(name, scope, shard)
                for name, scope, kind, shard in some
                if kind == "entry"
            ],
            json.dumps(some[-1]) if len(left) > self.at_a_time else None,
        )

    def scope_after(self, scope: str | None) -> str | None:
        """See Catalogue."""
        left = [each for each in self.entries.scopes if scope is None or each > scope]
        return min(left, default=None)

    def progress(self) -> Progress | None:
        """See Catalogue."""
        return self.kept

    def keep(self, progress: JsonObject, before: Progress | None) -> Progress:
        """See Catalogue."""
        if self.kept != before:
            raise LostRace
        self.kept = Progress(dict(progress), 1 if before is None else before.revision + 1)
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
