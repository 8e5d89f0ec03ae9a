"""Retract one record: it is kept for reading, and counts no more."""

from membrane.domain.builder import Making
from membrane.domain.requests.revisions import Retract
from membrane.domain.revision.effects import retracted
from membrane.domain.revision.states import require_revisable
from membrane.domain.stored import StoredRecord
from membrane.usecases.calls import Call, Result
from membrane.usecases.changing import change
from membrane.usecases.ports.services import Services
from membrane.usecases.visibility import missing_of


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
