"""The names that an entity claims when it becomes active outside a capture."""

from collections.abc import Collection, Mapping

from membrane.domain.entities.canonical import is_entity_named, terms_of_entity
from membrane.domain.language.names import first_word_of
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.names import MAX_NAMES, NameBucket, NameChange, NamePlace
from membrane.usecases.ports.services import Services

MAX_PLACES = 10
"""Places in which one entity claims names: the rest of the transaction may need 89 actions."""


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
    claimed: dict[NamePlace, list[str]] = {}
    for term in terms_of_entity(payload):
        place = NamePlace(record.scope, first_word_of(term))
        if place in claimed or len(claimed) < MAX_PLACES:
            claimed.setdefault(place, []).append(term)
    stored, level = services.names.buckets([*claimed]), record.sensitivity
    before = {
        place: stored.get(place, {}).get(level) or NameBucket(place, level) for place in claimed
    }
    taken = _taken_terms(claimed, before, services, retracted_ids)
    changes = []
    for place, terms in claimed.items():
        free = {term: record.id for term in terms if term not in taken}
        after = {**before[place].entity_ids, **free}
        if free and len(after) <= MAX_NAMES:
            changes.append(NameChange(before[place], after))
    return tuple(changes)


def _taken_terms(
    claimed: Mapping[NamePlace, list[str]],
    before: Mapping[NamePlace, NameBucket],
    services: Services,
    retracted_ids: Collection[str],
) -> frozenset[str]:
    """The claimed terms that an active entity bears."""
    holders = {
        term: before[place].entity_ids[term]
        for place, terms in claimed.items()
        for term in terms
        if term in before[place].entity_ids
    }
    ids = [each for each in dict.fromkeys(holders.values()) if each not in retracted_ids]
    found = services.records.load_own(ids) if ids else {}
    return frozenset(
        term for term, holder in holders.items() if _is_active(found.get(holder), term)
    )


def _is_active(held: AnyRecord | None, term: str) -> bool:
    return (
        isinstance(held, StoredRecord)
        and held.tombstone is None
        and not is_retracted(held.record.payload)
        and is_entity_named(held.record.payload, term)
    )
