"""Pin one record, or let it fade again."""

from membrane.domain.ingest.builder import Making
from membrane.domain.lifecycle.changes import pinned
from membrane.domain.lifecycle.requests import Pin, Unpin
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import change


def pin_record(request: Pin | Unpin, call: Call, services: Services) -> Result:
    """Stop or start its decay at its salience as of now.

    Raises NotFound, PermissionDenied, TooLarge, Aborted, and InvalidArgument where a record that
    was pinned from its beginning would be of one decay class too many.
    """
    pin = isinstance(request, Pin)

    def held(stored: StoredRecord, making: Making) -> StoredRecord:
        return pinned(stored, call.why(request), making, services.policy, pin=pin)

    return change(request.id, held, call, services)
