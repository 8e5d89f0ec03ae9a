"""A record as the store keeps it, what is left of a deleted one, and its audit in brief."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from membrane.domain.language.vocabulary import AuditAction, MemoryType, Sensitivity
from membrane.domain.records.history import Delta, delta_between
from membrane.domain.records.idempotency import Operation, remember
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.salience.function import Anchor, Curves, salience_at

SHOWN_ENTRIES = 20
"""Audit entries that a reply shows with a record: the newest ones."""

ERASED = "erased"
"""Reason of a tombstone whose content was removed for good."""


class Tombstone(NamedTuple):
    """When (seconds since 1970) and why a record was deleted."""

    deleted_at_s: float
    reason: str
    due_s: int | None
    """When the sweep removes what can be restored until then; None where nothing is left."""
    expires_at_s: int
    """The table's TTL removes the tombstone after this."""

    @property
    def is_erased(self) -> bool:
        """Whether the content was removed for good, the free text of the audit, too."""
        return self.reason == ERASED


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One record of the store. `record.salience` is the salience at the anchor, not now.

    Unless the record was loaded whole, `record.audit_log` and `history` lack their oldest entries.
    """

    record: MemoryRecord
    anchor: Anchor
    version: int
    fingerprint: bytes
    """SHA-256 of the request that created it; empty when it came without an idempotency key."""
    operations: tuple[Operation, ...] = ()
    tombstone: Tombstone | None = None
    """Of a record that was deleted and can be restored."""
    audit_count: int | None = field(default=None, compare=False)
    """How many audit entries were ever written; None = as many as the trail has."""
    initial_salience: float | None = field(default=None, compare=False)
    history: tuple[Delta, ...] = ()
    """The changes of its content, the oldest first."""
    origin: object = field(default=None, compare=False, repr=False)
    """What the store read, for its own use when it writes the next version."""

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
        """The audit trail, oldest first: its newest entries, or all where loaded whole."""
        return self.record.audit_log

    @property
    def written_entries(self) -> int:
        """How many audit entries were ever written, found or not."""
        return len(self.trail) if self.audit_count is None else self.audit_count

    @property
    def born_s(self) -> float:
        return self.anchor.born_s

    @property
    def first_salience(self) -> float:
        """What the record was created with.

        Where nobody noted it: the first one that the trail tells, which may have faded by then; or
        the anchor's, which nothing has moved.
        """
        if self.initial_salience is not None:
            return self.initial_salience
        saliences = (entry.salience_before for entry in self.trail)
        return next((each for each in saliences if each is not None), self.anchor.salience)

    def as_of(self, now_s: float, curves: Curves) -> MemoryRecord:
        """The record as a reply shows it, with its salience at `now_s`."""
        salience = salience_at(now_s, self.anchor, self.record.lifecycle, curves)
        return self.with_newest_entries().model_copy(update={"salience": salience})

    def with_newest_entries(self) -> MemoryRecord:
        """The record with SHOWN_ENTRIES of its audit, and the number of all entries."""
        shown = {"audit_log": self.trail[-SHOWN_ENTRIES:], "audit_count": self.written_entries}
        return self.record.model_copy(update=shown)

    def next_version(self, record: MemoryRecord) -> "StoredRecord":
        """The next version; its history tells what of the content is another now."""
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

    def with_operation(self, operation: Operation | None) -> "StoredRecord":
        return replace(self, operations=remember(self.operations, operation))


@dataclass(frozen=True, slots=True)
class RemovedRecord:
    """What a deleted record leaves when its document is gone: who it was, why, and its audit."""

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
    origin: object = field(default=None, compare=False, repr=False)

    @property
    def written_entries(self) -> int:
        """How many audit entries were ever written, found or not."""
        return len(self.trail) if self.audit_count is None else self.audit_count

    def without_due_time(self) -> "RemovedRecord":
        """The same once nothing is left to remove."""
        return replace(self, tombstone=self.tombstone._replace(due_s=None))

    def with_operation(self, operation: Operation | None) -> "RemovedRecord":
        return replace(self, operations=remember(self.operations, operation))


AnyRecord = StoredRecord | RemovedRecord
"""What may stand at a record's place."""


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """How many audit entries a record has, and what the newest ones say that happened."""

    record_id: str
    scope: str
    sensitivity: Sensitivity
    entries: int
    actions: Sequence[AuditAction]
    """Of the newest entries; empty where these lie in the bucket."""
