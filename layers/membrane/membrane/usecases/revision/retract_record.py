"""Retract one record: it is kept for reading, and counts no more."""

from membrane.domain.ingest.builder import Making
from membrane.domain.records.states import require_revisable
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.effects import retracted
from membrane.domain.revision.requests import Retract
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.visibility import missing_of
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import change


def retract_record(request: Retract, call: Call, services: Services) -> Result:
    """Take it back.

    Raises NotFound, PermissionDenied, TooLarge, Aborted, and FailedPrecondition for an episode and
    for what is retracted already.
    """

    def taken_back(stored: StoredRecord, making: Making) -> StoredRecord:
        require_revisable(stored, "retract")
        return retracted(stored, call.why(request), making, services.policy)

    missing = missing_of("retract", "record", request.id)
    return change(request.id, taken_back, call, services, missing=missing)
