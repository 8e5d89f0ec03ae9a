"""The records of traces, the steps as parts of a trace, and the frame of every made record.

A trace is an ordinary episode, and a skill an ordinary competence: rights, search, audit, export
and erasure need no rules of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.ingest.builder import Making, Why, next_entry, with_entry
from membrane.domain.language.fields import MAX_TAGS, RESERVED_SCOPE
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction, MemoryType, ProvenanceKind, Sensitivity
from membrane.domain.learning.likeness import lookup_keys
from membrane.domain.learning.traces import MAX_TEXT_CHARACTERS, join
from membrane.domain.lifecycle.changes import version_with_lifecycle
from membrane.domain.records import learning_mark, payloads
from membrane.domain.records.evidence import MAX_EVIDENCE
from membrane.domain.records.interpretation import Interpretation, InterpretationStatus
from membrane.domain.records.records import MemoryRecord, Provenance, ProvenanceSource
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import lifecycle_of_trace
from membrane.domain.salience.function import Anchor
from membrane.domain.salience.lifecycle import Lifecycle

TRACE_MARK = "trace:"
"""The beginning of the ref of a trace; the thread follows."""

BECAME_PART = "became part of trace {trace}"
OPENED = "set the task of trace {trace}"
CAME_TO_NOTHING = "came to nothing: a single step without an outcome makes no trace"


def trace_of(
    steps: Sequence[MemoryRecord], opening: payloads.TimelineEvent | None
) -> payloads.EpisodicPayload:
    """The steps in order, behind an event that marks the trace.

    `opening` is the message that set the task, if the steps are the tool calls of a conversation.
    """
    joined = _with_reported_outcome(join(steps), steps)
    thread = (
        steps[0].payload.thread_id if isinstance(steps[0].payload, payloads.EpisodicPayload) else ""
    )
    first = opening or joined.timeline[0]
    mark = payloads.TimelineEvent(
        t=first.t, event_kind=learning_mark.TRACE, ref=f"{TRACE_MARK}{thread}"
    )
    timeline = (mark, *(() if opening is None else (opening,)), *joined.timeline)
    return joined.model_copy(update={"timeline": timeline, "thread_id": thread})


def _with_reported_outcome(
    trace: payloads.EpisodicPayload, steps: Sequence[MemoryRecord]
) -> payloads.EpisodicPayload:
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
    if not isinstance(newest, payloads.EpisodicPayload):
        return trace
    told = {
        "outcome": newest.outcome,
        "outcome_reason": newest.outcome_reason[:MAX_TEXT_CHARACTERS],
    }
    return trace.model_copy(update=told)


def new_trace(
    payload: payloads.EpisodicPayload,
    steps: Sequence[MemoryRecord],
    opening: MemoryRecord | None,
    making: Making,
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
    record = made_record(
        payload,
        evidence,
        making,
        scope=evidence[0].scope,
        tags=tags_of(evidence),
        rationale=f"Joined {len(steps)} steps of thread {payload.thread_id}",
        sensitivity=highest_among(evidence),
        confidence=min(each.confidence for each in evidence),
        lifecycle=lifecycle_of_trace(making.policy, making.timestamp),
    )
    if is_interpreted:
        unread = Interpretation(status=InterpretationStatus.TENTATIVE)
        record = record.model_copy(update={"interpretation": unread})
    lookups = learning_mark.within_scope(lookup_keys(record.scope, payload))
    if crosses_scopes:
        lookups += learning_mark.across_scopes(lookup_keys(RESERVED_SCOPE, payload))
    awaits = learning_mark.Stage.TRACE if lookups and payload.outcome is not None else None
    return first_version(record, making, learning_mark.LearningMark(awaits, lookups=lookups))


def used_step(
    step: StoredRecord, trace_id: str, making: Making, *, fading: float = 1.0
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
    after = version_with_lifecycle(step, lifecycle, why, making)
    return replace(after, learning=learning_mark.LearningMark(trace_id=trace_id))


def used_opening(message: StoredRecord, trace_id: str, making: Making) -> StoredRecord:
    """The message as the opening of a trace; the message fades as before."""
    why = Why(CONSOLIDATION, OPENED.format(trace=trace_id))
    return with_mark(message, learning_mark.LearningMark(trace_id=trace_id), why, making)


def idle_step(step: StoredRecord, making: Making) -> StoredRecord:
    """The step of which nothing comes."""
    return with_mark(
        step, learning_mark.LearningMark(), Why(CONSOLIDATION, CAME_TO_NOTHING), making
    )


def with_mark(
    stored: StoredRecord, mark: learning_mark.LearningMark, why: Why, making: Making
) -> StoredRecord:
    after = stored.next_version(with_entry(stored.record, AuditAction.REVISE, why, making))
    return replace(after, learning=mark)


def made_record(
    payload: payloads.EpisodicPayload | payloads.CompetencePayload | payloads.PlanGraphPayload,
    evidence: Sequence[MemoryRecord],
    making: Making,
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
        salience=making.policy.initial_salience,
        scope=scope,
        tags=tuple(tags[:MAX_TAGS]),
        created_at=making.timestamp,
        updated_at=making.timestamp,
        lifecycle=lifecycle,
        provenance=Provenance(
            sources=tuple(map(source_of, evidence))[-MAX_EVIDENCE:], created_by=CONSOLIDATION
        ),
        payload=payload,
        audit_log=(next_entry((), AuditAction.CREATE, Why(CONSOLIDATION, rationale), making),),
    )


def tags_of(evidence: Iterable[MemoryRecord]) -> list[str]:
    """Every tag once, in the order of the evidence."""
    return [*dict.fromkeys(tag for each in evidence for tag in each.tags)]


def source_of(evidence: MemoryRecord | StoredRecord) -> ProvenanceSource:
    record = evidence.record if isinstance(evidence, StoredRecord) else evidence
    payload, trail = (
        record.payload,
        evidence.trail if isinstance(evidence, StoredRecord) else record.audit_log,
    )
    is_call = isinstance(payload, payloads.EpisodicPayload) and bool(payload.tool_graph)
    return ProvenanceSource(
        kind=ProvenanceKind.TOOL_CALL if is_call else ProvenanceKind.EVENT,
        ref=record.id,
        created_by=trail[0].principal,
        timestamp=record.created_at,
    )


def highest_among(records: Iterable[MemoryRecord]) -> Sensitivity:
    return max((each.sensitivity for each in records), key=lambda each: each.level)


def first_version(
    record: MemoryRecord, making: Making, mark: learning_mark.LearningMark
) -> StoredRecord:
    born_s = epoch_seconds(making.now)
    anchor = Anchor(salience=record.salience, at_s=born_s, born_s=born_s)
    return StoredRecord(record, anchor, version=1, fingerprint=b"", learning=mark)
