"""Give one record another decay profile or deletion policy."""

from membrane.domain.builder import Making
from membrane.domain.lifecycles import with_lifecycle
from membrane.domain.requests.changes import ChangeLifecycle
from membrane.domain.stored import StoredRecord
from membrane.usecases.calls import Call, Result
from membrane.usecases.changing import change
from membrane.usecases.ports.services import Services


def change_lifecycle(request: ChangeLifecycle, call: Call, services: Services) -> Result:
    """From now on it fades and ends as asked for.

    Raises InvalidArgument (nothing asked for, an unusable curve, one decay class too many),
    NotFound, PermissionDenied, Aborted.
    """

    def changed(stored: StoredRecord, making: Making) -> StoredRecord:
        return with_lifecycle(stored, request, call.why(request), making, services.policy)

    return change(request.id, changed, call, services)
