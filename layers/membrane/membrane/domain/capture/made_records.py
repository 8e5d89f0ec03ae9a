"""The records made by a capture: entities named for the first time, and the stated fact."""

from typing import Any, NamedTuple

from membrane.domain.capture.primary import part_of_content
from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.entities.names import primary_type_of
from membrane.domain.ingest.builder import Making, Why, next_entry
from membrane.domain.ingest.reports import IngestObservation
from membrane.domain.language.names import term_of
from membrane.domain.language.vocabulary import AuditAction, CandidateKind, MemoryType, ValidityMode
from membrane.domain.records.idempotency import id_within
from membrane.domain.records.interpretation import Mention
from membrane.domain.records.payloads import (
    EntityAlias,
    EntityPayload,
    Payload,
    ProvenanceRef,
    SemanticPayload,
    Validity,
)
from membrane.domain.records.records import MemoryRecord, Provenance, Relation
from membrane.domain.salience.decay_defaults import (
    empty_lifecycle_input,
    lifecycle_for,
)

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
    is_asked_for = MemoryType.SEMANTIC is request.proposed_type
    if not (is_asked_for or request.source_kind == CandidateKind.OBSERVATION) or not isinstance(
        content, dict
    ):
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
    """The entity of a mention that no known entity bears, with scope and sensitivity of `primary`.

    The entity fades like a fact.
    """
    primary_type = primary_type_of(mention.entity_kind)
    payload = EntityPayload(
        kind="entity",
        canonical_name=mention.surface,
        primary_type=primary_type,
        types=(primary_type,),
        aliases=tuple(EntityAlias(value=alias) for alias in mention.aliases),
    )
    return _record_of(payload, primary, (source, CREATED_ENTITY), making, confidence=1.0)


def fact_record(
    stated: Statement,
    primary: MemoryRecord,
    source: str,
    making: Making,
    *,
    relations: tuple[Relation, ...],
    confidence: float,
) -> MemoryRecord:
    """The fact that `primary` is the evidence of, with the scope, sensitivity and tags."""
    payload = SemanticPayload(
        kind="semantic",
        subject=stated.subject,
        predicate=stated.predicate,
        object=stated.object,
        validity=Validity(mode=ValidityMode.GLOBAL),
        evidence=(reference_to(primary, making),),
    )
    made = _record_of(payload, primary, (source, DERIVED_FACT), making, confidence=confidence)
    return made.model_copy(update={"relations": relations, "tags": primary.tags})


def in_words_of(fact: MemoryRecord, stated: Statement) -> MemoryRecord:
    """The fact with the subject and the object of the statement."""
    words = {"subject": stated.subject, "object": stated.object}
    return fact.model_copy(update={"payload": fact.payload.model_copy(update=words)})


def stated_confidence(primary: MemoryRecord) -> float:
    """The confidence of a fact that the content of `primary` states in its fields."""
    interpreted = primary.interpretation
    extracted = 0.0 if interpreted is None else interpreted.extraction_confidence
    return max(FACT_CONFIDENCE, primary.confidence, extracted)


def reference_to(primary: MemoryRecord, making: Making) -> ProvenanceRef:
    return ProvenanceRef(source_type=primary.type, source_id=primary.id, timestamp=making.timestamp)


def _record_of(
    payload: Payload,
    primary: MemoryRecord,
    why: tuple[str, str],
    making: Making,
    *,
    confidence: float,
) -> MemoryRecord:
    memory_type = MemoryType(payload.kind)
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
        audit_log=(next_entry((), AuditAction.CREATE, Why(created_by, rationale), making),),
    )
