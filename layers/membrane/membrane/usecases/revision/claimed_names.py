"""The names that an entity claims as it becomes active outside a capture, or moves."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

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
    room are left out and counted. One request; where a name leads to another entity one more, and
    one for each successor of that entity.
    """
    payload = record.payload
    if not isinstance(payload, EntityPayload) or is_retracted(payload):
        return ()
    known: dict[str, AnyRecord] = {each.id: each for each in changed}
    own_ids = {record.id, *retracted_ids}

    def is_taken(held: AnyRecord, term: str) -> bool:
        bearer = newest_entity(known.get(held.id, held), known, world)
        if bearer is None or bearer.id in own_ids:
            return False
        return _has_name_of(bearer, record, term)

    return tuple(_claim(record, payload, world, is_taken))


def claim_names_again(stored: StoredRecord, world: World) -> tuple[NameChange, ...]:
    """The names to write with a restored entity, in whatever order entities are restored.

    Of several entities with a name an active one gets the name, then one that leads to a successor;
    of equals the oldest. The requests of `claim_names`.
    """
    payload = stored.record.payload
    if not isinstance(payload, EntityPayload):
        return ()

    def is_taken(held: AnyRecord, term: str) -> bool:
        if not isinstance(held, StoredRecord) or not is_entity_named(held.record.payload, term):
            return False
        return _rank_of(held) <= _rank_of(stored)

    return tuple(_claim(stored.record, payload, world, is_taken))


def claimed_places(scope: str, payload: EntityPayload) -> Mapping[NamePlace, Sequence[str]]:
    """The terms that an entity claims, by place."""
    claimed: dict[NamePlace, list[str]] = {}
    for term in terms_of_entity(payload):
        place = NamePlace(scope, first_word_of(term))
        if place in claimed or len(claimed) < MAX_PLACES:
            claimed.setdefault(place, []).append(term)
    return claimed


def _has_name_of(bearer: StoredRecord, record: MemoryRecord, term: str) -> bool:
    """Whether an entity has the term as a name, in the scope and sensitivity of the record."""
    is_here = (bearer.scope, bearer.sensitivity) == (record.scope, record.sensitivity)
    return is_here and is_entity_named(bearer.record.payload, term)


def _claim(
    record: MemoryRecord,
    payload: EntityPayload,
    world: World,
    is_taken: Callable[[AnyRecord, str], bool],
) -> Iterator[NameChange]:
    """The changes that let the claimed terms lead to the record.

    A term stays with the record that the term leads to now if `is_taken`, or if there is no room.
    """
    claimed = claimed_places(record.scope, payload)
    stored, level, left_out = world.names.buckets([*claimed]), record.sensitivity, 0
    before = {each: stored.get(each, {}).get(level) or NameBucket(each, level) for each in claimed}
    others = [
        holder
        for place, terms in claimed.items()
        for term in terms
        if (holder := before[place].entity_ids.get(term, record.id)) != record.id
    ]
    found = world.records.load_own([*dict.fromkeys(others)]) if others else {}
    for place, terms in claimed.items():
        change = NameChange(before[place], before[place].entity_ids)
        for term in terms:
            held = found.get(change.entity_ids.get(term, record.id))
            if held is not None and is_taken(held, term):
                continue
            longer = change._replace(entity_ids={**change.entity_ids, term: record.id})
            change = longer if longer.fits else change
            left_out += term not in change.entity_ids
        if change.entity_ids != before[place].entity_ids:
            yield change
    if left_out:
        world.measure(NO_ROOM, left_out, "Count")


def _rank_of(stored: StoredRecord) -> tuple[bool, bool, float, str]:
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
    is_retraction, released = is_retracted(payload), list[NameChange]()
    has_moved = (before.scope, before.sensitivity) != (after.scope, after.sensitivity)
    if has_moved:
        heir = newest_entity(before, {}, world) if is_retraction else None
        released += _handed_on(before, payload, heir, {before.id}, world)
    is_claiming = has_moved or is_retraction
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
    holders = {erased.id, *(each.id for each in absorbing)}
    return tuple(_handed_on(erased, payload, absorbing[-1], holders, world))


def _handed_on(
    former: StoredRecord,
    payload: EntityPayload,
    heir: StoredRecord | None,
    holders: Collection[str],
    world: World,
) -> Iterator[NameChange]:
    """The changes by which the heir takes over names; those it lacks are removed."""
    for buckets in world.names.buckets([*claimed_places(former.scope, payload)]).values():
        bucket = buckets.get(former.sensitivity)
        if bucket is None:
            continue
        left = dict(bucket.entity_ids)
        for term in (each for each in bucket.entity_ids if left[each] in holders):
            del left[term]
            if heir is not None and _has_name_of(heir, former.record, term):
                left[term] = heir.id
        if left != bucket.entity_ids:
            yield NameChange(bucket, left, is_last=len(buckets) == 1)
