"""The names that an entity claims when it becomes active outside a capture."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeGuard

from membrane.domain.entities.canonical import is_entity_named, terms_of_entity
from membrane.domain.language.names import first_word_of
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted, successor_of
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.names import NameBucket, NameChange, NamePlace
from membrane.usecases.ports.services import Services

MAX_PLACES = 10
"""Places in which one entity claims names: the rest of the transaction may need 89 actions."""


_IsTaken = Callable[[AnyRecord, str], bool]
"""Whether a term stays with the record that it leads to."""


def claim_names(
    record: MemoryRecord, services: Services, *, retracted_ids: Collection[str] = ()
) -> tuple[NameChange, ...]:
    """The names to write with a new entity; nothing for a record of another type.

    A name that an active entity of the same scope and sensitivity bears stays with that entity,
    unless the write retracts the entity. Two requests where a name is taken, else one.
    """
    payload = record.payload
    if not isinstance(payload, EntityPayload) or is_retracted(payload):
        return ()

    def is_taken(held: AnyRecord, term: str) -> bool:
        return held.id not in retracted_ids and _is_active(held, term)

    return _claim(record, payload, services, is_taken)


def move_names(
    before: StoredRecord, after: StoredRecord, services: Services
) -> tuple[NameChange, ...]:
    """The names to write with a reclassified entity; nothing for a record of another type.

    The names leave the former scope and sensitivity. A name that an active entity of the new scope
    and sensitivity bears stays with that entity. Names of a retracted entity stay: the names lead
    to a successor. Three requests where a name is taken, else two.
    """
    payload = after.record.payload
    is_same = (before.scope, before.sensitivity) == (after.scope, after.sensitivity)
    if is_same or not isinstance(payload, EntityPayload) or is_retracted(payload):
        return ()

    def is_taken(held: AnyRecord, term: str) -> bool:
        is_here = (held.scope, held.sensitivity) == (after.scope, after.sensitivity)
        return held.id != after.id and is_here and _is_active(held, term)

    released = _release(before, payload, services)
    return (*released, *_claim(after.record, payload, services, is_taken))


def claim_names_again(stored: StoredRecord, services: Services) -> tuple[NameChange, ...]:
    """The names to write with a restored entity, in whatever order entities are restored.

    Of several entities with a name an active one gets the name, then one that leads to a successor;
    of equals the oldest. The requests of `claim_names`.
    """
    payload = stored.record.payload
    if not isinstance(payload, EntityPayload):
        return ()

    def is_taken(held: AnyRecord, term: str) -> bool:
        return _is_named(held, term) and _rank_of(held) <= _rank_of(stored)

    return _claim(stored.record, payload, services, is_taken)


def claimed_places(scope: str, payload: EntityPayload) -> Mapping[NamePlace, Sequence[str]]:
    """The terms that an entity claims, by place."""
    claimed: dict[NamePlace, list[str]] = {}
    for term in terms_of_entity(payload):
        place = NamePlace(scope, first_word_of(term))
        if place in claimed or len(claimed) < MAX_PLACES:
            claimed.setdefault(place, []).append(term)
    return claimed


def _claim(
    record: MemoryRecord, payload: EntityPayload, services: Services, is_taken: _IsTaken
) -> tuple[NameChange, ...]:
    claimed = claimed_places(record.scope, payload)
    stored, level = services.names.buckets([*claimed]), record.sensitivity
    before = {
        place: stored.get(place, {}).get(level) or NameBucket(place, level) for place in claimed
    }
    taken = _taken_terms(claimed, before, services, is_taken)
    changes = []
    for place, terms in claimed.items():
        free = {term: record.id for term in terms if term not in taken}
        change = NameChange(before[place], {**before[place].entity_ids, **free})
        if free and change.fits:
            changes.append(change)
    return tuple(changes)


def _release(
    stored: StoredRecord, payload: EntityPayload, services: Services
) -> tuple[NameChange, ...]:
    """The removals of the names that lead to the entity at its scope and sensitivity."""
    claimed = claimed_places(stored.scope, payload)
    changes = []
    for buckets in services.names.buckets([*claimed]).values():
        if (bucket := buckets.get(stored.sensitivity)) is None:
            continue
        left = {term: each for term, each in bucket.entity_ids.items() if each != stored.id}
        if len(left) < len(bucket.entity_ids):
            changes.append(NameChange(bucket, left, is_last=len(buckets) == 1))
    return tuple(changes)


def _taken_terms(
    claimed: Mapping[NamePlace, Sequence[str]],
    before: Mapping[NamePlace, NameBucket],
    services: Services,
    is_taken: _IsTaken,
) -> frozenset[str]:
    """The claimed terms that stay with the present holder."""
    holders = {
        term: before[place].entity_ids[term]
        for place, terms in claimed.items()
        for term in terms
        if term in before[place].entity_ids
    }
    ids = [*dict.fromkeys(holders.values())]
    found = services.records.load_own(ids) if ids else {}
    return frozenset(
        term
        for term, holder in holders.items()
        if holder in found and is_taken(found[holder], term)
    )


def _is_active(held: AnyRecord, term: str) -> bool:
    return (
        _is_named(held, term) and held.tombstone is None and not is_retracted(held.record.payload)
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
