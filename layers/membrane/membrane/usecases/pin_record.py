"""Pin one record, or let it fade again."""

from membrane.domain.builder import Making
from membrane.domain.lifecycles import pinned
from membrane.domain.requests.changes import Pin, Unpin
from membrane.domain.stored import StoredRecord
from membrane.usecases.calls import Call, Result
from membrane.usecases.changing import change
from membrane.usecases.ports.services import Services


def pin_record(request: Pin | Unpin, call: Call, services: Services) -> Result:
    """Stop or start its decay at its salience as of now.

    Raises NotFound, PermissionDenied, TooLarge, Aborted, and InvalidArgument where a record that
    was pinned from its beginning would be of one decay class too many.
    """
    pin = isinstance(request, Pin)

    def held(stored: StoredRecord, making: Making) -> StoredRecord:
        return pinned(stored, call.why(request), making, services.policy, pin=pin)

    return change(request.id, held, call, services)
