"""Merge entities and undo the merge: the next versions of both records.

The absorbed entity is retracted, and leads to the absorbing entity as to a successor. The absorbing
entity gains the names as aliases of the kind `merged:<id>`, and the id as an identifier. A split
takes exactly the additions away. Names and edges need no rewriting: both ids mean the same entity.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from membrane.domain.entities.names import OWN_NAMESPACE
from membrane.domain.ingest.builder import Making, Why, anchored_version, with_entry
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument
from membrane.domain.language.vocabulary import AuditAction, DeletionPolicy, RevisionStatus
from membrane.domain.records import payloads, standing
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.records.versions import version_after

MAX_ABSORBED_IN_ALL = 100
"""Entities that an entity absorbs or replaces, directly or by others: every id costs a read."""

_MERGED = "merged:"


def entity_of(record: MemoryRecord) -> payloads.EntityPayload:
    """The payload of an entity; raises FailedPrecondition for a record of another type."""
    if not isinstance(record.payload, payloads.EntityPayload):
        raise FailedPrecondition(f"record {record.id} is not an entity")
    return record.payload


def absorbed_ids(payload: payloads.EntityPayload) -> tuple[str, ...]:
    """Ids of the absorbed and replaced entities; at most MAX_ABSORBED_IN_ALL."""
    return tuple(dict.fromkeys(_own_ids(payload)))[:MAX_ABSORBED_IN_ALL]


def absorbed_among(
    absorbing: StoredRecord, others: Mapping[str, AnyRecord]
) -> Sequence[StoredRecord]:
    """The entities that the entity has absorbed, directly or by another; no replaced entities."""
    found = [absorbing]
    for each in found:
        for absorbed_id in _merged_ids(each.record.payload):
            other = others.get(absorbed_id)
            if isinstance(other, StoredRecord) and is_absorbed_by(each, other):
                found.append(other)  # the loop goes on to what this one has absorbed
    return found[1:]


def is_absorbed_by(absorbing: StoredRecord, other: StoredRecord) -> bool:
    """Whether the entity is part of `absorbing` by a merge of entities, not as a replaced one."""
    is_merged = other.id in _merged_ids(absorbing.record.payload)
    return is_merged and standing.successor_of(other.record.payload) == absorbing.id


def require_no_new_absorption(
    payload: payloads.Payload, sources: Iterable[payloads.Payload] = ()
) -> None:
    """Raises InvalidArgument for an entity that names absorbed entities, as only a merge may do.

    What the entity takes over from the `sources` of a revision is no new absorption.
    """
    if not isinstance(payload, payloads.EntityPayload):
        return
    entities = [each for each in sources if isinstance(each, payloads.EntityPayload)]
    known_ids = {each for entity in entities for each in _own_ids(entity)}
    if not known_ids.issuperset(_own_ids(payload)):
        message = f"identifiers of the namespace {OWN_NAMESPACE} are made by merges of entities"
        raise InvalidArgument(message).at("payload.identifiers")
    known_kinds = {each for entity in entities for each in _merged_kinds(entity)}
    if not known_kinds.issuperset(_merged_kinds(payload)):
        message = f"aliases of a kind that begins with {_MERGED} are made by merges of entities"
        raise InvalidArgument(message).at("payload.aliases")


def with_replaced_entities(record: MemoryRecord, sources: Iterable[StoredRecord]) -> MemoryRecord:
    """The record of an entity, with the ids of the entities that the record replaces as its own.

    Ids that a replaced entity had absorbed come along; of more than MAX_ABSORBED_IN_ALL ids the
    oldest are left out. Ids of another scope, or of a higher sensitivity, stay hidden from the
    readers of the record. A record of another type is unchanged.
    """
    if not isinstance(record.payload, payloads.EntityPayload):
        return record
    replaced, absorbed = list[str](), [*_own_ids(record.payload)]
    for source in sources:
        is_near = source.scope == record.scope
        is_clear = source.sensitivity.level <= record.sensitivity.level
        if isinstance(source.record.payload, payloads.EntityPayload) and is_near and is_clear:
            replaced.append(source.id)
            absorbed += _own_ids(source.record.payload)
    ids = [*dict.fromkeys((*replaced, *absorbed))][:MAX_ABSORBED_IN_ALL]
    others = (each for each in record.payload.identifiers if each.namespace != OWN_NAMESPACE)
    own = (payloads.EntityIdentifier(namespace=OWN_NAMESPACE, value=each) for each in ids)
    payload = record.payload.model_copy(update={"identifiers": (*others, *own)})
    return record.model_copy(update={"payload": payload})


def require_mergeable(absorbing: StoredRecord, absorbed: StoredRecord) -> None:
    """Raises InvalidArgument or FailedPrecondition for entities that cannot become one."""
    if absorbing.id == absorbed.id:
        raise InvalidArgument("an entity cannot be merged into itself").at("entity_ids")
    entity_of(absorbed.record)
    standing.require_not_retracted(absorbed, "merge: ")
    if absorbing.scope != absorbed.scope:
        raise FailedPrecondition(f"merge: entity {absorbed.id} has another scope")
    if absorbed.sensitivity != absorbing.sensitivity:
        raise FailedPrecondition(
            f"merge: entity {absorbed.id} has another sensitivity: the names would be shown to "
            "other readers; bring both entities to one sensitivity first"
        )


def absorbing_version(
    stored: StoredRecord, absorbed: StoredRecord, why: Why, making: Making
) -> StoredRecord:
    """The entity with the names, the id and the ids once absorbed of another entity.

    Raises FailedPrecondition for an entity that would have absorbed too many.
    """
    payload, other = entity_of(stored.record), entity_of(absorbed.record)
    kind = f"{_MERGED}{absorbed.id}"
    names = dict.fromkeys([other.canonical_name, *(each.value for each in other.aliases)])
    aliases = [payloads.EntityAlias(value=name, kind=kind) for name in names]
    ids = (absorbed.id, *absorbed_ids(other))
    if len(absorbed_ids(payload)) + len(ids) > MAX_ABSORBED_IN_ALL:
        raise FailedPrecondition(
            f"merge: entity {stored.id} would absorb more than {MAX_ABSORBED_IN_ALL} entities"
        )
    identifiers = [payloads.EntityIdentifier(namespace=OWN_NAMESPACE, value=each) for each in ids]
    widened = payload.model_copy(
        update={
            "aliases": (*payload.aliases, *aliases),
            "identifiers": (*payload.identifiers, *identifiers),
        }
    )
    return _with_payload(stored, widened, why.after(f"absorbed entity {absorbed.id}"), making)


def absorbed_version(stored: StoredRecord, into: str, why: Why, making: Making) -> StoredRecord:
    """The retracted entity with a successor, pruned only along with the absorbing entity."""
    state = payloads.RevisionState(
        supersedes=standing.state_of(stored.record.payload).supersedes,
        superseded_by=into,
        status=RevisionStatus.RETRACTED,
        since=making.timestamp,
    )
    kept = {"deletion_policy": DeletionPolicy.MANUAL_ONLY}
    lifecycle = stored.record.lifecycle.model_copy(update=kept)
    record = stored.record.model_copy(update={"salience": 0.0, "lifecycle": lifecycle})
    why = why.after(f"merged into {into}")
    action = AuditAction.MERGE
    return anchored_version(stored, standing.in_state(record, state), why, making, action=action)


def released_version(
    stored: StoredRecord, absorbed: StoredRecord, why: Why, making: Making
) -> StoredRecord:
    """The entity without the additions of the merge with `absorbed`."""
    ids = {absorbed.id, *absorbed_ids(entity_of(absorbed.record))}
    narrowed = _narrowed_payload(entity_of(stored.record), absorbed.id, (), ids)
    return _with_payload(stored, narrowed, why.after(f"released entity {absorbed.id}"), making)


def versions_without(
    erased: StoredRecord,
    absorbing: Sequence[StoredRecord],
    why: Why,
    making_of: Callable[[StoredRecord], Making],
) -> Sequence[StoredRecord]:
    """The absorbing entities without the names and ids that came from an erased entity.

    The first of them has absorbed the erased entity, and each next one the one before.
    """
    gone = {erased.id, *absorbed_ids(entity_of(erased.record))}
    why = why.after(f"erased entity {erased.id}")
    part_id, names, versions = erased.id, list[str](), list[StoredRecord]()
    for each in absorbing:
        payload = _narrowed_payload(entity_of(each.record), part_id, names, gone)
        versions.append(_with_payload(each, payload, why, making_of(each)))
        part_id, names = each.id, [payload.canonical_name, *(a.value for a in payload.aliases)]
    return versions


def require_not_absorbed(absorbing: StoredRecord | None, entity_id: str) -> None:
    """Raises FailedPrecondition if a living entity `absorbing` has absorbed the entity."""
    if absorbing is not None and absorbing.tombstone is None:
        raise FailedPrecondition(
            f"entity {entity_id} is part of entity {absorbing.id}: split the entity first"
        )


def require_merged(absorbing: StoredRecord, absorbed: StoredRecord) -> None:
    """Raises FailedPrecondition unless the entity was merged into the other.

    A replaced entity is part of the successor, too, but no split undoes a replacement.
    """
    if standing.successor_of(absorbed.record.payload) != absorbing.id:
        raise FailedPrecondition(f"split: entity {absorbed.id} is not part of {absorbing.id}")
    if not is_absorbed_by(absorbing, absorbed):
        raise FailedPrecondition(f"split: entity {absorbed.id} was replaced, and not merged")


def split_version(stored: StoredRecord, into: str, why: Why, making: Making) -> StoredRecord:
    """The absorbed entity as of now, as if never merged into the entity `into`.

    The trail must be complete. Status, lifecycle and the anchor of the salience return to the
    values before the merge.
    """
    merged_at = max(
        place for place, each in enumerate(stored.trail) if each.action is AuditAction.MERGE
    )
    before = version_after(stored, merged_at)
    record = stored.record.model_copy(
        update={
            "payload": standing.with_state(
                stored.record.payload, entity_of(before.record).revision
            ),
            "lifecycle": before.record.lifecycle,
            "salience": before.anchor.salience,
        }
    )
    entry_of_split = with_entry(record, AuditAction.REVISE, why.after(f"split from {into}"), making)
    return replace(stored.next_version(entry_of_split), anchor=before.anchor)


def _own_ids(payload: payloads.EntityPayload) -> Iterator[str]:
    return (each.value for each in payload.identifiers if each.namespace == OWN_NAMESPACE)


def _merged_ids(payload: payloads.Payload) -> Sequence[str]:
    if not isinstance(payload, payloads.EntityPayload):
        return ()
    return tuple(dict.fromkeys(each.removeprefix(_MERGED) for each in _merged_kinds(payload)))


def _merged_kinds(payload: payloads.EntityPayload) -> Iterator[str]:
    return (each.kind for each in payload.aliases if each.kind.startswith(_MERGED))


def _narrowed_payload(
    payload: payloads.EntityPayload, part_id: str, names: Collection[str], gone: Collection[str]
) -> payloads.EntityPayload:
    """The payload without the ids `gone`, of the names of a part only with those in `names`."""
    kind = f"{_MERGED}{part_id}"
    aliases = (a for a in payload.aliases if a.kind != kind or a.value in names)
    identifiers = (
        each
        for each in payload.identifiers
        if each.namespace != OWN_NAMESPACE or each.value not in gone
    )
    return payload.model_copy(update={"aliases": tuple(aliases), "identifiers": tuple(identifiers)})


def _with_payload(
    stored: StoredRecord, payload: payloads.EntityPayload, why: Why, making: Making
) -> StoredRecord:
    record = stored.record.model_copy(update={"payload": payload})
    return stored.next_version(with_entry(record, AuditAction.REVISE, why, making))
