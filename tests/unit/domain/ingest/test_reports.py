"""What each kind of report becomes: its payload and its provenance."""

from typing import Any

import pytest

from membrane.domain.ingest.reports import Report
from membrane.domain.records.payloads import EpisodicPayload
from tests.builders.records import (
    EARLIER_TEXT,
    NODE_ID,
    NOW_TEXT,
    a_candidate,
    a_record_of,
    a_tool_output,
    a_working_state,
    an_event,
    an_observation,
    printed,
)


def test_an_event_becomes_an_episode_with_one_entry_in_its_timeline() -> None:
    report = an_event(timestamp=EARLIER_TEXT, summary="User asked to refactor")

    payload = printed(a_record_of(report))["payload"]

    assert payload == {
        "kind": "episodic",
        "timeline": [
            {
                "t": EARLIER_TEXT,
                "event_kind": "user_input",
                "ref": "msg-1",
                "summary": "User asked to refactor",
            }
        ],
    }


def test_an_event_without_a_summary_has_none_in_its_timeline() -> None:
    report = an_event()

    payload = printed(a_record_of(report))["payload"]

    assert payload["timeline"] == [
        {"t": NOW_TEXT, "event_kind": "user_input", "ref": "msg-1"},
    ]


def test_a_tool_output_becomes_an_episode_of_one_tool_node() -> None:
    report = a_tool_output(
        args={"path": "/src"}, result={"lines": 142}, depends_on=["n0"], timestamp=EARLIER_TEXT
    )

    payload = printed(a_record_of(report))["payload"]

    assert payload == {
        "kind": "episodic",
        "timeline": [
            {
                "t": EARLIER_TEXT,
                "event_kind": "tool_call",
                "ref": NODE_ID,
                "summary": "tool_call: file_read",
            }
        ],
        "tool_graph": [
            {
                "id": NODE_ID,
                "tool": "file_read",
                "args": {"path": "/src"},
                "result": {"lines": 142},
                "timestamp": EARLIER_TEXT,
                "depends_on": ["n0"],
            }
        ],
    }


def test_a_tool_of_the_longest_name_is_summarised_within_the_limit_of_a_text() -> None:
    report = a_tool_output(tool_name="x" * 100_000)

    payload = a_record_of(report).payload

    assert isinstance(payload, EpisodicPayload)
    assert len(payload.timeline[0].summary) == 100_000
    assert payload.tool_graph[0].tool == "x" * 100_000


@pytest.mark.parametrize("value", ["Go", None, False, 0, {"name": "Go"}], ids=str)
def test_an_observation_becomes_a_fact_with_its_observer_as_evidence(value: Any) -> None:
    report = an_observation(object=value, timestamp=EARLIER_TEXT)

    payload = printed(a_record_of(report))["payload"]

    assert payload == {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": value,
        "validity": {"mode": "global"},
        "evidence": [
            {"source_type": "observation", "source_id": "agent", "timestamp": EARLIER_TEXT}
        ],
        "revision_policy": "replace",
    }


def test_a_working_state_becomes_a_copy_of_its_fields() -> None:
    fields = {
        "next_actions": ["run tests", "commit"],
        "open_questions": ["Which framework?"],
        "context_summary": "Refactoring",
        "active_constraints": [{"type": "resource", "key": "edits", "value": 5, "required": True}],
    }

    payload = printed(a_record_of(a_working_state(**fields)))["payload"]

    assert payload == {
        "kind": "working",
        "thread_id": "session-42",
        "state": "executing",
        **fields,
    }


def test_a_working_state_without_more_is_its_thread_and_its_state() -> None:
    payload = printed(a_record_of(a_working_state()))["payload"]

    assert payload == {"kind": "working", "thread_id": "session-42", "state": "executing"}


@pytest.mark.parametrize(
    ("report", "kind", "ref"),
    [
        (an_event(timestamp=EARLIER_TEXT), "event", "msg-1"),
        (a_tool_output(timestamp=EARLIER_TEXT), "tool_call", NODE_ID),
        (an_observation(timestamp=EARLIER_TEXT), "observation", "agent"),
        (a_working_state(timestamp=EARLIER_TEXT), "event", "session-42"),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "source") else value,
)
def test_a_record_names_the_report_that_it_was_made_from(
    report: Report, kind: str, ref: str
) -> None:
    provenance = printed(a_record_of(report))["provenance"]

    assert provenance == {
        "sources": [
            {
                "kind": kind,
                "ref": ref,
                "hash": a_candidate(report).digest(),
                "created_by": "agent",
                "timestamp": EARLIER_TEXT,
            }
        ],
        "created_by": "ingestion-service",
    }
