"""Bus, queues, schedules and asynchronous invocations of the local stack, in this process."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from membrane_local.events.deliveries import MAX_ASYNC_BYTES, Deliveries
from membrane_local.events.sources import EventSources, Schedule
from membrane_local.functions import Functions, PayloadTooLargeError
from membrane_local.refusals import TemplateError
from membrane_local.storage.objects import Folder
from membrane_local.template import Template, read_template
from tests.integration.http.test_routes import EVENT
from tests.worlds.api import Api

TEMPLATE = Path(__file__).resolve().parents[3] / "template.yaml"
PATIENCE_S = 20

DAILY = "            ScheduleExpression: rate(1 day)\n"
"""What the template says of the schedule of CollectBlobsFunction alone."""


@pytest.fixture
def still(api: Api) -> Api:
    """The stack with a clock that stands still."""
    api.functions.clock.freeze(frozen=True)
    return api


def deliveries(api: Api) -> Deliveries:
    return api.application.deliveries


def entry(detail: Any, **fields: Any) -> dict[str, Any]:
    return {
        "Source": "my.agents",
        "DetailType": "IngestEvent",
        "Detail": json.dumps(detail),
        "EventBusName": "membrane",
        **fields,
    }


def pass_time(api: Api, seconds: float) -> None:
    api.functions.clock.advance(timedelta(seconds=seconds))
    assert deliveries(api).agenda.wait_until_idle(PATIENCE_S)


def records(api: Api) -> list[dict[str, Any]]:
    return [item for name, item in api.stored().items() if name.endswith(" record")]


def content(api: Api, queue: str) -> list[Any]:
    messages = api.get(f"/_dev/queues/{queue}?wait").body["messages"]
    return [json.loads(message["body"]) for message in messages]


# --- Bus --------------------------------------------------------------------------------------


def test_an_event_that_the_bus_delivers_twice_makes_one_record(still: Api) -> None:
    event = {
        "id": "e-1",
        "source": "my.agents",
        "detail-type": "IngestEvent",
        "detail": EVENT,
    }

    for _ in range(2):
        deliveries(still).bus.publish(event, "EventBus")
    assert deliveries(still).agenda.wait_until_idle(PATIENCE_S)

    assert len(records(still)) == 1
    assert content(still, "UndeliveredEvents") == []


def test_an_entry_that_is_refused_does_not_stop_the_others(still: Api) -> None:
    entries = [
        entry(EVENT),
        entry(EVENT, Detail="{"),
        entry(EVENT, Detail="[1]"),
        entry(EVENT, Detail='{"a": NaN}'),
        entry(EVENT, Source=""),
        entry(EVENT, DetailType="x" * 129),
        entry(EVENT, Time="yesterday"),
    ]
    del entries[4]["Source"]

    reply = still.post("/_dev/events?wait", {"Entries": entries}).body

    codes = [result.get("ErrorCode") for result in reply["Entries"]]
    assert codes == [
        None,
        "MalformedDetail",
        "MalformedDetail",
        "MalformedDetail",
        "InvalidArgument",
        "InvalidArgument",
        "MalformedDetail",
    ]
    assert reply["FailedEntryCount"] == 6
    assert len(records(still)) == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"Entries": []},
        {"Entries": [entry(EVENT)] * 11},
        {"Entries": [entry(EVENT)], "EndpointId": "x"},
        {"Entries": [entry(EVENT, Id="mine")]},
        {"Entries": [entry(EVENT, Detail=EVENT)]},
        {"Entries": [entry(EVENT, Resources="arn")]},
        {"Entries": [entry(EVENT, Resources=[1])]},
        {"Entries": [entry({"x": "x" * 600_000})] * 2},
    ],
    ids=[
        "nothing", "no object", "no entry", "eleven", "another field", "an id", "no text",
        "no list", "no texts", "too large together",
    ],
)  # fmt: skip
def test_what_put_events_refuses_as_a_whole_is_400(still: Api, body: Any) -> None:
    reply = still.post("/_dev/events?wait", body)

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert records(still) == []


def test_a_bus_that_there_is_not_is_told_with_those_that_there_are(still: Api) -> None:
    reply = still.post("/_dev/events", {"Entries": [entry(EVENT, EventBusName="mine")]})

    assert reply.status == 404
    assert "default, membrane" in reply.body["detail"]


# --- Lambda -----------------------------------------------------------------------------------


def test_an_invocation_that_fails_is_tried_three_times_and_then_kept(
    still: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    still.post("/_dev/events?wait", {"Entries": [entry({"source": "agent"})]})

    for seconds in (59, 1, 119, 1):
        assert content(still, "UndeliveredEvents") == []
        pass_time(still, seconds)

    (record,) = content(still, "UndeliveredEvents")
    assert record["requestPayload"]["detail"] == {"source": "agent"}
    assert record["requestContext"]["condition"] == "RetriesExhausted"
    assert record["requestContext"]["approximateInvokeCount"] == 3
    assert record["responsePayload"]["errorType"] == "InvalidArgument"
    assert capsys.readouterr().err.count("Traceback") == 3


def test_what_failed_at_first_succeeds_at_a_later_try(still: Api) -> None:
    outcome = {"source": "judge", "target_record_id": "late", "outcome_status": "success"}
    deliveries(still).invoke("IngestOutcomeFunction", outcome)
    pass_time(still, 0)
    record = {
        "id": "late",
        "type": "episodic",
        "sensitivity": "low",
        "scope": "events",
        "payload": {"kind": "episodic", "timeline": [{"t": "2026-01-01T00:00:00Z",
                    "event_kind": "build", "ref": "1"}]},
    }  # fmt: skip
    assert still.post("/v1/records", {"record": record}).status == 201

    pass_time(still, 60)
    pass_time(still, 120)

    trail = still.get("/v1/records/late/audit").body["audit_log"]
    assert [entry["principal"] for entry in trail] == ["local", "direct"]
    assert content(still, "UndeliveredEvents") == []


def test_an_event_that_is_too_old_is_not_tried_again(still: Api) -> None:
    still.post("/_dev/events?wait", {"Entries": [entry({"source": "agent"})]})

    pass_time(still, 3_600 - 120 + 1)  # the next try would come 120 s later

    (record,) = content(still, "UndeliveredEvents")
    assert record["requestContext"]["condition"] == "EventAgeExceeded"
    assert record["requestContext"]["approximateInvokeCount"] == 2


def test_an_event_whose_record_no_queue_takes_is_lost_and_told(
    still: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    deliveries(still).invoke("IngestEventFunction", {"x": "x" * (MAX_ASYNC_BYTES - 20)})

    for seconds in (0, 60, 120):
        pass_time(still, seconds)

    assert content(still, "UndeliveredEvents") == []
    assert "IngestEventFunction: an event is lost" in capsys.readouterr().err


def test_a_payload_that_an_asynchronous_invocation_does_not_carry_is_refused(still: Api) -> None:
    with pytest.raises(PayloadTooLargeError):
        deliveries(still).invoke("IngestEventFunction", "x" * MAX_ASYNC_BYTES)
    for name in ("NoFunction", "arn:aws:lambda:us-east-1:000000000000:function:NoFunction"):
        with pytest.raises(KeyError):
            deliveries(still).invoke(name, {})


def test_a_caller_that_does_not_wait_is_told_that_the_event_was_taken(still: Api) -> None:
    headers = {"x-amz-invocation-type": "Event"}

    reply = still.post("/_dev/invoke/IngestEventFunction?wait", EVENT, headers=headers)

    assert (reply.status, len(records(still))) == (202, 1)
    assert still.post("/_dev/invoke/NoFunction", {}, headers=headers).status == 404


# --- SQS --------------------------------------------------------------------------------------


def test_a_batch_is_cut_so_that_an_invocation_carries_it(still: Api) -> None:
    result = '"' * 400_000  # twice as long as JSON, and four times in the event
    output = {"source": "agent", "tool_name": "cat", "result": result}
    messages = [{"body": {**output, "args": {"n": number}}} for number in range(8)]

    still.post("/_dev/queues/IngestToolOutputQueue?wait", {"messages": messages})

    assert len(records(still)) == 8
    assert still.get("/_dev/queues/IngestToolOutputQueue").body["in_flight"] == 0


@pytest.mark.parametrize(
    "body",
    [{}, [], {"body": ""}, {"messages": []}, {"messages": ["x"]}, {"body": "x", "id": "y"},
     {"messages": [{"body": "x", "id": "y"}]}, {"body": "x" * 1_048_577}],
    ids=["nothing", "no object", "empty", "no message", "no body", "an id", "ids", "too large"],
)  # fmt: skip
def test_what_is_no_message_is_400(still: Api, body: Any) -> None:
    reply = still.post("/_dev/queues/IngestEventQueue", body)

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/_dev/queues/NoQueue"),
        ("POST", "/_dev/queues/NoQueue"),
        ("DELETE", "/_dev/queues/IngestEventDeadLetters/no-message"),
        ("PUT", "/_dev/queues/IngestEventQueue"),
        ("GET", "/_dev/events"),
    ],
)
def test_what_is_not_there_is_404(still: Api, method: str, path: str) -> None:
    assert still.call(method, path, {"body": "x"}).status == 404


def test_a_queue_tells_who_reads_it_and_whose_dead_letters_it_has(still: Api) -> None:
    queues = still.get("/_dev/queues").body["queues"]

    assert queues["IngestEventQueue"] == {
        "visible": 0,
        "in_flight": 0,
        "read_by": "IngestEventFunction",
        "dead_letters_of": None,
    }
    assert queues["IngestEventDeadLetters"]["dead_letters_of"] == "IngestEventQueue"
    assert queues["UndeliveredEvents"]["dead_letters_of"] is None


def test_a_reset_empties_queues_and_drops_what_was_to_come(still: Api) -> None:
    still.post("/_dev/events?wait", {"Entries": [entry({"source": "agent"})]})
    still.post("/_dev/queues/IngestEventQueue?wait", {"body": "not JSON"})

    assert still.post("/_dev/reset", {}).status == 200

    pass_time(still, 86_400)
    queues = still.get("/_dev/queues").body["queues"]
    assert {(each["visible"], each["in_flight"]) for each in queues.values()} == {(0, 0)}


# --- Step Functions ---------------------------------------------------------------------------

MACHINE = "StudyMachine"
MALFORMED: dict[str, Any] = {"study": {}}
"""An input that the function refuses, again and again."""

RETRIES_S = (2, 6, 18, 54, 162, 300)
"""The waits before the retries of a task, by the template."""


def test_a_step_that_fails_is_repeated_then_the_machine_gives_up_and_the_execution_fails(
    still: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    still.functions.start_execution(MACHINE, "malformed-1", MALFORMED)

    for seconds in (0, *RETRIES_S, *RETRIES_S):
        assert "StudyFailed" not in capsys.readouterr().err
        pass_time(still, seconds)

    said = capsys.readouterr().err
    assert "StudyMachine: the execution malformed-1 failed: StudyFailed" in said


def test_a_reset_forgets_executions_and_their_names(
    still: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    still.functions.start_execution(MACHINE, "malformed-1", MALFORMED)
    pass_time(still, 0)
    assert still.post("/_dev/reset", {}).status == 200
    capsys.readouterr()

    pass_time(still, 86_400)
    assert capsys.readouterr().err == ""
    still.functions.start_execution(MACHINE, "malformed-1", MALFORMED)
    pass_time(still, 0)

    assert capsys.readouterr().err.count("Traceback") == 1


def run_until(may_end: Event, stack: Api) -> None:
    """Something runs in the lane of a function, and has begun."""
    runs = Event()

    def work() -> None:
        runs.set()
        assert may_end.wait(PATIENCE_S)

    deliveries(stack).agenda.add("ImportLinesFunction", work)
    assert runs.wait(PATIENCE_S)


def test_while_a_reset_waits_for_a_function_others_are_served(still: Api) -> None:
    may_end = Event()
    run_until(may_end, still)

    with ThreadPoolExecutor() as callers:
        try:
            reset = callers.submit(still.post, "/_dev/reset", {})
            assert not deliveries(still).agenda.wait_until_idle(
                PATIENCE_S
            )  # it says so as soon as a reset waits
            health = callers.submit(still.get, "/health")
            served = health.result(PATIENCE_S).status
            waited = not reset.done()
        finally:
            may_end.set()

    assert (served, waited, reset.result().status) == (200, True, 200)


def test_a_reset_that_waits_too_long_empties_nothing(still: Api) -> None:
    may_end = Event()
    impatient = Api(replace(still.application, patience_s=0.01), still.secret)
    still.post("/v1/ingest/event", EVENT)
    assert still.application.deliveries.agenda.wait_until_idle(25)
    run_until(may_end, still)

    reply = impatient.post("/_dev/reset", {})

    may_end.set()
    assert (reply.status, reply.body["code"]) == (409, "FAILED_PRECONDITION")
    assert "ImportLinesFunction is still running" in reply.body["detail"]
    assert len(records(still)) == 1
    assert still.post("/_dev/reset", {}).status == 200
    assert records(still) == []


def test_a_reset_that_waits_too_long_for_a_request_empties_nothing(still: Api) -> None:
    impatient = Api(replace(still.application, patience_s=0.01), still.secret)

    with still.application.gate.enter("POST /_dev/invoke/ImportLinesFunction"):
        reply = impatient.post("/_dev/reset", {})
        served = still.get("/health").status

    assert (reply.status, served) == (409, 200)
    assert "POST /_dev/invoke/ImportLinesFunction is still running" in reply.body["detail"]
    assert still.post("/_dev/reset", {}).status == 200


# --- Schedules --------------------------------------------------------------------------------


def test_a_schedule_starts_its_function_once_a_day(still: Api) -> None:
    blobs = still.functions.store.blobs
    assert isinstance(blobs, Folder)
    orphan = blobs.root / "blobs/nobody/orphan"

    for seconds_before, seconds_after in ((86_390, 10), (86_399, 1)):
        blobs.write("blobs/nobody/orphan", b"{}")
        os.utime(orphan, (0, 0))
        pass_time(still, seconds_before)
        assert orphan.exists()
        pass_time(still, seconds_after)
        assert not orphan.exists()


def test_the_hourly_schedule_prunes_what_has_faded(still: Api) -> None:
    own = f"/v1/records/{still.post('/v1/ingest/event', EVENT).record['id']}"
    functions = Functions(read_template(TEMPLATE), still.functions.store, still.functions.clock)
    hourly = Deliveries(functions)

    statuses = []
    for seconds in (35_876, 3_599, 1):  # a second before it is due, and up to the next sweep
        pass_time(still, seconds)
        assert hourly.agenda.wait_until_idle(PATIENCE_S)
        statuses.append(still.get(own).status)
    hourly.close()

    assert statuses == [200, 200, 404]
    assert still.get(f"{own}/audit").body["audit_log"][-1]["principal"] == "decay-service"


# --- The template -----------------------------------------------------------------------------


def template_of(tmp_path: Path, *changes: tuple[str, str]) -> Template:
    text = TEMPLATE.read_text("utf-8")
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    changed = tmp_path / "template.yaml"
    changed.write_text(text, "utf-8")
    return read_template(changed)


def sources_of(tmp_path: Path, *changes: tuple[str, str]) -> EventSources:
    return EventSources.of(template_of(tmp_path, *changes))


def schedules_with(tmp_path: Path, more: str) -> tuple[Schedule, ...]:
    """The template's schedules, the daily one with one more property."""
    return sources_of(tmp_path, (DAILY, f"{DAILY}            {more}\n")).schedules


@pytest.mark.parametrize(
    "more",
    [
        "FlexibleTimeWindow: {Mode: FLEXIBLE, MaximumWindowInMinutes: 15}",
        "Input: '[]'",
        "Input: tidy",
        'Input: \'{"at": "<aws.scheduler.scheduled-time>"}\'',
        "State: DISABLED",
        "StartDate: 2026-11-21T00:00:00Z",
        "Name: !Sub ${AWS::StackName}-tidy",
    ],
)
def test_a_schedule_that_would_not_run_here_as_in_aws_is_refused(tmp_path: Path, more: str) -> None:
    with pytest.raises(TemplateError):
        schedules_with(tmp_path, more)


@pytest.mark.parametrize(
    "expression",
    ["cron(0 * * * ? *)", "at(2026-11-21T00:00:00)", "rate(0 hours)", "!Sub rate(${x})"],
)
def test_an_expression_that_is_no_rate_is_refused(tmp_path: Path, expression: str) -> None:
    with pytest.raises(TemplateError, match="of the form rate"):
        sources_of(tmp_path, (DAILY, DAILY.replace("rate(1 day)", expression)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Type: ScheduleV2\n", "Type: Schedule\n"),
        ("BatchSize: 10\n", "FilterCriteria: {Filters: []}\n"),
        ("VisibilityTimeout: 180", "DelaySeconds: 5"),
        ("{detail-type: [IngestEvent]}", "{detail-type: [{wildcard: IngestE*}]}"),
        ("MaximumRetryAttempts: 2\n", "OnSuccess: {}\n"),
    ],
    ids=["kind", "filter", "delay", "pattern", "destination"],
)  # fmt: skip
def test_what_would_not_run_here_as_in_aws_is_refused(
    tmp_path: Path, before: str, after: str
) -> None:
    with pytest.raises(TemplateError):
        sources_of(tmp_path, (before, after))
