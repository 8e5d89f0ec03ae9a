"""The names that an entity claims as it becomes active outside a capture, or moves."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from membrane.domain.entities.names import is_entity_named, terms_of_entity
from membrane.domain.language.names import first_word_of
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.standing import is_retracted, successor_of
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.records import NO_ROOM, NameBucket, NameChange, NamePlace
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import newest_entity

MAX_PLACES = 10
"""Places in which one entity claims names: the rest of the transaction may need 89 actions."""


_IsTaken = Callable[[AnyRecord, str], bool]
"""Whether a term stays with the record that it leads to."""


def claim_names(
    record: MemoryRecord,
    world: World,
    *,
    retracted_ids: Collection[str] = (),
    changed: Iterable[StoredRecord] = (),
) -> tuple[NameChange, ...]:
    """The names to write with an entity that becomes active; nothing for any other record.

    A name that an active entity of the same scope and sensitivity bears stays with that entity,
    unless the write retracts the entity. `changed` are other entities as the write leaves them. An
    absorbed entity leads to the entity that bears its names now. Names for which a bucket has no
    room are left out and counted. One request; where a name leads
    to another entity one more, and one for each successor of that entity.
    """
    payload = record.payload
    if not isinstance(payload, EntityPayload) or is_retracted(payload):
        return ()
    known: dict[str, AnyRecord] = {each.id: each for each in changed}
    own_ids = {record.id, *retracted_ids}

    def is_taken(held: AnyRecord, term: str) -> bool:
        bearer = newest_entity(known.get(held.id, held), known, world)
        return bearer is not None and bearer.id not in own_ids and has_name_of(bearer, record, term)

    return _claim(record, payload, world, is_taken)


def claim_names_again(stored: StoredRecord, world: World) -> tuple[NameChange, ...]:
    """The names to write with a restored entity, in whatever order entities are restored.

    Of several entities with a name an active one gets the name, then one that leads to a successor;
    of equals the oldest. The requests of `claim_names`.
    """
    payload = stored.record.payload
    if not isinstance(payload, EntityPayload):
        return ()

    def is_taken(held: AnyRecord, term: str) -> bool:
        return _is_named(held, term) and _rank_of(held) <= _rank_of(stored)

    return _claim(stored.record, payload, world, is_taken)


def claimed_places(scope: str, payload: EntityPayload) -> Mapping[NamePlace, Sequence[str]]:
    """The terms that an entity claims, by place."""
    claimed: dict[NamePlace, list[str]] = {}
    for term in terms_of_entity(payload):
        place = NamePlace(scope, first_word_of(term))
        if place in claimed or len(claimed) < MAX_PLACES:
            claimed.setdefault(place, []).append(term)
    return claimed


def has_name_of(bearer: StoredRecord, record: MemoryRecord, term: str) -> bool:
    """Whether an entity has the term as a name, in the scope and sensitivity of the record."""
    is_here = (bearer.scope, bearer.sensitivity) == (record.scope, record.sensitivity)
    return is_here and _is_named(bearer, term)


def _claim(
    record: MemoryRecord, payload: EntityPayload, world: World, is_taken: _IsTaken
) -> tuple[NameChange, ...]:
    claimed = claimed_places(record.scope, payload)
    stored, level = world.names.buckets([*claimed]), record.sensitivity
    before = {
        place: stored.get(place, {}).get(level) or NameBucket(place, level) for place in claimed
    }
    taken = _taken_terms(record.id, claimed, before, world, is_taken)
    changes, left_out = list[NameChange](), 0
    for place, terms in claimed.items():
        free = [each for each in terms if each not in taken]
        names = _with_names(before[place], free, record.id)
        left_out += sum(each not in names for each in free)
        if names != before[place].entity_ids:
            changes.append(NameChange(before[place], names))
    if left_out:
        world.measure(NO_ROOM, left_out, "Count")
    return tuple(changes)


def _with_names(before: NameBucket, terms: Sequence[str], entity_id: str) -> Mapping[str, str]:
    """The names of a bucket with those of the terms for which the bucket has room."""
    names = before.entity_ids
    for term in terms:
        longer = NameChange(before, {**names, term: entity_id})
        names = longer.entity_ids if longer.fits else names
    return names


def _taken_terms(
    record_id: str,
    claimed: Mapping[NamePlace, Sequence[str]],
    before: Mapping[NamePlace, NameBucket],
    world: World,
    is_taken: _IsTaken,
) -> frozenset[str]:
    """The claimed terms that stay with the present holder, another record."""
    holders = {
        term: before[place].entity_ids[term]
        for place, terms in claimed.items()
        for term in terms
        if before[place].entity_ids.get(term, record_id) != record_id
    }
    ids = [*dict.fromkeys(holders.values())]
    found = world.records.load_own(ids) if ids else {}
    return frozenset(
        term
        for term, holder in holders.items()
        if holder in found and is_taken(found[holder], term)
    )


def _is_named(held: AnyRecord, term: str) -> TypeGuard[StoredRecord]:
    return isinstance(held, StoredRecord) and is_entity_named(held.record.payload, term)


def _rank_of(stored: StoredRecord) -> tuple[bool, bool, float, str]:
    """The order in which entities get a name that several bear."""
    payload = stored.record.payload
    is_alive = stored.tombstone is None
    is_active = is_alive and not is_retracted(payload)
    leads_on = is_alive and successor_of(payload) is not None
    return not is_active, not leads_on, stored.born_s, stored.id


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
