"""Verify what follows from records: edges at targets, vectors, heads and names; large values.

A repair writes again what follows from the records. No repair writes a record's own content or
audit trail.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from membrane.domain.archive.record_lines import large_values_of
from membrane.domain.integrity.findings import Finding, FindingKind
from membrane.domain.language.timestamps import epoch_seconds, rfc3339, seconds_of
from membrane.domain.language.values import LargeValue
from membrane.domain.lifecycle.pruning import vector_due_of
from membrane.domain.records.payloads import EntityPayload, SemanticPayload
from membrane.domain.records.records import Relation
from membrane.domain.records.standing import is_found
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.known_entities import entities_of
from membrane.usecases.machinery.calls import TRANSIENT
from membrane.usecases.ports.records import Buckets, NamePlace
from membrane.usecases.ports.world import World
from membrane.usecases.revision.claimed_names import claim_names, claimed_places
from membrane.usecases.revision.heads import LAG_S, holder_of, key_of


def is_unchanged(held: AnyRecord, world: World) -> bool:
    """Whether the record is as the walk has read it; what follows from a later change is right."""
    present = world.records.load(held.id)
    return isinstance(present, StoredRecord) and present.version == held.version


INDEXING_S = 3_600.0
"""Seconds after a change in which the index may still lack the vector."""


def verify_derived(
    records: Sequence[AnyRecord], world: World, *, repair: bool
) -> Iterator[Finding]:
    """The findings of records that were loaded whole; `repair` repairs each except blobs."""
    live = [held for held in records if is_found(held)]
    stored = [held for held in records if isinstance(held, StoredRecord)]
    yield from _verify_edges(stored, world, repair=repair)
    yield from _verify_vectors(live, world, repair=repair)
    for held in live:
        yield from _verify_head(held, world, repair=repair)
    yield from _verify_names(live, world, repair=repair)
    for held in stored:
        yield from _verify_values(held, world)


def _verify_edges(
    records: Sequence[StoredRecord], world: World, *, repair: bool
) -> Iterator[Finding]:
    """Relations with a wrong inverse, or none since the target has existed."""
    wrong = world.integrity.wrong_inverses(records)
    targets = world.records.load_own([*{each.relation.target_id for each in wrong}])
    for each in wrong:
        source, relation, is_absent = each
        target = targets.get(relation.target_id)
        is_meant = isinstance(target, StoredRecord) and _is_older(target, relation)
        if (is_meant or not is_absent) and is_unchanged(source, world):
            kind = FindingKind.EDGE_WITHOUT_INVERSE if is_absent else FindingKind.EDGE_OUTDATED
            detail = f"{relation.predicate} to {relation.target_id}"
            is_repaired = repair and world.integrity.put_inverse(each)
            yield Finding(kind, source.id, detail, is_repaired)


def _is_older(target: StoredRecord, relation: Relation) -> bool:
    """Whether the target is the relation's, and no later record with the id of a removed target."""
    return bool(relation.created_at) and target.born_s <= seconds_of(relation.created_at or "")


def _verify_vectors(
    records: Sequence[StoredRecord], world: World, *, repair: bool
) -> Iterator[Finding]:
    """Records without a vector, after the time that indexing takes and before they are due."""
    now_s = epoch_seconds(world.now())
    policy = world.policy
    settled = []
    for held in records:
        due_s = vector_due_of(held, policy.custom_curves, policy.prune_threshold)
        is_due = due_s is not None and due_s <= now_s
        if not is_due and seconds_of(held.record.updated_at) + INDEXING_S < now_s:
            settled.append(held.id)
    for record_id in world.integrity.lacking_vectors(settled):
        is_repaired = repair and world.integrity.make_stale(record_id, rfc3339(world.now()))
        yield Finding(FindingKind.VECTOR_MISSING, record_id, "", is_repaired)


def _verify_head(held: StoredRecord, world: World, *, repair: bool) -> Iterator[Finding]:
    """An active fact that the head must name and does not name."""
    if not isinstance(held.record.payload, SemanticPayload):
        return
    head = world.records.head(key_of(held.record, world))
    is_known = bool(head.version) and held.born_s < head.known_to_s - LAG_S
    if not is_known or any(each.record_id == held.id for each in head.holders):
        return
    if not is_unchanged(held, world):
        return
    holders = (*head.holders, holder_of(held.record))
    is_repaired = repair and world.integrity.put_head(head._replace(holders=holders))
    yield Finding(FindingKind.HEAD_MISSING, held.id, "", is_repaired)


def _verify_names(live: Sequence[StoredRecord], world: World, *, repair: bool) -> Iterator[Finding]:
    """Live entities with a name that leads to no active entity; `repair` writes the name again.

    One BatchGetItem for 100 first words of names, and one for 100 entities beside `live`. There is
    no finding where the names of the first words are too many already.
    """
    claims = [
        (held, claimed_places(held.scope, held.record.payload))
        for held in live
        if isinstance(held.record.payload, EntityPayload)
    ]
    places = [*dict.fromkeys(place for _, claimed in claims for place in claimed)]
    stored = world.names.buckets(places) if places else {}
    led = [(held, _ids_by_term(held, claimed, stored)) for held, claimed in claims]
    known: dict[str, AnyRecord] = {held.id: held for held in live}
    ids = {each for _, found in led for several in found.values() for each in several}
    known |= world.records.load_own([*(ids - known.keys())])
    for held, found in led:
        borne = entities_of(found, held.scope, held.sensitivity, world, known)
        if len(borne) == len(found) or not is_unchanged(held, world):
            continue
        if names := claim_names(held.record, world):
            is_repaired = repair and world.integrity.put_names(held, names)
            yield Finding(FindingKind.NAME_MISSING, held.id, "", is_repaired)


def _ids_by_term(
    held: StoredRecord,
    claimed: Mapping[NamePlace, Sequence[str]],
    stored: Mapping[NamePlace, Buckets],
) -> Mapping[str, Sequence[str]]:
    """The ids that a term leads to, at the levels up to the entity's own."""
    return {
        term: [
            bucket.entity_ids[term]
            for level, bucket in stored.get(place, {}).items()
            if level.level <= held.sensitivity.level and term in bucket.entity_ids
        ]
        for place, terms in claimed.items()
        for term in terms
    }


def _verify_values(held: StoredRecord, world: World) -> Iterator[Finding]:
    """Large values that are absent from the bucket or have a different SHA-256."""
    for large in large_values_of(held):
        if not is_intact(large, world):
            yield Finding(FindingKind.BLOB_DAMAGED, held.id, large.sha256)


def is_intact(large: LargeValue, world: World) -> bool:
    try:
        return hashlib.sha256(world.records.value(large)).hexdigest() == large.sha256
    except TRANSIENT:
        raise
    except Exception:  # noqa: BLE001 - the store raises an error of its own for a damaged value
        return False
