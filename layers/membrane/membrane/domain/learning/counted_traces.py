"""Traces as evidence: compared in vain, or counted in a skill and a plan."""

from dataclasses import replace

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.timestamps import is_before
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.learning.made_records import with_mark
from membrane.domain.learning.shared_content import party_of
from membrane.domain.learning.skills import Evidence
from membrane.domain.lifecycle.changes import version_with_lifecycle
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.predicates import DERIVED_COMPETENCE, DERIVED_PLAN
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import with_relation

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
    return with_mark(trace, mark, Why(CONSOLIDATION, FOUND_NO_MATCH), making)


def learned_trace(
    trace: StoredRecord, skill_id: str, plan_id: str | None, making: Making
) -> StoredRecord:
    """The trace as evidence of a skill, and of a plan.

    The maximum age goes: the trace lives while the skill does.
    """
    record = with_relation(trace.record, DERIVED_COMPETENCE, skill_id, making)
    if plan_id is not None:
        record = with_relation(record, DERIVED_PLAN, plan_id, making)
    decay = record.lifecycle.decay.model_copy(update={"max_age_seconds": 0})
    lifecycle = record.lifecycle.model_copy(update={"decay": decay})
    why = Why(CONSOLIDATION, JOINED.format(outcome=outcome_of(trace), skill=skill_id))
    after = version_with_lifecycle(trace, lifecycle, why, making, record=record)
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
