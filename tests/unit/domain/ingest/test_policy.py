"""What a candidate must have and what it is given (seed 000, "Ingestion Policies")."""

from typing import Any

import pytest

from membrane.domain.ingest import policy
from membrane.domain.ingest.candidates import MemoryCandidate
from membrane.domain.ingest.policy import PolicyDefaults
from membrane.domain.ingest.reports import (
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestToolOutput,
    IngestWorkingState,
    Report,
)
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.violations import validated
from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy, MemoryType, Sensitivity
from membrane.domain.salience.function import decay_class
from membrane.domain.salience.lifecycle import DecayProfile
from membrane.domain.salience.requests import DecayChange, LifecycleInput
from tests.builders.records import (
    NOW_TEXT,
    REPORTS,
    a_candidate,
    a_record_of,
    a_tool_output,
    a_working_state,
    an_event,
    an_observation,
    an_outcome,
    complaints,
    printed,
)

STEPS = ((0.0, 1.0), (1.0, 0.5), (2.0, 0.0))

REQUIRED = [
    (IngestEvent, "event_kind", "event kind is required for event candidates"),
    (IngestEvent, "ref", "event ref is required for event candidates"),
    (IngestToolOutput, "tool_name", "tool name is required for tool output candidates"),
    (IngestObservation, "subject", "subject is required for observation candidates"),
    (IngestObservation, "predicate", "predicate is required for observation candidates"),
    (IngestOutcome, "target_record_id", "target record ID is required for outcome candidates"),
    (IngestOutcome, "outcome_status", "outcome status is required for outcome candidates"),
    (IngestWorkingState, "thread_id", "thread ID is required for working state candidates"),
    (IngestWorkingState, "state", "task state is required for working state candidates"),
    *((report, "source", "candidate source is required") for report in REPORTS),
]


def asked(**fields: Any) -> LifecycleInput:
    return validated(LifecycleInput, fields)


@pytest.mark.parametrize(
    "report",
    [an_event(), a_tool_output(), an_observation(), a_working_state(), an_outcome()],
    ids=lambda report: type(report).__name__,
)
def test_a_candidate_with_its_required_fields_passes(report: Report | IngestOutcome) -> None:
    candidate = a_candidate(report)

    policy.check(candidate)


@pytest.mark.parametrize(("report", "field", "message"), REQUIRED)
def test_a_required_field_that_is_missing_is_named_in_the_words_of_the_policy(
    report: type[Report | IngestOutcome], field: str, message: str
) -> None:
    sent = {name: value for name, value in REPORTS[report].items() if name != field}

    with pytest.raises(InvalidArgument) as caught:
        policy.check(a_candidate(validated(report, sent)))

    assert str(caught.value) == message
    assert complaints(caught.value) == {field: message}


@pytest.mark.parametrize(("report", "field", "message"), REQUIRED)
@pytest.mark.parametrize("nothing", ["", None], ids=["empty", "null"])
def test_a_required_field_that_is_empty_or_null_is_as_good_as_missing(
    report: type[Report | IngestOutcome], field: str, message: str, nothing: str | None
) -> None:
    sent = REPORTS[report] | {field: nothing}

    with pytest.raises(InvalidArgument) as caught:
        policy.check(a_candidate(validated(report, sent)))

    assert complaints(caught.value) == {field: message}


@pytest.mark.parametrize(
    ("candidate", "field", "message"),
    [
        (MemoryCandidate("", an_event(), NOW_TEXT), "kind", "candidate kind is required"),
        (
            MemoryCandidate("event", an_event(), ""),
            "timestamp",
            "candidate timestamp is required",
        ),
    ],
    ids=["kind", "timestamp"],
)
def test_a_candidate_without_kind_or_timestamp_is_refused(
    candidate: MemoryCandidate, field: str, message: str
) -> None:
    with pytest.raises(InvalidArgument) as caught:
        policy.check(candidate)

    assert complaints(caught.value) == {field: message}


def test_every_missing_field_is_named_and_the_first_is_the_message() -> None:
    candidate = MemoryCandidate("event", IngestEvent(), "")

    with pytest.raises(InvalidArgument) as caught:
        policy.check(candidate)

    assert str(caught.value) == "candidate source is required"
    assert list(complaints(caught.value).items()) == [
        ("source", "candidate source is required"),
        ("timestamp", "candidate timestamp is required"),
        ("event_kind", "event kind is required for event candidates"),
        ("ref", "event ref is required for event candidates"),
    ]


def test_a_candidate_of_an_unknown_kind_needs_only_what_all_need() -> None:
    candidate = MemoryCandidate("dream", IngestEvent(source="agent"), NOW_TEXT)

    policy.check(candidate)


def test_white_space_counts_as_present() -> None:
    candidate = a_candidate(an_event(source=" ", event_kind="\t", ref="\n"))

    policy.check(candidate)


@pytest.mark.parametrize(
    ("kind", "confidence"),
    [
        ("event", 0.8),
        ("tool_output", 0.9),
        ("observation", 0.7),
        ("outcome", 0.85),
        ("working_state", 1.0),
        ("dream", 0.5),
        ("", 0.5),
    ],
)
def test_confidence_follows_from_the_kind_of_candidate(kind: str, confidence: float) -> None:
    given = policy.confidence_for(kind)

    assert given == confidence


@pytest.mark.parametrize(
    ("memory_type", "half_life_s"),
    [
        ("episodic", 3_600),
        ("semantic", 2_592_000),
        ("working", 86_400),
        ("competence", 2_592_000),
        ("plan_graph", 2_592_000),
        ("entity", 2_592_000),
    ],
)
def test_half_life_follows_from_the_type_of_memory(memory_type: str, half_life_s: int) -> None:
    defaults = PolicyDefaults()

    given = defaults.half_life_s(MemoryType(memory_type))

    assert given == half_life_s


@pytest.mark.parametrize(
    ("report", "memory_type", "confidence", "half_life_s"),
    [
        (an_event(), "episodic", 0.8, 3_600),
        (a_tool_output(), "episodic", 0.9, 3_600),
        (an_observation(), "semantic", 0.7, 2_592_000),
        (a_working_state(), "working", 1.0, 86_400),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "source") else None,
)
def test_a_report_is_given_what_the_policy_tables_say(
    report: Report, memory_type: str, confidence: float, half_life_s: int
) -> None:
    record = printed(a_record_of(report))

    assert {
        name: record[name]
        for name in ("type", "sensitivity", "confidence", "salience", "lifecycle")
    } == {
        "type": memory_type,
        "sensitivity": "low",
        "confidence": confidence,
        "salience": 1.0,
        "lifecycle": {
            "decay": {
                "curve": "exponential",
                "half_life_seconds": half_life_s,
                "reinforcement_gain": 0.2,
            },
            "last_reinforced_at": NOW_TEXT,
            "deletion_policy": "auto_prune",
        },
    }


@pytest.mark.parametrize(
    ("defaults", "path", "value"),
    [
        (PolicyDefaults(sensitivity=Sensitivity.HIGH), "sensitivity", "high"),
        (PolicyDefaults(initial_salience=0.25), "salience", 0.25),
        (PolicyDefaults(initial_salience=0.0), "salience", 0.0),
        (
            PolicyDefaults(deletion_policy=DeletionPolicy.NEVER),
            "lifecycle.deletion_policy",
            "never",
        ),
        (
            PolicyDefaults(episodic_half_life_s=60),
            "lifecycle.decay.half_life_seconds",
            60,
        ),
        (
            PolicyDefaults(reinforcement_gain=0.5),
            "lifecycle.decay.reinforcement_gain",
            0.5,
        ),
        (PolicyDefaults(decay_curve=DecayCurve.LINEAR), "lifecycle.decay.curve", "linear"),
        (
            PolicyDefaults(
                decay_curve=DecayCurve.CUSTOM, custom_curve="steps", custom_curves={"steps": STEPS}
            ),
            "lifecycle.decay.custom_curve",
            "steps",
        ),
    ],
    ids=[
        "sensitivity",
        "salience",
        "salience 0",
        "deletion policy",
        "half-life",
        "gain",
        "curve",
        "custom curve",
    ],
)
def test_an_operator_may_set_every_default(
    defaults: PolicyDefaults, path: str, value: object
) -> None:
    record = printed(a_record_of(an_event(), defaults=defaults))

    for step in path.split("."):
        record = record[step]
    assert record == value


@pytest.mark.parametrize(
    ("report", "half_life_s"),
    [(an_event(), 1), (an_observation(), 2), (a_working_state(), 3)],
    ids=["episodic", "semantic", "working"],
)
def test_each_type_has_a_half_life_of_its_own(report: Report, half_life_s: int) -> None:
    defaults = PolicyDefaults(episodic_half_life_s=1, semantic_half_life_s=2, working_half_life_s=3)

    record = a_record_of(report, defaults=defaults)

    assert record.lifecycle.decay.half_life_seconds == half_life_s


@pytest.mark.parametrize("sensitivity", list(Sensitivity))
def test_the_sensitivity_of_a_report_takes_precedence(sensitivity: Sensitivity) -> None:
    report = an_event(sensitivity=str(sensitivity))

    record = a_record_of(report, defaults=PolicyDefaults(sensitivity=Sensitivity.MEDIUM))

    assert record.sensitivity is sensitivity


def test_a_lifecycle_that_says_everything_is_kept_but_for_its_reinforcement() -> None:
    sent = asked(
        decay={
            "curve": "linear",
            "half_life_seconds": 60,
            "min_salience": 0.01,
            "max_age_seconds": 600,
            "reinforcement_gain": 0.0,
        },
        last_reinforced_at="2001-01-01T00:00:00Z",
        pinned=True,
        deletion_policy="manual_only",
    )

    lifecycle = policy.lifecycle_for(MemoryType.SEMANTIC, sent, PolicyDefaults(), NOW_TEXT)

    assert lifecycle.model_dump() == {
        "decay": {
            "curve": "linear",
            "half_life_seconds": 60,
            "min_salience": 0.01,
            "max_age_seconds": 600,
            "reinforcement_gain": 0.0,
            "custom_curve": "",
        },
        "last_reinforced_at": NOW_TEXT,
        "pinned": True,
        "deletion_policy": "manual_only",
    }


def test_what_a_lifecycle_leaves_open_is_filled_by_policy() -> None:
    sent = asked(decay={"min_salience": 0.01})

    lifecycle = policy.lifecycle_for(MemoryType.COMPETENCE, sent, PolicyDefaults(), NOW_TEXT)

    assert printed(lifecycle) == {
        "decay": {
            "curve": "exponential",
            "half_life_seconds": 2_592_000,
            "min_salience": 0.01,
            "reinforcement_gain": 0.2,
        },
        "last_reinforced_at": NOW_TEXT,
        "deletion_policy": "auto_prune",
    }


def test_a_lifecycle_may_name_a_curve_of_the_settings() -> None:
    sent = asked(decay={"curve": "custom", "custom_curve": "steps"})
    defaults = PolicyDefaults(custom_curves={"steps": STEPS})

    lifecycle = policy.lifecycle_for(MemoryType.SEMANTIC, sent, defaults, NOW_TEXT)

    assert lifecycle.decay.curve == "custom"
    assert lifecycle.decay.custom_curve == "steps"


def test_another_curve_than_the_custom_default_is_asked_for_by_its_name_alone() -> None:
    sent = asked(decay={"curve": "exponential"})
    defaults = PolicyDefaults(
        decay_curve=DecayCurve.CUSTOM, custom_curve="steps", custom_curves={"steps": STEPS}
    )

    lifecycle = policy.lifecycle_for(MemoryType.SEMANTIC, sent, defaults, NOW_TEXT)

    assert lifecycle.decay.curve == "exponential"
    assert not lifecycle.decay.custom_curve


@pytest.mark.parametrize(
    ("decay", "message"),
    [
        (
            {"curve": "custom", "custom_curve": "secret-name"},
            "decay.custom_curve names no curve of the settings (there are: slow, steps)",
        ),
        (
            {"curve": "custom"},
            "decay.custom_curve names no curve of the settings (there are: slow, steps)",
        ),
        (
            {"curve": "linear", "custom_curve": "steps"},
            "decay.custom_curve goes with the curve custom alone",
        ),
        ({"custom_curve": "steps"}, "decay.custom_curve goes with the curve custom alone"),
    ],
    ids=["unknown", "unnamed", "with another curve", "with the default curve"],
)
def test_a_curve_that_the_settings_do_not_have_is_refused(
    decay: dict[str, str], message: str
) -> None:
    defaults = PolicyDefaults(custom_curves={"steps": STEPS, "slow": STEPS})

    with pytest.raises(InvalidArgument) as caught:
        policy.lifecycle_for(MemoryType.SEMANTIC, asked(decay=decay), defaults, NOW_TEXT)

    assert str(caught.value) == message


PROFILE = DecayProfile(
    curve=DecayCurve.EXPONENTIAL,
    half_life_seconds=3_600,
    min_salience=0.01,
    max_age_seconds=600,
    reinforcement_gain=0.2,
)
STEPPED = PROFILE.model_copy(update={"curve": DecayCurve.CUSTOM, "custom_curve": "steps"})


@pytest.mark.parametrize(
    ("profile", "asked_for", "different"),
    [
        (PROFILE, {}, {}),
        (PROFILE, {"half_life_seconds": None}, {}),
        (PROFILE, {"half_life_seconds": 60}, {"half_life_seconds": 60}),
        (PROFILE, {"min_salience": 0}, {"min_salience": 0.0}),
        (PROFILE, {"max_age_seconds": 0}, {"max_age_seconds": 0}),
        (PROFILE, {"reinforcement_gain": 0.0}, {"reinforcement_gain": 0.0}),
        (PROFILE, {"curve": "linear"}, {"curve": "linear"}),
        (
            PROFILE,
            {"curve": "custom", "custom_curve": "slow"},
            {"curve": "custom", "custom_curve": "slow"},
        ),
        (STEPPED, {"custom_curve": "slow"}, {"custom_curve": "slow"}),
        (STEPPED, {"curve": "custom"}, {}),
        (STEPPED, {"curve": "linear"}, {"curve": "linear", "custom_curve": ""}),
        (
            STEPPED,
            {"curve": "exponential", "custom_curve": ""},
            {"curve": "exponential", "custom_curve": ""},
        ),
        (STEPPED, {"half_life_seconds": 60}, {"half_life_seconds": 60}),
    ],
    ids=str,
)
def test_a_profile_is_changed_in_what_was_asked_for_alone(
    profile: DecayProfile, asked_for: dict[str, Any], different: dict[str, Any]
) -> None:
    defaults = PolicyDefaults(custom_curves={"steps": STEPS, "slow": STEPS})

    changed = policy.changed_profile(profile, validated(DecayChange, asked_for), defaults)

    assert changed.model_dump() == profile.model_dump() | different


@pytest.mark.parametrize(
    ("profile", "asked_for", "message"),
    [
        (PROFILE, {"curve": "custom"}, "names no curve of the settings"),
        (PROFILE, {"curve": "custom", "custom_curve": "gone"}, "names no curve of the settings"),
        (PROFILE, {"custom_curve": "steps"}, "goes with the curve custom alone"),
        (STEPPED, {"custom_curve": "gone"}, "names no curve of the settings"),
        (STEPPED, {"custom_curve": ""}, "names no curve of the settings"),
        (
            STEPPED,
            {"curve": "linear", "custom_curve": "steps"},
            "goes with the curve custom alone",
        ),
    ],
    ids=str,
)
def test_a_profile_is_not_changed_to_a_curve_that_there_is_not(
    profile: DecayProfile, asked_for: dict[str, str], message: str
) -> None:
    defaults = PolicyDefaults(custom_curves={"steps": STEPS})

    with pytest.raises(InvalidArgument, match=message):
        policy.changed_profile(profile, validated(DecayChange, asked_for), defaults)


def test_the_classes_of_the_settings_are_the_default_profile_and_its_pinned_form() -> None:
    defaults = PolicyDefaults()
    usual = policy.lifecycle_for(MemoryType.WORKING, LifecycleInput(), defaults, NOW_TEXT)
    pinned = policy.lifecycle_for(MemoryType.WORKING, asked(pinned=True), defaults, NOW_TEXT)

    classes = policy.implied_classes(MemoryType.WORKING, defaults)

    assert classes == {decay_class(usual), decay_class(pinned)}
