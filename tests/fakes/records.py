"""The store of records over plain dicts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from membrane.domain.language.timestamps import NOT_GIVEN, epoch_seconds
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.lifecycle.pruning import due_of
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.records.stored import (
    AnyRecord,
    AuditSummary,
    CreditSummary,
    RemovedRecord,
    StoredRecord,
)
from membrane.domain.records.uploads import Upload, require_claimable
from membrane.domain.records.vector_rules import (
    index_version,
    is_found,
    loses_vector,
    needs_vector,
    outlived_by,
)
from membrane.domain.salience.decay_defaults import (
    PolicyDefaults,
    implied_classes,
    reserved_classes,
)
from membrane.domain.salience.function import decay_class
from membrane.domain.salience.profiles import Profiles, profiles_with
from membrane.usecases.ports.names import NameChange
from membrane.usecases.ports.records import (
    NO_RECEIPTS,
    NO_VALUES,
    Change,
    Head,
    IdTaken,
    Incoming,
    KeyUsed,
    LostRace,
    Receipt,
    Spending,
    Turns,
)
from membrane.usecases.ports.services import Clock
from tests.fakes.loading import newest_part, with_oldest_part
from tests.fakes.names import FakeNames
from tests.fakes.stand_in import StandIn

RESIDENT_ENTRIES = 16
"""Audit entries that `audited` tells of."""


@dataclass(frozen=True, slots=True)
class KeptReceipt:
    """At a keyed id: which record the key made, of an id that the client chose."""

    record_id: str
    fingerprint: bytes


@dataclass(slots=True)
class FakeRecords(StandIn):
    """A fake of DynamoRecords: what stands at each id, who holds each head, classes by scope."""

    now: Clock
    policy: PolicyDefaults = field(default_factory=PolicyDefaults)
    places: dict[str, AnyRecord | KeptReceipt] = field(default_factory=dict)
    heads: dict[bytes, Head] = field(default_factory=dict)
    names: FakeNames = field(default_factory=FakeNames)
    spendings: dict[str, float] = field(default_factory=dict)
    """By id of the receipt of a retrieval the credit spent."""
    turns: dict[bytes, int] = field(default_factory=dict)
    """The next turn of each thread that has any."""
    classes: dict[tuple[str, MemoryType], Profiles] = field(default_factory=dict)
    blobs: dict[str, frozenset[str]] = field(default_factory=dict)
    """By record id the blobs that it names; set by tests, since no fake record needs one."""
    uploads: dict[str, Upload] = field(default_factory=dict)
    values: dict[LargeValue, bytes] = field(default_factory=dict)
    stale: dict[str, str] = field(default_factory=dict)
    """By record id the flag of the last write, where it has one."""
    ended: dict[str, int] = field(default_factory=dict)
    """By record id the `index_version` of the write that ended its vector."""
    superseded: dict[str, int] = field(default_factory=dict)
    """By record id the `index_version` of the write that superseded the record."""
    put_off: dict[str, int | None] = field(default_factory=dict)
    """By record id when it is due otherwise than its anchor says."""

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        """See DynamoRecords."""
        found = self._at(record_id)
        if found is None or isinstance(found, KeptReceipt):
            return None
        return found if whole else newest_part(found)

    def load_own(self, record_ids: Sequence[str]) -> Mapping[str, AnyRecord]:
        """See DynamoRecords."""
        found = self.load_all(record_ids)
        return {each: _own_part(held) for each, held in found.items()}

    def incoming(
        self,
        target_id: str,
        *,
        before: tuple[float, str] | None = None,
        growing: bool = False,  # noqa: ARG002 - the fake has no pages
    ) -> Iterator[Incoming]:
        """See DynamoRecords."""
        edges = sorted(self._edges_to(target_id), key=_place_of)
        return (each for each in edges if before is None or _place_of(each)[:2] > _place(*before))

    def _edges_to(self, target_id: str) -> Iterator[Incoming]:
        sources = [each for each in self.places.values() if isinstance(each, StoredRecord)]
        for source in sources:
            for each in source.record.relations:
                if each.target_id == target_id:
                    edge = (source.id, each.predicate, each.weight, each.created_at or NOT_GIVEN)
                    place = (source.born_s, source.scope, source.sensitivity)
                    yield Incoming(*edge, *place, source.type)

    def audit_summaries(self, record_ids: Sequence[str]) -> Sequence[AuditSummary]:
        """See DynamoRecords."""
        held = [self.places.get(each) for each in record_ids]
        return [
            AuditSummary(
                each.id,
                each.scope,
                each.sensitivity,
                each.written_entries,
                [entry.action for entry in each.trail[-RESIDENT_ENTRIES:]],
            )
            for each in held
            if isinstance(each, StoredRecord) and each.tombstone is None
        ]

    def credit_summaries(self, record_ids: Sequence[str]) -> Sequence[CreditSummary]:
        """See DynamoRecords."""
        held = [self.places.get(each) for each in record_ids]
        return [
            CreditSummary(each.id, each.scope, each.sensitivity, each.credit)
            for each in held
            if isinstance(each, StoredRecord) and each.tombstone is None and each.credit
        ]

    def load_all(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        """See DynamoRecords."""
        return self.load_each(record_ids, whole=whole)

    def load_each(
        self, record_ids: Sequence[str], *, whole: bool = False
    ) -> Mapping[str, AnyRecord]:
        """See DynamoRecords."""
        loaded = ((record_id, self.load(record_id, whole=whole)) for record_id in record_ids)
        return {record_id: held for record_id, held in loaded if held is not None}

    def entries(self, held: AnyRecord, begin: int, end: int) -> Iterator[tuple[int, AuditEntry]]:
        """See DynamoRecords."""
        kept = self.places[held.id]
        assert isinstance(kept, AnyRecord)
        yield from list(enumerate(kept.trail))[begin:end]

    def create(
        self,
        new: StoredRecord,
        *,
        also: Sequence[StoredRecord] = (),
        changed: Sequence[Change] = (),
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        names: Sequence[NameChange] = (),
        receipts: Mapping[str, Receipt] = NO_RECEIPTS,
        uploads: Sequence[Upload] = (),
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """See DynamoRecords."""
        standing = dict(self.classes)
        try:
            for each in (new, *also):
                self.classes |= self._classes_with(each.record)
            self._require_unused(receipts)
            for each in (new, *also):
                self._require_free(each.id)
            claimed = [self._claimed(upload, new.id) for upload in uploads]
            self._change(changed, targets, heads, names)
        except Exception:
            self.classes = standing
            raise
        self.uploads |= {upload.id: upload for upload in claimed}
        for each in (new, *also):
            self._put_new(each, values)
        self._keep_receipts(receipts)

    def create_all(
        self,
        new: Sequence[StoredRecord],
        turns: Turns,
        *,
        values: Mapping[LargeValue, bytes] = NO_VALUES,
    ) -> None:
        """See DynamoRecords."""
        classes = self._classes_with(new[0].record)
        for each in new:
            self._require_free(each.id)
        if self.next_turn(turns.key) != turns.first:
            raise LostRace
        self.classes |= classes
        self.turns[turns.key] = turns.following
        for each in new:
            self._put_new(each, values)

    def spent_of(self, receipt_id: str) -> float:
        """See DynamoRecords."""
        return self.spendings.get(receipt_id, 0.0)

    def next_turn(self, key: bytes) -> int:
        """See DynamoRecords."""
        return self.turns.get(key, 1)

    def put_restored(self, held: AnyRecord, values: Mapping[LargeValue, bytes]) -> None:
        """Put a record of any state under a free id, as a restore does."""
        self._require_free(held.id)
        if isinstance(held, StoredRecord) and held.tombstone is None:
            self.classes |= self._classes_with(held.record)
        self.values |= values
        self.places[held.id] = held
        if isinstance(held, StoredRecord) and is_found(held):
            self.stale[held.id] = "written"

    def _require_free(self, place: str) -> None:
        match self._at(place):
            case KeptReceipt(record_id, fingerprint):
                raise KeyUsed(record_id, fingerprint)
            case StoredRecord() | RemovedRecord():
                raise IdTaken(place)
            case None:
                return

    def _require_unused(self, receipts: Mapping[str, Receipt]) -> None:
        for each in receipts.values():
            self._require_free(each.keyed_id)

    def _keep_receipts(self, receipts: Mapping[str, Receipt]) -> None:
        for record_id, each in receipts.items():
            self.places[each.keyed_id] = KeptReceipt(record_id, each.fingerprint)

    def _put_new(self, new: StoredRecord, values: Mapping[LargeValue, bytes]) -> None:
        self.values |= values
        self.places[new.id] = new
        if is_found(new):
            self.stale[new.id] = "written"

    def replace(self, before: AnyRecord, after: AnyRecord, *, due_by_s: int | None = None) -> None:
        """See DynamoRecords."""
        newest = self.places.get(before.id)
        due_s = self.due_s(newest) if isinstance(newest, AnyRecord) else None
        if due_by_s is not None and (due_s is None or due_s > due_by_s):
            raise LostRace
        self._change([(before, after)], (), ())

    def replace_all(
        self,
        changed: Sequence[tuple[AnyRecord, AnyRecord]],
        *,
        targets: Sequence[StoredRecord] = (),
        heads: Sequence[Head] = (),
        names: Sequence[NameChange] = (),
        receipts: Mapping[str, Receipt] = NO_RECEIPTS,
        spending: Spending | None = None,
    ) -> None:
        """See DynamoRecords."""
        self._require_unused(receipts)
        if spending is not None and self.spent_of(spending.receipt_id) != spending.before:
            raise LostRace
        self._change(changed, targets, heads, names)
        if spending is not None:
            self.spendings[spending.receipt_id] = spending.after
        self._keep_receipts(receipts)

    def _change(
        self,
        changed: Sequence[tuple[AnyRecord, AnyRecord]],
        targets: Sequence[StoredRecord],
        heads: Sequence[Head],
        names: Sequence[NameChange] = (),
    ) -> None:
        """All or nothing."""
        classes: dict[tuple[str, MemoryType], Profiles] = {}
        for before, after in changed:
            if isinstance(after, StoredRecord) and after.tombstone is None:
                classes |= self._classes_with(after.record)
            newest = self.places.get(before.id)
            if not isinstance(newest, AnyRecord) or newest.version != before.version:
                raise LostRace
        touched = {after.id for _, after in changed}
        if not all(self._is_as_read(each) for each in targets if each.id not in touched):
            raise LostRace
        if any(self.head(head.key).version != head.version for head in heads):
            raise LostRace
        self.names.require_unchanged(names)
        self.names.change(names)
        for head in heads:
            self.heads[head.key] = head._replace(version=head.version + 1)
        self.classes |= classes
        for before, after in changed:
            kept = self.places[before.id]
            assert isinstance(kept, AnyRecord)
            is_mistimed = self._is_mistimed(kept, after)
            self.put_off.pop(before.id, None)
            self.places[before.id] = with_oldest_part(kept, before, after)
            self.stale.pop(before.id, None)
            is_ended = loses_vector(before, after, epoch_seconds(self.now()))
            is_outlived = is_ended and outlived_by(after) is not None
            if is_outlived or needs_vector(before, after, is_mistimed=is_mistimed):
                self.stale[before.id] = "written"
            if is_ended:
                ended = self.superseded if is_outlived else self.ended
                ended[before.id] = index_version(after.born_s, after.version)

    def forget(self, before: AnyRecord, after: RemovedRecord) -> None:
        """See DynamoRecords."""
        self.replace(before, after.without_due_time())
        self.names.forget(before.id)

    def discard(self, record_id: str) -> None:
        """See DynamoRecords."""
        if self._at(record_id) is None and self.places.pop(record_id, None) is not None:
            self.names.forget(record_id)

    def due_s(self, held: AnyRecord) -> int | None:
        """When it is due, as the index has it."""
        if held.id in self.put_off:
            return self.put_off[held.id]
        return held.tombstone.due_s if held.tombstone else self._due_by_policy_s(held)

    def _is_mistimed(self, before: AnyRecord, after: AnyRecord) -> bool:
        known_s = self.due_s(before)
        if known_s is None:
            return self.due_s(after) is not None
        due_s = self._due_by_policy_s(before) or known_s
        return min(known_s, due_s) <= epoch_seconds(self.now())

    def _due_by_policy_s(self, held: AnyRecord) -> int | None:
        if not isinstance(held, StoredRecord):
            return None
        return due_of(held, self.policy.custom_curves, self.policy.prune_threshold)

    def receipt(self, keyed_id: str) -> KeyUsed | None:
        """See DynamoRecords."""
        found = self._at(keyed_id)
        return (
            KeyUsed(found.record_id, found.fingerprint) if isinstance(found, KeptReceipt) else None
        )

    def head(self, key: bytes) -> Head:
        """See DynamoRecords."""
        return self.heads.get(key, Head(key))

    def heads_of(self, keys: Collection[bytes]) -> Mapping[bytes, Head]:
        """See DynamoRecords."""
        return {each: self.head(each) for each in keys}

    def blob_names(self, record_id: str) -> frozenset[str]:
        """See DynamoRecords."""
        return self.blobs.get(record_id, frozenset())

    def is_erased(self, record_id: str) -> bool:
        """See DynamoRecords."""
        held = self._at(record_id)
        grave = held.tombstone if isinstance(held, AnyRecord) else None
        return grave is not None and grave.is_erased

    def value(self, large: LargeValue) -> bytes:
        """See DynamoRecords."""
        return self.values[large]

    def link(self, large: LargeValue) -> str:
        """See DynamoRecords."""
        return f"https://bucket/blobs/{large.record_id}/{large.sha256}"

    def _claimed(self, upload: Upload, record_id: str) -> Upload:
        found = self.uploads.get(upload.id)
        now_s = epoch_seconds(self.now())
        return replace(
            require_claimable(found, upload.opened_by, record_id, now_s), claimed_by=record_id
        )

    def everything(
        self,
    ) -> tuple[Mapping[str, object], Mapping[bytes, object], Mapping[object, object]]:
        """All that is stored, to be compared with what is stored later."""
        return (
            {**self.places, **self.spendings},
            {**self.heads, **self.turns},
            dict(self.classes),
        )

    def _at(self, record_id: str) -> AnyRecord | KeptReceipt | None:
        """What stands there, unless it is a tombstone past its time."""
        found = self.places.get(record_id)
        grave = found.tombstone if isinstance(found, AnyRecord) else None
        if grave is not None and grave.expires_at_s <= epoch_seconds(self.now()):
            return None
        return found

    def _is_as_read(self, target: StoredRecord) -> bool:
        newest = self.load(target.id)
        if newest is None or newest.tombstone is not None:
            return False
        return (newest.scope, newest.sensitivity) == (target.scope, target.sensitivity)

    def _classes_with(self, record: MemoryRecord) -> Mapping[tuple[str, MemoryType], Profiles]:
        """The classes that the record's scope and type have with it, where that changes them."""
        place = (record.scope, record.type)
        implied = implied_classes(record.type, self.policy)
        standing = self.classes.get(place, Profiles())
        now_s = epoch_seconds(self.now())
        named = decay_class(record.lifecycle)
        is_used = partial(self._is_used, place)
        reserved = reserved_classes(record.type, self.policy)
        after = profiles_with(named, standing, implied, is_used, now_s, reserved=reserved)
        return {} if after == standing else {place: after}

    def _is_used(self, place: tuple[str, MemoryType], named: str) -> bool:
        return any(
            isinstance(held, StoredRecord)
            and held.tombstone is None
            and (held.scope, held.record.type) == place
            and decay_class(held.record.lifecycle) == named
            for held in self.places.values()
        )


def _own_part(held: AnyRecord) -> AnyRecord:
    """The record without what the table keeps beside its own item; for reading alone."""
    if isinstance(held, RemovedRecord):
        return held
    return replace(held, history=(), origin=None)


def _place_of(edge: Incoming) -> tuple[float, str, str]:
    return (*_place(edge.born_s, edge.source_id), edge.predicate)


def _place(born_s: float, source_id: str) -> tuple[float, str]:
    return (-born_s, source_id)
