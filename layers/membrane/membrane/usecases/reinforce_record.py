"""Reinforce one record: it proved useful."""

from membrane.domain.builder import Making
from membrane.domain.lifecycles import reinforced
from membrane.domain.requests.changes import Reinforce
from membrane.domain.stored import StoredRecord
from membrane.usecases.calls import Call, Result
from membrane.usecases.changing import change
from membrane.usecases.ports.services import Services


def reinforce_record(request: Reinforce, call: Call, services: Services) -> Result:
    """Add its gain to its salience as of now; raises NotFound, PermissionDenied, Aborted."""

    def risen(stored: StoredRecord, making: Making) -> StoredRecord:
        return reinforced(stored, call.why(request), making, services.policy)

    return change(request.id, risen, call, services)
