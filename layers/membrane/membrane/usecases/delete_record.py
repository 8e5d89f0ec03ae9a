"""Delete one record: its item becomes its tombstone, its audit trail stays."""

import math
from dataclasses import replace
from datetime import datetime

from membrane.domain.builder import Making, with_entry
from membrane.domain.errors import FailedPrecondition
from membrane.domain.requests import DeleteRecord
from membrane.domain.stored import StoredRecord, Tombstone
from membrane.domain.timestamps import epoch_seconds
from membrane.domain.vocabulary import AuditAction, DeletionPolicy
from membrane.usecases.calls import Call, Result
from membrane.usecases.changing import change
from membrane.usecases.ports import Retention, Services

DELETED = "deleted"
"""Reason of a tombstone that a caller asked for."""


def delete_record(request: DeleteRecord, call: Call, services: Services) -> Result:
    """Bury the record.

    Raises NotFound, PermissionDenied, Aborted, and FailedPrecondition for the deletion policy
    `never`.
    """

    def buried(stored: StoredRecord, making: Making) -> StoredRecord:
        if stored.record.lifecycle.deletion_policy is DeletionPolicy.NEVER:
            raise FailedPrecondition("the record's deletion policy is never")
        record = with_entry(
            stored.record,
            AuditAction.DELETE,
            actor=request.actor or call.principal.actor_id,
            rationale=request.rationale,
            making=making,
        )
        grave = tombstone(making.now, DELETED, services.retention)
        return replace(stored.changed(record), tombstone=grave)

    return change(request.id, buried, call, services)


def tombstone(now: datetime, reason: str, retention: Retention) -> Tombstone:
    """A tombstone set now, with the ends of its two periods rounded up to whole seconds."""
    return Tombstone(
        deleted_at_s=epoch_seconds(now),
        reason=reason,
        restorable_until_s=math.ceil(epoch_seconds(now + retention.restore)),
        expires_at_s=math.ceil(epoch_seconds(now + retention.tombstone)),
    )
