"""What a handler notes of the request that an invocation serves."""

from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.aws_lambda.invocation import (
    TRACE_ID,
    Context,
    Correlation,
    Event,
    note_request,
    under_way,
)
from membrane.usecases.machinery.calls import one_ahead, side_by_side
from tests.sample_events import sample_event

ROOT = "1-5759e988-bd862e3fe1be46a994272793"


@dataclass(slots=True)
class Invocation:
    aws_request_id: str = "of-lambda"
    invoked_function_arn: str = "arn"

    def get_remaining_time_in_millis(self) -> int:
        return 1_000


def noted(_event: Event, _context: Context) -> Correlation | None:
    """A handler that answers with what was noted."""
    return under_way.get()


def invoke(event: Any, times: int = 1) -> Correlation:
    """What the handler notes of the last of several invocations."""
    handler = note_request(noted)
    *_, last = (copy_context().run(handler, event, Invocation()) for _ in range(times))
    assert last is not None
    return last


def test_a_request_of_the_api_has_the_id_that_the_caller_sees() -> None:
    event = sample_event("ingest_event_http").content

    ids = invoke(event)

    assert ids.request_id == event["requestContext"]["requestId"]
    assert ids.function_request_id == "of-lambda"


@pytest.mark.parametrize("event", [{"source": "agent"}, {"requestContext": {}}, ["no object"]])
def test_any_other_invocation_has_lambdas_id(event: Any) -> None:
    assert invoke(event).request_id == "of-lambda"


def test_the_first_invocation_alone_is_a_cold_start() -> None:
    assert [invoke({}, times).cold_start for times in (1, 2, 3)] == [True, False, False]


@pytest.mark.parametrize(
    ("header", "kept"),
    [
        (f"Root={ROOT};Parent=53995c3f42cd8ad8;Sampled=1;Lineage=1:a:0", ROOT),
        (f"Root={ROOT};Parent=53995c3f42cd8ad8;Sampled=0", None),
        ("", None),
    ],
)
def test_the_trace_is_named_where_x_ray_keeps_one(
    header: str, kept: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRACE_ID, header)

    assert invoke({}).xray_trace_id == kept


def test_threads_know_the_request_of_their_caller() -> None:
    def request_ids(_event: Event, _context: Context) -> list[str]:
        def request_id(_item: int) -> str:
            ids = under_way.get()
            return ids.request_id if ids else "none"

        return [*side_by_side(request_id, [1, 2]), *one_ahead(request_id, [1, 2])]

    found = copy_context().run(note_request(request_ids), {}, Invocation())

    assert found == ["of-lambda"] * 4
