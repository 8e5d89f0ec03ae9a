"""Every command and every example of the README, done as it says."""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from membrane.adapters.aws_lambda.routes.table import OPERATIONS
from membrane.domain.ingest.full_records import MAX_ITEMS
from membrane.domain.language.fields import MAX_TAG_CHARACTERS, MAX_TAGS, MAX_TEXT_CHARACTERS
from membrane.domain.language.json_text import MAX_DEPTH
from membrane.domain.language.values import MAX_VALUE_BYTES
from membrane.domain.records.idempotency import keyed_id
from membrane.domain.records.limits import MAX_PAYLOAD_BYTES
from membrane.domain.records.uploads import CLAIM_PERIOD, MAX_CLAIMS
from membrane.usecases.ports.uploads import DOWNLOAD_LINK_PERIOD, UPLOAD_LINK_PERIOD
from membrane_local.template import read_template
from tests.builders.principals import BUS_IDENTITY
from tests.e2e.stack import Stack
from tests.worlds.pages import INFRA_README, README

ROOT = Path(__file__).parents[2]
COMMANDS: list[str] = re.findall(r"```sh\n(.*?)```", README + INFRA_README, re.DOTALL)
DEV = ".venv/bin/membrane dev"
ADDRESS = "http://127.0.0.1:8765"
NO_AWS = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_MAX_ATTEMPTS": "1"}
"""In the environment of a command that needs AWS: it finds nobody there."""


SHELLS = {"bash": ["bash", "-e", "-s"], "zsh": ["zsh", "-f", "-i", "-e", "-s"]}
"""zsh as an interactive shell without a profile: what macOS' terminal runs by default."""
Shell = Callable[[str], str]


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> Shell:
    """Runs a block as pasted into one of the shells; gives the block's standard output."""
    program, *options = SHELLS[request.param]
    found = shutil.which(program)
    assert found, f"{program} is missing: sudo apt-get install {program}"

    def run(command: str) -> str:
        done = subprocess.run(
            [found, *options],
            input=f"{command}\n", capture_output=True, text=True, check=False, cwd=ROOT,
            start_new_session=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def refused(command: str, **environment: str) -> str:
    """What a command says that does not succeed, nor breaks."""
    done = subprocess.run(
        shlex.split(command),
        capture_output=True, text=True, check=False, cwd=ROOT,
        stdin=subprocess.DEVNULL, env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def command_with(text: str) -> str:
    """The example that has it."""
    (command,) = [each for each in COMMANDS if text in each]
    return command


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 300


def test_its_commands_are_those_that_are_tested_here() -> None:
    tested = [
        "make demo",
        DEV,
        "first-fact",
        "consistency_tokens",
        "on_conflict",
        "/decay/preview",
        "sam deploy",
        "make test",
        "keys create --url",
        "--user-required",
        "/v1/uploads",
        "/v1/messages",
        "/_dev/events",
        "topics ingest",
    ]

    assert [command_with(text) for text in tested] == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_has_a_comment_which_an_interactive_zsh_takes_for_arguments(
    command: str,
) -> None:
    assert not re.search(r"(^|\s)#", command)


def test_the_stack_of_these_tests_has_the_options_that_are_shown(stack: Stack) -> None:
    port, key = ("--port", urlsplit(ADDRESS).netloc.rpartition(":")[2]), ("--api-key", stack.secret)

    assert command_with(DEV).split() == [*DEV.split(), *port, *key]


def test_make_demo_ends_well() -> None:
    demo = command_with("make demo").split()

    done = subprocess.run(demo, capture_output=True, text=True, check=True, cwd=ROOT)

    assert "6. What this costs on AWS" in done.stdout


def test_the_make_commands_run_what_they_say(shell: Shell) -> None:
    both = command_with("make demo") + command_with("make test")

    shown = shell(both.replace("make", "make --dry-run"))

    assert "membrane demo" in shown
    assert "pytest" in shown


def test_make_tests_runs_the_tests_though_a_folder_has_its_name() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "tests"], capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert "bin/pytest" in done.stdout


def test_make_help_lists_the_targets() -> None:
    done = subprocess.run(["make", "help"], capture_output=True, text=True, check=True, cwd=ROOT)

    assert all(f"make {target} " in done.stdout for target in ("demo", "test", "check", "bench"))


def test_the_request_has_the_answer_that_is_shown(stack: Stack, shell: Shell) -> None:
    command = command_with("first-fact")
    (shown,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)

    first = json.loads(shell(command.replace(ADDRESS, stack.url)))
    again = shell(command.replace("curl -s", "curl -si").replace(ADDRESS, stack.url))

    record, expected = settled(first["record"]), settled(json.loads(shown)["record"])
    assert record | expected | {"payload": record["payload"] | expected["payload"]} == record
    assert "200 OK" in again.splitlines()[0]
    assert "idempotency-replayed: true" in again
    assert json.loads(again.splitlines()[-1])["record"]["id"] == first["record"]["id"]


def test_the_key_commands_work(stack: Stack, shell: Shell) -> None:
    shown = shell(command_with("keys create --url").replace(ADDRESS, stack.url))

    assert "my-agent" in shown
    assert "ingest, read" in shown


def test_what_one_user_reports_no_other_user_reads(stack: Stack, shell: Shell) -> None:
    shown = shell(command_with("--user-required").replace(ADDRESS, stack.url))

    made, alices, bobs, nobodys = map(json.loads, shown.splitlines())
    assert made["record"]["scope"] == "tenant:acme:user:alice"
    assert made["record"]["id"] in [each["id"] for each in alices["records"]]
    assert made["record"]["id"] not in [each["id"] for each in bobs["records"]]
    assert nobodys["status"] == 403


def test_the_first_program_does_what_is_said_of_it(stack: Stack) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    lines = [line for line in program.splitlines() if line]

    done = subprocess.run(
        [sys.executable, "-c", program.replace(ADDRESS, stack.url)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert len(lines) <= 15
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "- alice noted Alice is allergic to peanuts",
        "- Alice lives in Porto",
        "Globex sees: []",
    ]


def test_what_was_just_reported_is_retrieved(stack: Stack, shell: Shell) -> None:
    shown = shell(command_with("consistency_tokens").replace(ADDRESS, stack.url))

    answer = json.loads('{"records":' + shown.rpartition('{"records":')[2])
    assert answer["records"][0]["payload"]["object"] == "sessions in Redis, for 20 minutes"
    assert stack.call("GET", f"/v1/receipts/{answer['receipt_id']}")[0] == 200


def test_a_fact_that_is_replaced_leads_to_the_new_one_and_is_found_as_of_then(
    stack: Stack, shell: Shell
) -> None:
    shown = shell(command_with("on_conflict").replace(ADDRESS, stack.url))

    replies = [json.loads(each) for each in re.split(r"(?<=\})(?=\{)", shown)]
    new, latest, versions, then, counted = replies
    old = then["records"][0]
    stack.call("GET", "/_dev/queues?wait")
    assert latest["record"]["id"] == new["record"]["id"]
    assert new["record"]["payload"]["revision"]["supersedes"] == old["id"]
    assert [each["number"] for each in versions["versions"]] == [1, 2]
    assert old["payload"]["object"] == "three servers"
    _, counted_since = stack.call("GET", "/v1/metrics")
    assert counted_since["snapshot"].keys() == counted["snapshot"].keys()
    assert counted_since["snapshot"]["total_records"] >= 2


def test_what_is_told_twice_of_a_topic_is_told_of_one(stack: Stack, shell: Shell) -> None:
    shown = shell(command_with("topics ingest").replace(ADDRESS, stack.url))

    first, second, _, answer = (json.loads(each) for each in re.split(r"(?<=\})(?=\{)", shown))
    (found,) = answer["candidates"]
    assert first["placement"]["decision"] == "new_topic"
    assert second["placement"]["resolved_by"] == "title"
    assert first["topic_id"] == second["topic_id"] == found["topic_id"]
    assert [each["value"] for each in found["fields"][0]["history"]] == ["Ockham", "London"]


def test_what_fades_is_pruned_with_its_audit_left_and_can_be_restored(
    stack: Stack, shell: Shell
) -> None:
    shown = shell(command_with("/decay/preview").replace(ADDRESS, stack.url))

    assert re.search(r'"salience":0\.(4499|45)', shown)
    assert "R " in shown, "the reinforcement is marked"
    assert '"today":[1,1,1,1],"preview":[0,' in shown
    assert "auto-pruned: salience fell to 0.001" in shown
    assert '"verified":true' in shown
    assert "restored: it is needed after all" in shown


def test_a_batch_a_file_and_an_event_go_in_and_what_was_set_aside_goes_again(
    stack: Stack, shell: Shell
) -> None:
    report = {"source": "ci", "event_kind": "build", "ref": "15"}
    stack.call("POST", "/_dev/queues/IngestEventDeadLetters", {"body": report})

    shown = shell(command_with("/_dev/events").replace(ADDRESS, stack.url))

    (event_id,) = re.findall(r'"EventId": "(.*?)"', shown)
    made = keyed_id(BUS_IDENTITY, "IngestEvent", event_id)
    assert stack.call("GET", f"/v1/records/{made}")[0] == 200
    assert shown.startswith('{"results":[{"status":201,"record":')
    assert "4 lines: 4 created, 0 replayed, 0 refused" in shown
    assert re.search(r"IngestEventDeadLetters\t1\t0", shown)


def test_a_large_value_is_uploaded_claimed_and_linked_to(
    stack: Stack, shell: Shell, tmp_path: Path
) -> None:
    command = command_with("/v1/uploads").replace("/tmp", str(tmp_path))  # noqa: S108 - not there

    record = json.loads(shell(command.replace(ADDRESS, stack.url)))["record"]

    content = (tmp_path / "log.json").read_bytes()
    blob = record["payload"]["tool_graph"][0]["result"]["$blob"]
    assert MAX_PAYLOAD_BYTES < len(content) == blob["size"]
    assert blob["sha256"] == hashlib.sha256(content).hexdigest()
    with urlopen(blob["url"], timeout=60) as reply:  # noqa: S310 - loopback
        assert reply.read() == content


def test_a_conversation_is_answered_with_its_turns(stack: Stack, shell: Shell) -> None:
    told = json.loads(shell(command_with("/v1/messages").replace(ADDRESS, stack.url)))

    assert (told["thread_id"], told["next_turn"] - told["first_turn"]) == ("s-1", 2)
    events = [each["payload"]["timeline"][0]["summary"] for each in told["records"]]
    assert events == ["I moved to Lisbon", "Noted, Ada."]


def test_what_needs_aws_is_understood_and_looks_for_it() -> None:
    build, check, deploy, create = command_with("sam deploy").splitlines()
    dry = subprocess.run(
        [*build.split(), "--dry-run"], capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert "sam build" in dry.stdout
    assert "Could not connect" in refused(check, **NO_AWS)
    assert "Could not connect" in refused(deploy, SAM_CLI_TELEMETRY="0", **NO_AWS)
    assert "Could not connect" in refused(create, **NO_AWS)


def test_the_limits_are_those_of_the_code() -> None:
    (limits,) = re.findall(r"(A text has at most .*?)\n\n", README, re.DOTALL)

    shown = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", limits)]

    assert shown == [
        MAX_TEXT_CHARACTERS,
        MAX_TAGS,
        MAX_TAG_CHARACTERS,
        MAX_VALUE_BYTES,
        MAX_DEPTH,
        MAX_PAYLOAD_BYTES / 2**20,
        MAX_ITEMS,
        MAX_CLAIMS,
        UPLOAD_LINK_PERIOD / timedelta(minutes=1),
        CLAIM_PERIOD / timedelta(hours=1),
        DOWNLOAD_LINK_PERIOD / timedelta(minutes=1),
    ]


def test_the_api_table_is_the_route_table() -> None:
    form = r"^\| (\w+).*?\| `(\w+ /\S+)` \| (\w+) \| (\d+) \|$"
    rows = re.findall(form, README + INFRA_README, re.MULTILINE)

    expected = {
        (each.rpc, each.route, str(each.permission), str(each.status)) for each in OPERATIONS
    }
    assert set(rows) == expected | {("health", "GET /health", "none", "200")}


def test_the_layout_names_what_is_there() -> None:
    (table,) = re.findall(r"## Tests and layout\n(.*?)##", README, re.DOTALL)

    for place in re.findall(r"^\| `([^`]+)`", table, re.MULTILINE):
        assert (ROOT / place).exists(), place


def test_every_difference_names_a_test_that_there_is() -> None:
    named = re.findall(r"`(?:tests/)?([\w/]+\.py)(?:::(\w+))?` \|$", INFRA_README, re.MULTILINE)

    assert len(named) >= 14
    for place, test in named:
        files = (ROOT / "tests").rglob(place)
        assert any(f"def {test}" in file.read_text() for file in files), (place, test)


def test_every_parameter_of_the_template_is_described() -> None:
    (table,) = re.findall(r"## Configuration\n(.*)", README, re.DOTALL)
    described = set(re.findall(r"`([A-Z]\w+[a-z]\w*)`", table))

    assert described == set(read_template(ROOT / "template.yaml").parameters)


def settled(value: Any) -> Any:
    """The value with what differs from call to call replaced by what it is."""
    match value:
        case dict():
            return {name: settled(each) for name, each in value.items()}
        case list():
            return [settled(each) for each in value]
        case str():
            kinds = (kind for pattern, kind in KINDS if re.fullmatch(pattern, value))
            return next(kinds, value)
        case _:
            return value


KINDS = [
    (r"[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID of version 8"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "timestamp"),
    (r"(sha256:)?[0-9a-f]{4,}…?", "digest"),
]
