"""The records made by a capture, their relations, and the edges that the reply lists."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.capture.primary import part_of_content
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.entities.merging import entity_of
from membrane.domain.entities.names import primary_type_of
from membrane.domain.ingest.builder import Making, Why, next_entry
from membrane.domain.ingest.reports import IngestObservation
from membrane.domain.language import vocabulary
from membrane.domain.language.names import term_of
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.records import payloads
from membrane.domain.records.evidence import (
    MENTIONS_ENTITY,
    OBJECT_ENTITY,
    REFERENCES_RECORD,
    SUBJECT_ENTITY,
    inverse_of,
)
from membrane.domain.records.interpretation import (
    Interpretation,
    InterpretationStatus,
    Mention,
    ReferenceCandidate,
)
from membrane.domain.records.records import MemoryRecord, Provenance, Relation
from membrane.domain.records.stored import id_within
from membrane.domain.revision.conflicts import Observation
from membrane.domain.salience.decay_defaults import empty_lifecycle_input, lifecycle_for

if TYPE_CHECKING:
    from membrane.domain.records.replies import GraphEdge

CREATED_ENTITY = "Created canonical entity during capture resolution"
DERIVED_FACT = "Derived semantic record during capture interpretation"

FACT_CONFIDENCE = 0.7
"""The least confidence of a derived fact, as of an observed fact."""


_ENTITY, _FACT = "entity", "fact"


class Statement(NamedTuple):
    """A fact stated in captured content."""

    subject: str
    predicate: str
    object: Any


def entity_id_for(primary_id: str, term: str) -> str:
    """The id of the entity made by a capture for a term."""
    return id_within(primary_id, _ENTITY, term)


def fact_id_for(primary_id: str) -> str:
    """The id of the fact made by a capture."""
    return id_within(primary_id, _FACT)


def made_ids(primary: MemoryRecord) -> list[str]:
    """Ids of the records made by the capture: entities in the order of mentions, the fact last."""
    mentions = () if primary.interpretation is None else primary.interpretation.mentions
    possible = [entity_id_for(primary.id, term_of(each.surface)) for each in mentions]
    linked = {each.target_id for each in primary.relations}
    return [each for each in dict.fromkeys([*possible, fact_id_for(primary.id)]) if each in linked]


def statement_in(request: CaptureMemory, content: Any) -> Statement | None:
    """The fact in `content.fact` or in the content itself; None unless a fact is asked for.

    A fact needs `subject`, `predicate` and the key `object`, whose value may be null. A fact is
    asked for by the source kind `observation`, and by the proposed type `semantic`. Raises
    InvalidArgument for a field that an observation refuses, and for a reference as object.
    """
    is_asked_for = vocabulary.MemoryType.SEMANTIC is request.proposed_type
    if not (
        is_asked_for or request.source_kind == vocabulary.CandidateKind.OBSERVATION
    ) or not isinstance(content, dict):
        return None
    fields, place = content, "content"
    if isinstance(content.get("fact"), dict) and content["fact"]:
        fields, place = content["fact"], "content.fact"
    match fields:
        case {"subject": str(subject), "predicate": str(predicate), "object": value}:
            texts = {"subject": subject.strip(), "predicate": predicate.strip()}
            if not all(texts.values()):
                return None
            seen = part_of_content(IngestObservation, {**texts, "object": value}, place)
            return Statement(seen.subject, seen.predicate, seen.object)
        case _:
            return None


def entity_record(
    mention: Mention, primary: MemoryRecord, source: str, making: Making
) -> MemoryRecord:
    """The entity of an unknown mention, placed like `primary`; it fades like a fact."""
    primary_type = primary_type_of(mention.entity_kind)
    payload = payloads.EntityPayload(
        kind="entity",
        canonical_name=mention.surface,
        primary_type=primary_type,
        types=(primary_type,),
        aliases=tuple(payloads.EntityAlias(value=alias) for alias in mention.aliases),
    )
    return _record_of(payload, primary, (source, CREATED_ENTITY), making, confidence=1.0)


def in_canonical_names(stated: Statement, entities: Mapping[str, MemoryRecord]) -> Statement:
    """The fact with the names of the entities by term, so that facts about one entity meet."""
    subject, value = _ends(stated, entities)
    if subject is not None:
        stated = stated._replace(subject=entity_of(subject).canonical_name)
    if value is not None:
        stated = stated._replace(object=entity_of(value).canonical_name)
    return stated


def _ends(
    stated: Statement, entities: Mapping[str, MemoryRecord]
) -> tuple[MemoryRecord | None, MemoryRecord | None]:
    """The entities that subject and object name, by term."""
    names = stated.subject, stated.object if isinstance(stated.object, str) else ""
    subject, value = (entities.get(term_of(name)) for name in names)
    return subject, value


def derived_fact(
    stated: Statement,
    entities: Mapping[str, MemoryRecord],
    primary: MemoryRecord,
    source: str,
    making: Making,
    *,
    confidence: float,
    on_conflict: vocabulary.ConflictPolicy,
    most_changed: int,
) -> Observation:
    """The fact that `primary` is the evidence of, with the scope, sensitivity and tags.

    The fact has canonical names, and relations to the entities of subject and object.
    """
    named = in_canonical_names(stated, entities)
    evidence = payloads.ProvenanceRef(
        source_type=primary.type, source_id=primary.id, timestamp=making.timestamp
    )
    payload = payloads.SemanticPayload(
        kind="semantic",
        subject=named.subject,
        predicate=named.predicate,
        object=named.object,
        validity=payloads.Validity(mode=vocabulary.ValidityMode.GLOBAL),
        evidence=(evidence,),
    )
    relations = tuple(
        relation(predicate, entity.id, making.timestamp)
        for predicate, entity in zip(
            (SUBJECT_ENTITY, OBJECT_ENTITY), _ends(stated, entities), strict=True
        )
        if entity is not None
    )
    made = _record_of(payload, primary, (source, DERIVED_FACT), making, confidence=confidence)
    fact = made.model_copy(update={"relations": relations, "tags": primary.tags})
    words = {"subject": stated.subject, "object": stated.object}
    as_written = fact.model_copy(update={"payload": payload.model_copy(update=words)})
    return Observation(
        fact,
        source,
        on_conflict,
        making,
        reinforces_same=True,
        evidence=evidence,
        most_changed=most_changed,
        as_written=None if named == stated else as_written,
    )


def stated_confidence(primary: MemoryRecord) -> float:
    """The confidence of a fact that the content of `primary` states in its fields."""
    interpreted = primary.interpretation
    extracted = 0.0 if interpreted is None else interpreted.extraction_confidence
    return max(FACT_CONFIDENCE, primary.confidence, extracted)


def _record_of(
    payload: payloads.Payload,
    primary: MemoryRecord,
    why: tuple[str, str],
    making: Making,
    *,
    confidence: float,
) -> MemoryRecord:
    memory_type = vocabulary.MemoryType(payload.kind)
    created_by, rationale = why
    return MemoryRecord(
        id=making.record_id,
        type=memory_type,
        sensitivity=primary.sensitivity,
        confidence=confidence,
        salience=making.policy.initial_salience,
        scope=primary.scope,
        created_at=making.timestamp,
        updated_at=making.timestamp,
        lifecycle=lifecycle_for(
            memory_type, empty_lifecycle_input(), making.policy, making.timestamp
        ),
        provenance=Provenance(sources=(), created_by=created_by),
        payload=payload,
        audit_log=(
            next_entry((), vocabulary.AuditAction.CREATE, Why(created_by, rationale), making),
        ),
    )


RESOLVED_CONFIDENCE = 1.0
"""The confidence of a mention or reference that was resolved without one of its own."""


def resolved_mention(mention: Mention, entity_id: str, entity_type: str) -> Mention:
    """The mention of the entity; a name without a kind gets the entity's type as kind."""
    return mention.model_copy(
        update={
            "canonical_entity_id": entity_id,
            "entity_kind": mention.entity_kind or entity_type.casefold(),
            "confidence": mention.confidence or RESOLVED_CONFIDENCE,
        }
    )


def resolved_reference(
    reference: ReferenceCandidate, target_id: str, memory_type: vocabulary.MemoryType
) -> ReferenceCandidate:
    return reference.model_copy(
        update={
            **target_fields(target_id, memory_type),
            "resolved": True,
            "confidence": reference.confidence or RESOLVED_CONFIDENCE,
        }
    )


def target_fields(target_id: str, memory_type: vocabulary.MemoryType) -> dict[str, str]:
    """The id by the name of the field for entities, or of the field for any other record."""
    is_entity = memory_type is vocabulary.MemoryType.ENTITY
    return {"target_entity_id" if is_entity else "target_record_id": target_id}


def with_status(interpretation: Interpretation) -> Interpretation:
    """The interpretation as resolved, or as tentative while a part of it lacks a record."""
    is_tentative = (
        any(not each.canonical_entity_id for each in interpretation.mentions)
        or any(not each.resolved for each in interpretation.reference_candidates)
        or any(not each.resolved for each in interpretation.relation_candidates)
    )
    status = InterpretationStatus.TENTATIVE if is_tentative else InterpretationStatus.RESOLVED
    return interpretation.model_copy(update={"status": status, "failure": None})


def relations_of(interpretation: Interpretation, primary_id: str, made_at: str) -> list[Relation]:
    """The relations of a capture to the entities and records of the interpretation.

    Without repeats, and without a reference of the capture to itself.
    """
    ends = [(MENTIONS_ENTITY, each.canonical_entity_id) for each in interpretation.mentions]
    ends += [(REFERENCES_RECORD, each.target_id) for each in interpretation.reference_candidates]
    return [
        relation(predicate, target_id, made_at)
        for predicate, target_id in dict.fromkeys(ends)
        if target_id not in ("", primary_id)
    ]


def relation(predicate: str, target_id: str, made_at: str) -> Relation:
    return Relation(predicate=predicate, target_id=target_id, weight=1.0, created_at=made_at)


def edges_of(records: Iterable[MemoryRecord]) -> "list[GraphEdge]":
    """The relations of the records as edges, each from both ends."""
    return [
        edge
        for record in records
        for each in record.relations
        for edge in _both_ends(record.id, each)
    ]


def _both_ends(source_id: str, each: Relation) -> "Iterator[GraphEdge]":
    ends = (source_id, each.predicate, each.target_id)
    backward = (each.target_id, inverse_of(each.predicate), source_id)
    for source, predicate, target in (ends, backward):
        yield {
            "source_id": source,
            "predicate": predicate,
            "target_id": target,
            "weight": each.weight,
            "created_at": each.created_at or NOT_GIVEN,
        }
