"""The entities that an entity has absorbed: all of them are one thing."""

from collections.abc import Sequence

from membrane.domain.entities.merging import absorbed_among, absorbed_ids, is_absorbed_by
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.states import successor_of
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import MAX_SUCCESSORS


def absorbed_by(held: AnyRecord, world: World) -> Sequence[StoredRecord]:
    """The entities that an entity has absorbed, directly or by another, living or deleted.

    One request, and one for each absorbed entity of several items; none for any other record.
    """
    if not isinstance(held, StoredRecord) or not isinstance(held.record.payload, EntityPayload):
        return ()
    ids = absorbed_ids(held.record.payload)
    return absorbed_among(held, world.records.load_each(ids)) if ids else ()


def absorbing_entity(held: AnyRecord, world: World) -> StoredRecord | None:
    """The entity that has absorbed the entity, living or deleted; None for any other record.

    One request for an entity with a successor; none for any other record.
    """
    if not isinstance(held, StoredRecord) or not isinstance(held.record.payload, EntityPayload):
        return None
    successor_id = successor_of(held.record.payload)
    successor = None if successor_id is None else world.records.load(successor_id)
    if not isinstance(successor, StoredRecord) or not is_absorbed_by(successor, held):
        return None
    return successor


def absorbing_entities(held: AnyRecord, world: World) -> Sequence[StoredRecord]:
    """The entity that has absorbed the entity, the entity that has absorbed that one, and so on."""
    found = list[StoredRecord]()
    while len(found) < MAX_SUCCESSORS:
        absorbing = absorbing_entity(found[-1] if found else held, world)
        if absorbing is None:
            break
        found.append(absorbing)
    return found
