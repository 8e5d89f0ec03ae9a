"""Restore one record that was deleted, while its tombstone keeps its document."""

from membrane.domain.builder import Making
from membrane.domain.endings import restorable
from membrane.domain.errors import TooManyProfiles
from membrane.domain.lifecycles import restored
from membrane.domain.requests.changes import RestoreRecord
from membrane.domain.stored import Held, StoredRecord
from membrane.domain.timestamps import epoch_seconds
from membrane.usecases.calls import Call, Result
from membrane.usecases.changing import Step, change_any
from membrane.usecases.facts import seat
from membrane.usecases.ports.services import Services


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
