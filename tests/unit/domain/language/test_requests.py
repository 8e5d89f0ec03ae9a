"""What callers may send: limits, optional fields, JSON text, ids and keys."""

import json
from typing import Any

import pytest

from membrane.domain.access.requests import TrustInput
from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.ingest.reports import (
    IngestEvent,
    IngestObservation,
    IngestOutcome,
    IngestToolOutput,
    IngestWorkingState,
    Report,
)
from membrane.domain.language.json_text import LONE_SURROGATE
from membrane.domain.language.violations import validate
from membrane.domain.lifecycle.requests import (
    ChangeLifecycle,
    DeleteRecord,
    Penalize,
    Pin,
    RecordChange,
    Reinforce,
    RestoreRecord,
    Unpin,
)
from membrane.domain.records.requests import ReadAudit, RetrieveById
from membrane.domain.revision.requests import Contest, Fork, Reclassify, Resolve, Retract, Supersede
from membrane.domain.salience.lifecycle import DecayChange
from tests.builders.records import (
    REPORTS,
    a_fact,
    a_given_record,
    a_sent_record,
    a_tool_output,
    a_working_state,
    an_event,
    an_observation,
    complaints,
    printed,
    refusal,
)

AnyReport = type[Report | IngestOutcome]

TEXTS = [
    (IngestEvent, "source"),
    (IngestEvent, "event_kind"),
    (IngestEvent, "ref"),
    (IngestEvent, "summary"),
    (IngestToolOutput, "source"),
    (IngestToolOutput, "tool_name"),
    (IngestObservation, "source"),
    (IngestObservation, "subject"),
    (IngestObservation, "predicate"),
    (IngestOutcome, "source"),
    (IngestOutcome, "target_record_id"),
    (IngestWorkingState, "source"),
    (IngestWorkingState, "thread_id"),
    (IngestWorkingState, "context_summary"),
]
LISTS_OF_TEXTS = [
    (IngestToolOutput, "depends_on"),
    (IngestWorkingState, "next_actions"),
    (IngestWorkingState, "open_questions"),
]
PLACED: list[AnyReport] = [IngestEvent, IngestToolOutput, IngestObservation, IngestWorkingState]


@pytest.mark.parametrize(("report", "field"), TEXTS)
def test_a_text_may_have_100_000_characters_whatever_their_bytes(
    report: AnyReport, field: str
) -> None:
    text = "\N{GRINNING FACE}" * 100_000

    accepted = validate(report, REPORTS[report] | {field: text})

    assert getattr(accepted, field) == text


@pytest.mark.parametrize(("report", "field"), TEXTS)
def test_a_text_of_more_characters_is_refused(report: AnyReport, field: str) -> None:
    sent = REPORTS[report] | {field: "x" * 100_001}

    error = refusal(report, sent)

    assert str(error) == f"{field} exceeds maximum length of 100000"


@pytest.mark.parametrize(("report", "field"), LISTS_OF_TEXTS)
def test_every_element_of_a_list_has_the_limit_of_a_text(report: AnyReport, field: str) -> None:
    sent = REPORTS[report] | {field: ["x" * 100_000, "x" * 100_001]}

    error = refusal(report, sent)

    assert complaints(error) == {f"{field}.1": f"{field}.1 exceeds maximum length of 100000"}


def test_the_texts_of_a_constraint_have_the_limit_of_a_text() -> None:
    sent = REPORTS[IngestWorkingState] | {"active_constraints": [{"key": "x" * 100_001}]}

    error = refusal(IngestWorkingState, sent)

    assert "active_constraints.0.key exceeds maximum length of 100000" in str(error)


@pytest.mark.parametrize("report", PLACED)
def test_100_tags_are_accepted(report: AnyReport) -> None:
    tags = [f"tag-{number}" for number in range(100)]

    accepted = printed(validate(report, REPORTS[report] | {"tags": tags}))

    assert accepted["tags"] == tags


@pytest.mark.parametrize("report", PLACED)
def test_101_tags_are_refused_with_their_number(report: AnyReport) -> None:
    sent = REPORTS[report] | {"tags": ["same"] * 101}

    error = refusal(report, sent)

    assert complaints(error) == {"tags": "too many tags: 101 (max 100)"}


def test_a_tag_may_have_256_characters_whatever_their_bytes() -> None:
    tag = "é" * 256

    event = an_event(tags=[tag])

    assert event.tags == (tag,)


def test_a_longer_tag_is_refused() -> None:
    sent = REPORTS[IngestEvent] | {"tags": ["ok", "x" * 257]}

    error = refusal(IngestEvent, sent)

    assert complaints(error) == {"tags.1": "tag exceeds maximum length of 256"}


def test_a_tag_given_twice_is_kept_once_where_it_stood_first() -> None:
    tags = ["b", "a", "b", "", "a", "A"]

    event = an_event(tags=tags)

    assert event.tags == ("b", "a", "", "A")


def test_a_scope_may_have_256_bytes() -> None:
    scope = "é" * 128

    event = an_event(scope=scope)

    assert event.scope == scope


@pytest.mark.parametrize("scope", ["x" * 257, "é" * 129], ids=["ASCII", "two bytes each"])
def test_a_scope_of_more_bytes_is_refused(scope: str) -> None:
    sent = REPORTS[IngestEvent] | {"scope": scope}

    error = refusal(IngestEvent, sent)

    assert str(error) == "scope exceeds maximum length of 256 bytes"


def test_the_word_for_all_scopes_is_no_scope() -> None:
    sent = REPORTS[IngestEvent] | {"scope": "*"}

    error = refusal(IngestEvent, sent)

    assert str(error) == "the scope * is reserved"


@pytest.mark.parametrize("report", PLACED)
@pytest.mark.parametrize("field", ["timestamp", "scope", "sensitivity"])
def test_an_optional_word_that_is_empty_was_not_given(report: AnyReport, field: str) -> None:
    sent = REPORTS[report] | {field: ""}

    accepted = validate(report, sent)

    assert accepted == validate(report, REPORTS[report])


@pytest.mark.parametrize(
    ("report", "field"),
    [(report, field) for report in REPORTS for field in report.model_fields],
)
def test_a_field_that_is_null_was_not_given(report: AnyReport, field: str) -> None:
    without = {name: value for name, value in REPORTS[report].items() if name != field}

    accepted = validate(report, without | {field: None})

    assert accepted == validate(report, without)


@pytest.mark.parametrize("report", list(REPORTS))
def test_an_unknown_field_is_refused_by_its_name(report: AnyReport) -> None:
    sent = REPORTS[report] | {"sourc": "agent"}

    error = refusal(report, sent)

    assert complaints(error) == {"sourc": "sourc unknown field; did you mean source?"}


def test_a_flood_of_fields_is_refused_at_once() -> None:
    sent = REPORTS[IngestEvent] | {f"field-{number}": 0 for number in range(200)}

    error = refusal(IngestEvent, sent)

    assert complaints(error) == {"request": "an object has too many fields"}


def test_an_object_of_the_callers_own_may_have_any_number_of_fields() -> None:
    args = {f"field-{number}": number for number in range(1_000)}

    output = a_tool_output(args=args)

    assert output.args == args


@pytest.mark.parametrize(("report", "field"), LISTS_OF_TEXTS)
def test_10_000_elements_are_accepted_and_no_more(report: AnyReport, field: str) -> None:
    accepted = validate(report, REPORTS[report] | {field: ["x"] * 10_000})

    error = refusal(report, REPORTS[report] | {field: ["x"] * 10_001})

    assert len(getattr(accepted, field)) == 10_000
    assert complaints(error) == {field: f"{field} has more than 10000 elements"}


def test_an_unknown_field_is_refused_even_where_it_is_null() -> None:
    sent = REPORTS[IngestEvent] | {"sumary": None}

    error = refusal(IngestEvent, sent)

    assert complaints(error) == {"sumary": "sumary unknown field; did you mean summary?"}


@pytest.mark.parametrize("field", ["tags", "scope", "sensitivity"])
def test_an_outcome_stays_where_its_episode_is(field: str) -> None:
    sent = REPORTS[IngestOutcome] | {field: "low"}

    error = refusal(IngestOutcome, sent)

    assert complaints(error) == {field: f"{field} unknown field"}


@pytest.mark.parametrize(
    ("report", "field", "value", "message"),
    [
        (IngestEvent, "source", 5, "source must be a string"),
        (IngestEvent, "ref", ["msg-1"], "ref must be a string"),
        (IngestEvent, "summary", {}, "summary must be a string"),
        (IngestEvent, "scope", 1.5, "scope must be a string"),
        (IngestEvent, "timestamp", 1_769_860_800, "invalid timestamp: expected a string"),
        (IngestEvent, "timestamp", False, "invalid timestamp: expected a string"),
        (IngestEvent, "tags", "tag", "tags must be an array"),
        (IngestEvent, "tags", {"tag": 1}, "tags must be an array"),
        (IngestEvent, "idempotency_key", 7, "idempotency_key must be a string"),
        (IngestToolOutput, "depends_on", "node", "depends_on must be an array"),
        (IngestWorkingState, "next_actions", True, "next_actions must be an array"),
        (IngestWorkingState, "open_questions", {}, "open_questions must be an array"),
    ],
)
def test_a_value_of_another_type_is_refused_and_never_converted(
    report: AnyReport, field: str, value: Any, message: str
) -> None:
    sent = REPORTS[report] | {field: value}

    error = refusal(report, sent)

    assert complaints(error) == {field: message}


@pytest.mark.parametrize(
    ("report", "field"),
    [(IngestEvent, "tags"), *LISTS_OF_TEXTS],
)
def test_an_element_of_another_type_is_refused_by_its_place(report: AnyReport, field: str) -> None:
    sent = REPORTS[report] | {field: ["ok", 5]}

    error = refusal(report, sent)

    assert complaints(error) == {f"{field}.1": f"{field}.1 must be a string"}


@pytest.mark.parametrize("value", [[], "text", 5, None, True], ids=str)
def test_a_request_that_is_no_object_is_refused(value: Any) -> None:
    error = refusal(IngestEvent, value)

    assert complaints(error) == {"request": "request must be an object"}


@pytest.mark.parametrize(
    ("report", "field", "words"),
    [
        *((report, "sensitivity", "public, low, medium, high, hyper") for report in PLACED),
        (IngestWorkingState, "state", "planning, executing, blocked, waiting, done"),
        (IngestOutcome, "outcome_status", "success, failure, partial"),
    ],
)
@pytest.mark.parametrize("value", ["secret", "LOW", " done", 5, ["success"]], ids=str)
def test_a_word_outside_its_list_is_refused_with_the_list(
    report: AnyReport, field: str, words: str, value: Any
) -> None:
    sent = REPORTS[report] | {field: value}

    error = refusal(report, sent)

    assert str(error) == f"{field} must be one of: {words}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("yesterday", "expected the form 2026-01-31T12:00:00Z, with a zone"),
        ("2026-01-31", "expected the form 2026-01-31T12:00:00Z, with a zone"),
        ("2026-13-01T00:00:00Z", "a part of the date is out of range"),
        ("2026-01-31T12:00:00+25:00", "the zone's offset is out of range"),
    ],
)
@pytest.mark.parametrize("report", list(REPORTS))
def test_a_timestamp_that_is_none_is_refused_with_the_reason(
    report: AnyReport, text: str, reason: str
) -> None:
    sent = REPORTS[report] | {"timestamp": text}

    error = refusal(report, sent)

    assert complaints(error) == {"timestamp": f"invalid timestamp: {reason}"}


def test_a_timestamp_is_kept_in_utc() -> None:
    event = an_event(timestamp="2026-01-31T12:00:00,5+02:00")

    assert event.timestamp == "2026-01-31T10:00:00.5Z"


@pytest.mark.parametrize("spaces", [None, 1])
def test_args_may_come_as_json_text(spaces: int | None) -> None:
    args = {"path": "/src/auth.go", "lines": [1, 2.5, None]}

    report = a_tool_output(args=json.dumps(args, indent=spaces))

    assert report == a_tool_output(args=args)


def test_active_constraints_may_come_as_json_text() -> None:
    constraints = [{"type": "resource", "key": "edits", "value": 5, "required": True}]

    report = a_working_state(active_constraints=json.dumps(constraints))

    assert report == a_working_state(active_constraints=constraints)


@pytest.mark.parametrize("nothing", [None, "", "{}", {}], ids=repr)
def test_args_may_be_empty(nothing: Any) -> None:
    report = a_tool_output(args=nothing)

    assert report == a_tool_output()


def test_args_may_be_the_json_text_of_null() -> None:
    text = "null"

    report = a_tool_output(args=text)

    assert report == a_tool_output()


@pytest.mark.parametrize("nothing", [None, "", "[]", []], ids=repr)
def test_active_constraints_may_be_empty(nothing: Any) -> None:
    report = a_working_state(active_constraints=nothing)

    assert report == a_working_state()


def test_what_a_constraint_leaves_out_is_empty() -> None:
    constraints: list[dict[str, Any]] = [{}, {"key": "edits", "value": 0}]

    report = a_working_state(active_constraints=constraints)

    assert printed(report)["active_constraints"] == [
        {"type": "", "key": "", "value": None},
        {"type": "", "key": "edits", "value": 0},
    ]


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ([], "expected a JSON object"),
        (5, "expected a JSON object"),
        (True, "expected a JSON object"),
        ("[]", "expected a JSON object"),
        ('"text"', "expected a JSON object"),
        ("5", "expected a JSON object"),
        ('{"a": NaN}', "malformed JSON: NaN and Infinity are not JSON"),
        ('{"a": 1e999}', "malformed JSON: a number is out of range"),
        ('{"a": 1, "a": 1}', "malformed JSON: an object has the same key twice"),
        ('{"a": "\\ud800"}', f"a has {LONE_SURROGATE}"),
        ('{"a":' * 65 + "1" + "}" * 65, "malformed JSON: nested deeper than 64 levels"),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_args_that_are_no_json_object_are_refused(args: Any, reason: str) -> None:
    sent = REPORTS[IngestToolOutput] | {"args": args}

    error = refusal(IngestToolOutput, sent)

    assert complaints(error) == {"args": f"invalid args JSON: {reason}"}


@pytest.mark.parametrize(
    ("constraints", "field", "reason"),
    [
        ({}, "", "expected a JSON array"),
        (5, "", "expected a JSON array"),
        ("{}", "", "expected a JSON array"),
        ('[{"value": Infinity}]', "", "malformed JSON: NaN and Infinity are not JSON"),
        ([5], ".0", "active_constraints.0 must be an object"),
        ("[[]]", ".0", "active_constraints.0 must be an object"),
        ([{"type": 5}], ".0.type", "active_constraints.0.type must be a string"),
        ('[{}, {"key": null}]', ".1.key", "active_constraints.1.key must be a string"),
        ([{"key": None, "value": {}}], ".0.key", "active_constraints.0.key must be a string"),
        ([{"required": 1}], ".0.required", "active_constraints.0.required must be true or false"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_active_constraints_of_another_shape_are_refused(
    constraints: Any, field: str, reason: str
) -> None:
    sent = REPORTS[IngestWorkingState] | {"active_constraints": constraints}

    error = refusal(IngestWorkingState, sent)

    assert complaints(error) == {
        f"active_constraints{field}": f"invalid active_constraints JSON: {reason}"
    }


def test_an_unknown_field_of_a_constraint_is_refused_by_its_place() -> None:
    sent = REPORTS[IngestWorkingState] | {"active_constraints": [{"extra": 1}]}

    error = refusal(IngestWorkingState, sent)

    assert complaints(error) == {
        "active_constraints.0.extra": "active_constraints.0.extra unknown field"
    }


@pytest.mark.parametrize("field", ["args", "active_constraints"])
@pytest.mark.parametrize("text", ["{", "[", "{'a': 1}", "[1,]", "tru", " "], ids=ascii)
def test_malformed_json_text_is_refused_with_the_place_of_the_fault(field: str, text: str) -> None:
    report = IngestToolOutput if field == "args" else IngestWorkingState
    sent = REPORTS[report] | {field: text}

    error = refusal(report, sent)

    assert str(error).startswith(f"invalid {field} JSON: malformed JSON: ")


@pytest.mark.parametrize(
    "value", [None, False, 0, 1.5, "", "text", [], [[1]], {}, {"a": {"b": None}}], ids=repr
)
def test_result_and_object_may_be_any_json(value: Any) -> None:
    output, observation = a_tool_output(result=value), an_observation(object=value)

    assert output.result == value
    assert observation.object == value


def test_json_text_in_result_stays_text() -> None:
    text = '{"lines": 142}'

    output = a_tool_output(result=text)

    assert output.result == text


@pytest.mark.parametrize("report", list(REPORTS))
@pytest.mark.parametrize("key", ["k", "x" * 255, "with space", "~!@#$%^&*()_+"])
def test_a_key_of_printable_ascii_is_accepted(report: AnyReport, key: str) -> None:
    accepted = validate(report, REPORTS[report] | {"idempotency_key": key})

    assert accepted.idempotency_key == key


@pytest.mark.parametrize(
    "key", ["", "x" * 256, "café", "line\nbreak", "\x00", "\x7f", "tab\t"], ids=lambda key: key[:9]
)
def test_another_key_is_refused(key: str) -> None:
    sent = REPORTS[IngestEvent] | {"idempotency_key": key}

    error = refusal(IngestEvent, sent)

    assert str(error) == "idempotency_key must be 1 to 255 printable ASCII characters"


@pytest.mark.parametrize(
    "record_id",
    ["a", "x" * 128, "A-Z_0.9:b", "550e8400-e29b-41d4-a716-446655440000", "...", "..a", "-"],
    ids=lambda record_id: record_id[:36],
)
def test_a_caller_may_choose_the_id_of_a_record(record_id: str) -> None:
    given = a_given_record(id=record_id)

    assert given.id == record_id


@pytest.mark.parametrize(
    "record_id",
    ["x" * 129, ".", "..", "a b", "a/b", "a\n", "é", "a#b", "{a}", "\N{FULLWIDTH DIGIT ONE}"],
    ids=lambda record_id: ascii(record_id[:9]),
)
def test_an_id_of_other_characters_is_refused(record_id: str) -> None:
    sent = {"record": a_sent_record(id=record_id)}

    error = refusal(IngestRecord, sent)

    assert complaints(error) == {
        "id": "validation error for id: id must be 1 to 128 of the characters A-Z a-z 0-9 . _ : -"
    }


def test_a_record_needs_no_more_than_type_sensitivity_and_payload() -> None:
    sent = {"type": "semantic", "sensitivity": "low", "payload": a_fact()}

    given = validate(IngestRecord, {"record": sent}).record

    assert given.id is None
    assert (given.confidence, given.salience, given.scope) == (1.0, 1.0, None)


@pytest.mark.parametrize("anything", [None, 5, "never", [{"action": "invented"}]], ids=str)
@pytest.mark.parametrize("field", ["audit_log", "created_at", "updated_at"])
def test_what_the_server_owns_in_a_record_is_not_even_looked_at(field: str, anything: Any) -> None:
    sent = {"record": a_sent_record(**{field: anything})}

    accepted = validate(IngestRecord, sent)

    assert accepted.record.payload == a_given_record().payload


@pytest.mark.parametrize("salience", [0, 5, 1e100])
def test_salience_has_no_upper_limit_that_anybody_needs(salience: float) -> None:
    given = a_given_record(salience=salience)

    assert given.salience == salience


@pytest.mark.parametrize(("sent", "kept"), [(1e-100, 1e-100), (9e-101, 0.0), (5e-324, 0.0)])
def test_a_vanishing_salience_is_none(sent: float, kept: float) -> None:
    given = a_given_record(salience=sent)

    assert given.salience == kept


def test_more_salience_than_the_table_can_hold_is_refused() -> None:
    sent = {"record": a_sent_record(salience=1.01e100)}

    error = refusal(IngestRecord, sent)

    assert complaints(error) == {
        "salience": "validation error for salience: salience must be <= 1e+100"
    }


@pytest.mark.parametrize(
    ("decay", "field", "message"),
    [
        ({"half_life_seconds": 0}, "half_life_seconds", "must be >= 1"),
        ({"half_life_seconds": -1}, "half_life_seconds", "must be >= 1"),
        ({"half_life_seconds": 1.5}, "half_life_seconds", "must be an integer"),
        ({"half_life_seconds": True}, "half_life_seconds", "must be an integer"),
        ({"half_life_seconds": "60"}, "half_life_seconds", "must be an integer"),
        ({"max_age_seconds": -1}, "max_age_seconds", "must be >= 0"),
        ({"min_salience": -0.1}, "min_salience", "must be >= 0"),
        ({"reinforcement_gain": -0.1}, "reinforcement_gain", "must be >= 0"),
        ({"curve": "cubic"}, "curve", "must be one of: exponential, linear, custom"),
    ],
    ids=str,
)
def test_a_decay_profile_out_of_range_is_refused(
    decay: dict[str, Any], field: str, message: str
) -> None:
    sent = {"record": a_sent_record(lifecycle={"decay": decay})}

    error = refusal(IngestRecord, sent)

    place = f"lifecycle.decay.{field}"
    assert complaints(error) == {place: f"validation error for {place}: {place} {message}"}


@pytest.mark.parametrize(
    ("field", "years"), [("half_life_seconds", 100), ("max_age_seconds", 1_000)]
)
def test_nothing_lasts_longer_than_anybody_can_wait(field: str, years: int) -> None:
    longest = years * 366 * 86_400
    accepted = {"record": a_sent_record(lifecycle={"decay": {field: longest}})}
    refused = {"record": a_sent_record(lifecycle={"decay": {field: longest + 1}})}

    error = refusal(IngestRecord, refused)

    assert list(complaints(error)) == [f"lifecycle.decay.{field}"]
    assert validate(IngestRecord, accepted).record.lifecycle.decay.model_dump()[field] == longest


def test_30_relations_are_accepted() -> None:
    relations = [{"predicate": "supports", "target_id": f"rec-{n}"} for n in range(30)]

    given = a_given_record(relations=relations)

    assert len(given.relations) == 30


@pytest.mark.parametrize(
    ("relations", "field", "message"),
    [
        (
            [{"predicate": "p", "target_id": f"rec-{n}"} for n in range(31)],
            "relations",
            "has more than 30 elements",
        ),
        (
            [{"predicate": "p", "target_id": "t", "weight": 1.5}],
            "relations.0.weight",
            "must be <= 1",
        ),
        (
            [{"predicate": "p", "target_id": "t", "weight": -0.5}],
            "relations.0.weight",
            "must be >= 0",
        ),
        ([{"predicate": "p"}], "relations.0.target_id", "is required"),
        (
            [{"predicate": "p" * 257, "target_id": "t"}],
            "relations.0.predicate",
            "exceeds maximum length of 256",
        ),
    ],
    ids=["31", "weight above 1", "weight below 0", "no target", "long predicate"],
)
def test_relations_out_of_range_are_refused(relations: list[Any], field: str, message: str) -> None:
    sent = {"record": a_sent_record(relations=relations)}

    error = refusal(IngestRecord, sent)

    assert complaints(error) == {field: f"validation error for {field}: {field} {message}"}


def test_a_read_asks_for_everything_that_the_principal_may_see() -> None:
    request = validate(RetrieveById, {"id": "rec-1"})

    assert request.trust == TrustInput(max_sensitivity=None, scopes=())


@pytest.mark.parametrize("nothing", [None, ""], ids=["null", "empty"])
def test_a_trust_may_leave_the_sensitivity_open(nothing: str | None) -> None:
    request = validate(
        ReadAudit, {"id": "rec-1", "trust": {"max_sensitivity": nothing, "scopes": ["a"]}}
    )

    assert request.trust == TrustInput(scopes=("a",))


def test_a_trust_of_an_unknown_sensitivity_is_refused() -> None:
    sent = {"id": "rec-1", "trust": {"max_sensitivity": "secret"}}

    error = refusal(RetrieveById, sent)

    assert str(error) == ("trust.max_sensitivity must be one of: public, low, medium, high, hyper")


CHANGES: dict[type[RecordChange], dict[str, Any]] = {
    Reinforce: {},
    Penalize: {"amount": 0.1},
    Pin: {},
    Unpin: {},
    ChangeLifecycle: {},
    DeleteRecord: {},
    RestoreRecord: {},
    Supersede: {"new_record": a_sent_record()},
    Fork: {"forked_record": a_sent_record()},
    Retract: {},
    Contest: {},
    Resolve: {"resolution": "keep"},
    Reclassify: {},
}
"""Every change of one record, with what it needs beside the id."""


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_a_record_needs_no_actor_and_no_reason(change: type[RecordChange]) -> None:
    request = validate(change, {"id": "rec-1", **CHANGES[change]})

    assert (request.actor, request.rationale) == (None, "")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("field", ["actor", "rationale"])
def test_the_actor_and_the_reason_of_a_change_have_the_limit_of_a_text(
    change: type[RecordChange], field: str
) -> None:
    longest = {"id": "rec-1", **CHANGES[change], field: "x" * 100_000}

    error = refusal(change, longest | {field: "x" * 100_001})

    assert str(error) == f"{field} exceeds maximum length of 100000"
    assert getattr(validate(change, longest), field) == "x" * 100_000


@pytest.mark.parametrize("change", CHANGES)
def test_an_unknown_field_of_a_change_is_refused_by_its_name(change: type[RecordChange]) -> None:
    error = refusal(change, {"id": "rec-1", **CHANGES[change], "gain": 1})

    assert complaints(error) == {"gain": "gain unknown field"}


def test_a_deletion_erases_only_what_it_is_asked_to() -> None:
    request = validate(DeleteRecord, {"id": "rec-1"})

    assert request.erase is False


@pytest.mark.parametrize("amount", [0, 0.0, 5e-324, 0.3, 1, 7.5, 1e308])
def test_any_amount_that_is_finite_and_not_negative_may_be_a_penalty(amount: float) -> None:
    request = validate(Penalize, {"id": "rec-1", "amount": amount})

    assert request.amount == amount


@pytest.mark.parametrize(
    "amount",
    [-1, -0.1, -5e-324, float("nan"), float("inf"), float("-inf"), 10**400, -(10**400)],
    ids=lambda amount: str(amount)[:10],
)
def test_an_amount_that_is_negative_or_not_finite_is_refused_in_the_peers_words(
    amount: float,
) -> None:
    error = refusal(Penalize, {"id": "rec-1", "amount": amount})

    assert complaints(error) == {"amount": "amount must be non-negative and finite"}


@pytest.mark.parametrize("amount", [True, False, "0.5", "", [0.5], {"amount": 0.5}], ids=repr)
def test_an_amount_that_is_no_number_is_refused(amount: Any) -> None:
    error = refusal(Penalize, {"id": "rec-1", "amount": amount})

    assert complaints(error) == {"amount": "amount must be a number"}


@pytest.mark.parametrize("sent", [{}, {"amount": None}], ids=["absent", "null"])
def test_a_penalty_needs_an_amount(sent: dict[str, None]) -> None:
    error = refusal(Penalize, {"id": "rec-1", **sent})

    assert complaints(error) == {"amount": "amount is required"}


@pytest.mark.parametrize("field", DecayChange.model_fields)
def test_a_null_in_a_decay_change_asks_for_nothing(field: str) -> None:
    change = validate(DecayChange, {field: None})

    assert change.model_fields_set == set()


@pytest.mark.parametrize("field", ["decay", "deletion_policy", "rationale"])
def test_a_null_in_a_lifecycle_change_asks_for_nothing(field: str) -> None:
    change = validate(ChangeLifecycle, {"id": "rec-1", field: None})

    assert change == validate(ChangeLifecycle, {"id": "rec-1"})


@pytest.mark.parametrize(
    ("sent", "field", "message"),
    [
        ({"decay": {"half_life_seconds": 0}}, "decay.half_life_seconds", "must be >= 1"),
        ({"decay": {"half_life_seconds": 1.5}}, "decay.half_life_seconds", "must be an integer"),
        ({"decay": {"half_life_seconds": True}}, "decay.half_life_seconds", "must be an integer"),
        (
            {"decay": {"half_life_seconds": 100 * 366 * 86_400 + 1}},
            "decay.half_life_seconds",
            "must be <= 3162240000",
        ),
        ({"decay": {"max_age_seconds": -1}}, "decay.max_age_seconds", "must be >= 0"),
        ({"decay": {"min_salience": -0.1}}, "decay.min_salience", "must be >= 0"),
        ({"decay": {"reinforcement_gain": "1"}}, "decay.reinforcement_gain", "must be a number"),
        (
            {"decay": {"curve": "cubic"}},
            "decay.curve",
            "must be one of: exponential, linear, custom",
        ),
        (
            {"decay": {"half_life": 1}},
            "decay.half_life",
            "unknown field; did you mean half_life_seconds?",
        ),
        ({"decay": []}, "decay", "must be an object"),
        ({"pinned": True}, "pinned", "unknown field"),
        (
            {"deletion_policy": "always"},
            "deletion_policy",
            "must be one of: auto_prune, manual_only, never",
        ),
    ],
    ids=str,
)
def test_a_lifecycle_change_out_of_range_is_refused(
    sent: dict[str, Any], field: str, message: str
) -> None:
    error = refusal(ChangeLifecycle, {"id": "rec-1", **sent})

    assert complaints(error) == {field: f"{field} {message}"}
