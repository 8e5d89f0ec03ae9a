"""`membrane redrive` against the queues of a deployed stack: moto's, through boto3."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from threading import Event
from typing import Any, ClassVar

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber
from moto import mock_aws

from membrane_cli.http_client import Answer, HttpClient
from membrane_cli.redrive.dead_letters import (
    REQUESTS,
    RedriveResult,
    redrive,
)
from membrane_cli.redrive.places import (
    MAX_EMPTY,
    MAX_READ,
    DeadLetter,
    DeadLetterQueue,
    DeployedQueues,
    LocalQueues,
    StreamBatch,
)
from membrane_cli.stacks import DeployedStack
from membrane_local.dev_options import TEMPLATE
from membrane_local.events.queues import MAX_MESSAGE_BYTES
from membrane_local.events.sources import EventSources
from membrane_local.template import read_template
from tests.builders.requests import QUEUE_IDENTITY, keyed_id
from tests.worlds.api import Api
from tests.worlds.refusals import refuses

PATIENCE_S = 20

FUNCTION = "membrane-IngestEventFunction-1A2B3C"
ARN = f"arn:aws:lambda:us-east-1:123456789012:function:{FUNCTION}"
QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012"
REQUEST = {"source": "agent", "event_kind": "build", "ref": "1"}
EVENT = {"id": "e-1", "detail-type": "IngestEvent", "source": "agents", "detail": REQUEST}
RECORD = {
    "version": "1.0",
    "requestContext": {"functionArn": f"{ARN}:$LATEST", "condition": "RetriesExhausted"},
    "requestPayload": EVENT,
    "responsePayload": {"errorType": "InvalidArgument", "errorMessage": "the secret is 42"},
}


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Deployed:
    """A stack of one queue, its dead letters, undelivered events and one function."""

    stack: DeployedQueues
    sqs: Any
    invoked: Stubber
    streamed: Stubber
    index: str
    source: str
    dead: str
    undelivered: str

    def expect_invocation(self, event: Any, function: str = FUNCTION) -> None:
        asked = {
            "FunctionName": function,
            "InvocationType": "Event",
            "Payload": compact(event).encode(),
        }
        self.invoked.add_response("invoke", {"StatusCode": 202}, asked)

    def set_aside(self, body: str, queue: str, **attributes: str) -> str:
        """The id of a message that fails until SQS has had enough of it, or that lies there."""
        typed = {
            name: {"StringValue": value, "DataType": "String"} for name, value in attributes.items()
        }
        sent = self.sqs.send_message(QueueUrl=queue, MessageBody=body, MessageAttributes=typed)
        if queue == self.source:
            for _ in range(2):
                self.sqs.receive_message(QueueUrl=queue, VisibilityTimeout=0)
        return str(sent["MessageId"])

    def bodies(self, queue: str) -> list[str]:
        found = self.sqs.receive_message(
            QueueUrl=queue, MaxNumberOfMessages=10, VisibilityTimeout=0
        )
        return [message["Body"] for message in found.get("Messages", [])]


@dataclass(frozen=True, slots=True)
class OneCapture:
    """A place with the dead letter of a capture, for looking at."""

    body: str

    def dead_letters(self) -> Sequence[DeadLetterQueue]:
        return [DeadLetterQueue("CaptureDeadLetters", "CaptureQueue", 1)]

    def take(self, _queue: DeadLetterQueue, _limit: int | None) -> Sequence[DeadLetter]:
        return [DeadLetter("m-1", self.body, {}, "receipt")]

    def send(self, _queue: str, body: str) -> None:
        raise AssertionError(body)

    def invoke(self, _function_arn: str, event: str) -> None:
        raise AssertionError(event)

    def delete(self, _queue: DeadLetterQueue, letter: DeadLetter) -> None:
        raise AssertionError(letter)

    def changes(self, batch: StreamBatch) -> Sequence[Mapping[str, Any]]:
        raise AssertionError(batch)

    def show_after(
        self, queue: DeadLetterQueue, letters: Sequence[DeadLetter], after_s: int
    ) -> None:
        """The test is about one message."""


@cache
def client(service: str) -> Any:
    return boto3.client(
        service,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


@pytest.fixture
def deployed() -> Iterator[Deployed]:
    with mock_aws():
        sqs, cloudformation, functions, streams = map(
            client, ("sqs", "cloudformation", "lambda", "dynamodbstreams")
        )
        dead, _ = (sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("dead", "unindexed"))
        source = _with_dead_letters(sqs, "source", "dead")
        index = _with_dead_letters(sqs, "index", "unindexed")
        undelivered = sqs.create_queue(QueueName="undelivered")["QueueUrl"]
        resources = [
            ("IngestEventQueue", "AWS::SQS::Queue", source),
            ("IndexQueue", "AWS::SQS::Queue", index),
            ("IngestEventDeadLetters", "AWS::SQS::Queue", dead),
            ("Table", "AWS::DynamoDB::Table", "table"),
            ("UndeliveredEvents", "AWS::SQS::Queue", undelivered),
            ("IngestEventFunction", "AWS::Lambda::Function", FUNCTION),
        ]
        with (
            Stubber(cloudformation) as described,
            Stubber(functions) as invoked,
            Stubber(streams) as streamed,
        ):
            for _ in range(2):
                _answer_in_pages(described, resources)
            stack = DeployedQueues(
                DeployedStack("memory", cloudformation), sqs, functions, streams, wait_s=0
            )
            yield Deployed(stack, sqs, invoked, streamed, index, source, dead, undelivered)
            invoked.assert_no_pending_responses()
            streamed.assert_no_pending_responses()


def _with_dead_letters(sqs: Any, name: str, dead: str) -> str:
    """The URL of a new queue whose failed messages go to the queue of dead letters."""
    policy = {"deadLetterTargetArn": f"{QUEUE_ARN}:{dead}", "maxReceiveCount": 1}
    made = sqs.create_queue(QueueName=name, Attributes={"RedrivePolicy": json.dumps(policy)})
    return str(made["QueueUrl"])


def _answer_in_pages(described: Stubber, resources: list[tuple[str, str, str]]) -> None:
    for index, (name, kind, physical_id) in enumerate(resources):
        summary = {
            "LogicalResourceId": name,
            "ResourceType": kind,
            "PhysicalResourceId": physical_id,
            "LastUpdatedTimestamp": "2026-11-21T00:00:00Z",
            "ResourceStatus": "CREATE_COMPLETE",
        }
        last = index == len(resources) - 1
        asked = {"StackName": "memory", **({"NextToken": str(index)} if index else {})}
        page = {
            "StackResourceSummaries": [summary],
            **({} if last else {"NextToken": f"{index + 1}"}),
        }
        described.add_response("list_stack_resources", page, asked)


def all_of(
    deployed: Deployed, only: str | None = None, limit: int | None = None, *, dry_run: bool = False
) -> dict[str, RedriveResult]:
    done = redrive(deployed.stack, only, limit, dry_run=dry_run)
    return {each.queue.name: each for each in done}


def test_a_message_goes_back_to_its_queue_with_its_id_as_its_key(deployed: Deployed) -> None:
    message_id = deployed.set_aside(json.dumps(REQUEST), deployed.source)

    done = all_of(deployed)["IngestEventDeadLetters"]

    assert (done.redriven, done.remaining) == (1, 0)
    (body,) = deployed.bodies(deployed.source)
    assert json.loads(body) == {**REQUEST, "idempotency_key": message_id}


def test_a_key_of_its_own_stays(deployed: Deployed) -> None:
    body = json.dumps({**REQUEST, "idempotency_key": "mine"})
    deployed.set_aside(body, deployed.source)

    all_of(deployed)

    assert deployed.bodies(deployed.source) == [body]


@pytest.mark.parametrize("body", ["not JSON", "[1]", '"text"', '{"a": 1, "a": 2}', "{"])
def test_what_is_no_request_goes_back_as_it_is(deployed: Deployed, body: str) -> None:
    deployed.set_aside(body, deployed.source)

    done = all_of(deployed)["IngestEventDeadLetters"]

    assert done.redriven == 1
    assert deployed.bodies(deployed.source) == [body]


def test_more_messages_than_one_receipt_takes_all_go_back(deployed: Deployed) -> None:
    for number in range(23):
        deployed.sqs.send_message(QueueUrl=deployed.dead, MessageBody=f'{{"ref": "{number}"}}')

    done = all_of(deployed, only="IngestEventDeadLetters")

    assert {name: each.redriven for name, each in done.items()} == {"IngestEventDeadLetters": 23}


def test_a_limit_leaves_the_rest(deployed: Deployed) -> None:
    for number in range(5):
        deployed.sqs.send_message(QueueUrl=deployed.dead, MessageBody=str(number))

    done = all_of(deployed, limit=2)["IngestEventDeadLetters"]

    assert (done.redriven, done.remaining) == (2, 3)


BATCH = {
    "shardId": "shardId-00000001795117402235-abcdef12",
    "startSequenceNumber": f"{1:021}",
    "endSequenceNumber": f"{3:021}",
    "batchSize": 2,
    "streamArn": "arn:aws:dynamodb:us-east-1:123456789012:table/t/stream/2026-11-21T00:00:00.000",
}


def change(number: int, record_id: str, stale: str = "written", **fields: Any) -> Mapping[str, Any]:
    """A record of the stream: a new record of a user, or one that a re-index flagged."""
    keys = {"pk": {"S": f"record#{record_id}"}, "sk": {"S": "record"}}
    usual = {"type": {"S": "episodic"}, "scope": {"S": "team"}, "version": {"N": "1"}}
    image = {**keys, **usual, **fields, "stale": {"S": stale}}
    return {"dynamodb": {"Keys": keys, "NewImage": image, "SequenceNumber": f"{number:021}"}}


def test_the_changes_of_a_batch_that_the_index_function_gave_up_go_to_its_queue(
    deployed: Deployed,
) -> None:
    deployed.set_aside(json.dumps({"DDBStreamBatchInfo": BATCH}), deployed.undelivered)
    expect_reading(deployed, [], [change(1, "a"), change(2, "b", stale="2026")], [change(4, "d")])

    done = all_of(deployed)["UndeliveredEvents"]

    assert (done.redriven, done.remaining) == (1, 0)
    assert list(done.reasons) == ["changes of the table that the index function could not follow"]
    assert sorted(map(json.loads, deployed.bodies(deployed.index)), key=str) == [
        {"created_record_id": "a", "scopes": ["team"]},
        {"record_id": "a", "scopes": ["team"]},
        {"record_id": "b", "scopes": ["team"]},
    ]


def test_an_outcome_of_a_batch_that_was_given_up_ends_its_thread_after_all(
    deployed: Deployed,
) -> None:
    deployed.set_aside(json.dumps({"DDBStreamBatchInfo": BATCH}), deployed.undelivered)
    first, second = (
        change(3, "c", version={"N": version}, awaits={"S": "step"})["dynamodb"]
        for version in ("1", "2")
    )
    expect_reading(deployed, [{"dynamodb": {**second, "OldImage": first["NewImage"]}}])

    assert all_of(deployed)["UndeliveredEvents"].redriven == 1

    assert sorted(map(json.loads, deployed.bodies(deployed.index)), key=str) == [
        {"ended_record_id": "c", "scopes": ["team"]},
        {"record_id": "c", "scopes": ["team"]},
    ]


@pytest.mark.parametrize("error", ["TrimmedDataAccessException", "ResourceNotFoundException"])
def test_changes_that_the_stream_no_longer_has_stay_and_name_the_command_that_makes_up_for_them(
    deployed: Deployed, error: str
) -> None:
    deployed.set_aside(json.dumps({"DDBStreamBatchInfo": BATCH}), deployed.undelivered)
    deployed.streamed.add_client_error("get_shard_iterator", error)
    if error == "TrimmedDataAccessException":
        expect_reading(deployed, [change(4, "d")], begin=OLDEST)

    done = all_of(deployed)["UndeliveredEvents"]

    assert (done.redriven, done.remaining) == (0, 1)
    assert list(done.reasons) == ["the stream no longer has the changes: run `membrane reindex`"]


@pytest.mark.parametrize(("pages", "sent"), [([[change(3, "c")]], ["c"]), ([[]] * MAX_EMPTY, [])])
def test_of_a_batch_in_part_too_old_the_rest_is_sent(
    deployed: Deployed, pages: list[list[Mapping[str, Any]]], sent: list[str]
) -> None:
    deployed.set_aside(json.dumps({"DDBStreamBatchInfo": BATCH}), deployed.undelivered)
    deployed.streamed.add_client_error("get_shard_iterator", "TrimmedDataAccessException")
    expect_reading(deployed, *pages, begin=OLDEST)

    done = all_of(deployed)["UndeliveredEvents"]

    assert done.redriven == bool(sent)
    messages = map(json.loads, deployed.bodies(deployed.index))
    assert {each["record_id"] for each in messages if "record_id" in each} == {*sent}


def test_the_letter_of_one_change_reads_one_change(deployed: Deployed) -> None:
    alone = {**BATCH, "endSequenceNumber": BATCH["startSequenceNumber"]}
    deployed.set_aside(json.dumps({"DDBStreamBatchInfo": alone}), deployed.undelivered)
    expect_reading(deployed, [change(1, "a")], limit=1)

    assert all_of(deployed)["UndeliveredEvents"].redriven == 1


FIRST = {
    "ShardIteratorType": "AT_SEQUENCE_NUMBER",
    "SequenceNumber": BATCH["startSequenceNumber"],
}
OLDEST = {"ShardIteratorType": "TRIM_HORIZON"}


def expect_reading(
    deployed: Deployed,
    *pages: Sequence[Mapping[str, Any]],
    begin: Mapping[str, Any] = FIRST,
    limit: int = MAX_READ,
) -> None:
    asked = {"StreamArn": BATCH["streamArn"], "ShardId": BATCH["shardId"], **begin}
    deployed.streamed.add_response("get_shard_iterator", {"ShardIterator": "page-0"}, asked)
    for number, records in enumerate(pages):
        page = {"Records": records, "NextShardIterator": f"page-{number + 1}"}
        wanted = {"ShardIterator": f"page-{number}", "Limit": limit}
        deployed.streamed.add_response("get_records", page, wanted)


def test_a_dry_run_hides_nothing_from_the_run_after_it(deployed: Deployed) -> None:
    for number in range(12):
        deployed.sqs.send_message(QueueUrl=deployed.dead, MessageBody=str(number))
    all_of(deployed, dry_run=True)

    done = all_of(deployed)["IngestEventDeadLetters"]

    assert (done.redriven, done.remaining) == (12, 0)


def test_what_somebody_else_is_looking_at_is_left(deployed: Deployed) -> None:
    for number in range(2):
        deployed.sqs.send_message(QueueUrl=deployed.dead, MessageBody=str(number))
    deployed.sqs.receive_message(QueueUrl=deployed.dead, VisibilityTimeout=60)

    done = all_of(deployed)["IngestEventDeadLetters"]

    assert (done.redriven, done.remaining) == (1, 1)


def test_a_run_ends_where_only_known_messages_come(deployed: Deployed) -> None:
    for number in range(3):
        deployed.set_aside(f"not an event {number}", deployed.undelivered)
    stack = replace(deployed.stack, hidden_s=0)
    deployed.sqs.receive_message(QueueUrl=deployed.undelivered, VisibilityTimeout=60)

    done = all_of(replace(deployed, stack=stack))["UndeliveredEvents"]

    assert (len(done.seen), done.remaining) == (2, 3)


def test_a_dry_run_tells_and_changes_nothing(deployed: Deployed) -> None:
    deployed.sqs.send_message(QueueUrl=deployed.dead, MessageBody="not JSON")
    deployed.set_aside(json.dumps(RECORD), deployed.undelivered)

    done = all_of(deployed, dry_run=True)

    assert [(each.redriven, each.remaining) for each in done.values()] == [(0, 1), (0, 1)]
    assert deployed.bodies(deployed.source) == []


def test_the_event_of_a_failed_invocation_is_invoked_with_again(deployed: Deployed) -> None:
    deployed.set_aside(json.dumps(RECORD), deployed.undelivered)
    deployed.expect_invocation(EVENT, f"{FUNCTION}:$LATEST")

    done = all_of(deployed)["UndeliveredEvents"]

    assert (done.redriven, done.remaining) == (1, 0)
    assert list(done.reasons) == [f"{FUNCTION}: InvalidArgument (RetriesExhausted)"]


@pytest.mark.parametrize("kept_by", ["Lambda", "a rule"])
def test_an_event_for_an_alias_goes_to_the_alias(deployed: Deployed, kept_by: str) -> None:
    context = {"functionArn": f"{ARN}:live", "condition": "RetriesExhausted"}
    if kept_by == "Lambda":
        deployed.set_aside(json.dumps({**RECORD, "requestContext": context}), deployed.undelivered)
    else:
        deployed.set_aside(compact(EVENT), deployed.undelivered, TARGET_ARN=f"{ARN}:live")
    deployed.expect_invocation(EVENT, f"{FUNCTION}:live")

    done = all_of(deployed)["UndeliveredEvents"]

    assert (done.redriven, done.remaining) == (1, 0)


def test_an_event_is_invoked_with_as_long_as_it_came(deployed: Deployed) -> None:
    event = {**EVENT, "detail": {**REQUEST, "summary": "€" * 300_000}}
    deployed.set_aside(compact({**RECORD, "requestPayload": event}), deployed.undelivered)
    deployed.expect_invocation(event, f"{FUNCTION}:$LATEST")

    done = all_of(deployed)["UndeliveredEvents"]

    assert (done.redriven, done.remaining) == (1, 0)


def test_half_a_character_is_sent_as_it_was_written(deployed: Deployed) -> None:
    record = json.dumps({**RECORD, "requestPayload": "\ud83d \u20ac"})
    deployed.set_aside(record, deployed.undelivered)
    deployed.invoked.add_response(
        "invoke",
        {"StatusCode": 202},
        {
            "FunctionName": f"{FUNCTION}:$LATEST",
            "InvocationType": "Event",
            "Payload": b'"\\ud83d \xe2\x82\xac"',
        },
    )

    done = all_of(deployed)["UndeliveredEvents"]

    assert done.redriven == 1


def test_an_event_that_lambda_refuses_keeps_no_other_back(deployed: Deployed) -> None:
    for _ in range(2):
        deployed.set_aside(json.dumps(RECORD), deployed.undelivered)
    deployed.invoked.add_client_error("invoke", "RequestTooLargeException", http_status_code=413)
    deployed.expect_invocation(EVENT, f"{FUNCTION}:$LATEST")

    done = all_of(deployed)["UndeliveredEvents"]

    assert (done.redriven, done.remaining) == (1, 1)
    assert done.reasons == {
        "could not be sent again: RequestTooLargeException": 1,
        f"{FUNCTION}: InvalidArgument (RetriesExhausted)": 1,
    }


def test_a_run_that_ends_early_tells_what_it_has_done_and_gives_back_the_rest(
    deployed: Deployed,
) -> None:
    for _ in range(3):
        deployed.set_aside(json.dumps(RECORD), deployed.undelivered)
    deployed.expect_invocation(EVENT, f"{FUNCTION}:$LATEST")
    deployed.invoked.add_client_error("invoke", "AccessDeniedException", http_status_code=403)
    told: list[RedriveResult] = []

    with pytest.raises(ClientError, match="AccessDenied"):
        told.extend(redrive(deployed.stack, "UndeliveredEvents", None, dry_run=False))

    assert [(done.redriven, done.remaining) for done in told] == [(1, 2)]
    assert len(deployed.bodies(deployed.undelivered)) == 2


def test_an_event_that_a_rule_could_not_deliver_is_too(deployed: Deployed) -> None:
    deployed.set_aside(
        compact(EVENT), deployed.undelivered, TARGET_ARN=ARN, ERROR_CODE="NO_PERMISSIONS"
    )
    deployed.expect_invocation(EVENT)

    done = all_of(deployed)["UndeliveredEvents"]

    assert (done.redriven, done.remaining) == (1, 0)
    assert list(done.reasons) == [f"{FUNCTION}: NO_PERMISSIONS"]


@pytest.mark.parametrize(
    "body",
    [
        "not JSON",
        "[]",
        json.dumps(REQUEST),
        compact(EVENT),
        json.dumps({**RECORD, "requestContext": {"functionArn": ARN.replace(FUNCTION, "other"),
                                                 "condition": "RetriesExhausted"}}),
    ],
    ids=["no JSON", "no object", "no event", "no target", "a function of another stack"],
)  # fmt: skip
def test_what_cannot_be_delivered_stays_where_it_is(deployed: Deployed, body: str) -> None:
    deployed.set_aside(body, deployed.undelivered)

    done = all_of(deployed)["UndeliveredEvents"]

    assert (done.redriven, done.remaining) == (0, 1)


def test_it_is_told_why_but_never_what_a_message_says(deployed: Deployed) -> None:
    secret = "the secret is 42"
    asked = ({"summary": secret, "ref": ""}, {secret: 1})
    for body in (secret, *(json.dumps({**REQUEST, **each}) for each in asked)):
        deployed.sqs.send_message(QueueUrl=deployed.dead, MessageBody=body)
    deployed.set_aside(json.dumps(RECORD), deployed.undelivered)

    done = all_of(deployed, dry_run=True)

    told = [reason for each in done.values() for reason in each.reasons]
    assert "event ref is required for event candidates" in told
    assert "the request has an unknown field" in told
    assert len(told) == 4
    assert not any("secret" in reason for reason in told)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "a valid request: see the function's log"),
        ({"content": {"$upload": "u-1"}}, "a valid request: see the function's log"),
        ({"source": ""}, "candidate source is required"),
        ({"content": None}, "content is required for captures"),
        (
            {"source_kind": "tool_output", "content": {"tool_name": ""}},
            "tool name is required for tool output candidates",
        ),
    ],
)
def test_a_capture_is_looked_at_as_the_function_would(
    fields: Mapping[str, Any], reason: str
) -> None:
    capture = {"source": "agent", "content": {"project": "acme"}, **fields}
    place: Any = OneCapture(json.dumps(capture))

    (done,) = redrive(place, None, None, dry_run=True)

    assert dict(done.reasons) == {reason: 1}


class CrashError(Exception):
    """The end of a run."""


def test_a_crash_between_sending_and_deleting_sends_the_same_once_more(deployed: Deployed) -> None:
    message_id = deployed.set_aside(json.dumps(REQUEST), deployed.source)

    def crash(**_: Any) -> None:
        raise CrashError

    deployed.sqs.meta.events.register("before-call.sqs.DeleteMessage", crash)
    with pytest.raises(CrashError):
        list(redrive(deployed.stack, None, None, dry_run=False))
    deployed.sqs.meta.events.unregister("before-call.sqs.DeleteMessage", crash)

    all_of(deployed)

    keys = [json.loads(body)["idempotency_key"] for body in deployed.bodies(deployed.source)]
    assert keys == [message_id, message_id]


def test_a_message_that_its_key_would_make_too_large_stays(deployed: Deployed) -> None:
    body = json.dumps({"ref": "x" * (MAX_MESSAGE_BYTES - 12)})
    deployed.sqs.send_message(QueueUrl=deployed.dead, MessageBody=body)

    done = all_of(deployed)["IngestEventDeadLetters"]

    assert (done.redriven, done.remaining) == (0, 1)
    assert done.reasons == {"too large to be sent with the message id as the key": 1}


def test_a_queue_that_there_is_not_is_told_with_those_that_there_are(deployed: Deployed) -> None:
    with refuses("NOT_FOUND", match="the stack has: IngestEventDeadLetters, UndeliveredEvents"):
        all_of(deployed, only="IngestEventQueue")


class Caller(HttpClient):
    """A client of the stack in this process."""

    api: ClassVar[Api]

    def call(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        reply = self.api.call(method, path, body, headers=headers)
        return Answer(reply.status, reply.headers, reply.body)


def test_a_running_import_keeps_no_redrive_of_a_local_stack_waiting(api: Api) -> None:
    may_end = Event()
    deliveries = api.application.deliveries
    deliveries.agenda.add("ImportLinesFunction", may_end.wait)
    message_id = deliveries.queues["IngestEventDeadLetters"].send(json.dumps(REQUEST))
    Caller.api = api

    try:
        every = list(redrive(LocalQueues(Caller("in this process")), None, None, dry_run=False))
    finally:
        may_end.set()

    assert {
        done.queue.name: (done.redriven, done.remaining) for done in every if done.redriven
    } == {"IngestEventDeadLetters": (1, 0)}
    assert deliveries.agenda.wait_until_idle(PATIENCE_S)
    made = keyed_id(QUEUE_IDENTITY, "IngestEvent", message_id)
    assert api.get(f"/v1/records/{made}").status == 200


def test_it_knows_the_requests_of_every_queue_that_a_function_reads() -> None:
    sources = EventSources.of(read_template(TEMPLATE)).queue_sources

    of_what_changed = {"IndexQueue", "TopicQueue"}  # keys, scopes and reads, and no requests
    assert REQUESTS.keys() | of_what_changed == {source.queue for source in sources}
    for queue, row in REQUESTS.items():
        assert queue == f"{row.rpc.removesuffix('Memory')}Queue"
