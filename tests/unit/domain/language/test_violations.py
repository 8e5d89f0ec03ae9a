"""The sentences of a refusal: exact, bounded, and never repeating what was sent."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.ingest.reports import IngestEvent, IngestOutcome, Report
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.violations import MAX_VIOLATIONS, validate
from tests.builders.records import REPORTS, a_plan, a_sent_record, complaints, refusal
from tests.builders.whole_payloads import WHOLE
from tests.worlds.depth import examples

AnyReport = type[Report | IngestOutcome]

RECORD_RULES = [
    ("id", "", "id is required"),
    ("type", ..., "type is required"),
    ("type", "", "type is required"),
    ("type", None, "type is required"),
    (
        "type",
        "dream",
        "type must be one of: episodic, working, semantic, competence, plan_graph, entity",
    ),
    ("sensitivity", ..., "sensitivity is required"),
    ("sensitivity", "", "sensitivity is required"),
    ("sensitivity", None, "sensitivity is required"),
    (
        "sensitivity",
        "secret",
        "sensitivity must be one of: public, low, medium, high, hyper",
    ),
    ("confidence", -0.01, "confidence must be in range [0, 1]"),
    ("confidence", 1.01, "confidence must be in range [0, 1]"),
    ("confidence", 10**400, "confidence must be in range [0, 1]"),
    ("confidence", float("nan"), "confidence must be in range [0, 1]"),
    ("salience", -0.01, "salience must be >= 0"),
    ("payload", ..., "payload is required"),
    ("payload", None, "payload is required"),
    ("payload", {}, "payload is required"),
    ("payload", {"subject": "user"}, "payload is required"),
    ("payload", {"kind": "dream"}, "payload is required"),
    ("payload", {"kind": None}, "payload is required"),
    ("payload", {"kind": ["semantic"]}, "payload is required"),
]

SECRET = "s3cr3t-value"
HOSTILE = st.sampled_from(
    [
        SECRET,
        f"{SECRET}\n{SECRET}",
        SECRET * 10_000,
        f'{{"{SECRET}": ',
        f"2026-01-31T12:00:00{SECRET}",
        [SECRET],
        [[SECRET]] * 3,
        [SECRET] * 101,
        {"value": SECRET},
        {"kind": SECRET},
        {"kind": "semantic", "subject": [SECRET]},
        {"sources": [{"kind": SECRET, "ref": SECRET}]},
        {"decay": {"curve": SECRET, "half_life_seconds": SECRET}},
        [{"predicate": SECRET, "target_id": [SECRET], "weight": SECRET}],
        [{"type": {"deep": SECRET}}],
    ]
)
RECORD_FIELDS = [
    "id",
    "type",
    "sensitivity",
    "confidence",
    "salience",
    "scope",
    "tags",
    "lifecycle",
    "provenance",
    "relations",
    "payload",
]


def without(value: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: kept for name, kept in value.items() if name != field}


def messages_about(model: Any, value: Any) -> str:
    """Everything that a refusal says; nothing where there is none."""
    try:
        validate(model, value)
    except InvalidArgument as error:
        return json.dumps([str(error), *complaints(error).items()])
    return ""


@pytest.mark.parametrize(
    ("field", "value", "message"), RECORD_RULES, ids=lambda value: str(value)[:30]
)
def test_a_record_that_breaks_a_rule_is_refused_in_the_words_of_its_validation(
    field: str, value: Any, message: str
) -> None:
    record = without(a_sent_record(), field)
    if value is not ...:
        record[field] = value

    error = refusal(IngestRecord, {"record": record})

    assert str(error) == f"validation error for {field}: {message}"
    assert error.violations == (Violation(field, str(error)),)


def test_a_request_without_a_record_is_refused_in_the_same_words() -> None:
    error = refusal(IngestRecord, {})

    assert str(error) == "validation error for record: record is required"


def test_the_first_broken_rule_of_a_record_is_the_message() -> None:
    record = {"confidence": 2, "salience": -1, "id": "", "nonsense": 1}

    error = refusal(IngestRecord, {"record": record})

    assert list(complaints(error)) == [
        "id",
        "type",
        "sensitivity",
        "confidence",
        "salience",
        "payload",
        "nonsense",
    ]
    assert str(error) == "validation error for id: id is required"


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        (
            {"payload": {"kind": "episodic", "timeline": [{"t": "now"}]}},
            "payload.timeline.0.t",
            "invalid timestamp: expected the form 2026-01-31T12:00:00Z, with a zone",
        ),
        (
            {"payload": {"kind": "working", "thread_id": "t", "state": "idle"}},
            "payload.state",
            "payload.state must be one of: planning, executing, blocked, waiting, done",
        ),
        (
            {"payload": {"kind": "entity", "canonical_name": "x" * 100_001}},
            "payload.canonical_name",
            "payload.canonical_name exceeds maximum length of 100000",
        ),
        (
            {"payload": a_plan(nodes=[{"id": "n"}])},
            "payload.nodes.0.op",
            "payload.nodes.0.op is required",
        ),
        (
            {
                "type": "episodic",
                "payload": {
                    "kind": "episodic",
                    "timeline": [],
                    "environment": {"tool_versions": {"tags": "x" * 100_001}},
                },
            },
            "payload.environment.tool_versions.tags",
            "payload.environment.tool_versions.tags exceeds maximum length of 100000",
        ),
        ({"tags": ["t"] * 101}, "tags", "too many tags: 101 (max 100)"),
        ({"tags": ["t" * 257]}, "tags.0", "tag exceeds maximum length of 256"),
        ({"scope": "s" * 257}, "scope", "scope exceeds maximum length of 256 bytes"),
        ({"scope": "*"}, "scope", "the scope * is reserved"),
        (
            {"provenance": {"sources": [{"kind": "rumour", "ref": "r"}]}},
            "provenance.sources.0.kind",
            (
                "provenance.sources.0.kind must be one of: "
                "event, artifact, tool_call, observation, outcome"
            ),
        ),
        (
            {"lifecycle": {"pinned": 1}},
            "lifecycle.pinned",
            "lifecycle.pinned must be true or false",
        ),
        ({"lifecycle": []}, "lifecycle", "lifecycle must be an object"),
        ({"payload": 5}, "payload", "payload must be an object"),
        (
            {"payload": WHOLE["plan_graph"] | {"constraints": []}},
            "payload.constraints",
            "payload.constraints must be an object",
        ),
        ({"salience": "1"}, "salience", "salience must be a number"),
        ({"salience": True}, "salience", "salience must be a number"),
        ({"salience": float("inf")}, "salience", "salience must be a finite number"),
        ({"nonsense": 1}, "nonsense", "nonsense unknown field"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_rule_within_a_record_is_named_by_its_place_as_the_caller_wrote_it(
    change: dict[str, Any], field: str, message: str
) -> None:
    sent = {"record": a_sent_record(**change)}

    error = refusal(IngestRecord, sent)

    assert complaints(error)[field] == f"validation error for {field}: {message}"


def test_every_broken_rule_of_a_report_is_named() -> None:
    sent = {"source": 1, "tags": "t", "sensitivity": "secret", "extra": 0}

    error = refusal(IngestEvent, sent)

    assert complaints(error) == {
        "source": "source must be a string",
        "tags": "tags must be an array",
        "sensitivity": "sensitivity must be one of: public, low, medium, high, hyper",
        "extra": "extra unknown field",
    }


@pytest.mark.parametrize(
    ("model", "value"),
    [
        (IngestEvent, {f"field-{number}": 0 for number in range(150)}),
        (IngestEvent, {f"field-{number}": 0 for number in range(500_000)}),
        (IngestEvent, {"tags": [0] * 100}),
        (IngestRecord, {"record": a_sent_record(payload=a_plan(nodes=[0] * 10_000))}),
    ],
    ids=["unknown fields", "a flood of unknown fields", "tags", "nodes"],
)
def test_a_refusal_names_no_more_violations_than_anybody_reads(model: Any, value: Any) -> None:
    error = refusal(model, value)

    assert 1 <= len(error.violations) <= MAX_VIOLATIONS == 20


def test_a_refusal_cuts_the_name_of_an_unknown_field() -> None:
    sent = {"x" * 1_000_000: 1}

    error = refusal(IngestEvent, sent)

    assert len(error.violations[0].field) == 200
    assert len(str(error)) < 300


@settings(max_examples=examples(150))
@given(st.sampled_from(list(REPORTS)), st.data(), HOSTILE)
def test_no_message_about_a_report_repeats_what_was_sent(
    report: AnyReport, data: st.DataObject, hostile: Any
) -> None:
    field = data.draw(st.sampled_from(sorted(report.model_fields)))
    sent = REPORTS[report] | {field: hostile}

    messages = messages_about(report, sent)

    assert SECRET not in messages


@settings(max_examples=examples(150))
@given(st.sampled_from(RECORD_FIELDS), HOSTILE)
def test_no_message_about_a_record_repeats_what_was_sent(field: str, hostile: Any) -> None:
    sent = {"record": a_sent_record(**{field: hostile})}

    messages = messages_about(IngestRecord, sent)

    assert SECRET not in messages


@pytest.mark.parametrize("field", [*RECORD_FIELDS, "record"])
@pytest.mark.parametrize("number", [-987_654_321, 987_654_321.5, 10**350 + 987_654_321])
def test_no_message_repeats_a_number(field: str, number: float) -> None:
    record = {"record": a_sent_record(**{field: number})}
    sent = {"record": number} if field == "record" else record

    messages = messages_about(IngestRecord, sent)

    assert "987654321" not in messages


@given(
    st.dictionaries(
        st.sampled_from(["source", "event_kind", "ref", "tags", "scope", "timestamp", "x", "y"]),
        st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text() | st.integers()),
    )
)
def test_any_request_is_accepted_or_refused_with_a_bounded_message(sent: dict[str, Any]) -> None:
    messages = messages_about(IngestEvent, sent)

    assert len(messages) < 20_000
