"""The names of an entity that moves to another scope or sensitivity, or is active again."""

from collections.abc import Collection, Iterator, Sequence

from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.names import NameChange
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_entity
from membrane.usecases.revision.claimed_names import claim_names, claimed_places, has_name_of


def move_names(before: StoredRecord, after: StoredRecord, world: World) -> tuple[NameChange, ...]:
    """The names to write with a reclassified entity; nothing for a record of another type.

    The names leave the former scope and sensitivity. An active entity claims the names in the next
    ones, and an entity whose retraction ends claims the names again. A replaced entity hands on
    the names that the successor bears. One request more than `claim_names` for an entity that
    moves, and one for each successor.
    """
    payload = before.record.payload
    if not isinstance(payload, EntityPayload):
        return ()
    has_moved = (before.scope, before.sensitivity) != (after.scope, after.sensitivity)
    released = tuple(_names_left_behind(before, payload, world)) if has_moved else ()
    is_claiming = has_moved or is_retracted(payload)
    return (*released, *(claim_names(after.record, world) if is_claiming else ()))


def names_after_erasure(
    erased: StoredRecord, absorbing: Sequence[StoredRecord], world: World
) -> tuple[NameChange, ...]:
    """The names to write before an absorbed entity is erased, with the absorbing entities.

    `absorbing` are the entities as the write leaves them, the last of them active. A name of the
    erased entity leads to the last one if the last one bears the name, else nowhere. One request.
    """
    payload = erased.record.payload
    if not isinstance(payload, EntityPayload):
        return ()
    ids = frozenset(each.id for each in absorbing)
    return (*_handed_on(erased, payload, absorbing[-1], world, holders=ids),)


def _names_left_behind(
    stored: StoredRecord, payload: EntityPayload, world: World
) -> Iterator[NameChange]:
    """The names of an entity at its scope and sensitivity: removed, or handed to a successor."""
    heir = newest_entity(stored, {}, world) if is_retracted(payload) else None
    return _handed_on(stored, payload, heir, world)


def _handed_on(
    holder: StoredRecord,
    payload: EntityPayload,
    heir: StoredRecord | None,
    world: World,
    holders: Collection[str] = (),
) -> Iterator[NameChange]:
    """The changes after which the names of a payload that lead to the holder lead to the heir.

    So do names that lead to one of the `holders`.

    A name that the heir does not bear is removed.
    """
    for buckets in world.names.buckets([*claimed_places(holder.scope, payload)]).values():
        bucket = buckets.get(holder.sensitivity)
        if bucket is None:
            continue
        left = dict(bucket.entity_ids)
        for term in (each for each in bucket.entity_ids if left[each] in {holder.id, *holders}):
            del left[term]
            if heir is not None and has_name_of(heir, holder.record, term):
                left[term] = heir.id
        if left != bucket.entity_ids:
            yield NameChange(bucket, left, is_last=len(buckets) == 1)
