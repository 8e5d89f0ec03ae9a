"""Change how one record fades: reinforce, penalize or pin it, or give it another lifecycle."""

from membrane.domain.ingest.builder import Making
from membrane.domain.lifecycle.changes import (
    penalized_version,
    pinned_version,
    reinforced_version,
    with_lifecycle,
)
from membrane.domain.lifecycle.requests import ChangeLifecycle, Penalize, Pin, Reinforce, Unpin
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import change


def reinforce_record(request: Reinforce, call: Call, services: Services) -> Result:
    """Add its gain to its salience as of now; raises as `change` does."""

    def risen(stored: StoredRecord, making: Making) -> StoredRecord:
        return reinforced_version(stored, call.why(request), making, services.policy)

    return change(request.id, risen, call, services)


def penalize_record(request: Penalize, call: Call, services: Services) -> Result:
    """Take the amount off its salience as of now; raises as `change` does."""

    def fallen(stored: StoredRecord, making: Making) -> StoredRecord:
        return penalized_version(stored, request.amount, call.why(request), making, services.policy)

    return change(request.id, fallen, call, services)


def pin_record(request: Pin | Unpin, call: Call, services: Services) -> Result:
    """Stop or start its decay at its salience as of now.

    Raises as `change`, and InvalidArgument where a record that was pinned from its beginning would
    be of one decay class too many.
    """
    pin = isinstance(request, Pin)

    def held(stored: StoredRecord, making: Making) -> StoredRecord:
        return pinned_version(stored, call.why(request), making, services.policy, pin=pin)

    return change(request.id, held, call, services)


def change_lifecycle(request: ChangeLifecycle, call: Call, services: Services) -> Result:
    """Give it another decay profile or deletion policy.

    Raises as `change`, and InvalidArgument: nothing asked for, an unusable curve, one decay class
    too many.
    """

    def changed(stored: StoredRecord, making: Making) -> StoredRecord:
        return with_lifecycle(stored, request, call.why(request), making, services.policy)

    return change(request.id, changed, call, services)
