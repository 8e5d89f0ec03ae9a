"""Delete one record: its item becomes its tombstone, its audit trail stays; erase or restore it."""

from functools import partial

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import FailedPrecondition, TooManyProfiles
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import DeletionPolicy, Permission
from membrane.domain.lifecycle.changes import restored_version
from membrane.domain.lifecycle.endings import deleted_version, erased_record, require_restorable
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.lifecycle.tombstones import erasing, go_on_clearing, tombstone
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import Step, change, change_any
from membrane.usecases.revision.heads import seat

DELETED = "deleted"
"""Reason of a tombstone that a caller asked for."""


def delete_record(request: DeleteRecord, call: Call, services: Services) -> Result:
    """Bury the record, which needs `revise`, or erase it, which needs `admin`.

    Raises as `change`, and FailedPrecondition to bury one of the deletion policy `never`.
    """
    if request.erase:
        return _erase(request, call, services)
    call.principal.require(Permission.REVISE)

    def deleted(stored: StoredRecord, making: Making) -> StoredRecord:
        if stored.record.lifecycle.deletion_policy is DeletionPolicy.NEVER:
            raise FailedPrecondition("the record's deletion policy is never")
        grave = tombstone(stored.type, making.now, DELETED, services.retention)
        return deleted_version(stored, grave, call.why(request), making)

    return change(request.id, deleted, call, services)


def _erase(request: DeleteRecord, call: Call, services: Services) -> Result:
    """Also of a record that is deleted; what was erased stays as it is."""
    call.principal.require(Permission.ADMIN)

    def gone_for_good(held: AnyRecord, making: Making) -> AnyRecord | None:
        if held.tombstone is not None and held.tombstone.is_erased and held.tombstone.due_s is None:
            return None
        grave = erasing(held, making.now, services.retention)
        return erased_record(held, grave, call.why(request), making)

    return change_any(request.id, gone_for_good, call, services, go_on=go_on_clearing)


def restore_record(request: RestoreRecord, call: Call, services: Services) -> Result:
    """The record alive again, as salient as a new one.

    Where its profile without a max age would be one decay class too many, it gets its type's.
    Raises as `change`, and FailedPrecondition where it is not deleted, was erased, waited too long,
    or another fact has its place.
    """

    def back(held: AnyRecord, making: Making, *, by_default: bool = False) -> StoredRecord | Step:
        stored = require_restorable(held, epoch_seconds(making.now))
        why = call.why(request)
        alive = restored_version(stored, why, making, services.policy, by_default=by_default)
        heads = seat(alive.record, call.principal, services)
        return Step(alive, heads=heads) if heads else alive

    try:
        return change_any(request.id, back, call, services)
    except TooManyProfiles:
        return change_any(request.id, partial(back, by_default=True), call, services)
