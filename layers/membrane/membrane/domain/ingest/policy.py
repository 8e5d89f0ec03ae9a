"""From a report to the parts of a record: what a candidate must have, and what its kind decides."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from membrane.domain.access.principals import above_ordinary
from membrane.domain.ingest import reports
from membrane.domain.language import vocabulary
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.names import is_blank
from membrane.domain.records import payloads
from membrane.domain.records.records import as_json
from membrane.domain.records.standing import given_timestamp
from membrane.domain.salience import decay_defaults
from membrane.domain.salience.lifecycle import Lifecycle, LifecycleInput

if TYPE_CHECKING:
    from membrane.domain.ingest.messages import Message

Value = TypeVar("Value")


class MemoryCandidate(NamedTuple):
    """A report with its kind and the time of the reported event (RFC 3339, UTC)."""

    kind: vocabulary.CandidateKind
    report: "reports.Report | reports.IngestOutcome | Message"
    timestamp: str

    def digest(self) -> str:
        reported = as_json(self.report)
        reported.pop("idempotency_key", None)
        return digest_of({**reported, "kind": self.kind, "timestamp": self.timestamp})


def digest_of(candidate: object) -> str:
    """`sha256:` and the SHA-256 (hex) of the canonical form of a JSON value."""
    return f"sha256:{hashlib.sha256(canonical_json(candidate)).hexdigest()}"


def require_present(value: Value | None) -> Value:
    """A required value; ValueError means that `check` was not called before."""
    if value is None:
        raise ValueError("the candidate was not checked")
    return value


def candidate_from(report: reports.Report | reports.IngestOutcome, now: str) -> MemoryCandidate:
    """The candidate of a report; `now` is the time of a report without a timestamp."""
    return MemoryCandidate(report.kind, report, given_timestamp(report.timestamp) or now)


TYPES: Mapping[vocabulary.CandidateKind, vocabulary.MemoryType] = {
    vocabulary.CandidateKind.EVENT: vocabulary.MemoryType.EPISODIC,
    vocabulary.CandidateKind.TOOL_OUTPUT: vocabulary.MemoryType.EPISODIC,
    vocabulary.CandidateKind.OBSERVATION: vocabulary.MemoryType.SEMANTIC,
    vocabulary.CandidateKind.OUTCOME: vocabulary.MemoryType.EPISODIC,
    vocabulary.CandidateKind.WORKING_STATE: vocabulary.MemoryType.WORKING,
    vocabulary.CandidateKind.MESSAGE: vocabulary.MemoryType.EPISODIC,
}

REQUIRED: Mapping[vocabulary.CandidateKind, Mapping[str, str]] = {
    vocabulary.CandidateKind.EVENT: {
        "event_kind": "event kind is required for event candidates",
        "ref": "event ref is required for event candidates",
    },
    vocabulary.CandidateKind.TOOL_OUTPUT: {
        "tool_name": "tool name is required for tool output candidates"
    },
    vocabulary.CandidateKind.OBSERVATION: {
        "subject": "subject is required for observation candidates",
        "predicate": "predicate is required for observation candidates",
    },
    vocabulary.CandidateKind.OUTCOME: {
        "target_record_id": "target record ID is required for outcome candidates",
        "outcome_status": "outcome status is required for outcome candidates",
    },
    vocabulary.CandidateKind.WORKING_STATE: {
        "thread_id": "thread ID is required for working state candidates",
        "state": "task state is required for working state candidates",
    },
}
"""Required field to error text, by kind; every kind also requires `source`. As in Membrane."""

NOTED = "noted"
"""The predicate of a text that somebody noted; the text is the object."""

CONFIDENCE: Mapping[vocabulary.CandidateKind, float] = {
    vocabulary.CandidateKind.EVENT: 0.8,
    vocabulary.CandidateKind.TOOL_OUTPUT: 0.9,
    vocabulary.CandidateKind.OBSERVATION: 0.7,
    vocabulary.CandidateKind.OUTCOME: 0.85,
    vocabulary.CandidateKind.WORKING_STATE: 1.0,
    vocabulary.CandidateKind.MESSAGE: 0.8,
}
"""The confidence of a new record, by kind of candidate; as in Membrane."""


class PolicyResult(NamedTuple):
    """The fields of a new record that policy decides."""

    type: vocabulary.MemoryType
    sensitivity: vocabulary.Sensitivity
    confidence: float
    salience: float
    lifecycle: Lifecycle


def check(candidate: MemoryCandidate) -> None:
    """Raises InvalidArgument with a violation for every required field that is empty."""
    required = {"source": "candidate source is required", **REQUIRED[candidate.kind]}
    violations = [
        Violation(name, message)
        for name, message in required.items()
        if not getattr(candidate.report, name)
    ]
    if _is_empty_note(candidate):
        violations.append(Violation("object", "object is required for a note: the text is empty"))
    if violations:
        raise InvalidArgument(violations[0].message, violations)


def _is_empty_note(candidate: MemoryCandidate) -> bool:
    report = candidate.report
    if not isinstance(report, reports.IngestObservation) or report.predicate != NOTED:
        return False
    return report.object is None or is_blank(report.object)


def apply(
    candidate: MemoryCandidate,
    sensitivity: vocabulary.Sensitivity | None,
    defaults: decay_defaults.PolicyDefaults,
    now: str,
    lifecycle: LifecycleInput | None = None,
) -> PolicyResult:
    """The policy's decision for a candidate; raises InvalidArgument as `lifecycle_for` does."""
    memory_type = TYPES[candidate.kind]
    is_message = candidate.kind is vocabulary.CandidateKind.MESSAGE
    half_life_s = defaults.message_half_life_s if is_message else None
    return PolicyResult(
        type=memory_type,
        sensitivity=sensitivity or defaults.sensitivity,
        confidence=CONFIDENCE[candidate.kind],
        salience=defaults.initial_salience,
        lifecycle=decay_defaults.lifecycle_for(
            memory_type,
            lifecycle or decay_defaults.empty_lifecycle_input(),
            defaults,
            now,
            half_life_s,
        ),
    )


def privileged_in(lifecycle: LifecycleInput | None) -> Iterator[str]:
    """The requested fields that let a record outrank others or stay for good."""
    if lifecycle is None:
        return
    if lifecycle.pinned:
        yield "lifecycle.pinned"
    if lifecycle.deletion_policy is vocabulary.DeletionPolicy.NEVER:
        yield "lifecycle.deletion_policy never"
    yield from above_ordinary("lifecycle.decay.min_salience", lifecycle.decay.min_salience)
    gain = lifecycle.decay.reinforcement_gain
    yield from above_ordinary("lifecycle.decay.reinforcement_gain", gain)


def origin_of(report: reports.Report, node_id: str) -> tuple[vocabulary.ProvenanceKind, str]:
    match report:
        case reports.IngestEvent():
            return vocabulary.ProvenanceKind.EVENT, report.ref
        case reports.IngestToolOutput():
            return vocabulary.ProvenanceKind.TOOL_CALL, node_id
        case reports.IngestObservation():
            return vocabulary.ProvenanceKind.OBSERVATION, report.source
        case reports.IngestWorkingState():
            return vocabulary.ProvenanceKind.EVENT, report.thread_id


def payload_of(report: reports.Report, timestamp: str, node_id: str) -> payloads.Payload:
    match report:
        case reports.IngestEvent():
            event = payloads.TimelineEvent(
                t=timestamp,
                event_kind=report.event_kind,
                ref=report.ref,
                summary=report.summary or "",
            )
            return payloads.EpisodicPayload(
                kind="episodic", timeline=(event,), thread_id=report.thread_id
            )
        case reports.IngestToolOutput():
            return _tool_episode(report, timestamp, node_id)
        case reports.IngestObservation():
            evidence = payloads.ProvenanceRef(
                source_type="observation", source_id=report.source, timestamp=timestamp
            )
            return payloads.SemanticPayload(
                kind="semantic",
                subject=report.subject,
                predicate=report.predicate,
                object=report.object,
                validity=_validity(report),
                evidence=(evidence,),
                revision_policy="replace",
            )
        case reports.IngestWorkingState():
            return payloads.WorkingPayload(
                kind="working",
                thread_id=report.thread_id,
                state=require_present(report.state),
                active_constraints=report.active_constraints,
                next_actions=report.next_actions,
                open_questions=report.open_questions,
                context_summary=report.context_summary or "",
            )


def _validity(report: reports.IngestObservation) -> payloads.Validity:
    """The validity of an observed fact; conditions go before a window."""
    start, end = given_timestamp(report.start), given_timestamp(report.end)
    mode = vocabulary.ValidityMode.GLOBAL
    if report.conditions:
        mode = vocabulary.ValidityMode.CONDITIONAL
    elif start is not None or end is not None:
        mode = vocabulary.ValidityMode.TIMEBOXED
    return payloads.Validity(mode=mode, conditions=report.conditions, start=start, end=end)


def _tool_episode(
    report: reports.IngestToolOutput, timestamp: str, node_id: str
) -> payloads.EpisodicPayload:
    event = payloads.TimelineEvent(
        t=timestamp,
        event_kind=payloads.TOOL_CALL,
        ref=node_id,
        summary=f"{payloads.TOOL_CALL}: {report.tool_name}"[:MAX_TEXT_CHARACTERS],
    )
    node = payloads.ToolNode(
        id=node_id,
        tool=report.tool_name,
        args=report.args,
        result=report.result,
        timestamp=timestamp,
        depends_on=report.depends_on,
    )
    return payloads.EpisodicPayload(
        kind="episodic",
        timeline=(event,),
        tool_graph=(node,),
        outcome=report.status,
        thread_id=report.thread_id,
    )
