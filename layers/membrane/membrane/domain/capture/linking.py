"""The relations of a capture and of a stated fact, and the edges that the reply lists."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.capture.made_records import Statement
from membrane.domain.entities.merging import entity_of
from membrane.domain.language.names import term_of
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import MemoryType
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
from membrane.domain.records.records import MemoryRecord, Relation

if TYPE_CHECKING:
    from membrane.domain.records.replies import GraphEdge

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
    reference: ReferenceCandidate, target_id: str, memory_type: MemoryType
) -> ReferenceCandidate:
    return reference.model_copy(
        update={
            **target_fields(target_id, memory_type),
            "resolved": True,
            "confidence": reference.confidence or RESOLVED_CONFIDENCE,
        }
    )


def target_fields(target_id: str, memory_type: MemoryType) -> dict[str, str]:
    """The id by the name of the field for entities, or of the field for any other record."""
    is_entity = memory_type is MemoryType.ENTITY
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


def relation(predicate: str, target_id: str, made_at: str, weight: float = 1.0) -> Relation:
    return Relation(predicate=predicate, target_id=target_id, weight=weight, created_at=made_at)


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


class LinkedStatement(NamedTuple):
    """A fact as stated, and the entities that subject and object may name."""

    stated: Statement
    entities: Mapping[str, MemoryRecord]
    """The entities by term."""

    @property
    def subject(self) -> MemoryRecord | None:
        return self._entity(self.stated.subject)

    @property
    def object(self) -> MemoryRecord | None:
        return self._entity(self.stated.object)

    def canonical(self) -> Statement:
        """The fact with canonical names, so that facts about one entity meet."""
        subject, value = self.subject, self.object
        named = self.stated
        if subject is not None:
            named = named._replace(subject=entity_of(subject).canonical_name)
        if value is not None:
            named = named._replace(object=entity_of(value).canonical_name)
        return named

    def relations(self, made_at: str) -> Iterator[Relation]:
        """The relations of the fact to the entities of subject and object, where known."""
        ends = ((SUBJECT_ENTITY, self.subject), (OBJECT_ENTITY, self.object))
        for predicate, entity in ends:
            if entity is not None:
                yield relation(predicate, entity.id, made_at)

    def _entity(self, name: Any) -> MemoryRecord | None:
        return self.entities.get(term_of(name)) if isinstance(name, str) else None
