"""Restore one record that was deleted, while its tombstone keeps its document."""

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import TooManyProfiles
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.changes import restored
from membrane.domain.lifecycle.endings import restorable
from membrane.domain.lifecycle.requests import RestoreRecord
from membrane.domain.records.stored import Held, StoredRecord
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import Step, change_any
from membrane.usecases.revision.heads import seat


def restore_record(request: RestoreRecord, call: Call, services: Services) -> Result:
    """The record alive again, as salient as a new one.

    Where its profile without a max age would be one decay class too many, it gets its type's.
    Raises NotFound, PermissionDenied, TooLarge, Aborted, and FailedPrecondition where it is not
    deleted, was erased, or waited too long, and where another fact stands in its place by now.
    """

    def back(held: Held, making: Making, *, by_default: bool = False) -> StoredRecord | Step:
        stored = restorable(held, epoch_seconds(making.now))
        why = call.why(request)
        alive = restored(stored, why, making, services.policy, by_default=by_default)
        heads = seat(alive.record, call.principal, services)
        return Step(alive, heads=heads) if heads else alive

    def back_by_default(held: Held, making: Making) -> StoredRecord | Step:
        return back(held, making, by_default=True)

    try:
        return change_any(request.id, back, call, services)
    except TooManyProfiles:
        return change_any(request.id, back_by_default, call, services)
