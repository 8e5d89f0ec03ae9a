"""Change how a record fades: reinforce, penalize, pin, or change the lifecycle."""

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
from membrane.usecases.ports.world import World
from membrane.usecases.records.used_again import entities_used_with, used_again
from membrane.usecases.records.write import Step, change

USED = "used with "
"""Begins the reason of an entity's reinforcement; the id of the record follows."""


def reinforce_record(request: Reinforce, call: Call, world: World) -> Result:
    """Add the reinforcement gain to the present salience; raises the errors of `change`.

    Use of a record is use of the entities that the record is about: the transaction reinforces the
    entities that no use of the last day reinforced, see `used_again`.
    """

    def reinforce(stored: StoredRecord, making: Making) -> Step:
        after = reinforced_version(stored, call.why(request), making)
        used = entities_used_with(stored.record, world)
        also = used_again(used, stored.record, f"{USED}{stored.id}", call, world)
        return Step(after, also)

    return change(request.id, reinforce, call, world)


def penalize_record(request: Penalize, call: Call, world: World) -> Result:
    """Subtract `amount` from the present salience; raises the errors of `change`."""

    def penalize(stored: StoredRecord, making: Making) -> StoredRecord:
        return penalized_version(stored, request.amount, call.why(request), making)

    return change(request.id, penalize, call, world)


def pin_record(request: Pin | Unpin, call: Call, world: World) -> Result:
    """Stop or start the decay at the present salience.

    Raises the errors of `change`, and InvalidArgument if unpinning a record created as pinned needs
    one decay class too many.
    """
    pin = isinstance(request, Pin)

    def set_pin(stored: StoredRecord, making: Making) -> StoredRecord:
        return pinned_version(stored, call.why(request), making, pin=pin)

    return change(request.id, set_pin, call, world)


def change_lifecycle(request: ChangeLifecycle, call: Call, world: World) -> Result:
    """Change the decay profile or the deletion policy.

    Raises the errors of `change`, and InvalidArgument for an empty request, an unusable curve or
    one decay class too many.
    """

    def set_lifecycle(stored: StoredRecord, making: Making) -> StoredRecord:
        return with_lifecycle(stored, request, call.why(request), making)

    return change(request.id, set_lifecycle, call, world)
