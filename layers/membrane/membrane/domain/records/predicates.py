"""The predicates of relations that captures make, and the inverse of each predicate."""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from membrane.domain.records.records import Relation

MENTIONS_ENTITY = "mentions_entity"
REFERENCES_RECORD = "references_record"
DERIVED_SEMANTIC = "derived_semantic"
DERIVED_COMPETENCE = "derived_competence"
DERIVED_PLAN = "derived_plan"
SUBJECT_ENTITY = "subject_entity"
OBJECT_ENTITY = "object_entity"

TO_ENTITIES = frozenset({MENTIONS_ENTITY, SUBJECT_ENTITY, OBJECT_ENTITY})
"""Predicates whose target is an entity that the source is about."""

_PAIRS = {
    MENTIONS_ENTITY: "mentioned_in",
    REFERENCES_RECORD: "referenced_by",
    DERIVED_SEMANTIC: "derived_from",
    SUBJECT_ENTITY: "fact_subject_of",
    OBJECT_ENTITY: "fact_object_of",
    "depends_on": "dependency_of",
    "uses": "used_by",
    "caused_by": "causes",
    "supports": "supported_by",
    "contradicts": "contradicted_by",
}
_INVERSES: Mapping[str, str] = {
    DERIVED_COMPETENCE: "derived_from",
    DERIVED_PLAN: "derived_from",
    **_PAIRS,
    **{inverse: predicate for predicate, inverse in _PAIRS.items()},
}
_INVERSE_OF = "inverse_of_"


def linked_entity_ids(relations: Iterable[Relation]) -> frozenset[str]:
    """The ids of the entities that a record with the relations is about."""
    return frozenset(each.target_id for each in relations if each.predicate in TO_ENTITIES)


def facts_derived_by(relations: Iterable[Relation]) -> tuple[str, ...]:
    """The distinct ids of the facts derived from a record with the relations."""
    return _targets(relations, {DERIVED_SEMANTIC})


def skills_derived_by(relations: Iterable[Relation]) -> tuple[str, ...]:
    """The distinct ids of the skills learned from a trace with the relations."""
    return _targets(relations, {DERIVED_COMPETENCE})


def derived_by(relations: Iterable[Relation]) -> tuple[str, ...]:
    """The distinct ids of the facts, skills and plans derived from a record with the relations."""
    return _targets(relations, {DERIVED_SEMANTIC, DERIVED_COMPETENCE, DERIVED_PLAN})


def _targets(relations: Iterable[Relation], predicates: AbstractSet[str]) -> tuple[str, ...]:
    ids = (each.target_id for each in relations if each.predicate in predicates)
    return tuple(dict.fromkeys(ids))


def inverse_of(predicate: str) -> str:
    """The predicate of the same edge seen from the other end, as in Membrane.

    An unknown predicate `p` becomes `inverse_of_p`; `inverse_of_p` becomes `p`.
    """
    known = _INVERSES.get(predicate)
    if known is not None:
        return known
    if predicate.startswith(_INVERSE_OF) and predicate != _INVERSE_OF:
        return predicate.removeprefix(_INVERSE_OF)
    return f"{_INVERSE_OF}{predicate}"
