"""The records of skills and plans, and the traces that count in them or were compared in vain."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.fields import RESERVED_SCOPE
from membrane.domain.language.timestamps import is_before
from membrane.domain.language.vocabulary import AuditAction, MemoryType
from membrane.domain.learning import made_records
from membrane.domain.learning.shared_content import party_of
from membrane.domain.learning.skills import Evidence, skill_lookup_keys
from membrane.domain.lifecycle import changes
from membrane.domain.records import learning_mark
from membrane.domain.records.evidence import DERIVED_COMPETENCE, DERIVED_PLAN, MAX_EVIDENCE
from membrane.domain.records.payloads import CompetencePayload, EpisodicPayload, PlanGraphPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import with_relation
from membrane.domain.salience.decay_defaults import empty_lifecycle_input, lifecycle_for

FOUND_NO_MATCH = "compared with the known traces: none is alike"
JOINED = "{outcome} counted in skill {skill}"
PLANNED = "became evidence of plan {plan}"


def unmatched_trace(
    trace: StoredRecord, making: Making, *, is_kept_back: bool = False
) -> StoredRecord:
    """The trace that was compared in vain; later traces find it.

    `is_kept_back`: only traces of the scope find it, also after a skill is restored.
    """
    mark = replace(trace.learning, awaits=None)
    if is_kept_back:
        mark = replace(mark, lookups=mark.lookups_within)
    return made_records.with_mark(trace, mark, Why(CONSOLIDATION, FOUND_NO_MATCH), making)


def learned_trace(
    trace: StoredRecord, skill_id: str, plan_id: str | None, making: Making
) -> StoredRecord:
    """The trace as evidence, without a maximum age: it lives while the skill does."""
    record = with_relation(trace.record, DERIVED_COMPETENCE, skill_id, making)
    if plan_id is not None:
        record = with_relation(record, DERIVED_PLAN, plan_id, making)
    decay = record.lifecycle.decay.model_copy(update={"max_age_seconds": 0})
    lifecycle = record.lifecycle.model_copy(update={"decay": decay})
    why = Why(CONSOLIDATION, JOINED.format(outcome=outcome_of(trace), skill=skill_id))
    after = changes.version_with_lifecycle(trace, lifecycle, why, making, record=record)
    return replace(after, learning=replace(trace.learning, awaits=None))


def planned_trace(trace: StoredRecord, plan_id: str, making: Making) -> StoredRecord:
    """The trace of a skill as evidence of a later plan; the trace fades as before."""
    why = Why(CONSOLIDATION, PLANNED.format(plan=plan_id))
    record = with_relation(trace.record, DERIVED_PLAN, plan_id, making)
    return trace.next_version(with_entry(record, AuditAction.REVISE, why, making))


def outcome_of(trace: StoredRecord) -> str:
    payload = trace.record.payload
    told = payload.outcome if isinstance(payload, EpisodicPayload) else None
    return "no outcome" if told is None else str(told)


def evidence_in(trace: StoredRecord, scope: str = "") -> Evidence | None:
    """The trace as evidence, of a scope if given; None for a record that is no episode.

    A trace has not ended after it was made, whatever times the caller stated.
    """
    payload = trace.record.payload
    if not isinstance(payload, EpisodicPayload):
        return None
    end, made = ended_at(payload), trace.record.created_at
    sources = trace.record.provenance.sources
    party = party_of(scope, sources[0].created_by if scope and sources else "")
    return Evidence(payload, trace.id, made if is_before(made, end) else end, party)


def ended_at(payload: EpisodicPayload) -> str:
    """The time of the last event, or of the last call, in RFC 3339."""
    times = [event.t for event in payload.timeline]
    times += [call.timestamp for call in payload.tool_graph if call.timestamp is not None]
    return max(times, key=lambda each: each.removesuffix("Z"))


SKILL_CONFIDENCE = 0.8
PLAN_CONFIDENCE = 0.7
"""The confidence of a new skill and of a new plan; as in Membrane."""


def new_skill_record(
    payload: CompetencePayload, evidence: Sequence[StoredRecord], making: Making
) -> StoredRecord:
    """The record of a skill; of several scopes' traces unscoped, and found from all."""
    record = _derived_record(payload, evidence, SKILL_CONFIDENCE, making)
    across = len(scopes_of(evidence)) > 1
    lookups = _lookups(record.scope, payload, across=across)
    return made_records.first_version(record, making, learning_mark.LearningMark(lookups=lookups))


def scopes_of(records: Iterable[StoredRecord]) -> frozenset[str]:
    return frozenset(each.scope for each in records)


def _lookups(scope: str, skill: CompetencePayload, *, across: bool) -> tuple[bytes, ...]:
    if across:
        return learning_mark.across_scopes(skill_lookup_keys(RESERVED_SCOPE, skill))[
            : learning_mark.MAX_LOOKUPS
        ]
    return learning_mark.within_scope(skill_lookup_keys(scope, skill))[: learning_mark.MAX_LOOKUPS]


def new_plan_record(
    payload: PlanGraphPayload, evidence: Sequence[StoredRecord], making: Making
) -> StoredRecord:
    record = _derived_record(payload, evidence, PLAN_CONFIDENCE, making)
    return made_records.first_version(record, making, learning_mark.LearningMark())


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
    sources = (*record.provenance.sources, *map(made_records.source_of, evidence))[-MAX_EVIDENCE:]
    highest = made_records.highest_among([record, *(each.record for each in evidence)])
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
        return changes.reinforced_version(stored, why, making, record=record)
    return changes.lowered_version(stored, before - after, why, making, record=record)


def _derived_record(
    payload: CompetencePayload | PlanGraphPayload,
    evidence: Sequence[StoredRecord],
    confidence: float,
    making: Making,
) -> MemoryRecord:
    """The record in the scope of the evidence; unscoped, with common tags, of several scopes."""
    records = [each.record for each in evidence]
    memory_type = MemoryType(payload.kind)
    scopes, tags = scopes_of(evidence), made_records.tags_of(records)
    rationale = f"Learned from {len(evidence)} traces"
    if len(scopes) > 1:
        tags = [tag for tag in tags if all(tag in each.tags for each in records)]
        rationale += f" of {len(scopes)} scopes"
    return made_records.made_record(
        payload,
        records,
        making,
        scope=evidence[0].scope if len(scopes) == 1 else "",
        tags=tags,
        rationale=rationale,
        sensitivity=made_records.highest_among(records),
        confidence=confidence,
        lifecycle=lifecycle_for(
            memory_type, empty_lifecycle_input(), making.policy, making.timestamp
        ),
    )
