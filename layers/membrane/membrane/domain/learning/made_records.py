"""The records that consolidation makes: traces of steps, skills and plans of traces.

A trace is an ordinary episode, and a skill an ordinary competence: rights, search, audit, export
and erasure need no rules of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.ingest.builder import Making, Why, next_entry, with_entry
from membrane.domain.language.fields import MAX_TAGS, RESERVED_SCOPE
from membrane.domain.language.timestamps import epoch_seconds, is_before
from membrane.domain.language.vocabulary import (
    AuditAction,
    MemoryType,
    ProvenanceKind,
    Sensitivity,
)
from membrane.domain.learning.likeness import lookup_keys
from membrane.domain.learning.skills import Evidence, skill_lookup_keys
from membrane.domain.learning.traces import MAX_TEXT_CHARACTERS, join
from membrane.domain.lifecycle.changes import (
    lowered_version,
    reinforced_version,
    version_with_lifecycle,
)
from membrane.domain.records.evidence import MAX_EVIDENCE
from membrane.domain.records.interpretation import Interpretation, InterpretationStatus
from membrane.domain.records.learning_mark import (
    ACROSS,
    LOOKUP_BYTES,
    MAX_LOOKUPS,
    TRACE,
    LearningMark,
    Stage,
)
from membrane.domain.records.payloads import (
    CompetencePayload,
    EpisodicPayload,
    PlanGraphPayload,
    TimelineEvent,
)
from membrane.domain.records.predicates import DERIVED_COMPETENCE, DERIVED_PLAN
from membrane.domain.records.records import (
    MemoryRecord,
    Provenance,
    ProvenanceSource,
)
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.next_versions import with_relation
from membrane.domain.salience.decay_defaults import (
    PolicyDefaults,
    empty_lifecycle_input,
    lifecycle_for,
    lifecycle_of_trace,
)
from membrane.domain.salience.function import Anchor
from membrane.domain.salience.lifecycle import Lifecycle

SKILL_CONFIDENCE = 0.8
PLAN_CONFIDENCE = 0.7
"""The confidence of a new skill and of a new plan; as in Membrane."""

TRACE_MARK = "trace:"
"""The beginning of the ref of a trace; the thread follows."""

BECAME_PART = "became part of trace {trace}"
OPENED = "set the task of trace {trace}"
CAME_TO_NOTHING = "came to nothing: a single step without an outcome makes no trace"
FOUND_NO_MATCH = "compared with the known traces: none is alike"
JOINED = "{outcome} counted in skill {skill}"
PLANNED = "became evidence of plan {plan}"


def trace_of(steps: Sequence[MemoryRecord], opening: TimelineEvent | None) -> EpisodicPayload:
    """The steps in order, behind an event that marks the trace.

    `opening` is the message that set the task, if the steps are the tool calls of a conversation.
    """
    joined = _with_reported_outcome(join(steps), steps)
    thread = steps[0].payload.thread_id if isinstance(steps[0].payload, EpisodicPayload) else ""
    first = opening or joined.timeline[0]
    mark = TimelineEvent(t=first.t, event_kind=TRACE, ref=f"{TRACE_MARK}{thread}")
    timeline = (mark, *(() if opening is None else (opening,)), *joined.timeline)
    return joined.model_copy(update={"timeline": timeline, "thread_id": thread})


def _with_reported_outcome(
    trace: EpisodicPayload, steps: Sequence[MemoryRecord]
) -> EpisodicPayload:
    """The trace with the newest outcome that was reported for a step.

    A tool output that states a status is no report on the task, so the status counts only without
    a report.
    """
    reported = [
        (source.timestamp or "", step.payload)
        for step in steps
        for source in step.provenance.sources
        if source.kind is ProvenanceKind.OUTCOME
    ]
    if not reported:
        return trace
    _, newest = max(reported, key=lambda each: each[0].removesuffix("Z"))
    if not isinstance(newest, EpisodicPayload):
        return trace
    told = {
        "outcome": newest.outcome,
        "outcome_reason": newest.outcome_reason[:MAX_TEXT_CHARACTERS],
    }
    return trace.model_copy(update=told)


def new_trace(
    payload: EpisodicPayload,
    steps: Sequence[MemoryRecord],
    opening: MemoryRecord | None,
    making: Making,
    policy: PolicyDefaults,
    *,
    is_interpreted: bool = False,
    crosses_scopes: bool = False,
) -> StoredRecord:
    """The record of a trace; a trace with tool calls and an outcome waits to be learned from.

    The message that set the task is evidence of the trace like the steps: the trace has its text.
    `is_interpreted`: a model is to read the trace, like a capture.
    With `crosses_scopes`, traces of other scopes find the trace, too.
    """
    evidence = steps if opening is None else (opening, *steps)
    record = _record_of(
        payload,
        evidence,
        making,
        policy,
        scope=evidence[0].scope,
        tags=_tags_of(evidence),
        rationale=f"Joined {len(steps)} steps of thread {payload.thread_id}",
        sensitivity=_highest(evidence),
        confidence=min(each.confidence for each in evidence),
        lifecycle=lifecycle_of_trace(policy, making.timestamp),
    )
    if is_interpreted:
        unread = Interpretation(status=InterpretationStatus.TENTATIVE)
        record = record.model_copy(update={"interpretation": unread})
    lookups = _within(lookup_keys(record.scope, payload))
    if crosses_scopes:
        lookups += _across(lookup_keys(RESERVED_SCOPE, payload))
    awaits = Stage.TRACE if lookups and payload.outcome is not None else None
    return _first_version(record, making, LearningMark(awaits, lookups=lookups))


def new_skill_record(
    payload: CompetencePayload,
    evidence: Sequence[StoredRecord],
    making: Making,
    policy: PolicyDefaults,
) -> StoredRecord:
    """The record of a skill, found by the traces that match the skill.

    The skill of traces of several scopes is unscoped, and found from every scope.
    """
    record = _derived_record(payload, evidence, SKILL_CONFIDENCE, making, policy)
    across = len(scopes_of(evidence)) > 1
    lookups = _lookups(record.scope, payload, across=across)
    return _first_version(record, making, LearningMark(lookups=lookups))


def scopes_of(records: Iterable[StoredRecord]) -> frozenset[str]:
    return frozenset(each.scope for each in records)


def _lookups(scope: str, skill: CompetencePayload, *, across: bool) -> tuple[bytes, ...]:
    if across:
        return _across(skill_lookup_keys(RESERVED_SCOPE, skill))[:MAX_LOOKUPS]
    return _within(skill_lookup_keys(scope, skill))[:MAX_LOOKUPS]


def _within(keys: Iterable[bytes]) -> tuple[bytes, ...]:
    return tuple(each[:LOOKUP_BYTES] for each in keys)


def _across(keys: Iterable[bytes]) -> tuple[bytes, ...]:
    return tuple((ACROSS + each)[:LOOKUP_BYTES] for each in keys)


def new_plan_record(
    payload: PlanGraphPayload,
    evidence: Sequence[StoredRecord],
    making: Making,
    policy: PolicyDefaults,
) -> StoredRecord:
    record = _derived_record(payload, evidence, PLAN_CONFIDENCE, making, policy)
    return _first_version(record, making, LearningMark())


def grown_version(
    stored: StoredRecord,
    payload: CompetencePayload | PlanGraphPayload,
    evidence: Sequence[StoredRecord],
    making: Making,
    policy: PolicyDefaults,
    *,
    rates: tuple[float, float],
) -> StoredRecord:
    """The skill or plan with further evidence.

    `rates` are the success rates before and after. A rate that falls takes its fall from the
    salience; any other evidence reinforces.
    """
    record = stored.record
    sources = (*record.provenance.sources, *map(_source_of, evidence))[-MAX_EVIDENCE:]
    highest = _highest([record, *(each.record for each in evidence)])
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
        return reinforced_version(stored, why, making, policy, record=record)
    return lowered_version(stored, before - after, why, making, policy, record=record)


def used_step(
    step: StoredRecord,
    trace_id: str,
    making: Making,
    policy: PolicyDefaults,
    *,
    fading: float = 1.0,
) -> StoredRecord:
    """The step as part of a trace: it waits no longer, and its half-life is multiplied by `fading`.

    Without a shorter half-life, the step fades as before.
    """
    why = Why(CONSOLIDATION, BECAME_PART.format(trace=trace_id))
    lifecycle = step.record.lifecycle
    before_s = lifecycle.decay.half_life_seconds
    half_life_s = min(before_s, max(1, int(before_s * fading)))
    decay = lifecycle.decay.model_copy(update={"half_life_seconds": half_life_s})
    lifecycle = lifecycle.model_copy(update={"decay": decay})
    after = version_with_lifecycle(step, lifecycle, why, making, policy)
    return replace(after, learning=LearningMark(trace_id=trace_id))


def used_opening(message: StoredRecord, trace_id: str, making: Making) -> StoredRecord:
    """The message as the opening of a trace; the message fades as before."""
    why = Why(CONSOLIDATION, OPENED.format(trace=trace_id))
    return _with_mark(message, LearningMark(trace_id=trace_id), why, making)


def idle_step(step: StoredRecord, making: Making) -> StoredRecord:
    """The step of which nothing comes."""
    return _with_mark(step, LearningMark(), Why(CONSOLIDATION, CAME_TO_NOTHING), making)


def unmatched_trace(trace: StoredRecord, making: Making) -> StoredRecord:
    """The trace that was compared in vain; later traces find it."""
    mark = replace(trace.learning, awaits=None)
    return _with_mark(trace, mark, Why(CONSOLIDATION, FOUND_NO_MATCH), making)


def learned_trace(
    trace: StoredRecord,
    skill_id: str,
    plan_id: str | None,
    making: Making,
    policy: PolicyDefaults,
) -> StoredRecord:
    """The trace as evidence of a skill, and of a plan: the maximum age goes, it fades like both."""
    record = with_relation(trace.record, DERIVED_COMPETENCE, skill_id, making)
    if plan_id is not None:
        record = with_relation(record, DERIVED_PLAN, plan_id, making)
    decay = record.lifecycle.decay.model_copy(update={"max_age_seconds": 0})
    lifecycle = record.lifecycle.model_copy(update={"decay": decay})
    why = Why(CONSOLIDATION, JOINED.format(outcome=outcome_of(trace), skill=skill_id))
    after = version_with_lifecycle(trace, lifecycle, why, making, policy, record=record)
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


def evidence_in(trace: StoredRecord) -> Evidence | None:
    """The trace as evidence; None for a record that is no episode.

    A trace has not ended after it was made, whatever times the caller stated.
    """
    payload = trace.record.payload
    if not isinstance(payload, EpisodicPayload):
        return None
    end, made = ended_at(payload), trace.record.created_at
    return Evidence(payload, trace.id, made if is_before(made, end) else end)


def ended_at(payload: EpisodicPayload) -> str:
    """The time of the last event, or of the last call, in RFC 3339."""
    times = [event.t for event in payload.timeline]
    times += [call.timestamp for call in payload.tool_graph if call.timestamp is not None]
    return max(times, key=lambda each: each.removesuffix("Z"))


def _with_mark(stored: StoredRecord, mark: LearningMark, why: Why, making: Making) -> StoredRecord:
    after = stored.next_version(with_entry(stored.record, AuditAction.REVISE, why, making))
    return replace(after, learning=mark)


def _derived_record(
    payload: CompetencePayload | PlanGraphPayload,
    evidence: Sequence[StoredRecord],
    confidence: float,
    making: Making,
    policy: PolicyDefaults,
) -> MemoryRecord:
    """The record in the scope of the evidence; unscoped, with common tags, of several scopes."""
    records = [each.record for each in evidence]
    memory_type = MemoryType(payload.kind)
    scopes, tags, rationale = (
        scopes_of(evidence),
        _tags_of(records),
        f"Learned from {len(evidence)} traces",
    )
    if len(scopes) > 1:
        tags = [tag for tag in tags if all(tag in each.tags for each in records)]
        rationale += f" of {len(scopes)} scopes"
    return _record_of(
        payload,
        records,
        making,
        policy,
        scope=evidence[0].scope if len(scopes) == 1 else "",
        tags=tags,
        rationale=rationale,
        sensitivity=_highest(records),
        confidence=confidence,
        lifecycle=lifecycle_for(memory_type, empty_lifecycle_input(), policy, making.timestamp),
    )


def _record_of(
    payload: EpisodicPayload | CompetencePayload | PlanGraphPayload,
    evidence: Sequence[MemoryRecord],
    making: Making,
    policy: PolicyDefaults,
    *,
    scope: str,
    tags: Sequence[str],
    rationale: str,
    sensitivity: Sensitivity,
    confidence: float,
    lifecycle: Lifecycle,
) -> MemoryRecord:
    """A record with a source for each piece of evidence."""
    return MemoryRecord(
        id=making.record_id,
        type=MemoryType(payload.kind),
        sensitivity=sensitivity,
        confidence=confidence,
        salience=policy.initial_salience,
        scope=scope,
        tags=tuple(tags[:MAX_TAGS]),
        created_at=making.timestamp,
        updated_at=making.timestamp,
        lifecycle=lifecycle,
        provenance=Provenance(
            sources=tuple(map(_source_of, evidence))[-MAX_EVIDENCE:], created_by=CONSOLIDATION
        ),
        payload=payload,
        audit_log=(next_entry((), AuditAction.CREATE, Why(CONSOLIDATION, rationale), making),),
    )


def _tags_of(evidence: Iterable[MemoryRecord]) -> list[str]:
    """Every tag once, in the order of the evidence."""
    return [*dict.fromkeys(tag for each in evidence for tag in each.tags)]


def _source_of(evidence: MemoryRecord | StoredRecord) -> ProvenanceSource:
    record = evidence.record if isinstance(evidence, StoredRecord) else evidence
    payload = record.payload
    is_call = isinstance(payload, EpisodicPayload) and bool(payload.tool_graph)
    return ProvenanceSource(
        kind=ProvenanceKind.TOOL_CALL if is_call else ProvenanceKind.EVENT,
        ref=record.id,
        created_by=CONSOLIDATION,
        timestamp=record.created_at,
    )


def _highest(records: Iterable[MemoryRecord]) -> Sensitivity:
    return max((each.sensitivity for each in records), key=lambda each: each.level)


def _first_version(record: MemoryRecord, making: Making, mark: LearningMark) -> StoredRecord:
    born_s = epoch_seconds(making.now)
    anchor = Anchor(salience=record.salience, at_s=born_s, born_s=born_s)
    return StoredRecord(record, anchor, version=1, fingerprint=b"", learning=mark)
