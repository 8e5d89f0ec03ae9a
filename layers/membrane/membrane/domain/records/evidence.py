"""The evidence of records: predicates of derivation, what a record rests on, gains and loses."""

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.language.vocabulary import AuditAction, MemoryType
from membrane.domain.records import payloads
from membrane.domain.records.learning_mark import is_made, is_trace
from membrane.domain.records.records import DERIVED_FROM, AuditEntry, MemoryRecord, Relation
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord

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


MAX_EVIDENCE = 100
"""The most references that a fact gathers by reinforcement; then the newest take the place.

A fact that a thousand captures state would else grow by 100 bytes with each capture; a hundred
references fit an item of 12 KB, and a reader checks no more.
"""


def evidence_of(record: MemoryRecord) -> frozenset[str]:
    """Every reference to evidence; a reference may be the id of a record or not."""
    refs = {source.ref for source in record.provenance.sources}
    refs |= {each.target_id for each in record.relations if each.predicate == DERIVED_FROM}
    return frozenset(refs | _named_evidence(record)) - {""}


def grounds_of(record: MemoryRecord) -> frozenset[str]:
    """The references without which nothing supports the record.

    Of a fact that nobody reported, the evidence that the fact names: the fact was derived, and
    neither the facts that it replaces, varies or contradicts nor those that contest it support it.
    Of any other record, every reference.
    """
    named = _named_evidence(record) - {""}
    return named if named and not _is_reported(record) else evidence_of(record)


def is_learned(record: MemoryRecord) -> bool:
    """Whether consolidation made the skill or the plan."""
    is_kind = isinstance(record.payload, (payloads.CompetencePayload, payloads.PlanGraphPayload))
    return is_kind and is_made(record)


def is_counted_trace(record: MemoryRecord) -> bool:
    """Whether the record is a trace that consolidation counted in a skill."""
    if not is_trace(record.payload) or not is_made(record):
        return False
    return bool(skills_derived_by(record.relations))


def may_count_across(held: AnyRecord, first_entry: Callable[[], AuditEntry | None]) -> bool:
    """Whether the record is a trace that an unscoped skill of several scopes may count.

    The digests are a sign that no caller can give. Of a record without document only the audit
    trail is left, and `first_entry` gives the first entry of the whole trail.
    """
    if held.type is not MemoryType.EPISODIC or not held.scope:
        return False
    if isinstance(held, StoredRecord):
        return bool(held.learning.lookups_across)
    first = first_entry()
    if first is None:
        return False
    return first.action is AuditAction.CREATE and first.actor == CONSOLIDATION


def may_be_learned_across(derived: AnyRecord) -> bool:
    """Whether the record may be an unscoped skill or plan to which traces of scopes have led."""
    if derived.scope:
        return False
    if isinstance(derived, RemovedRecord):
        return derived.type in (MemoryType.COMPETENCE, MemoryType.PLAN_GRAPH)
    return is_learned(derived.record)


def is_without_ground(record: MemoryRecord, gone: frozenset[str]) -> bool:
    """Whether nothing supports the record without the evidence that is gone.

    A trace holds the content of every step, so a trace goes with any of its steps.
    """
    if is_trace(record.payload):
        return bool(evidence_of(record) & gone)
    return bool(gone) and grounds_of(record) <= gone


def with_evidence(record: MemoryRecord, ref: payloads.ProvenanceRef) -> MemoryRecord:
    """The fact with a further reference to evidence; unchanged if the fact names the evidence.

    A full list loses its oldest reference; a caller may have given more than MAX_EVIDENCE.
    """
    payload = record.payload
    if not isinstance(payload, payloads.SemanticPayload):
        raise TypeError("only facts name evidence")
    if ref.source_id in _named_evidence(record):
        return record
    most = max(MAX_EVIDENCE, len(payload.evidence))
    evidence = (*payload.evidence, ref)[-most:]
    return record.model_copy(update={"payload": payload.model_copy(update={"evidence": evidence})})


def without_evidence(record: MemoryRecord, gone: frozenset[str]) -> MemoryRecord:
    """The record without sources and evidence among `gone`; relations stay, they hold ids alone."""
    sources = tuple(each for each in record.provenance.sources if each.ref not in gone)
    changed: dict[str, object] = {
        "provenance": record.provenance.model_copy(update={"sources": sources})
    }
    if isinstance(record.payload, payloads.SemanticPayload):
        evidence = tuple(each for each in record.payload.evidence if each.source_id not in gone)
        changed["payload"] = record.payload.model_copy(update={"evidence": evidence})
    return record.model_copy(update=changed)


def _named_evidence(record: MemoryRecord) -> frozenset[str]:
    """The references in the payload of a fact."""
    payload = record.payload
    if not isinstance(payload, payloads.SemanticPayload):
        return frozenset()
    return frozenset(each.source_id for each in payload.evidence)


def _is_reported(record: MemoryRecord) -> bool:
    """Whether a report is among the sources: a report has a digest, a source by revision none."""
    return any(source.hash for source in record.provenance.sources)
