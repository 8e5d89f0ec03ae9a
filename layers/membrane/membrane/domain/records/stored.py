"""A record in the store: alive or deleted (`StoredRecord`), or removed (`RemovedRecord`).

The store recognises a repeated request by principal, RPC, idempotency key and body.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, TypeGuard
from uuid import UUID

from membrane.domain.language.json_text import canonical_json, digest
from membrane.domain.language.vocabulary import AuditAction, MemoryType, Sensitivity
from membrane.domain.records.history import Delta, delta_between
from membrane.domain.records.learning_mark import UNMARKED, LearningMark
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.records.usefulness import CreditLedger
from membrane.domain.salience.function import Anchor, Curves, salience_at

MAX_OPERATIONS = 100
"""The number of newest operations stored with a record."""

IDENTITY_BYTES = 12
FINGERPRINT_BYTES = 4

KEYED_VERSION = 8
"""The UUID version of ids made from an idempotency key; no client may choose a UUIDv8."""


class Operation(NamedTuple):
    """A keyed change of a record: digests of the principal, the key and the body."""

    identity: bytes
    """IDENTITY_BYTES of the SHA-256 over the principal's identity, RPC and key."""

    fingerprint: bytes
    """FINGERPRINT_BYTES of the SHA-256 of the body: enough to detect a reused key."""


def keyed_id(identity: str, rpc: str, key: str) -> str:
    """The id of a record created under a key: UUIDv8 of SHA-256(`Principal.identity`, RPC, key)."""
    return _version_8(digest(identity, rpc, key))


def id_within(record_id: str, *what: str) -> str:
    """The id of a record that the creation of another record brings along, the same at each try."""
    return _version_8(digest("within", record_id, *what))


def _version_8(hashed: bytes) -> str:
    octets = bytearray(hashed[:16])
    octets[6] = (octets[6] & 0x0F) | (KEYED_VERSION << 4)
    octets[8] = (octets[8] & 0x3F) | 0x80  # the variant of RFC 9562
    return str(UUID(bytes=bytes(octets)))


def is_keyed_id(record_id: str) -> bool:
    """Whether an id is a UUIDv8, the version made from idempotency keys."""
    try:
        return UUID(record_id).version == KEYED_VERSION
    except ValueError:
        return False


def operation(identity: str, rpc: str, key: str, fingerprint: bytes) -> Operation:
    """The operation of a keyed request; `identity` is `Principal.identity`."""
    return Operation(digest(identity, rpc, key)[:IDENTITY_BYTES], fingerprint[:FINGERPRINT_BYTES])


def fingerprint_of(request: object) -> bytes:
    """SHA-256 of the canonical JSON of a request as sent, before defaults."""
    return hashlib.sha256(canonical_json(request)).digest()


def remember(operations: tuple[Operation, ...], newest: Operation | None) -> tuple[Operation, ...]:
    return operations if newest is None else (*operations, newest)[-MAX_OPERATIONS:]


SHOWN_ENTRIES = 20
"""The number of newest audit entries that a reply shows with a record."""

DELETED = "deleted"
"""The reason in the tombstone of a record deleted by a caller."""

ERASED = "erased"
"""The reason in the tombstone of a record that was erased."""


class Tombstone(NamedTuple):
    """When (seconds since 1970) and why a record was deleted."""

    deleted_at_s: float
    reason: str
    due_s: int | None
    """When the sweep removes the content, until then restorable; None once all is removed."""
    expires_at_s: int
    """The instant after which the TTL of the table removes the tombstone."""
    erasure: str = ""
    """The id of the erasure job that erased the record; empty for any other end."""

    @property
    def is_erased(self) -> bool:
        """Whether content and the free text of the audit were removed for good."""
        return self.reason == ERASED


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record with its document. `record.salience` is the salience at the anchor, not now.

    `record.audit_log` and `history` lack the oldest entries unless the record was loaded whole.
    """

    record: MemoryRecord
    anchor: Anchor
    version: int
    fingerprint: bytes
    """SHA-256 of the request that created the record; empty without an idempotency key."""
    operations: tuple[Operation, ...] = ()
    tombstone: Tombstone | None = None
    """The tombstone of a deleted record that can be restored; None for a living record."""
    audit_count: int | None = field(default=None, compare=False)
    """The number of all audit entries written; None means the length of the trail."""
    initial_salience: float | None = field(default=None, compare=False)
    history: tuple[Delta, ...] = ()
    """The changes of the content, oldest first."""
    learning: LearningMark = UNMARKED
    """Whether the record is evidence that waits to be learned from."""
    credit: CreditLedger | None = None
    """The credit by outcomes; None before the first."""
    origin: object = field(default=None, compare=False, repr=False)
    """The items that the store read; the store needs them to write the next version."""

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def type(self) -> MemoryType:
        return self.record.type

    @property
    def scope(self) -> str:
        return self.record.scope

    @property
    def sensitivity(self) -> Sensitivity:
        return self.record.sensitivity

    @property
    def trail(self) -> tuple[AuditEntry, ...]:
        """The audit trail, oldest first: the newest entries, or all if loaded whole."""
        return self.record.audit_log

    @property
    def written_entries(self) -> int:
        """The number of all audit entries written, loaded or not."""
        return len(self.trail) if self.audit_count is None else self.audit_count

    @property
    def born_s(self) -> float:
        return self.anchor.born_s

    @property
    def first_salience(self) -> float:
        """The salience at creation.

        If it was not stored: the first salience in the trail, which may have faded by then, or
        the salience of an anchor that never moved.
        """
        if self.initial_salience is not None:
            return self.initial_salience
        saliences = (entry.salience_before for entry in self.trail)
        return next((each for each in saliences if each is not None), self.anchor.salience)

    def as_of(self, now_s: float, curves: Curves) -> MemoryRecord:
        """The record for a reply, with the salience at `now_s`."""
        salience = salience_at(now_s, self.anchor, self.record.lifecycle, curves)
        return self.with_newest_entries().model_copy(update={"salience": salience})

    def with_newest_entries(self) -> MemoryRecord:
        """The record with usefulness, SHOWN_ENTRIES newest audit entries, and the number of all."""
        shown = {
            "audit_log": self.trail[-SHOWN_ENTRIES:],
            "audit_count": self.written_entries,
            "usefulness": None if self.credit is None else self.credit.as_part(),
        }
        return self.record.model_copy(update=shown)

    def next_version(self, record: MemoryRecord) -> "StoredRecord":
        """The next version with `record` as document; the history gains the changed content."""
        added = len(record.audit_log) - len(self.trail)
        delta = delta_between(self.record, record, self.written_entries)
        return replace(
            self,
            record=record,
            version=self.version + 1,
            audit_count=self.written_entries + added,
            initial_salience=self.first_salience,
            history=self.history if delta is None else (*self.history, delta),
        )

    @property
    def has_past(self) -> bool:
        """Whether the content of an earlier version is kept."""
        return any(not delta.is_erasure for delta in self.history)

    def version_without_past(self, record: MemoryRecord) -> "StoredRecord":
        """The next version with `record` as document; every earlier content is erased."""
        after = self.next_version(record)
        return replace(after, history=(Delta(self.written_entries, ()),))

    def with_operation(self, operation: Operation | None) -> "StoredRecord":
        return replace(self, operations=remember(self.operations, operation))


@dataclass(frozen=True, slots=True)
class RemovedRecord:
    """A deleted record without document: identity, tombstone, audit and derived ids remain."""

    id: str
    type: MemoryType
    scope: str
    sensitivity: Sensitivity
    born_s: float
    trail: tuple[AuditEntry, ...]
    tombstone: Tombstone
    version: int
    fingerprint: bytes
    operations: tuple[Operation, ...] = ()
    audit_count: int | None = field(default=None, compare=False)
    facts: tuple[str, ...] = ()
    """Ids of what was derived from the record, for a later erasure; none once erased."""
    origin: object = field(default=None, compare=False, repr=False)

    @property
    def written_entries(self) -> int:
        """The number of all audit entries written, loaded or not."""
        return len(self.trail) if self.audit_count is None else self.audit_count

    def without_due_time(self) -> "RemovedRecord":
        """The record once the store has nothing left to remove."""
        return replace(self, tombstone=self.tombstone._replace(due_s=None))

    def with_operation(self, operation: Operation | None) -> "RemovedRecord":
        return replace(self, operations=remember(self.operations, operation))


AnyRecord = StoredRecord | RemovedRecord
"""The record under an id, with or without document."""


def is_alive(held: object) -> TypeGuard[StoredRecord]:
    """Whether a record is stored, and neither deleted nor removed."""
    return isinstance(held, StoredRecord) and held.tombstone is None


def has_shown_entries(held: AnyRecord) -> bool:
    """Whether the trail, as loaded, has the audit entries that a reply shows."""
    return len(held.trail) >= min(held.written_entries, SHOWN_ENTRIES)


def erases_past(before: AnyRecord, after: AnyRecord) -> bool:
    """Whether the next version of a record erases every earlier content."""
    if not isinstance(after, StoredRecord):
        return False
    return after.history == (Delta(before.written_entries, ()),)


@dataclass(frozen=True, slots=True)
class CreditSummary:
    """The credit of a live record."""

    record_id: str
    scope: str
    sensitivity: Sensitivity
    credit: CreditLedger


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """The number of a record's audit entries, and the actions of the newest entries."""

    record_id: str
    scope: str
    sensitivity: Sensitivity
    entries: int
    actions: Sequence[AuditAction]
    """Actions of the newest entries; empty if the entries are in the bucket."""


class Removal(StrEnum):
    DELETED = "deleted"
    """By a caller, who did not erase the record."""
    PRUNED = "pruned"
    """By the sweep, as faded, too old, or retracted for long."""


def removal_by(tombstone: Tombstone) -> Removal | None:
    """How the record was removed; None for an erased record, which no list shows."""
    if tombstone.is_erased:
        return None
    return Removal.DELETED if tombstone.reason == DELETED else Removal.PRUNED
