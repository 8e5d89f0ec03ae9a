"""Events and messages through the local stack, over its socket, and what becomes of bad ones."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.builders.requests import BUS_IDENTITY, QUEUE_IDENTITY, keyed_id
from tests.e2e.stack import MEMBRANE, Stack, dev

TEMPLATE = Path(__file__).resolve().parents[2] / "template.yaml"
EVENT = {"source": "agent", "event_kind": "build", "ref": "evt-1"}
OUTCOME = {"source": "judge", "target_record_id": "late", "outcome_status": "success"}
VISIBILITY_S = 180
MAX_RECEIVES = 5


@pytest.fixture
def still(stack: Stack) -> Stack:
    """The stack with an empty store and a clock that stands still."""
    stack.call("POST", "/_dev/clock", {"frozen": True})
    return stack


def put(stack: Stack, detail_type: str, detail: Any, **fields: str) -> str:
    """The id of an event on the service's bus, once it was delivered."""
    entry = {
        "EventBusName": "membrane",
        "Source": "my.agents",
        "DetailType": detail_type,
        "Detail": json.dumps(detail),
        **fields,
    }
    status, reply = stack.call("POST", "/_dev/events?wait", {"Entries": [entry]})
    assert (status, reply["FailedEntryCount"]) == (200, 0)
    return str(reply["Entries"][0]["EventId"])


def send(stack: Stack, queue: str, *bodies: Any) -> list[str]:
    """The ids of messages, once they were delivered."""
    messages = {"messages": [{"body": body} for body in bodies]}
    status, reply = stack.call("POST", f"/_dev/queues/{queue}?wait", messages)
    assert status == 200
    return list(reply["message_ids"])


def look(stack: Stack, queue: str) -> dict[str, Any]:
    return dict(stack.call("GET", f"/_dev/queues/{queue}?wait")[1])


def pass_time(stack: Stack, *seconds: float) -> None:
    for each in seconds:
        stack.call("POST", "/_dev/clock?wait", {"advance_seconds": each})


def wear_out(stack: Stack) -> None:
    """Let messages that fail be received as often as they may be, and once more."""
    pass_time(stack, *[VISIBILITY_S] * MAX_RECEIVES)


def redrive(stack: Stack, *options: str) -> str:
    done = subprocess.run(
        [MEMBRANE, "redrive", "--url", stack.url, "--api-key", stack.secret, *options],
        capture_output=True, text=True, check=True, env={"COLUMNS": "200"},
    )  # fmt: skip
    stack.call("GET", "/_dev/queues?wait")
    return done.stdout


def row(shown: str, queue: str) -> list[str]:
    """The cells of a queue in what `membrane redrive` shows."""
    (line,) = (line for line in shown.splitlines() if line.split()[:1] == [queue])
    return line.strip().split(maxsplit=3)


def record_of(stack: Stack, identity: str, rpc: str, key: str) -> dict[str, Any]:
    """What came of a report under a key."""
    status, body = stack.call("GET", f"/v1/records/{keyed_id(identity, rpc, key)}")
    assert status == 200, body
    return dict(body["record"])


def principals(stack: Stack, record_id: str) -> list[str]:
    """Who made and changed a record."""
    _, body = stack.call("GET", f"/v1/records/{record_id}/audit")
    return [entry["principal"] for entry in body["audit_log"]]


def make_target(stack: Stack) -> None:
    """The record that OUTCOME is about."""
    record = {
        "id": "late",
        "type": "episodic",
        "scope": "events",
        "sensitivity": "low",
        "payload": {
            "kind": "episodic",
            "timeline": [{"t": "2026-01-01T00:00:00Z", "event_kind": "build", "ref": "1"}],
        },
    }
    assert stack.call("POST", "/v1/records", {"record": record})[0] == 201


def test_a_failed_build_becomes_an_episode_where_a_rule_says_so(tmp_path: Path) -> None:
    rule = """
        Builds:
          Type: EventBridgeRule
          Properties: {Pattern: {source: [aws.codebuild], detail: {build-status: [FAILED]}}}
        Queue:
          Type: SQS
          Properties:
            Queue: !GetAtt IngestEventQueue.Arn"""
    text = TEMPLATE.read_text("utf-8").replace(
        """
        Queue:
          Type: SQS
          Properties:
            Queue: !GetAtt IngestEventQueue.Arn""",
        rule,
    )
    template = tmp_path / "template.yaml"
    template.write_text(text.replace("CodeUri: ", f"CodeUri: {TEMPLATE.parent}/"), "utf-8")

    with dev("--template", str(template)) as stack:
        build = {"EventBusName": "default", "Source": "aws.codebuild"}
        failed = put(stack, "CodeBuild Build State Change", {"build-status": "FAILED"}, **build)
        passed = put(stack, "CodeBuild Build State Change", {"build-status": "SUCCEEDED"}, **build)

        record = record_of(stack, BUS_IDENTITY, "IngestEvent", failed)
        passed_id = keyed_id(BUS_IDENTITY, "IngestEvent", passed)
        status, _ = stack.call("GET", f"/v1/records/{passed_id}")

    (happened,) = record["payload"]["timeline"]
    assert happened["event_kind"] == "CodeBuild Build State Change"
    assert json.loads(happened["summary"]) == {"build-status": "FAILED"}
    assert status == 404


# --- Poison -----------------------------------------------------------------------------------


def test_one_bad_message_of_a_batch_is_set_aside_and_the_others_are_kept(still: Stack) -> None:
    good = [{**EVENT, "ref": str(number)} for number in range(4)]

    ids = send(still, "IngestEventQueue", *good[:2], "not JSON", *good[2:])
    assert look(still, "IngestEventQueue")["in_flight"] == 1
    wear_out(still)

    for message_id in (*ids[:2], *ids[3:]):
        assert record_of(still, QUEUE_IDENTITY, "IngestEvent", message_id)["scope"] == "events"
    (dead,) = look(still, "IngestEventDeadLetters")["messages"]
    assert (dead["message_id"], dead["body"]) == (ids[2], "not JSON")
    assert dead["receives"] == MAX_RECEIVES


# --- Redrive ----------------------------------------------------------------------------------


def test_a_message_that_failed_succeeds_once_its_cause_is_gone(still: Stack) -> None:
    send(still, "IngestOutcomeQueue", OUTCOME)
    wear_out(still)
    make_target(still)

    first, second = redrive(still), redrive(still)

    assert row(first, "IngestOutcomeDeadLetters")[1:3] == ["1", "0"]
    assert row(second, "IngestOutcomeDeadLetters")[1:3] == ["0", "0"]
    assert principals(still, "late") == ["local", "queue"]


def test_a_poison_message_comes_back_however_often_it_is_redriven(still: Stack) -> None:
    send(still, "IngestEventQueue", "no secret", {**EVENT, "summary": "the secret", "ref": ""})
    wear_out(still)

    shown = redrive(still, "--queue", "IngestEventDeadLetters")
    wear_out(still)

    assert "malformed JSON" in shown
    assert "secret" not in shown, "what a message says is never shown"
    assert "event ref is required" in shown
    assert look(still, "IngestEventDeadLetters")["visible"] == 2


def test_an_event_that_failed_keeps_its_id_when_it_is_redriven(still: Stack) -> None:
    event_id = put(still, "IngestOutcome", OUTCOME)
    pass_time(still, 60, 120)
    make_target(still)

    told = redrive(still, "--dry-run")
    done = redrive(still, "--limit", "1")

    assert row(told, "UndeliveredEvents")[1:3] == ["0", "1"]
    assert row(done, "UndeliveredEvents")[1:] == [
        "1", "0", "1 x IngestOutcomeFunction: NotFound (RetriesExhausted)"
    ]  # fmt: skip
    assert principals(still, "late") == ["local", "event-bus"]
    event = {"id": event_id, "detail-type": "IngestOutcome", "source": "x", "detail": OUTCOME}
    still.call("POST", "/_dev/invoke/IngestOutcomeFunction", event)
    assert principals(still, "late") == ["local", "event-bus"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--queue", "IngestEventQueue"], "the stack has: TopicDeadLetters, IndexDeadLetters, "),
        (["--api-key", "wrong"], "Forbidden"),
    ],
)
def test_a_redrive_that_cannot_be_done_says_why(
    still: Stack, options: list[str], complaint: str
) -> None:
    place = ["--url", still.url, "--api-key", still.secret]

    done = subprocess.run(
        [MEMBRANE, "redrive", *place, *options], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_deployed_stack_that_does_not_answer_is_told_in_a_sentence() -> None:
    nowhere = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_MAX_ATTEMPTS": "1",
    }

    done = subprocess.run(
        [MEMBRANE, "redrive", "--stack", "memory"],
        capture_output=True, text=True, check=False, env=nowhere,
    )  # fmt: skip

    assert done.returncode == 1
    assert "membrane redrive: Could not connect to the endpoint URL" in done.stderr
    assert "Traceback" not in done.stderr
