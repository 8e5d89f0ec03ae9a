"""Penalize one record: it did harm, or no good."""

from membrane.domain.builder import Making
from membrane.domain.lifecycles import penalized
from membrane.domain.requests.changes import Penalize
from membrane.domain.stored import StoredRecord
from membrane.usecases.calls import Call, Result
from membrane.usecases.changing import change
from membrane.usecases.ports.services import Services


def penalize_record(request: Penalize, call: Call, services: Services) -> Result:
    """Take the amount off its salience as of now; raises NotFound, PermissionDenied, Aborted."""

    def fallen(stored: StoredRecord, making: Making) -> StoredRecord:
        return penalized(stored, request.amount, call.why(request), making, services.policy)

    return change(request.id, fallen, call, services)
