"""The records of skills and plans, which consolidation makes of like traces."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.fields import RESERVED_SCOPE
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.learning.made_records import (
    first_version,
    highest_among,
    made_record,
    source_of,
    tags_of,
)
from membrane.domain.learning.skills import skill_lookup_keys
from membrane.domain.lifecycle.changes import lowered_version, reinforced_version
from membrane.domain.records.evidence import MAX_EVIDENCE
from membrane.domain.records.learning_mark import (
    MAX_LOOKUPS,
    LearningMark,
    across_scopes,
    within_scope,
)
from membrane.domain.records.payloads import CompetencePayload, PlanGraphPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import (
    empty_lifecycle_input,
    lifecycle_for,
)

SKILL_CONFIDENCE = 0.8
PLAN_CONFIDENCE = 0.7
"""The confidence of a new skill and of a new plan; as in Membrane."""


def new_skill_record(
    payload: CompetencePayload, evidence: Sequence[StoredRecord], making: Making
) -> StoredRecord:
    """The record of a skill, found by the traces that match the skill.

    The skill of traces of several scopes is unscoped, and found from every scope.
    """
    record = _derived_record(payload, evidence, SKILL_CONFIDENCE, making)
    across = len(scopes_of(evidence)) > 1
    lookups = _lookups(record.scope, payload, across=across)
    return first_version(record, making, LearningMark(lookups=lookups))


def scopes_of(records: Iterable[StoredRecord]) -> frozenset[str]:
    return frozenset(each.scope for each in records)


def _lookups(scope: str, skill: CompetencePayload, *, across: bool) -> tuple[bytes, ...]:
    if across:
        return across_scopes(skill_lookup_keys(RESERVED_SCOPE, skill))[:MAX_LOOKUPS]
    return within_scope(skill_lookup_keys(scope, skill))[:MAX_LOOKUPS]


def new_plan_record(
    payload: PlanGraphPayload, evidence: Sequence[StoredRecord], making: Making
) -> StoredRecord:
    record = _derived_record(payload, evidence, PLAN_CONFIDENCE, making)
    return first_version(record, making, LearningMark())


def grown_version(
    stored: StoredRecord,
    payload: CompetencePayload | PlanGraphPayload,
    evidence: Sequence[StoredRecord],
    making: Making,
    *,
    rates: tuple[float, float],
) -> StoredRecord:
    """The skill or plan with further evidence.

    `rates` are the success rates before and after. A rate that falls takes its fall from the
    salience; any other evidence reinforces.
    """
    record = stored.record
    sources = (*record.provenance.sources, *map(source_of, evidence))[-MAX_EVIDENCE:]
    highest = highest_among([record, *(each.record for each in evidence)])
    record = record.model_copy(
        update={
            "payload": payload,
            "sensitivity": highest,
            "provenance": record.provenance.model_copy(update={"sources": sources}),
        }
    )
    before, after = rates
    why = Why(CONSOLIDATION, f"{len(evidence)} more uses, success rate {before:.2f} -> {after:.2f}")
    if isinstance(payload, CompetencePayload):
        lookups = _lookups(record.scope, payload, across=stored.learning.is_across)
        stored = replace(stored, learning=replace(stored.learning, lookups=lookups))
    if after >= before:
        return reinforced_version(stored, why, making, record=record)
    return lowered_version(stored, before - after, why, making, record=record)


def _derived_record(
    payload: CompetencePayload | PlanGraphPayload,
    evidence: Sequence[StoredRecord],
    confidence: float,
    making: Making,
) -> MemoryRecord:
    """The record in the scope of the evidence; unscoped, with common tags, of several scopes."""
    records = [each.record for each in evidence]
    memory_type = MemoryType(payload.kind)
    scopes, tags = scopes_of(evidence), tags_of(records)
    rationale = f"Learned from {len(evidence)} traces"
    if len(scopes) > 1:
        tags = [tag for tag in tags if all(tag in each.tags for each in records)]
        rationale += f" of {len(scopes)} scopes"
    return made_record(
        payload,
        records,
        making,
        scope=evidence[0].scope if len(scopes) == 1 else "",
        tags=tags,
        rationale=rationale,
        sensitivity=highest_among(records),
        confidence=confidence,
        lifecycle=lifecycle_for(
            memory_type, empty_lifecycle_input(), making.policy, making.timestamp
        ),
    )
