"""The report that a capture stands for."""

from typing import Any

import pytest

from membrane.domain.capture.primary import CaptureReport, captured_of, report_of, summary_of
from membrane.domain.ingest.reports import IngestEvent, IngestToolOutput, IngestWorkingState
from membrane.domain.language.errors import InvalidArgument
from tests.builders.captures import capture_request


def report(content: Any, source_kind: str = "event", **fields: Any) -> CaptureReport:
    request = capture_request(content, source_kind=source_kind, **fields)
    return report_of(request, content, "new-ref")


@pytest.mark.parametrize("kind", ["event", "observation", "agent_turn", "anything"])
def test_most_kinds_are_events(kind: str) -> None:
    made = report({"ref": "r"}, kind)

    assert isinstance(made, IngestEvent)
    assert (made.event_kind, made.ref) == (kind, "r")


@pytest.mark.parametrize(
    ("content", "ref"), [({"id": "i"}, "i"), ({"ref": " "}, "new-ref"), ("text", "new-ref")]
)
def test_the_ref_is_that_of_the_content_else_a_new_one(content: Any, ref: str) -> None:
    made = report(content, "")

    assert isinstance(made, IngestEvent)
    assert (made.event_kind, made.ref) == ("event", ref)


def test_the_summary_is_the_first_that_says_something() -> None:
    content = {"text": "the text", "n": 1}

    assert summary_of(capture_request(content, summary="s"), content) == "s"
    reason = capture_request(content, summary=" ", reason_to_remember="why")
    assert summary_of(reason, content) == "why"
    assert summary_of(capture_request(content), content) == "the text"
    assert summary_of(capture_request({"n": 1}), {"n": 1}) == '{"n":1}'


def test_a_working_state_cleans_its_lists() -> None:
    content = {
        "thread": "t",
        "state": "blocked",
        "next_actions": [" run ", "Run", "", "stop"],
        "summary": "from the content",
    }

    made = report(content, "working_state")

    assert isinstance(made, IngestWorkingState)
    assert made.thread_id == "t"
    assert made.next_actions == ("run", "stop")
    assert made.context_summary == "from the content"


def test_a_tool_output_takes_an_object_as_arguments() -> None:
    made = report({"tool": "grep", "args": "x", "depends_on": ["a", "a"]}, "tool_output")

    assert isinstance(made, IngestToolOutput)
    assert (made.tool_name, made.args, made.depends_on) == ("grep", {}, ("a",))


@pytest.mark.parametrize("args", [["-r", "x"], '{"p": 1}', 7, True, None])
def test_arguments_that_are_no_object_stay_in_the_content(args: Any) -> None:
    content = {"tool": "grep", "args": args, "result": "3 hits"}
    request = capture_request(content, source_kind="tool_output")

    kept = captured_of(request, content, None)

    assert kept.content == {"tool": "grep", "args": args}


def test_arguments_that_are_an_object_are_kept_in_the_call_alone() -> None:
    content = {"tool": "grep", "args": {"p": 1}, "result": "3 hits"}
    request = capture_request(content, source_kind="tool_output")

    made, kept = report(content, "tool_output"), captured_of(request, content, None)

    assert isinstance(made, IngestToolOutput)
    assert (made.args, made.result) == ({"p": 1}, "3 hits")
    assert kept.content == {"tool": "grep"}


@pytest.mark.parametrize(
    ("content", "kind", "field"),
    [
        ({"thread_id": "t", "state": "x"}, "working_state", "content.state"),
        ({"thread_id": "t", "state": "done", "next_actions": 7}, "working_state", "next_actions"),
        ({"tool": "x", "depends_on": [1]}, "tool_output", "content.depends_on"),
        ({"ref": "r" * 100_001}, "event", "content.ref"),
    ],
)
def test_a_refused_field_is_named_where_it_stands(content: Any, kind: str, field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        report(content, kind)

    assert any(field in each.field for each in caught.value.violations)
