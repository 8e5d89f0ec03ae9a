"""What `make rehearsal` leaves out: every route, other stacks, an upgrade, failures, what is left.

The tests run in this order, over the stacks of docs/operate.md.
"""

import json
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.vocabulary import Permission
from membrane_client import Gone, Membrane, NotFound
from tests.builders.requests import keyed_id
from tests.rehearsal.conftest import BESIDE, PROCESSOR
from tests.rehearsal.deployed import Deployed
from tests.rehearsal.rehearsal import (
    DEPLOY,
    EMPTY,
    EVENTS,
    OF_SAM,
    eventually,
    of_stack,
    refs,
    refused_template,
)
from tests.rehearsal.terminal import Terminal
from tests.sample_events import (
    NEEDED_BY,
    keep_sample_erasure,
    keep_sample_receipt,
    keep_sample_studies,
    sample_event,
    sample_events,
    sample_objects,
)
from tests.worlds.pages import ROOT
from tests.worlds.reads import without

Asked = dict[str, Any]
"""A request of tests/events, as API Gateway passes a request on."""

CHAT = "ChatModel=amazon.nova-lite-v1:0 ChatStreaming=true"
"""The emulated Bedrock answers every question with the same sentence."""
FORMER = "8369893f"
"""The revision of the repository that is deployed and then upgraded.

AWS takes every alarm of the revision. An alarm of each later revision read 11 metrics, until the
present alarms came; AWS takes ten. The table of the revision lacks the index `learning`. The stack
of the revision lacks 30 resources.
"""
FORMER_WRITES = (
    *("ingest_event_http", "ingest_tool_output_http", "ingest_observation_http"),
    *("ingest_working_state_http", "ingest_messages_http", "records_ingest", "records_pin"),
    *("topics_create", "topics_append_field"),
)
UPGRADED = "membrane-former"
EMPTYING = f"{sys.executable} -c '{EMPTY}'\naws s3 rb"
WITHOUT_CUSTOMER_KEY = {
    "--logical-resource-id Key ": "--logical-resource-id SigningKey ",
    'aws kms schedule-key-deletion --key-id "$key"': "true",
}
"""The blocks of the page for a stack with a key of its own."""
LISTED = (
    ("apigatewayv2", "get_apis", "Items", "ApiId"),
    ("apigatewayv2", "get_domain_names", "Items", "DomainName"),
    ("cloudformation", "describe_stacks", "Stacks", "StackName"),
    ("cloudwatch", "describe_alarms", "MetricAlarms", "AlarmName"),
    ("cloudwatch", "list_dashboards", "DashboardEntries", "DashboardName"),
    ("dynamodb", "list_tables", "TableNames", None),
    ("events", "list_event_buses", "EventBuses", "Name"),
    ("events", "list_rules", "Rules", "Name"),
    ("iam", "list_roles", "Roles", "RoleName"),
    ("lambda", "list_event_source_mappings", "EventSourceMappings", "UUID"),
    ("lambda", "list_functions", "Functions", "FunctionName"),
    ("lambda", "list_layers", "Layers", "LayerName"),
    ("logs", "describe_log_groups", "logGroups", "logGroupName"),
    ("s3", "list_buckets", "Buckets", "Name"),
    ("scheduler", "list_schedule_groups", "ScheduleGroups", "Name"),
    ("scheduler", "list_schedules", "Schedules", "Name"),
    ("sns", "list_topics", "Topics", "TopicArn"),
    ("sqs", "list_queues", "QueueUrls", None),
    ("stepfunctions", "list_state_machines", "stateMachines", "name"),
)
"""Service, operation, and the field and name of what the operation lists."""
FALLING = frozenset({"salience", "failed_salience", "salience_parts"})
"""Fields of records and topics that fall with time."""
FADES = {"decay": {"half_life_seconds": 1}}
"""Due for the sweep after ten seconds."""


def over_http(stack: Deployed, secret: str) -> httpx2.Client:
    headers = {"authorization": f"Bearer {secret}"}
    trust = ssl.create_default_context()
    return httpx2.Client(
        base_url=stack.outputs["ApiUrl"], headers=headers, verify=trust, timeout=60
    )


def ask(client: httpx2.Client, asked: Asked) -> httpx2.Response:
    """The reply to a request over HTTP, which is sent again after a 503, as on a busy machine."""
    kept = ("accept", "content-type", "idempotency-key", "mcp-")
    headers = {name: text for name, text in asked["headers"].items() if name.startswith(kept)}
    path = "?".join(filter(None, (asked["rawPath"], asked["rawQueryString"])))
    method, body = asked["requestContext"]["http"]["method"], asked.get("body")

    def reply() -> list[httpx2.Response]:
        given = client.request(method, path, content=body, headers=headers)
        return [given][: given.status_code != 503]

    (answered,) = eventually(reply)
    return answered


def is_success(reply: httpx2.Response) -> bool:
    """Whether all of a request succeeded; MCP has neither a stream nor the end of a session."""
    if reply.status_code == 405:
        return reply.headers["allow"] == "POST"
    return reply.is_success and '"error"' not in reply.text


def contents(memory: Membrane) -> dict[str, Any]:
    """All records and topics by id, without salience, which falls meanwhile."""
    records, topics = memory.list_records(), memory.list_topics()
    return {each.id: without(each.raw, FALLING) for each in records} | {
        each.id: without(memory.read_topic(each.id).raw, FALLING) for each in topics
    }


@pytest.fixture(scope="session")
def talking(terminal: Terminal, stack: Deployed) -> Deployed:
    """The stack with a model and a function URL."""
    terminal.run(f"{DEPLOY} --parameter-overrides {CHAT}")
    return stack


def test_every_route_answers(talking: Deployed) -> None:
    (api,) = talking.of_type("ApiGatewayV2::Api").values()
    routes = talking.client("apigatewayv2").get_routes(ApiId=api)["Items"]
    for keep in (keep_sample_receipt, keep_sample_erasure, keep_sample_studies):
        keep(talking.client("dynamodb"), talking.outputs["TableName"])
    for name, text in sample_objects().items():
        bucket = talking.outputs["BucketName"]
        talking.client("s3").put_object(Bucket=bucket, Key=name, Body=text)
    for needed in map(sample_event, NEEDED_BY["ingest_outcome"]):
        function = talking.of_type("Lambda::Function")[needed.function.logical_id]
        talking.invoke(function, needed.content)
    asked = {each.name: each.content for each in sample_events()}
    requests = {name: each for name, each in asked.items() if "rawPath" in each}
    del requests["authorizer_http"]

    with over_http(talking, talking.key("coding-agent")) as client:
        replies = {name: ask(client, each) for name, each in requests.items()}

    assert {name: each.text for name, each in replies.items() if not is_success(each)} == {}
    assert {each["routeKey"] for each in requests.values()} == {each["RouteKey"] for each in routes}


def test_a_conversation_is_streamed_by_the_function_url(talking: Deployed) -> None:
    address = talking.outputs["ChatStreamUrl"]

    frames = list(talking.memory.chat_stream("What does Ada like?", stream_url=address))

    assert [each.type for each in frames] == ["intent", "llm_round", "reply", "done"]


def test_the_conformance_cases_that_need_no_route_of_development_pass(
    terminal: Terminal, stack: Deployed
) -> None:
    said = terminal.run(f".ci/conformance '{stack.outputs['ApiUrl']}' {stack.secret}")

    assert "93/93 cases pass" in said


def test_dead_letters_and_undelivered_events_arrive_by_a_redrive(
    terminal: Terminal, stack: Deployed
) -> None:
    operator = principal_of("operator", Permission, ["*"], "hyper")
    target = keyed_id(operator.identity, "IngestEvent", "late")
    outcome = {"source": "ci", "target_record_id": target, "outcome_status": "success"}
    event = sample_event("ingest_outcome_bus").content | {"detail": outcome}
    stack.client("lambda").invoke(  # the bus of ministack tries a function once
        FunctionName=stack.of_type("Lambda::Function")["IngestOutcomeFunction"],
        InvocationType="Event",
        Payload=json.dumps(event),
    )
    letter = {"source": "ci", "event_kind": "build", "ref": "dead", "scope": EVENTS}
    queues, sqs = stack.of_type("SQS::Queue"), stack.client("sqs")
    dead = queues["IngestEventDeadLetters"]
    sqs.send_message(QueueUrl=dead, MessageBody=json.dumps(letter))
    count = "ApproximateNumberOfMessages"
    lost = {"QueueUrl": queues["UndeliveredEvents"], "AttributeNames": [count]}
    assert eventually(lambda: int(sqs.get_queue_attributes(**lost)["Attributes"][count]))

    stack.memory.ingest_event("build", "late", scope=EVENTS, idempotency_key="late")
    terminal.run(f".venv/bin/membrane redrive --stack {stack.name}")

    assert eventually(lambda: "dead" in refs(stack))
    late = eventually(lambda: stack.memory.retrieve_by_id(target).raw["payload"].get("outcome"))
    assert late == "success"


def test_a_second_stack_restores_an_export(
    folder: Path, terminal: Terminal, stack: Deployed
) -> None:
    beside = Deployed(BESIDE, stack.endpoint, terminal)
    file = folder / "all.ndjson"

    restored = terminal.run(
        f"export MEMBRANE_URL='{stack.outputs['ApiUrl']}' MEMBRANE_API_KEY={stack.secret}\n"
        f".venv/bin/membrane export {file} >&2\n"
        f".venv/bin/membrane import --stack {BESIDE} {file}\n"
    )

    assert " 0 refused" in restored
    with beside.memory as memory:
        assert contents(memory) == contents(stack.memory)


def test_an_update_that_fails_is_rolled_back_and_keeps_the_memory(
    terminal: Terminal, stack: Deployed
) -> None:
    before, outputs = contents(stack.memory), stack.outputs

    with (
        refused_template(RetrieveFunction=1_024) as refused,
        pytest.raises(AssertionError, match="UPDATE_ROLLBACK_COMPLETE"),
    ):
        terminal.run(f"{DEPLOY} --template {refused} --parameter-overrides RecoveryDays=7")

    assert stack.outputs == outputs
    assert contents(stack.memory) == before
    terminal.run(f".venv/bin/membrane doctor --stack {stack.name}")
    terminal.follow("Smoke test")


def test_a_stack_of_a_former_revision_is_upgraded(
    folder: Path, terminal: Terminal, stack: Deployed
) -> None:
    known = ["git", "cat-file", "-e", f"{FORMER}^{{commit}}"]
    has_history = subprocess.run(known, cwd=ROOT, check=False, capture_output=True).returncode == 0
    assert has_history, f"the clone lacks the revision {FORMER}: run `git fetch --unshallow`"
    former, place = Deployed(UPGRADED, stack.endpoint, terminal), folder / "former"
    terminal.run(
        f"mkdir {place}; git archive {FORMER} | tar -x -C {place}\n"
        f"ln -s $PWD/.venv $PWD/.venv-sam {place}\n"
        f"make -C {place} -o .venv/.ready -o .venv-sam/.ready build ARCHITECTURE={PROCESSOR}\n"
        f"{DEPLOY} --template {place}/.aws-sam/build/template.yaml --stack-name {former.name}\n"
    )
    packages = f"PYTHONPATH={place}/infra:{place}/layers/membrane:{place}/clients/python"
    secret = former.key("coding-agent", packages)
    with over_http(former, secret) as client:
        for name in FORMER_WRITES:
            asked = json.loads((place / f"tests/events/{name}.json").read_text())
            assert is_success(reply := ask(client, asked)), (name, reply.text)
    memory = stack.memory.with_options(url=former.outputs["ApiUrl"], api_key=secret)
    memory.ingest_observation("Ada", "likes", "tea", scope=EVENTS, source="ci")
    fading = memory.ingest_event("build", "fades", lifecycle=FADES, source="ci")
    functions = former.of_type("Lambda::Function")
    former.invoke(functions["AnchorFunction"], {})
    before, outputs = contents(memory), former.outputs
    assert before.keys() > {fading.id}

    terminal.run(
        f".venv/bin/membrane check --stack {former.name}\n"
        f"{DEPLOY} --stack-name {former.name}\n"
        f".venv/bin/membrane doctor --stack {former.name}\n"
        f".venv/bin/membrane verify --stack {former.name}\n"
    )

    assert former.outputs == outputs
    former.invoke(functions["DecayFunction"], sample_event("decay_schedule").content)
    with pytest.raises((Gone, NotFound)):
        eventually(lambda: memory.retrieve_by_id(fading.id) is None)
    del before[fading.id]
    assert contents(memory) == before
    assert memory.recall("What does Ada like?", scope=EVENTS).records
    memory.ingest_event("build", "after", thread_id="thread-7")
    terminal.run(f".venv/bin/membrane reindex --stack {former.name}")


def test_a_deleted_stack_comes_back_over_its_table(terminal: Terminal, stack: Deployed) -> None:
    noise = "".join(f"{n * n:x}" for n in range(40_000))
    stack.memory.ingest_tool_output("noise", result=noise, scope="smoke")
    before, outputs = contents(stack.memory), stack.outputs
    table, bucket = outputs["TableName"], outputs["BucketName"]
    signing = stack.of_type("KMS::Key")["SigningKey"]

    terminal.run(
        f"aws cloudformation delete-stack --stack-name {stack.name}\n"
        f"aws cloudformation wait stack-delete-complete --stack-name {stack.name}\n"
    )
    *_, deploy = terminal.run(f".venv/bin/membrane recover --table {table}").splitlines()
    terminal.run(deploy)
    copy = f"aws s3 sync s3://{bucket}/blobs s3://{stack.outputs['BucketName']}/blobs"
    recover = f".venv/bin/membrane recover --table {table} --stack {stack.name}"
    assert "0 lost" in terminal.run(f"{copy}\n{recover}")

    assert contents(stack.memory.with_options(url=stack.outputs["ApiUrl"])) == before
    terminal.run(f".venv/bin/membrane doctor --stack {stack.name}")
    terminal.run(f".venv/bin/membrane verify --stack {stack.name}")
    terminal.run(
        f"export bucket={bucket}\n{EMPTYING} s3://{bucket}\n"
        f"aws kms schedule-key-deletion --key-id {signing}\n"
    )


def test_a_removal_leaves_what_the_page_says_and_nothing_else(
    terminal: Terminal, stack: Deployed
) -> None:
    for name in (stack.name, UPGRADED):
        terminal.follow(
            "Removal", {"aws s3 rb": EMPTYING, **WITHOUT_CUSTOMER_KEY, **of_stack(name)}
        )
    terminal.follow("Removal", {"aws s3 rb": EMPTYING, **of_stack(BESIDE)})

    left = {
        f"{service} {each[name] if name else each}"
        for service, listing, field, name in LISTED
        for each in getattr(stack.client(service), listing)().get(field, [])
    }

    (uploads,) = Deployed(OF_SAM, stack.endpoint, terminal).of_type("S3::Bucket").values()
    assert left == {
        *("events default", "scheduler default"),
        *(f"cloudformation {OF_SAM}", f"s3 {uploads}"),
    }
    assert stack.client("iam").list_policies(Scope="Local")["Policies"] == []
    kms = stack.client("kms")
    found = (kms.describe_key(KeyId=each["KeyId"]) for each in kms.list_keys()["Keys"])
    assert {each["KeyMetadata"]["KeyState"] for each in found} == {"PendingDeletion"}
