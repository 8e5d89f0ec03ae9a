"""The ports of the use cases over plain dicts; the contract tests of the store keep them honest."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from math import inf
from threading import Lock
from typing import Any

from membrane.adapters.dynamodb.table.keys import shard_of
from membrane.adapters.embedders.lexical import LexicalEmbedder
from membrane.domain.ingest.policy import PolicyDefaults, implied_classes
from membrane.domain.language.errors import NotFound, TooManyProfiles, WrongEmbedder
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.lifecycle.ranking import RANK_OF_RETRACTED, rank_in_class
from membrane.domain.lifecycle.retention import due_of
from membrane.domain.metrics.amounts import Cells, added, drift_between
from membrane.domain.metrics.cells import GROWTH
from membrane.domain.metrics.tallies import Generations, Place, Recount, Tally, moves_of
from membrane.domain.records.natural_key import natural_key as natural_key_of
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import Held, Remains, StoredRecord
from membrane.domain.records.uploads import Upload, require_claimable
from membrane.domain.salience.function import decay_class
from membrane.domain.search.answer_receipts import AnswerReceipt
from membrane.domain.search.corpus import Corpus
from membrane.domain.search.entries import Entry, unpack_terms
from membrane.domain.search.frequencies import Frequencies, Snapshot, counted, together
from membrane.domain.search.fusion import Weights
from membrane.domain.search.threads import NEIGHBOURS
from membrane.domain.tokens.sealing import KEY_BYTES
from membrane.usecases.ports.bucket import (
    Blob,
    BlobStore,
    ImportObject,
    ImportStore,
    Kept,
    Replaced,
)
from membrane.usecases.ports.catalogue import Catalogue, EntryPlace, Page
from membrane.usecases.ports.catalogue import Kept as Progress
from membrane.usecases.ports.counters import CellPage, Counters
from membrane.usecases.ports.indexes import (
    Due,
    DueIndex,
    NaturalIndex,
    Placed,
    Position,
    Ranked,
    RankIndex,
    RankPartition,
    Ranks,
)
from membrane.usecases.ports.keys import ApiKey, KeyStore
from membrane.usecases.ports.operators import Measure, Report
from membrane.usecases.ports.records import (
    NO_VALUES,
    Change,
    Head,
    IdTaken,
    KeyUsed,
    LostRace,
    Receipt,
    RecordStore,
)
from membrane.usecases.ports.search import (
    MAX_FOUND,
    MAX_SCOPES,
    Embedder,
    EntryStore,
    Found,
    Layout,
    Search,
    SearchIndex,
    SetAside,
    Standing,
    Waiting,
)
from membrane.usecases.ports.search_receipts import RECEIPT_PERIOD, AnswerReceipts
from membrane.usecases.ports.services import (
    Clock,
    InvokeLater,
    Retention,
    Services,
    SourcePrincipals,
)
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.ports.uploads import Link, UploadStore

MORNING = datetime(2026, 3, 1, 9, 0, 0, 250_000, tzinfo=UTC)
"""When a fake clock starts; with a fraction, as real clocks have."""

MAX_CLASSES = 16

CURSOR_KEY = b"k" * KEY_BYTES
"""Under which cursors are sealed."""

BLOBS = "blobs/"
"""Where records have their documents, apart from what else is in the bucket."""


@dataclass(slots=True)
class FakeClock:
    """A clock that stands still until a test moves it."""

    now: datetime = MORNING

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **time: float) -> None:
        """Move on by so many `days`, `seconds` and so on."""
        self.now += timedelta(**time)


@dataclass(slots=True)
class BackOff:
    """Waits no time, and remembers after which tries it was asked to."""

    tries: list[int] = field(default_factory=list)

    def __call__(self, tries: int) -> None:
        self.tries.append(tries)


@dataclass(slots=True)
class Reports:
    """What operators were told: RPC and code of each request, and the faults among them."""

    told: list[tuple[str, str]] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list)

    def __call__(self, rpc: str, code: str, fault: Exception | None = None) -> None:
        self.told.append((rpc, code))
        if fault is not None:
            self.faults.append(fault)


@dataclass(slots=True)
class Later:
    """Starts no function, and remembers what was asked for: what names it, and its event."""

    asked: list[tuple[str, JsonObject]] = field(default_factory=list)

    def __call__(self, name_or_arn: str, event: JsonObject) -> None:
        self.asked.append((name_or_arn, event))


@dataclass(frozen=True, slots=True)
class KeptReceipt:
    """At a keyed id: which record the key made, of an id that the client chose."""

    record_id: str
    fingerprint: bytes


@dataclass(slots=True)
class FakeRecords:
    """A RecordStore in memory: what stands at each id, who holds each head, classes by scope."""

    now: Clock
    policy: PolicyDefaults = field(default_factory=PolicyDefaults)
    places: dict[str, Held | KeptReceipt] = field(default_factory=dict)
    heads: dict[bytes, Head] = field(default_factory=dict)
    classes: dict[tuple[str, MemoryType], frozenset[str]] = field(default_factory=dict)
    blobs: dict[str, frozenset[str]] = field(default_factory=dict)
    """By record id the blobs that it names; set by tests, since no fake record needs one."""
    uploads: dict[str, Upload] = field(default_factory=dict)
    values: dict[LargeValue, bytes] = field(default_factory=dict)
    put_off: dict[str, int | None] = field(default_factory=dict)
    """By record id when it is due otherwise than its anchor says."""

    def load(self, record_id: str) -> Held | None:
        """See RecordStore."""
        found = self._at(record_id)
        return None if isinstance(found, KeptReceipt) else found

    def load_all(self, record_ids: Sequence[str]) -> Mapping[str, Held]:
        """See RecordStore."""
        loaded = ((record_id, self.load(record_id)) for record_id in record_ids)
        return {record_id: held for record_id, held in loaded if held is not None}

    def create(
        self,
        new: StoredRecord,
        *,
        changed: Sequence[Change] = (),
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        receipt: Receipt | None = None,
        uploads: Sequence[Upload] = (),
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """See RecordStore."""
        classes = self._classes_with(new.record)
        for place in (new.id,) if receipt is None else (receipt.keyed_id, new.id):
            match self._at(place):
                case KeptReceipt(record_id, fingerprint):
                    raise KeyUsed(record_id, fingerprint)
                case StoredRecord() | Remains():
                    raise IdTaken(place)
                case None:
                    continue
        claimed = [self._claimed(upload, new.id) for upload in uploads]
        self._change(changed, targets, heads)
        self.classes |= classes
        self.uploads |= {upload.id: upload for upload in claimed}
        self.values |= values
        self.places[new.id] = new
        if receipt is not None:
            self.places[receipt.keyed_id] = KeptReceipt(new.id, receipt.fingerprint)

    def replace(self, before: Held, after: Held, *, due_by_s: int | None = None) -> None:
        """See RecordStore."""
        newest = self.places.get(before.id)
        due_s = self.due_s(newest) if isinstance(newest, Held) else None
        if due_by_s is not None and (due_s is None or due_s > due_by_s):
            raise LostRace
        self._change([(before, after)], (), ())

    def replace_all(
        self,
        changed: Sequence[tuple[Held, Held]],
        *,
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        receipt: Receipt | None = None,
    ) -> None:
        """See RecordStore."""
        if receipt is not None:
            match self._at(receipt.keyed_id):
                case KeptReceipt(record_id, fingerprint):
                    raise KeyUsed(record_id, fingerprint)
                case StoredRecord() | Remains():
                    raise IdTaken(receipt.keyed_id)
                case None:
                    pass
        self._change(changed, targets, heads)
        if receipt is not None:
            self.places[receipt.keyed_id] = KeptReceipt(changed[0][1].id, receipt.fingerprint)

    def _change(
        self,
        changed: Sequence[tuple[Held, Held]],
        targets: Sequence[StoredRecord],
        heads: Sequence[Head],
    ) -> None:
        """All or nothing."""
        classes: dict[tuple[str, MemoryType], frozenset[str]] = {}
        for before, after in changed:
            if isinstance(after, StoredRecord) and after.tombstone is None:
                classes |= self._classes_with(after.record)
            newest = self.places.get(before.id)
            if not isinstance(newest, Held) or newest.version != before.version:
                raise LostRace
        touched = {after.id for _, after in changed}
        if not all(self._is_as_read(each) for each in targets if each.id not in touched):
            raise LostRace
        if any(self.head(head.key).version != head.version for head in heads):
            raise LostRace
        for head in heads:
            self.heads[head.key] = replace(head, version=head.version + 1)
        self.classes |= classes
        for before, after in changed:
            self.put_off.pop(before.id, None)
            self.places[before.id] = after

    def forget(self, before: Held, after: Remains) -> None:
        """See RecordStore."""
        self.replace(before, after.cleared())

    def discard(self, record_id: str) -> None:
        """See RecordStore."""
        if self._at(record_id) is None:
            self.places.pop(record_id, None)

    def due_s(self, held: Held) -> int | None:
        """When it is due, as the index has it."""
        if held.id in self.put_off:
            return self.put_off[held.id]
        if held.tombstone is not None:
            return held.tombstone.due_s
        assert isinstance(held, StoredRecord)
        return due_of(held, self.policy.custom_curves, self.policy.prune_threshold)

    def receipt(self, keyed_id: str) -> KeyUsed | None:
        """See RecordStore."""
        found = self._at(keyed_id)
        return (
            KeyUsed(found.record_id, found.fingerprint) if isinstance(found, KeptReceipt) else None
        )

    def head(self, key: bytes) -> Head:
        """See RecordStore."""
        return self.heads.get(key, Head(key))

    def blob_names(self, record_id: str) -> frozenset[str]:
        """See RecordStore."""
        return self.blobs.get(record_id, frozenset())

    def value(self, large: LargeValue) -> bytes:
        """See RecordStore."""
        return self.values[large]

    def link(self, large: LargeValue) -> str:
        """See RecordStore."""
        return f"https://bucket/blobs/{large.record_id}/{large.sha256}"

    def _claimed(self, upload: Upload, record_id: str) -> Upload:
        found = self.uploads.get(upload.id)
        now_s = epoch_seconds(self.now())
        return replace(
            require_claimable(found, upload.opened_by, record_id, now_s), claimed_by=record_id
        )

    def everything(
        self,
    ) -> tuple[Mapping[str, object], Mapping[bytes, Head], Mapping[object, object]]:
        """All that is stored, to be compared with what is stored later."""
        return dict(self.places), dict(self.heads), dict(self.classes)

    def _at(self, record_id: str) -> Held | KeptReceipt | None:
        """What stands there, unless it is a tombstone past its time."""
        found = self.places.get(record_id)
        grave = found.tombstone if isinstance(found, Held) else None
        if grave is not None and grave.expires_at_s <= epoch_seconds(self.now()):
            return None
        return found

    def _is_as_read(self, target: StoredRecord) -> bool:
        newest = self.load(target.id)
        if newest is None or newest.tombstone is not None:
            return False
        return (newest.scope, newest.sensitivity) == (target.scope, target.sensitivity)

    def _classes_with(
        self, record: MemoryRecord
    ) -> Mapping[tuple[str, MemoryType], frozenset[str]]:
        """The classes that the record's scope and type have with it, where that changes them."""
        place = (record.scope, record.type)
        implied = implied_classes(record.type, self.policy)
        registered = self.classes.get(place, frozenset())
        named = decay_class(record.lifecycle)
        if named in implied | registered:
            return {}
        if len(implied | registered) >= MAX_CLASSES:
            raise TooManyProfiles(
                f"the scope has {MAX_CLASSES} decay profiles for {record.type} records already: "
                + ", ".join(sorted(implied | registered))
            )
        return {place: registered | {named}}


@dataclass(slots=True)
class FakeDue:
    """The DueIndex over a FakeRecords, without delay, in one shard."""

    records: FakeRecords
    shards: int = 1

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """See DueIndex."""
        assert shard == 0
        held = [each for each in self.records.places.values() if isinstance(each, Held)]
        found = [(self.records.due_s(each), each.id) for each in held]
        yield from sorted(
            (
                Due(record_id, due_s)
                for due_s, record_id in found
                if due_s is not None and due_s <= by_s
            ),
            key=lambda due: (due.due_s, due.record_id),
        )

    def put_off(self, due: Due, until_s: int | None) -> None:
        """See DueIndex."""
        held = self.records.places.get(due.record_id)
        if isinstance(held, Held) and self.records.due_s(held) == due.due_s:
            self.records.put_off[due.record_id] = until_s


@dataclass(slots=True)
class FakeRanks:
    """The RankIndex over a FakeRecords, without delay, in one shard."""

    records: FakeRecords
    entries_read: int = 0
    """Not those that were only counted."""
    classes_kept: int = 0
    """How often they were; a fake's settings never change."""
    tops: list[int] = field(default_factory=list)
    """How many entries each call of `top` gave."""

    def keep_classes(self) -> None:
        """See RankIndex."""
        self.classes_kept += 1

    def partitions(self, scope: str) -> Sequence[RankPartition]:
        """See RankIndex."""
        return [
            RankPartition(scope, memory_type, named, 0)
            for memory_type in MemoryType
            for named in sorted(
                implied_classes(memory_type, self.records.policy)
                | self.records.classes.get((scope, memory_type), frozenset())
            )
        ]

    def read(
        self, partition: RankPartition, ceiling: Sensitivity, entries: int, after: object = None
    ) -> Ranks:
        """See RankIndex."""
        found, last = self._next(partition, entries, after)
        self.entries_read += len(found)
        visible = [each for each in found if each.sensitivity.level <= ceiling.level]
        ranked = [Ranked(each.anchor, each.record.lifecycle.deletion_policy) for each in visible]
        return Ranks(len(found), len(visible), ranked, last)

    def count(
        self, partition: RankPartition, ceiling: Sensitivity, entries: int, after: object = None
    ) -> Ranks:
        """See RankIndex."""
        found, last = self._next(partition, entries, after)
        visible = [each for each in found if each.sensitivity.level <= ceiling.level]
        return Ranks(len(found), len(visible), after=last)

    def top(
        self, partition: RankPartition, entries: int, after: Position | None = None
    ) -> Sequence[Placed]:
        """See RankIndex; of one rank, the ids from the last to the first."""
        behind = [
            Placed(each.id, _rank(each), each.anchor, each.sensitivity)
            for each in reversed(self._held(partition))
            if after is None or _is_behind(each, after)
        ]
        self.tops.append(len(behind[:entries]))
        return behind[:entries]

    def _next(
        self, partition: RankPartition, entries: int, after: object
    ) -> tuple[list[StoredRecord], object]:
        """The next records, and the place of the last where more may follow, as DynamoDB has it."""
        held = [each for each in self._held(partition) if _rank(each) > RANK_OF_RETRACTED]
        start = after if isinstance(after, int) else 0
        end = start + entries
        return held[start:end], end if end <= len(held) else None

    def _held(self, partition: RankPartition) -> list[StoredRecord]:
        """The records of the partition, by rank."""
        held = [
            each
            for each in self.records.places.values()
            if isinstance(each, StoredRecord)
            and each.tombstone is None
            and (each.scope, each.record.type) == (partition.scope, partition.type)
            and decay_class(each.record.lifecycle) == partition.decay_class
        ]
        return sorted(held, key=lambda each: (_rank(each), each.id))


def _rank(stored: StoredRecord) -> float:
    return rank_in_class(stored)


def _is_behind(stored: StoredRecord, place: Position) -> bool:
    rank = _rank(stored)
    is_level = rank == place.rank
    return rank < place.rank or (is_level and (not place.record_id or stored.id < place.record_id))


@dataclass(slots=True)
class FakeNatural:
    """The NaturalIndex over a FakeRecords; what is younger than the delay it does not show yet."""

    records: FakeRecords
    delay: timedelta = timedelta(0)

    def newest(
        self, natural_key: bytes, entries: int, before_s: float | None = None
    ) -> Sequence[tuple[str, float]]:
        """See NaturalIndex."""
        found = [
            (each.anchor.born_s, each.id)
            for each in self.records.places.values()
            if isinstance(each, StoredRecord)
            and each.tombstone is None
            and natural_key_of(each.scope, each.record.payload) == natural_key
            and (before_s is None or each.anchor.born_s <= before_s)
            and not self._is_late(each)
        ]
        return [(record_id, born_s) for born_s, record_id in sorted(found, reverse=True)[:entries]]

    def _is_late(self, stored: StoredRecord) -> bool:
        shown_to_s = epoch_seconds(self.records.now() - self.delay)
        return bool(self.delay) and stored.anchor.born_s > shown_to_s


@dataclass(slots=True)
class Drawn:
    """Draws what a test says, over and over; without it always 0."""

    numbers: Sequence[int] = (0,)
    drawn: int = 0

    def __call__(self, count: int) -> int:
        number = self.numbers[self.drawn % len(self.numbers)]
        self.drawn += 1
        assert 0 <= number < count
        return number


@dataclass(slots=True)
class Metrics:
    """What operators were told in numbers: metric, value and dimensions."""

    told: list[tuple[str, float, Mapping[str, str]]] = field(default_factory=list)

    def __call__(self, metric: str, value: float, unit: str, /, **dimensions: str) -> None:
        assert unit in ("Count", "Seconds")
        self.told.append((metric, value, dimensions))


@dataclass(slots=True)
class FakeKeys:
    """A KeyStore in memory."""

    keys: dict[str, ApiKey] = field(default_factory=dict)

    def find(self, digest: str) -> ApiKey | None:
        """See KeyStore."""
        return self.keys.get(digest)

    def add(self, key: ApiKey) -> None:
        """See KeyStore."""
        self.keys[key.digest] = key

    def listed(self) -> Sequence[ApiKey]:
        """See KeyStore."""
        return sorted(self.keys.values(), key=lambda key: key.created_at)

    def revoke(self, digest: str, at: datetime) -> None:
        """See KeyStore."""
        if digest not in self.keys:
            raise NotFound("no such key")
        key = self.keys[digest]
        self.keys[digest] = replace(key, revoked_at=key.revoked_at or at)


@dataclass(slots=True)
class FakeBlobs:
    """A BlobStore in memory."""

    now: Clock = field(default_factory=FakeClock)
    blobs: dict[str, bytes] = field(default_factory=dict)
    written_at: dict[str, datetime] = field(default_factory=dict)

    def put(self, name: str, content: bytes) -> None:
        """See BlobStore."""
        self.blobs[name] = content
        self.written_at[name] = self.now()

    def get(self, name: str) -> bytes | None:
        """See BlobStore."""
        return self.blobs.get(name)

    def listed(self, record_id: str | None = None) -> Iterator[Blob]:
        """See BlobStore."""
        prefix = BLOBS if record_id is None else f"{BLOBS}{record_id}/"
        names = [name for name in sorted(self.blobs) if name.startswith(prefix)]
        yield from [Blob(name, self.written_at[name]) for name in names]

    def remove(self, name: str) -> None:
        """See BlobStore."""
        self.blobs.pop(name, None)


class FakeLinks:
    """Links that lead nowhere."""

    def upload(self, name: str, size: int, sha256: str) -> Link:
        """See Links."""
        return Link(f"https://bucket/{name}", "PUT", {"content-length": str(size), "sha": sha256})

    def download(self, name: str) -> str:
        """See Links."""
        return f"https://bucket/{name}"


@dataclass(slots=True)
class FakeUploads:
    """An UploadStore in memory, over the uploads of a FakeRecords; `put` is what a client does."""

    uploads: dict[str, Upload] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    now: Clock = field(default_factory=FakeClock)

    def put(self, upload_id: str, content: bytes) -> None:
        """Put the value of an upload where its link leads."""
        self.contents[upload_id] = content

    def open(self, upload: Upload) -> Upload | None:
        """See UploadStore."""
        standing = self.uploads.get(upload.id)
        if standing is not None and standing.expires_at_s > epoch_seconds(self.now()):
            return standing
        self.uploads[upload.id] = upload
        return None

    def find(self, upload_id: str) -> Upload | None:
        """See UploadStore."""
        return self.uploads.get(upload_id)

    def link(self, upload: Upload) -> Link:
        """See UploadStore."""
        return FakeLinks().upload(f"uploads/{upload.id}", upload.size, upload.sha256)

    def content(self, upload: Upload) -> bytes | None:
        """See UploadStore."""
        return self.contents.get(upload.id)


@dataclass(slots=True)
class FakeImports:
    """An ImportStore in memory, which also remembers how often each object was put."""

    objects: dict[str, bytes] = field(default_factory=dict)
    puts: dict[str, int] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    """By key what its sender says of the content."""
    kept: dict[str, bytes] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    tag_numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def put(self, key: str, content: bytes) -> str:
        """Put an object, and give the sequencer of this put."""
        self.objects[key] = content
        self.puts[key] = self.puts.get(key, 0) + 1
        return f"{self.puts[key]:016X}"

    def find(self, key: str) -> ImportObject | None:
        """See ImportStore."""
        if key not in self.objects:
            return None
        etag = hashlib.sha256(self.objects[key]).hexdigest()
        version = self.said.get(key, etag)
        return ImportObject("bucket", key, etag, version, len(self.objects[key]))

    def read(self, found: ImportObject, start: int, length: int) -> bytes:
        """See ImportStore."""
        there = self.find(found.key)
        if there is None or there.etag != found.etag:
            raise Replaced
        return self.objects[found.key][start : start + length]

    def result(self, name: str) -> Kept | None:
        """See ImportStore."""
        return Kept(self.kept[name], self.tags[name]) if name in self.kept else None

    def keep(self, name: str, content: bytes) -> None:
        """See ImportStore."""
        self.kept[name] = content
        self.tags[name] = str(next(self.tag_numbers))

    def keep_next(self, name: str, content: bytes, before: Kept | None) -> Kept:
        """See ImportStore."""
        if self.tags.get(name) != (before and before.etag):
            raise LostRace
        self.keep(name, content)
        return Kept(content, self.tags[name])


MARKER_PERIOD_S = 2 * 86_400


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
class FakeCounters:
    """The Counters in memory, some cells at a time."""

    at_a_time: int = 3
    kept_generations: Generations = field(default_factory=Generations)
    kept_tallies: dict[str, Tally] = field(default_factory=dict)
    cells: dict[Place, Cells] = field(default_factory=dict)
    """By generation, and scope or None."""
    kept: Progress | None = None

    def generations(self) -> Generations:
        """See Counters."""
        return self.kept_generations

    def tallies(self, record_ids: Sequence[str]) -> Mapping[str, Tally]:
        """See Counters."""
        return {each: self.kept_tallies[each] for each in record_ids if each in self.kept_tallies}

    def count(self, recounts: Sequence[Recount], generations: Generations) -> None:
        """See Counters."""
        if generations != self.kept_generations:
            raise LostRace
        for recount in recounts:
            if self.kept_tallies.get(recount.after.record_id) != recount.before:
                raise LostRace
        for place, moves in moves_of(recounts, generations).items():
            self.cells[place] = added(self.cells.get(place, {}), moves)
        for recount in recounts:
            before, after = recount.before, recount.after
            revision = 1 if before is None else before.revision + 1
            self.kept_tallies[after.record_id] = replace(after, revision=revision)

    def pages(self, generation: int, scope: str | None) -> Iterator[CellPage]:
        """See Counters."""
        cells = sorted(self.cells.get((generation, scope), {}).items(), reverse=True)
        for start in range(0, max(1, len(cells)), self.at_a_time):
            yield cells[start : start + self.at_a_time]

    def build(self, before: Generations) -> Generations:
        """See Counters."""
        return self._become(before, Generations(before.current, before.current + 1))

    def switch(self, before: Generations) -> Generations:
        """See Counters."""
        return self._become(before, Generations(before.newest))

    def drift(self, generations: Generations, after: str | None) -> tuple[int, str | None]:
        """See Counters."""
        old, new = (
            {
                f"{scope!r}#{name}": amounts
                for (of, scope), cells in self.cells.items()
                if of == generation
                for name, amounts in cells.items()
                if not name.startswith(GROWTH)
            }
            for generation in (generations.current, generations.newest)
        )
        left = sorted(each for each in {**old, **new} if after is None or each > after)
        some = left[: self.at_a_time]
        off = sum(drift_between(old.get(each, {}), new.get(each, {})) for each in some)
        return off, some[-1] if len(left) > self.at_a_time else None

    def remove(self, generation: int) -> bool:
        """See Counters."""
        place = next((each for each in self.cells if each[0] == generation), None)
        if place is not None:
            del self.cells[place]
        return place is not None

    def progress(self) -> Progress | None:
        """See Counters."""
        return self.kept

    def keep(self, progress: JsonObject, before: Progress | None) -> Progress:
        """See Counters."""
        if self.kept != before:
            raise LostRace
        self.kept = Progress(dict(progress), 1 if before is None else before.revision + 1)
        return self.kept

    def _become(self, before: Generations, after: Generations) -> Generations:
        if self.kept_generations != before:
            raise LostRace
        self.kept_generations = after
        return after


@dataclass(slots=True)
class FakeSearch:
    """The SearchIndex over a FakeEntries: it looks at every entry, each time."""

    entries: FakeEntries

    def scopes(self) -> Sequence[str]:
        """See SearchIndex."""
        return list(self.entries.scopes)[: MAX_SCOPES + 1]

    def frequencies(self, scopes: Sequence[str], ceiling: Sensitivity) -> Frequencies:
        """See SearchIndex."""
        return together((self._scope(scope).snapshot for scope in scopes), ceiling)

    def search(self, search: Search) -> Found:
        """See SearchIndex."""
        ranked: list[tuple[float, Entry]] = []
        for scope in search.scopes:
            self._require_embedder(self._scope(scope).embedders)
            corpus = Corpus.of(self.entries.entries(scope))
            likeliest = corpus.likeliest(
                search.question,
                search.dense,
                search.frequencies,
                ceiling=search.ceiling,
                types=search.types,
                limit=MAX_FOUND,
            )
            ranked += [(score, corpus.entries[position]) for score, position in likeliest]
        ranked.sort(key=lambda found: (-found[0], found[1].record_id))
        return Found([entry for _, entry in ranked[:MAX_FOUND]])

    def at(self, places: Sequence[tuple[str, str]]) -> Sequence[Entry]:
        """See SearchIndex."""
        asked = dict.fromkeys(places)
        kept = [self.entries.places[place] for place in asked if place in self.entries.places]
        found = [each for each in kept if each.entry is not None]
        self._require_embedder({each.embedder for each in found})
        return [each.entry for each in found if each.entry is not None]

    def beside(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """See SearchIndex."""
        known = {(each.scope, each.record_id) for each in entries}
        near = {
            (each.scope, each.record_id): each
            for entry in entries
            if entry.thread
            for each in self._near(entry)
        }
        return [each for place, each in near.items() if place not in known]

    def _near(self, entry: Entry) -> Sequence[Entry]:
        turns = sorted(
            (each for each in self.entries.entries(entry.scope) if each.thread == entry.thread),
            key=_place_in_thread,
        )
        before = [each for each in turns if _place_in_thread(each) < _place_in_thread(entry)]
        after = [each for each in turns if _place_in_thread(each) > _place_in_thread(entry)]
        return [*before[-NEIGHBOURS:], *after[:NEIGHBOURS]]

    def _scope(self, scope: str) -> FakeScope:
        return self.entries.scopes.get(scope, FakeScope())

    def _require_embedder(self, embedders: Collection[str]) -> None:
        for other in sorted(set(embedders) - {self.entries.embedder_name}):
            raise WrongEmbedder(f"made with {other}: run `membrane reindex`")


def _place_in_thread(entry: Entry) -> tuple[str, str]:
    return entry.order, entry.record_id


@dataclass(slots=True)
class FakeAnswers:
    """The AnswerReceipts in memory; `failing` is raised where it is set."""

    now: Clock = field(default_factory=FakeClock)
    kept: dict[str, tuple[AnswerReceipt, datetime]] = field(default_factory=dict)
    """With when each is over."""
    failing: Exception | None = None

    def keep(self, receipt: AnswerReceipt) -> None:
        """See AnswerReceipts."""
        if self.failing is not None:
            raise self.failing
        self.kept.setdefault(receipt.id, (receipt, self.now() + RECEIPT_PERIOD))

    def find(self, receipt_id: str) -> AnswerReceipt | None:
        """See AnswerReceipts."""
        receipt, end = self.kept.get(receipt_id, (None, self.now()))
        return receipt if end > self.now() else None


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


@dataclass(slots=True)
class FakeEmbedder:
    """The lexical embedder under some name, which remembers what it was asked."""

    name: str = "lexical"
    dimensions: int = 64
    asked: list[Sequence[str]] = field(default_factory=list)
    failing: Callable[[Sequence[str]], None] = lambda _: None
    """Asked first; raises what the embedder shall raise."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """See Embedder."""
        self.failing(texts)
        self.asked.append(texts)
        return LexicalEmbedder(self.dimensions).embed(texts)


def counted_ids() -> Callable[[], str]:
    """UUIDs of version 4 by number: ...0001, ...0002."""
    numbers = count(1)
    return lambda: f"00000000-0000-4000-8000-{next(numbers):012d}"


def counted_salts() -> Callable[[], str]:
    """128 bits in hex, by number."""
    numbers = count(1)
    return lambda: f"{next(numbers):032x}"


def make_services(
    *,
    records: RecordStore | None = None,
    keys: KeyStore | None = None,
    blobs: BlobStore | None = None,
    uploads: UploadStore | None = None,
    imports: ImportStore | None = None,
    now: Clock | None = None,
    new_id: Callable[[], str] | None = None,
    new_salt: Callable[[], str] | None = None,
    back_off: Callable[[int], None] | None = None,
    report: Report | None = None,
    measure: Measure | None = None,
    due: DueIndex | None = None,
    ranks: RankIndex | None = None,
    natural: NaturalIndex | None = None,
    draw: Callable[[int], int] | None = None,
    elapsed_s: Callable[[], float] | None = None,
    invoke_later: InvokeLater | None = None,
    policy: PolicyDefaults | None = None,
    retention: Retention | None = None,
    sources: SourcePrincipals | None = None,
) -> Services:
    """Services over fakes, but for the parts given."""
    clock = now or FakeClock()
    defaults = policy or PolicyDefaults()
    stored = records or FakeRecords(clock, defaults)
    opened = stored.uploads if isinstance(stored, FakeRecords) else {}
    indexed = stored if isinstance(stored, FakeRecords) else FakeRecords(clock, defaults)
    return Services(
        records=stored,
        keys=keys or FakeKeys(),
        blobs=blobs or FakeBlobs(clock),
        uploads=uploads or FakeUploads(opened, now=clock),
        imports=imports or FakeImports(),
        now=clock,
        new_id=new_id or counted_ids(),
        new_salt=new_salt or counted_salts(),
        back_off=back_off or BackOff(),
        report=report or Reports(),
        measure=measure or Metrics(),
        due=due or FakeDue(indexed),
        ranks=ranks or FakeRanks(indexed),
        natural=natural or FakeNatural(indexed),
        draw=draw or Drawn(),
        elapsed_s=elapsed_s or (lambda: 0.0),
        invoke_later=invoke_later or Later(),
        policy=defaults,
        retention=retention or Retention(),
        sources=sources or SourcePrincipals(),
    )


def make_reading_services(
    *,
    entries: EntryStore | None = None,
    embedder: Embedder | None = None,
    set_aside: SetAside | None = None,
    catalogue: Catalogue | None = None,
    counters: Counters | None = None,
    search: SearchIndex | None = None,
    receipts: AnswerReceipts | None = None,
    weights: Weights | None = None,
    **others: Any,
) -> ReadingServices:
    """The same with what retrieves and what keeps the search index; see `make_services`."""
    usual = make_services(**others)
    records = usual.records if isinstance(usual.records, FakeRecords) else FakeRecords(usual.now)
    kept = entries or FakeEntries(now=usual.now)
    known = kept if isinstance(kept, FakeEntries) else FakeEntries(now=usual.now)
    return ReadingServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        entries=kept,
        embedder=embedder or FakeEmbedder(),
        set_aside=set_aside or SetAsides(),
        catalogue=catalogue or FakeCatalogue(records, known),
        counters=counters or FakeCounters(),
        search=search or FakeSearch(known),
        receipts=receipts or FakeAnswers(usual.now),
        cursor_key=lambda: CURSOR_KEY,
        weights=weights or Weights(),
    )
