"""The names of an entity that moves to another scope or sensitivity, or is active again."""

from collections.abc import Iterator

from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.names import NameChange
from membrane.usecases.ports.services import Services
from membrane.usecases.records.successors import newest_entity
from membrane.usecases.revision.claimed_names import claim_names, claimed_places, has_name_of


def move_names(
    before: StoredRecord, after: StoredRecord, services: Services
) -> tuple[NameChange, ...]:
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
    released = tuple(_names_left_behind(before, payload, services)) if has_moved else ()
    is_claiming = has_moved or is_retracted(payload)
    return (*released, *(claim_names(after.record, services) if is_claiming else ()))


def names_after_split(
    absorbing: StoredRecord, released: StoredRecord, services: Services
) -> tuple[NameChange, ...]:
    """The names to write with a split; both entities are as the write leaves them.

    The released entity claims the names. The other entity loses names had by the merge alone, also
    where the released entity has moved to another scope or sensitivity. The requests of
    `claim_names`, and one more after such a move.
    """
    payload = released.record.payload
    if not isinstance(payload, EntityPayload):
        return ()
    claimed = claim_names(released.record, services, changed=[absorbing])
    if (absorbing.scope, absorbing.sensitivity) == (released.scope, released.sensitivity):
        return claimed
    return (*_handed_on(absorbing, payload, absorbing, services), *claimed)


def _names_left_behind(
    stored: StoredRecord, payload: EntityPayload, services: Services
) -> Iterator[NameChange]:
    """The names of an entity at its scope and sensitivity: removed, or handed to a successor."""
    heir = newest_entity(stored, {}, services) if is_retracted(payload) else None
    return _handed_on(stored, payload, heir, services)


def _handed_on(
    holder: StoredRecord, payload: EntityPayload, heir: StoredRecord | None, services: Services
) -> Iterator[NameChange]:
    """The changes after which the names of a payload that lead to the holder lead to the heir.

    A name that the heir does not bear is removed.
    """
    for buckets in services.names.buckets([*claimed_places(holder.scope, payload)]).values():
        bucket = buckets.get(holder.sensitivity)
        if bucket is None:
            continue
        left = dict(bucket.entity_ids)
        for term in (each for each in bucket.entity_ids if left[each] == holder.id):
            del left[term]
            if heir is not None and has_name_of(heir, holder.record, term):
                left[term] = heir.id
        if left != bucket.entity_ids:
            yield NameChange(bucket, left, is_last=len(buckets) == 1)
