"""What a candidate must have, and what it is given (seed 000, "Ingestion Policies")."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache

from membrane.domain.ingest.candidates import MemoryCandidate
from membrane.domain.ingest.classifier import classify
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import (
    CandidateKind,
    ConflictPolicy,
    DecayCurve,
    DeletionPolicy,
    MemoryType,
    Sensitivity,
)
from membrane.domain.salience.function import (
    PRUNE_THRESHOLD,
    CurvePoints,
    curve_points,
    decay_class,
)
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle
from membrane.domain.salience.requests import DecayChange, LifecycleInput

UNIVERSALLY_REQUIRED: Mapping[str, str] = {
    "kind": "candidate kind is required",
    "source": "candidate source is required",
    "timestamp": "candidate timestamp is required",
}
"""Field to message, whatever the kind (seed 000, "Policy Validation Errors")."""

REQUIRED: Mapping[str, Mapping[str, str]] = {
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
"""Field to message by kind of candidate (seed 000, "Policy Validation Errors")."""

CONFIDENCE: Mapping[str, float] = {
    CandidateKind.EVENT: 0.8,
    CandidateKind.TOOL_OUTPUT: 0.9,
    CandidateKind.OBSERVATION: 0.7,
    CandidateKind.OUTCOME: 0.85,
    CandidateKind.WORKING_STATE: 1.0,
}
"""Confidence by kind of candidate (seed 000, "Confidence Assignment")."""

EVERY_OTHER = "*"
"""Stands for the predicates that have no conflict policy of their own."""

CONFIDENCE_OF_UNKNOWN_KIND = 0.5
"""Spec 2.7."""


@dataclass(frozen=True, slots=True)
class PolicyDefaults:
    """What an operator may set; half-lives in seconds (seed 000, "Decay Half-Lives")."""

    sensitivity: Sensitivity = Sensitivity.LOW
    episodic_half_life_s: int = 3_600
    semantic_half_life_s: int = 2_592_000
    working_half_life_s: int = 86_400
    initial_salience: float = 1.0
    deletion_policy: DeletionPolicy = DeletionPolicy.AUTO_PRUNE
    reinforcement_gain: float = 0.2
    prune_threshold: float = PRUNE_THRESHOLD
    decay_curve: DecayCurve = DecayCurve.EXPONENTIAL
    custom_curve: str = ""
    custom_curves: Mapping[str, CurvePoints] = field(default_factory=dict)
    conflicts: Mapping[str, ConflictPolicy] = field(default_factory=dict)
    """By predicate."""

    def half_life_s(self, memory_type: MemoryType) -> int:
        """Competence, plan graphs and entities fade like facts."""
        match memory_type:
            case MemoryType.EPISODIC:
                return self.episodic_half_life_s
            case MemoryType.WORKING:
                return self.working_half_life_s
            case (
                MemoryType.SEMANTIC
                | MemoryType.COMPETENCE
                | MemoryType.PLAN_GRAPH
                | MemoryType.ENTITY
            ):
                return self.semantic_half_life_s

    def conflict_policy(self, predicate: str) -> ConflictPolicy:
        """What becomes of conflicting facts of that predicate where a request does not say."""
        usual = self.conflicts.get(EVERY_OTHER, ConflictPolicy.KEEP)
        return self.conflicts.get(predicate, usual)


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """What policy gives a candidate."""

    type: MemoryType
    sensitivity: Sensitivity
    confidence: float
    salience: float
    lifecycle: Lifecycle


def check(candidate: MemoryCandidate) -> None:
    """Raises InvalidArgument with a message for every required field that is empty."""
    given = {
        "kind": candidate.kind,
        "source": candidate.report.source,
        "timestamp": candidate.timestamp,
    }
    violations = [
        Violation(name, message)
        for name, message in UNIVERSALLY_REQUIRED.items()
        if not given[name]
    ]
    violations += [
        Violation(name, message)
        for name, message in REQUIRED.get(candidate.kind, {}).items()
        if not getattr(candidate.report, name)
    ]
    if violations:
        raise InvalidArgument(violations[0].message, violations)


def confidence_for(kind: str) -> float:
    """How far a source of that kind is to be believed, from 0 to 1."""
    return CONFIDENCE.get(kind, CONFIDENCE_OF_UNKNOWN_KIND)


def apply(
    candidate: MemoryCandidate,
    sensitivity: Sensitivity | None,
    defaults: PolicyDefaults,
    now: str,
) -> PolicyResult:
    """Sensitivity, confidence, salience and lifecycle of a candidate that passed `check`."""
    memory_type = classify(candidate.kind)
    return PolicyResult(
        type=memory_type,
        sensitivity=sensitivity or defaults.sensitivity,
        confidence=confidence_for(candidate.kind),
        salience=defaults.initial_salience,
        lifecycle=lifecycle_for(memory_type, _nothing_asked(), defaults, now),
    )


def lifecycle_for(
    memory_type: MemoryType, asked: LifecycleInput, defaults: PolicyDefaults, now: str
) -> Lifecycle:
    """The lifecycle asked for, with what it leaves open filled by the defaults for the type.

    Raises InvalidArgument for a custom curve that the settings do not have, and for a curve name
    without the custom curve.
    """
    decay = asked.decay
    curve = decay.curve or defaults.decay_curve
    gain = decay.reinforcement_gain
    custom_curve = decay.custom_curve or (defaults.custom_curve if decay.curve is None else "")
    _require_curve(curve, custom_curve, defaults)
    profile = _profile(
        curve=curve,
        half_life_seconds=decay.half_life_seconds or defaults.half_life_s(memory_type),
        min_salience=decay.min_salience,
        max_age_seconds=decay.max_age_seconds,
        reinforcement_gain=defaults.reinforcement_gain if gain is None else gain,
        custom_curve=custom_curve,
    )
    return Lifecycle(
        decay=profile,
        last_reinforced_at=now,
        pinned=asked.pinned,
        deletion_policy=asked.deletion_policy or defaults.deletion_policy,
    )


def changed_profile(
    profile: DecayProfile, asked: DecayChange, defaults: PolicyDefaults
) -> DecayProfile:
    """The profile with what was asked for in place of what it had.

    Raises InvalidArgument as `lifecycle_for` does.
    """
    given = {name: getattr(asked, name) for name in asked.model_fields_set}
    if asked.curve is not None and asked.curve is not DecayCurve.CUSTOM:
        given.setdefault("custom_curve", "")
    changed = profile.model_copy(update=given)
    _require_curve(changed.curve, changed.custom_curve, defaults)
    return changed


def _require_curve(curve: DecayCurve, custom_curve: str, defaults: PolicyDefaults) -> None:
    if curve is DecayCurve.CUSTOM:
        curve_points(custom_curve, defaults.custom_curves)
    elif custom_curve:
        raise InvalidArgument("decay.custom_curve goes with the curve custom alone")


_profile = lru_cache(maxsize=256)(DecayProfile)
"""Records that fade alike share their profile; making one checks it."""


@cache
def _nothing_asked() -> LifecycleInput:
    return LifecycleInput()


def default_profile(memory_type: MemoryType, defaults: PolicyDefaults) -> DecayProfile:
    """How records of the type fade where nobody asks for anything else."""
    return lifecycle_for(memory_type, _nothing_asked(), defaults, NOT_GIVEN).decay


def implied_classes(memory_type: MemoryType, defaults: PolicyDefaults) -> frozenset[str]:
    """The decay classes that follow from the settings and need no registration (design 7)."""
    usual = lifecycle_for(memory_type, _nothing_asked(), defaults, NOT_GIVEN)
    pinned = usual.model_copy(update={"pinned": True})
    return frozenset((decay_class(usual), decay_class(pinned)))
