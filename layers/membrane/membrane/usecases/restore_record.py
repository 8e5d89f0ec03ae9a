"""Restore one record that was deleted, while its tombstone keeps its document."""

from membrane.domain.builder import Making
from membrane.domain.endings import restorable
from membrane.domain.lifecycles import restored
from membrane.domain.requests import RestoreRecord
from membrane.domain.stored import Held, StoredRecord
from membrane.domain.timestamps import epoch_seconds
from membrane.usecases.calls import Call, Result
from membrane.usecases.changing import change_any
from membrane.usecases.ports import Services


def restore_record(request: RestoreRecord, call: Call, services: Services) -> Result:
    """The record alive again, as salient as a new one.

    Raises NotFound, PermissionDenied, Aborted, and FailedPrecondition where it is not deleted, was
    erased, or waited too long.
    """

    def back(held: Held, making: Making) -> StoredRecord:
        stored = restorable(held, epoch_seconds(making.now))
        return restored(stored, call.why(request), making, services.policy)

    return change_any(request.id, back, call, services)
