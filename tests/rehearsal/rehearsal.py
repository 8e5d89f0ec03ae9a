"""The life of a stack in an emulated account: docs/operate.md from the credentials to the removal.

The tests run in this order, over one stack. Each function acts under its own role.
"""

import asyncio
import json
import os
import re
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import mcp
import pytest
import yaml
from mcp.client.streamable_http import streamable_http_client

from membrane_client import Forbidden, Membrane, ServerError, check_certificate
from membrane_local.template import read_document
from tests.e2e.programs import NODE
from tests.rehearsal.conftest import BESIDE
from tests.rehearsal.deployed import Deployed
from tests.rehearsal.terminal import Terminal
from tests.sample_events import sample_event
from tests.worlds.pages import ROOT, manual

T = TypeVar("T")

DONE_WITHIN_S = 180
"""For work in the background, on a busy machine."""
EVENTS = "events"
"""The scope of requests without an API key."""
DIRECT = {
    "actor_id": "direct",
    "permissions": ["ingest"],
    "scopes": [EVENTS],
    "max_sensitivity": "low",
}
DEPLOY = f".venv-sam/bin/sam deploy --config-file {ROOT}/infra/samconfig.toml"
EMPTY = (
    'import boto3, os; boto3.resource("s3").Bucket(os.environ["bucket"]).object_versions.delete()'
)
"""For the button "Empty" of the console."""
ASKS_FOR_TABLE = (
    "aws cloudformation describe-stack-resource --stack-name membrane --logical-resource-id Table"
    " --output text --query StackResourceDetail.PhysicalResourceId"
)
"""The emulator forgets the resources of a stack that was rolled back."""
RELEASED = "membrane-release"
"""A third stack, of a release."""
OF_SAM = "aws-sam-cli-managed-default"
"""The stack of the bucket that `sam deploy` uploads to."""
MANUAL = "# Payments\n\nThe payment service takes cards.\n\n# Refunds\n\nA refund takes a day.\n"


def eventually(look: Callable[[], T]) -> T:
    """What `look` finds, as soon as that is true."""
    end = time.monotonic() + DONE_WITHIN_S
    while not (found := look()):
        assert time.monotonic() < end, f"not within {DONE_WITHIN_S} seconds"
        time.sleep(0.5)
    return found


def of_stack(name: str) -> dict[str, str]:
    """The changes of a page for a stack of another name."""
    return {f"--stack-name membrane{end}": f"--stack-name {name}{end}" for end in " \n"}


def tables(stack: Deployed) -> list[str]:
    return list(stack.client("dynamodb").list_tables()["TableNames"])


@contextmanager
def refused_template(**sizes: int) -> Iterator[Path]:
    """The built template with an alarm that AWS refuses; `sizes` are megabytes by function."""
    refused = ROOT / ".aws-sam/build/refused.yaml"
    template = read_document(ROOT / ".aws-sam/build/template.yaml")
    template["Resources"]["CostAlarm"]["Properties"]["Metrics"] *= 3  # above ten
    for function, size in sizes.items():
        template["Resources"][function]["Properties"]["MemorySize"] = size
    refused.write_text(yaml.safe_dump(template))
    yield refused
    refused.unlink()


def remove(table: str, terminal: Terminal) -> None:
    terminal.run(
        f"aws dynamodb update-table --table-name {table} --no-deletion-protection-enabled\n"
        f"aws dynamodb delete-table --table-name {table}"
    )


def keys(stack: Deployed) -> dict[str, str]:
    """The state of each KMS key of the account, by description."""
    kms = stack.client("kms")
    found = (kms.describe_key(KeyId=each["KeyId"]) for each in kms.list_keys()["Keys"])
    described = (each["KeyMetadata"] for each in found)
    return {each["Description"]: each["KeyState"] for each in described}


def refs(stack: Deployed) -> set[str]:
    """The references of the events that came without an API key."""
    records = stack.memory.list_records(scope=EVENTS, type="episodic")
    return {str(event["ref"]) for each in records for event in each.raw["payload"]["timeline"]}


def test_the_deployed_stack_lacks_nothing(terminal: Terminal, stack: Deployed) -> None:
    found = terminal.run(f".venv/bin/membrane doctor --stack {stack.name}")

    assert {line.split("\t")[0] for line in found.splitlines()} == {"ok"}


def test_every_route_leads_to_a_function(stack: Deployed) -> None:
    (api,) = stack.of_type("ApiGatewayV2::Api").values()
    gateway = stack.client("apigatewayv2")
    functions = stack.of_type("Lambda::Function").values()

    targets = {
        f"integrations/{each['IntegrationId']}": each["IntegrationUri"]
        for each in gateway.get_integrations(ApiId=api)["Items"]
    }
    routes = gateway.get_routes(ApiId=api)["Items"]

    assert routes
    for route in routes:
        name = targets[route["Target"]].partition(":function:")[2].partition("/")[0]
        assert name in functions, route["RouteKey"]


@pytest.mark.usefixtures("stack")
def test_the_smoke_test_passes(terminal: Terminal) -> None:
    terminal.follow("Smoke test")


def test_the_first_hour_shows_what_the_page_says(terminal: Terminal, stack: Deployed) -> None:
    shown = ".venv/bin/membrane list --scope smoke --type"
    table = {"TableName": stack.outputs["TableName"], "VectorIndexName": "vectors_512"}
    searched = {  # ministack counts no request of a table
        "MetricName": "VectorSearchRequestBytes",
        "Dimensions": [{"Name": name, "Value": value} for name, value in table.items()],
        "StatisticValues": {"SampleCount": 2, "Sum": 8_000, "Minimum": 4_000, "Maximum": 4_000},
    }
    stack.client("cloudwatch").put_metric_data(Namespace="AWS/DynamoDB", MetricData=[searched])

    topic, facts, *others = terminal.follow("The first hour", {shown: f"echo ---; {shown}"})

    listed = facts.partition("---")[2]
    assert '"topic_id"' in topic
    assert "Lambda" in listed
    assert "EC2" not in listed
    assert "4,000" in "".join(others)


def test_keys_are_made_and_revoked(terminal: Terminal, stack: Deployed) -> None:
    listed = f".venv/bin/membrane keys list --stack {stack.name}"

    (output,) = terminal.follow("Keys", {"1f0c": f"$({listed} | grep my-agent | cut -f1)"})

    assert "my-agent" in output
    assert "revoked" in output


def test_a_revoked_key_is_refused_at_once(terminal: Terminal, stack: Deployed) -> None:
    place = f"--stack {stack.name}"
    made = f".venv/bin/membrane keys create {place} --actor gone --permission read --scope a"
    *_, key = terminal.run(made).splitlines()

    with Membrane(stack.outputs["ApiUrl"], key) as memory:
        memory.get_metrics()
        listed = f".venv/bin/membrane keys list {place} | grep gone | cut -f1"
        terminal.run(f".venv/bin/membrane keys revoke $({listed}) {place}")
        with pytest.raises(Forbidden):
            memory.get_metrics()


def test_a_function_of_each_route_answers_the_python_client(stack: Deployed) -> None:
    memory, scope = stack.memory, "rehearsal"

    event = memory.ingest_event("build", "1", summary="The build failed", scope=scope)
    memory.ingest_tool_output("git", args={"verb": "log"}, result={"commits": 3}, scope=scope)
    fact = memory.ingest_observation("Alice", "lives in", "Paris", scope=scope)
    memory.ingest_outcome(event.id, "failure", reason="A test failed")
    memory.ingest_working_state("t1", "executing", scope=scope)
    memory.ingest_messages([{"role": "user", "content": "I like tea"}], thread_id="t1", scope=scope)
    memory.capture_memory({"text": "Alice works at Acme"}, scope=scope)
    memory.ingest_batch([{"rpc": "IngestEvent", "source": "ci", "event_kind": "build", "ref": "2"}])
    memory.retract(fact.id, rationale="A rehearsal")
    memory.put_document(["notes"], "first", {"text": "A note"}, scope=scope)
    memory.create_topic("Payments", scope=scope)
    memory.open_upload(3, "0" * 64, scope=scope)

    assert memory.health().status == "ok"
    assert memory.retrieve_by_id(event.id).id == event.id
    assert memory.get_metrics().raw
    assert memory.preview_decay(trust={"scopes": [scope]}).raw
    assert memory.recall(scope=scope).records
    assert memory.query_topics("payments").raw
    assert memory.reason(scope=scope).raw
    assert memory.list_tools().tools
    assert memory.list_exports().raw
    with pytest.raises(ServerError, match="ChatModel"):
        memory.chat("What do I like?")


def test_a_parameter_is_changed(terminal: Terminal, stack: Deployed) -> None:
    principal = json.dumps(DIRECT, separators=(",", ":"))
    quoted = principal.replace('"', r"\"")
    before = stack.outputs

    terminal.run(
        f".venv/bin/membrane check --stack {stack.name} --parameter 'DirectPrincipal={principal}'"
        " --parameter UseCustomerKey=true\n"
        f"{DEPLOY} --parameter-overrides UseCustomerKey=true 'DirectPrincipal=\"{quoted}\"'"
    )

    assert stack.outputs == before


def test_requests_arrive_in_six_ways(stack: Deployed) -> None:
    def event(ref: str) -> dict[str, str]:
        return {"source": "rehearsal", "event_kind": "build", "ref": ref, "scope": EVENTS}

    stack.memory.ingest_event("build", "http", scope=EVENTS)
    stack.memory.ingest_batch([{"rpc": "IngestEvent", **event("batch")}])
    stack.invoke(stack.of_type("Lambda::Function")["IngestEventFunction"], event("direct"))
    detail = {"DetailType": "IngestEvent", "Detail": json.dumps(event("bus")), "Source": "app"}
    bus = stack.outputs["EventBusName"]
    stack.client("events").put_events(Entries=[detail | {"EventBusName": bus}])
    queue = stack.of_type("SQS::Queue")["IngestEventQueue"]
    stack.client("sqs").send_message(QueueUrl=queue, MessageBody=json.dumps(event("queue")))
    line = json.dumps({"rpc": "IngestEvent", **event("import")})
    bucket = stack.outputs["BucketName"]
    stack.client("s3").put_object(Bucket=bucket, Key="imports/rehearsal.ndjson", Body=line.encode())

    ways = {"http", "batch", "direct", "bus", "queue", "import"}
    assert eventually(lambda: ways <= refs(stack))


def test_what_schedules_start_ends_well(stack: Deployed) -> None:
    group = stack.of_type("Scheduler::ScheduleGroup")["Schedules"]
    scheduler = stack.client("scheduler")

    schedules = scheduler.list_schedules(GroupName=group)["Schedules"]

    assert len(schedules) == len(stack.of_type("Scheduler::Schedule"))
    for each in schedules:
        target = scheduler.get_schedule(GroupName=group, Name=each["Name"])["Target"]
        event = target.get("Input") or json.dumps(sample_event("decay_schedule").content)
        stack.invoke(target["Arn"], json.loads(event))


def test_a_study_runs_through_the_state_machine(stack: Deployed) -> None:
    started = stack.memory.start_study(MANUAL, "Payments", scope="manuals")

    *_, study = stack.memory.study_steps(started.id)

    (machine,) = stack.of_type("StepFunctions::StateMachine").values()
    executions = stack.client("stepfunctions").list_executions(stateMachineArn=machine)
    assert study.state == "done", study.raw
    assert [each["status"] for each in executions["executions"]] == ["SUCCEEDED"]
    assert {"Payments", "Refunds"} <= {
        each.title for each in stack.memory.list_topics(scope="manuals")
    }


def test_an_export_is_written_and_restored(
    folder: Path, terminal: Terminal, stack: Deployed
) -> None:
    file = folder / "events.ndjson"

    written, restored = terminal.run(
        f"export MEMBRANE_URL='{stack.outputs['ApiUrl']}' MEMBRANE_API_KEY={stack.secret}\n"
        f".venv/bin/membrane export --scope {EVENTS} {file}\n"
        "echo ---\n"
        f".venv/bin/membrane import --stack {stack.name} {file}\n"
    ).split("---")

    assert str(len(list(stack.memory.list_records(scope=EVENTS)))) in written
    assert " 0 refused" in restored


def test_the_client_of_the_mcp_sdk_remembers_and_recalls(stack: Deployed) -> None:
    async def run() -> Any:
        headers = {"authorization": f"Bearer {stack.secret}"}
        trust = ssl.create_default_context()
        async with httpx2.AsyncClient(headers=headers, timeout=60, verify=trust) as http:
            transport = streamable_http_client(f"{stack.outputs['ApiUrl']}/mcp", http_client=http)
            async with mcp.Client(transport) as client:
                fact = {"text": "Bob prefers tea", "scope": "mcp"}
                await client.call_tool("remember", fact)
                return await client.list_tools()

    tools = asyncio.run(run()).tools

    assert {"recall", "remember", "forget"} <= {each.name for each in tools}
    assert eventually(lambda: stack.memory.recall("What does Bob prefer?", scope="mcp").records)


def test_a_scope_is_erased_with_a_certificate(stack: Deployed) -> None:
    record = stack.memory.ingest_event("build", "secret", scope="user:alice")

    erasure = stack.memory.forget(scope="user:alice", reason="1", dry_run=False)

    proof = stack.memory.certificate(erasure.id)
    check_certificate(proof)
    assert record.id in {entry["id"] for entry in proof.raw["entries"]}
    assert list(stack.memory.list_records(scope="user:alice")) == []


def test_every_function_has_run(folder: Path, terminal: Terminal, stack: Deployed) -> None:
    terminal.run(f".venv/bin/membrane verify --stack {stack.name}")

    started = set(re.findall(r"worker spawned for (\S+)", (folder / "emulator.log").read_text()))

    functions = stack.of_type("Lambda::Function").items()
    assert [name for name, given in functions if given not in started] == []


@pytest.fixture(scope="module")
def release(folder: Path, stack: Deployed) -> Path:
    """The folder of a release, of the build that `stack` has."""
    made = folder / "release"
    stack.terminal.run(f"make -o build artefacts RELEASE={made} >/dev/null")
    return made


def test_a_release_is_deployed_as_the_page_says(
    terminal: Terminal, stack: Deployed, release: Path
) -> None:
    changes = {
        "cd membrane-0.1.0": f"cd {release}",
        "--stack-name membrane ": f"--stack-name {RELEASED} ",
        " ArtifactPrefix": " UseCustomerKey=true ArtifactPrefix",  # as the removal shows
    }

    terminal.follow("Deploy a release", changes)

    deployed = Deployed(RELEASED, stack.endpoint, terminal)
    with deployed.memory as memory:
        fact = memory.ingest_observation("Alice", "lives in", "Paris", scope="release")
        assert memory.retrieve_by_id(fact.id).id == fact.id
        assert memory.query_topics("payments").raw


def test_the_cdk_makes_the_stack_of_the_release(folder: Path, release: Path) -> None:
    (lines,) = (each for each in manual("deploy-elsewhere").snippets if each.language == "js")
    app = folder / "cdk/app.mjs"
    app.parent.mkdir()
    app.write_text(lines.text.replace("membrane-0.1.0", str(release)))
    (app.parent / "node_modules").symlink_to(ROOT / ".venv-cdk/node_modules")

    subprocess.run(
        [NODE, app],
        check=True, capture_output=True, env={**os.environ, "CDK_OUTDIR": str(app.parent)},
    )  # fmt: skip

    made = json.loads((app.parent / "membrane.template.json").read_text())
    text = (release / "template.json").read_text().replace("${ArtifactPrefix}", "membrane/0.1.0/")
    template = json.loads(re.sub(r'\{\s*"Ref": "ArtifactBucket"\s*\}', '"my-artifacts"', text))
    assert made["Resources"] == template["Resources"]
    assert made["Outputs"] == template["Outputs"]
    assert template["Parameters"].keys() - made["Parameters"].keys() == {
        "ArtifactBucket",
        "ArtifactPrefix",
    }


def test_a_first_deployment_that_fails_leaves_what_the_page_says(
    terminal: Terminal, stack: Deployed
) -> None:
    failed = "membrane-failing"

    with refused_template() as refused, pytest.raises(AssertionError, match="ROLLBACK_COMPLETE"):
        terminal.run(f"{DEPLOY} --template {refused} --stack-name {failed}")

    (table,) = (each for each in tables(stack) if each.startswith(failed))
    assert keys(stack)[f"Signatures of {failed}"] == "PendingDeletion"
    named = f"--stack-name {failed}\n"
    terminal.follow("Rollback", {ASKS_FOR_TABLE: f"echo {table}", "--stack-name membrane\n": named})
    remove(table, terminal)


@pytest.mark.usefixtures("stack")
def test_vectors_are_made_again(terminal: Terminal) -> None:
    terminal.follow("Change the embedder")


def test_the_memory_comes_back_after_a_loss(terminal: Terminal, stack: Deployed) -> None:
    (former,) = stack.of_type("DynamoDB::Table").values()
    now = datetime.now(UTC).isoformat(timespec="seconds")

    *_, recovered = terminal.follow("A bad write", {"2026-11-21T10:00:00Z": now})
    terminal.run(recovered.strip().splitlines()[-1])

    terminal.run(f".venv/bin/membrane doctor --stack {stack.name}")
    terminal.follow("Smoke test")
    remove(former, terminal)


def test_a_removal_leaves_keys_that_wait_for_their_deletion_and_nothing_else(
    terminal: Terminal, stack: Deployed
) -> None:
    empty = f"{sys.executable} -c '{EMPTY}'\naws s3 rb"

    for name in (stack.name, BESIDE, RELEASED):
        terminal.follow("Removal", {"aws s3 rb": empty, **of_stack(name)})

    stacks = stack.client("cloudformation").list_stacks()["StackSummaries"]
    left = {each["StackName"] for each in stacks if each["StackStatus"] != "DELETE_COMPLETE"}
    assert left == {OF_SAM}
    assert stack.client("lambda").list_functions()["Functions"] == []
    assert stack.client("iam").list_roles()["Roles"] == []
    assert stack.client("sqs").list_queues().get("QueueUrls", []) == []
    assert tables(stack) == []
    buckets = [each["Name"] for each in stack.client("s3").list_buckets()["Buckets"]]
    assert [each for each in buckets if each.startswith("membrane")] == []
    assert set(keys(stack).values()) == {"PendingDeletion"}
