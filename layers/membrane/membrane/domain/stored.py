"""A record as the store keeps it: with its anchor, its version and what it remembers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from membrane.domain.idempotency import Operation, remember
from membrane.domain.records import AuditEntry, MemoryRecord
from membrane.domain.salience import Anchor, Curves, salience_at


@dataclass(frozen=True, slots=True)
class Tombstone:
    """When (seconds since 1970) and why a record was deleted."""

    deleted_at_s: float
    reason: str
    restorable_until_s: int
    """The sweep removes the document then."""
    expires_at_s: int
    """The table's TTL removes the tombstone after this."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One record of the store. `record.salience` is the salience at the anchor, not now."""

    record: MemoryRecord
    anchor: Anchor
    version: int
    fingerprint: bytes
    """SHA-256 of the request that created it; empty when it came without an idempotency key."""
    operations: tuple[Operation, ...] = ()
    tombstone: Tombstone | None = None
    audit_count: int | None = field(default=None, compare=False)
    """How many audit entries were ever written; None = as many as the trail has."""
    origin: object = field(default=None, compare=False, repr=False)
    """What the store read, for its own use when it writes the next version."""

    @property
    def id(self) -> str:
        """The record's id."""
        return self.record.id

    @property
    def trail(self) -> Sequence[AuditEntry]:
        """The audit trail, oldest first."""
        return self.record.audit_log

    @property
    def written_entries(self) -> int:
        """How many audit entries were ever written, found or not."""
        return len(self.trail) if self.audit_count is None else self.audit_count

    def as_of(self, now_s: float, curves: Curves) -> MemoryRecord:
        """The record with its salience at `now_s`."""
        salience = salience_at(now_s, self.anchor, self.record.lifecycle, curves)
        return self.record.model_copy(update={"salience": salience})

    def changed(self, record: MemoryRecord) -> "StoredRecord":
        """The next version."""
        added = len(record.audit_log) - len(self.trail)
        return replace(
            self,
            record=record,
            version=self.version + 1,
            audit_count=self.written_entries + added,
        )

    def remembering(self, operation: Operation | None) -> "StoredRecord":
        """The same, with the operation that made it."""
        if operation is None:
            return self
        return replace(self, operations=remember(self.operations, operation))
