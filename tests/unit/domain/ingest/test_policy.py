"""What a candidate must have and what it is given."""

import pytest

from membrane.domain.ingest import policy
from membrane.domain.ingest.reports import (
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestToolOutput,
    IngestWorkingState,
    Report,
)
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import (
    CandidateKind,
    DecayCurve,
    DeletionPolicy,
    MemoryType,
    Sensitivity,
)
from membrane.domain.salience.decay_defaults import PolicyDefaults
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
        policy.check(a_candidate(validate(report, sent)))

    assert str(caught.value) == message
    assert complaints(caught.value) == {field: message}


@pytest.mark.parametrize(("report", "field", "message"), REQUIRED)
@pytest.mark.parametrize("nothing", ["", None], ids=["empty", "null"])
def test_a_required_field_that_is_empty_or_null_is_as_good_as_missing(
    report: type[Report | IngestOutcome], field: str, message: str, nothing: str | None
) -> None:
    sent = REPORTS[report] | {field: nothing}

    with pytest.raises(InvalidArgument) as caught:
        policy.check(a_candidate(validate(report, sent)))

    assert complaints(caught.value) == {field: message}


def test_every_missing_field_is_named_and_the_first_is_the_message() -> None:
    candidate = a_candidate(IngestEvent())

    with pytest.raises(InvalidArgument) as caught:
        policy.check(candidate)

    assert str(caught.value) == "candidate source is required"
    assert list(complaints(caught.value).items()) == [
        ("source", "candidate source is required"),
        ("event_kind", "event kind is required for event candidates"),
        ("ref", "event ref is required for event candidates"),
    ]


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
    ],
)
def test_confidence_follows_from_the_kind_of_candidate(kind: str, confidence: float) -> None:
    given = policy.CONFIDENCE[CandidateKind(kind)]

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
