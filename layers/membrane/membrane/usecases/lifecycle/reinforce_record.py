"""Reinforce one record: it proved useful."""

from membrane.domain.ingest.builder import Making
from membrane.domain.lifecycle.changes import reinforced
from membrane.domain.lifecycle.requests import Reinforce
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import change


def reinforce_record(request: Reinforce, call: Call, services: Services) -> Result:
    """Add its gain to its salience as of now; raises NotFound, PermissionDenied, Aborted."""

    def risen(stored: StoredRecord, making: Making) -> StoredRecord:
        return reinforced(stored, call.why(request), making, services.policy)

    return change(request.id, risen, call, services)
