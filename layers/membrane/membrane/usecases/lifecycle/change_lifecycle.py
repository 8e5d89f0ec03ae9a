"""Give one record another decay profile or deletion policy."""

from membrane.domain.ingest.builder import Making
from membrane.domain.lifecycle.changes import with_lifecycle
from membrane.domain.lifecycle.requests import ChangeLifecycle
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import change


def change_lifecycle(request: ChangeLifecycle, call: Call, services: Services) -> Result:
    """From now on it fades and ends as asked for.

    Raises InvalidArgument (nothing asked for, an unusable curve, one decay class too many),
    NotFound, PermissionDenied, Aborted.
    """

    def changed(stored: StoredRecord, making: Making) -> StoredRecord:
        return with_lifecycle(stored, request, call.why(request), making, services.policy)

    return change(request.id, changed, call, services)
