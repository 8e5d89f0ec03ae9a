"""Verify that active entities are found by their names.

A name that leads to no active entity with the name is no finding: readers pass over the name.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from membrane.domain.integrity.findings import Finding, FindingKind
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.integrity.repairs import is_unchanged, write_repair
from membrane.usecases.names.known_entities import entities_of
from membrane.usecases.ports.names import NamePlace
from membrane.usecases.ports.world import World
from membrane.usecases.revision.claimed_names import claim_names, claimed_places

_Candidates = Mapping[str, Sequence[str]]
"""The ids that a term leads to, at the levels up to that of an entity with the term."""


def verify_names(live: Sequence[StoredRecord], world: World, *, repair: bool) -> Iterator[Finding]:
    """Live entities with a name that leads to no active entity; `repair` writes the name again.

    One BatchGetItem for 100 first words of names, and one for 100 entities beside `live`.
    """
    claims = {held.id: claimed for held in live if (claimed := _claims_of(held))}
    candidates = _candidates(claims, {held.id: held for held in live}, world)
    known: dict[str, AnyRecord] = {held.id: held for held in live}
    ids = {each for found in candidates.values() for several in found.values() for each in several}
    known |= world.records.load_own([*(ids - known.keys())])
    for held in live:
        found = candidates.get(held.id, {})
        borne = entities_of(found, held.scope, held.sensitivity, world, known)
        if len(borne) < len(found) and is_unchanged(held, world):
            yield from _restore_names(held, world, repair=repair)


def _restore_names(held: StoredRecord, world: World, *, repair: bool) -> Iterator[Finding]:
    """The finding of an entity; none if the names of its first words are too many already."""
    names = claim_names(held.record, world)
    if names:
        put = partial(world.integrity.put_names, held, names)
        yield Finding(FindingKind.NAME_MISSING, held.id, "", repair and write_repair(put))


def _claims_of(held: StoredRecord) -> Mapping[NamePlace, Sequence[str]]:
    payload = held.record.payload
    return claimed_places(held.scope, payload) if isinstance(payload, EntityPayload) else {}


def _candidates(
    claims: Mapping[str, Mapping[NamePlace, Sequence[str]]],
    live: Mapping[str, StoredRecord],
    world: World,
) -> Mapping[str, _Candidates]:
    """By entity the ids that each claimed term leads to."""
    places = {place for claimed in claims.values() for place in claimed}
    stored = world.names.buckets([*places]) if places else {}
    return {
        entity_id: {
            term: [
                bucket.entity_ids[term]
                for level, bucket in stored.get(place, {}).items()
                if level.level <= live[entity_id].sensitivity.level and term in bucket.entity_ids
            ]
            for place, terms in claimed.items()
            for term in terms
        }
        for entity_id, claimed in claims.items()
    }
