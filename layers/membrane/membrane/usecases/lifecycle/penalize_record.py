"""Penalize one record: it did harm, or no good."""

from membrane.domain.ingest.builder import Making
from membrane.domain.lifecycle.changes import penalized
from membrane.domain.lifecycle.requests import Penalize
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import change


def penalize_record(request: Penalize, call: Call, services: Services) -> Result:
    """Take the amount off its salience as of now; raises NotFound, PermissionDenied, Aborted."""

    def fallen(stored: StoredRecord, making: Making) -> StoredRecord:
        return penalized(stored, request.amount, call.why(request), making, services.policy)

    return change(request.id, fallen, call, services)
