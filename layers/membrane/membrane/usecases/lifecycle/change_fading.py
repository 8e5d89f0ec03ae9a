"""Change how a record fades: reinforce, penalize, pin, or change the lifecycle."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TypeGuard

from membrane.domain.ingest.builder import Making, Why
from membrane.domain.lifecycle import changes
from membrane.domain.lifecycle.requests import ChangeLifecycle, Penalize, Pin, Reinforce, Unpin
from membrane.domain.records.evidence import linked_entity_ids
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import Step, change

USED_AGAIN_AFTER = timedelta(days=1)
"""An entity is reinforced if it was not for this time: at most one write a day."""

MAX_USED = 10
"""Entities of one record that a use of the record reinforces, in the order of their ids."""


def entities_used_with(record: MemoryRecord, world: World) -> list[StoredRecord]:
    """The active entities that the record is about, by one request; none without a relation."""
    ids = sorted(linked_entity_ids(record.relations) - {record.id})[:MAX_USED]
    held = world.records.load_each(ids).values() if ids else ()
    return [each for each in held if _is_active(each)]


def used_again(
    entities: Iterable[StoredRecord], user: MemoryRecord, rationale: str, call: Call, world: World
) -> list[Change]:
    """The entities reinforced by a use in the record `user`, before and after.

    A use never changes an entity that the key may not write, such as an unscoped one, nor an entity
    of a lower sensitivity: a reader of the entity would learn of a record above the reader's
    ceiling. An unscoped entity is shared, so a use in a scope counts.
    """
    changed: dict[str, Change] = {}
    for each in entities:
        now = world.now()
        record = each.record
        reinforced_at = datetime.fromisoformat(record.lifecycle.last_reinforced_at)
        is_recent = now - reinforced_at < USED_AGAIN_AFTER
        is_open = user.sensitivity.level <= record.sensitivity.level
        may_write = call.principal.may_write(record.scope, record.sensitivity)
        if is_recent or not is_open or not may_write:
            continue
        making = call.making(each.id, now, world)
        why = Why(call.principal.actor_id, rationale)
        changed[each.id] = each, changes.reinforced_version(each, why, making)
    return [*changed.values()]


def _is_active(held: AnyRecord) -> TypeGuard[StoredRecord]:
    if not is_alive(held) or not isinstance(held.record.payload, EntityPayload):
        return False
    return not is_retracted(held.record.payload)


USED = "used with "
"""Begins the reason of an entity's reinforcement; the id of the record follows."""


def reinforce_record(request: Reinforce, call: Call, world: World) -> Result:
    """Add the reinforcement gain to the present salience; raises the errors of `change`.

    Use of a record is use of the entities that the record is about: the transaction reinforces the
    entities that no use of the last day reinforced, see `used_again`.
    """

    def reinforce(stored: StoredRecord, making: Making) -> Step:
        after = changes.reinforced_version(stored, call.why(request), making)
        used = entities_used_with(stored.record, world)
        also = used_again(used, stored.record, f"{USED}{stored.id}", call, world)
        return Step(after, also)

    return change(request.id, reinforce, call, world)


def penalize_record(request: Penalize, call: Call, world: World) -> Result:
    """Subtract `amount` from the present salience; raises the errors of `change`."""

    def penalize(stored: StoredRecord, making: Making) -> StoredRecord:
        return changes.penalized_version(stored, request.amount, call.why(request), making)

    return change(request.id, penalize, call, world)


def pin_record(request: Pin | Unpin, call: Call, world: World) -> Result:
    """Stop or start the decay at the present salience.

    Raises the errors of `change`, and InvalidArgument if unpinning a record created as pinned needs
    one decay class too many.
    """
    pin = isinstance(request, Pin)

    def set_pin(stored: StoredRecord, making: Making) -> StoredRecord:
        return changes.pinned_version(stored, call.why(request), making, pin=pin)

    return change(request.id, set_pin, call, world)


def change_lifecycle(request: ChangeLifecycle, call: Call, world: World) -> Result:
    """Change the decay profile or the deletion policy.

    Raises the errors of `change`, and InvalidArgument for an empty request, an unusable curve or
    one decay class too many.
    """

    def set_lifecycle(stored: StoredRecord, making: Making) -> StoredRecord:
        return changes.with_lifecycle(stored, request, call.why(request), making)

    return change(request.id, set_lifecycle, call, world)
