"""A report on its way to becoming a record, and its digest."""

import hashlib
from typing import Any

import pytest

from membrane.domain.ingest.candidates import candidate_from, require_present
from membrane.domain.ingest.reports import IngestOutcome, Report
from tests.builders.records import (
    EARLIER_TEXT,
    NOW_TEXT,
    a_candidate,
    a_tool_output,
    a_working_state,
    an_event,
    an_observation,
    an_outcome,
)


@pytest.mark.parametrize(
    ("report", "kind"),
    [
        (an_event(), "event"),
        (a_tool_output(), "tool_output"),
        (an_observation(), "observation"),
        (an_outcome(), "outcome"),
        (a_working_state(), "working_state"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_candidate_is_of_the_kind_of_its_report(
    report: Report | IngestOutcome, kind: str
) -> None:
    candidate = a_candidate(report)

    assert candidate.kind == kind


def test_a_candidate_happened_when_its_report_says() -> None:
    report = an_event(timestamp=EARLIER_TEXT)

    candidate = candidate_from(report, NOW_TEXT)

    assert candidate.timestamp == EARLIER_TEXT


@pytest.mark.parametrize(
    "timestamp",
    [None, "", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z", "0001-01-01T01:00:00+01:00"],
)
def test_a_candidate_whose_report_says_no_time_happened_now(timestamp: str | None) -> None:
    report = an_event(timestamp=timestamp)

    candidate = candidate_from(report, NOW_TEXT)

    assert candidate.timestamp == NOW_TEXT


def test_a_digest_is_the_sha_256_of_the_canonical_json_of_what_was_reported() -> None:
    candidate = a_candidate(an_event())
    canonical = (
        b'{"event_kind":"user_input","kind":"event","ref":"msg-1","source":"agent",'
        b'"timestamp":"2026-01-31T12:00:00Z"}'
    )

    digest = candidate.digest()

    assert digest == f"sha256:{hashlib.sha256(canonical).hexdigest()}"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (an_event(idempotency_key="k1"), an_event(idempotency_key="k2")),
        (an_event(idempotency_key="k1"), an_event()),
        (an_event(timestamp=NOW_TEXT), an_event()),
        (an_event(timestamp="2026-01-31T13:00:00+01:00"), an_event()),
        (an_event(summary=None, tags=[], scope=""), an_event()),
        (
            a_tool_output(args={"a": 1, "b": 2}),
            a_tool_output(args='{"b": 2, "a": 1}'),
        ),
    ],
    ids=["keys", "no key", "now", "the same instant", "empty fields", "order of names"],
)
def test_the_same_facts_have_the_same_digest(one: Report, other: Report) -> None:
    digests = {a_candidate(one).digest(), a_candidate(other).digest()}

    assert len(digests) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"source": "another"},
        {"event_kind": "error"},
        {"ref": "msg-2"},
        {"summary": "more"},
        {"timestamp": EARLIER_TEXT},
        {"tags": ["a"]},
        {"scope": "team"},
        {"sensitivity": "high"},
    ],
    ids=str,
)
def test_other_facts_have_another_digest(change: dict[str, Any]) -> None:
    one, other = a_candidate(an_event()), a_candidate(an_event(**change))

    digests = {one.digest(), other.digest()}

    assert len(digests) == 2


def test_a_word_that_policy_requires_is_present() -> None:
    word = an_outcome(outcome_status="partial").outcome_status

    assert require_present(word) == "partial"


def test_a_word_that_is_absent_after_all_is_a_defect_of_ours() -> None:
    unchecked = an_outcome(outcome_status="").outcome_status

    with pytest.raises(ValueError, match="the candidate was not checked"):
        require_present(unchecked)
