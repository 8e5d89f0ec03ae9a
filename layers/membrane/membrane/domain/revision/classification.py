"""Reclassification: changes of scope, sensitivity and tags, and the end of a retraction."""

from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument, PermissionDenied
from membrane.domain.language.vocabulary import AuditAction, Sensitivity
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.revision.changes import reactivated_version
from membrane.domain.revision.requests import Reclassify

CLASSIFYING_FIELDS = ("scope", "sensitivity", "tags")


def require_any_change(request: Reclassify) -> None:
    if all(getattr(request, name) is None for name in (*CLASSIFYING_FIELDS, "retracted")):
        raise InvalidArgument(
            "nothing is to be changed: give scope, sensitivity, tags or retracted"
        )


def reclassified_version(
    stored: StoredRecord, request: Reclassify, why: Why, making: Making, *, by_default: bool = False
) -> StoredRecord:
    """The next version, classified as requested, and reactivated if `retracted` is false."""
    fields = {
        name: value for name in CLASSIFYING_FIELDS if (value := getattr(request, name)) is not None
    }
    record = stored.record.model_copy(update=fields)
    changes = _changes(stored.record, record)
    if request.retracted is None:
        why = why.after(", ".join(changes) or "classification confirmed")
        return stored.next_version(with_entry(record, AuditAction.REVISE, why, making))
    if changes:
        why = why.after(", ".join(changes))
    return reactivated_version(stored, record, why, making, by_default=by_default)


def require_raised(before: Sensitivity, requested: Sensitivity | None, *, is_admin: bool) -> None:
    """Raises PermissionDenied if a caller without `admin` lowers a sensitivity."""
    if requested is not None and requested.level < before.level and not is_admin:
        raise PermissionDenied("lowering a record's sensitivity needs the permission admin")


def require_vacant(stored: StoredRecord, successor: AnyRecord | None) -> None:
    """Raises FailedPrecondition unless the record is retracted and has no successor.

    A deleted `successor` counts until it can no longer be restored.
    """
    if not is_retracted(stored.record.payload):
        raise FailedPrecondition(f"record {stored.id} is not retracted")
    if isinstance(successor, StoredRecord) and successor.tombstone is not None:
        raise FailedPrecondition(
            f"its successor {successor.id} is deleted: restore or erase that one"
        )
    if isinstance(successor, StoredRecord):
        raise FailedPrecondition(f"it was superseded by {successor.id}: supersede that one")


def _changes(before: MemoryRecord, after: MemoryRecord) -> list[str]:
    """The changes as text for the audit; every reader may see it: no scope names, no tags."""
    changes = []
    if before.scope != after.scope:
        changes.append("scope changed")
    if before.sensitivity is not after.sensitivity:
        changes.append(f"sensitivity {before.sensitivity} -> {after.sensitivity}")
    if before.tags != after.tags:
        changes.append(f"{len(before.tags)} tags -> {len(after.tags)} tags")
    return changes
