"""The fields required of a candidate, and the type, confidence and lifecycle by kind."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from membrane.domain.access.principals import above_ordinary
from membrane.domain.ingest.candidates import MemoryCandidate
from membrane.domain.ingest.reports import IngestObservation
from membrane.domain.language.blanks import is_blank
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.vocabulary import (
    CandidateKind,
    DeletionPolicy,
    MemoryType,
    Sensitivity,
)
from membrane.domain.salience.decay_defaults import (
    PolicyDefaults,
    empty_lifecycle_input,
    lifecycle_for,
)
from membrane.domain.salience.lifecycle import Lifecycle, LifecycleInput

TYPES: Mapping[CandidateKind, MemoryType] = {
    CandidateKind.EVENT: MemoryType.EPISODIC,
    CandidateKind.TOOL_OUTPUT: MemoryType.EPISODIC,
    CandidateKind.OBSERVATION: MemoryType.SEMANTIC,
    CandidateKind.OUTCOME: MemoryType.EPISODIC,
    CandidateKind.WORKING_STATE: MemoryType.WORKING,
    CandidateKind.MESSAGE: MemoryType.EPISODIC,
}

REQUIRED: Mapping[CandidateKind, Mapping[str, str]] = {
    CandidateKind.EVENT: {
        "event_kind": "event kind is required for event candidates",
        "ref": "event ref is required for event candidates",
    },
    CandidateKind.TOOL_OUTPUT: {
        "tool_name": "tool name is required for tool output candidates",
    },
    CandidateKind.OBSERVATION: {
        "subject": "subject is required for observation candidates",
        "predicate": "predicate is required for observation candidates",
    },
    CandidateKind.OUTCOME: {
        "target_record_id": "target record ID is required for outcome candidates",
        "outcome_status": "outcome status is required for outcome candidates",
    },
    CandidateKind.WORKING_STATE: {
        "thread_id": "thread ID is required for working state candidates",
        "state": "task state is required for working state candidates",
    },
}
"""Required field to error text, by kind; every kind also requires `source`. As in Membrane."""

NOTED = "noted"
"""The predicate of a text that somebody noted; the text is the object."""

CONFIDENCE: Mapping[CandidateKind, float] = {
    CandidateKind.EVENT: 0.8,
    CandidateKind.TOOL_OUTPUT: 0.9,
    CandidateKind.OBSERVATION: 0.7,
    CandidateKind.OUTCOME: 0.85,
    CandidateKind.WORKING_STATE: 1.0,
    CandidateKind.MESSAGE: 0.8,
}
"""The confidence of a new record, by kind of candidate; as in Membrane."""


class PolicyResult(NamedTuple):
    """The fields of a new record that policy decides."""

    type: MemoryType
    sensitivity: Sensitivity
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
    if not isinstance(report, IngestObservation) or report.predicate != NOTED:
        return False
    return report.object is None or is_blank(report.object)


def apply(
    candidate: MemoryCandidate,
    sensitivity: Sensitivity | None,
    defaults: PolicyDefaults,
    now: str,
    lifecycle: LifecycleInput | None = None,
) -> PolicyResult:
    """The policy's decision for a candidate; raises InvalidArgument as `lifecycle_for` does."""
    memory_type = TYPES[candidate.kind]
    is_message = candidate.kind is CandidateKind.MESSAGE
    half_life_s = defaults.message_half_life_s if is_message else None
    return PolicyResult(
        type=memory_type,
        sensitivity=sensitivity or defaults.sensitivity,
        confidence=CONFIDENCE[candidate.kind],
        salience=defaults.initial_salience,
        lifecycle=lifecycle_for(
            memory_type, lifecycle or empty_lifecycle_input(), defaults, now, half_life_s
        ),
    )


def privileged_in(lifecycle: LifecycleInput | None) -> Iterator[str]:
    """The requested fields that let a record outrank others or stay for good."""
    if lifecycle is None:
        return
    if lifecycle.pinned:
        yield "lifecycle.pinned"
    if lifecycle.deletion_policy is DeletionPolicy.NEVER:
        yield "lifecycle.deletion_policy never"
    yield from above_ordinary("lifecycle.decay.min_salience", lifecycle.decay.min_salience)
    gain = lifecycle.decay.reinforcement_gain
    yield from above_ordinary("lifecycle.decay.reinforcement_gain", gain)
