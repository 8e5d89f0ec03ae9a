"""Every command and every example of the README, done as it says."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from membrane.adapters.aws_lambda.routes import OPERATIONS
from membrane_local.dynoxide import running
from membrane_local.template import read_template
from tests.bench.costs import costs, price
from tests.e2e.stack import Stack, dev
from tests.integration.store.stores import dynoxide_store

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
DIFFERENCES = (ROOT / "infra" / "README.md").read_text()
COMMANDS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
DEV = ".venv/bin/membrane dev"
ADDRESS = "http://127.0.0.1:8765"


def shell(command: str) -> str:
    done = subprocess.run(
        ["bash", "-ec", command], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """What the README's own `membrane dev` command starts, on a free port."""
    (command,) = [each for each in COMMANDS if each.startswith(DEV)]
    options = command.removeprefix(DEV).split()
    position = options.index("--port")
    del options[position : position + 2]
    with dev(*options) as running:
        yield running


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_its_commands_are_those_that_are_tested_here() -> None:
    starts = [command.split("\n")[0].split(" -")[0] for command in COMMANDS]

    assert starts == [
        "make demo",
        "make test",
        DEV,
        "curl",
        ".venv/bin/membrane keys create",
    ]


def test_make_demo_ends_well() -> None:
    assert "hash chain, verified" in " ".join(shell("make demo").split())


def test_make_test_runs_the_suite_that_this_test_is_part_of() -> None:
    assert "pytest" in shell("make --dry-run test")
    assert all(target in shell("make help") for target in ("demo", "test", "check", "bench"))


def test_the_request_has_the_answer_that_is_shown(stack: Stack) -> None:
    (command,) = [each for each in COMMANDS if each.startswith("curl")]
    (shown,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)

    first = json.loads(shell(command.replace(ADDRESS, stack.url)))
    again = shell(command.replace("curl -s", "curl -si").replace(ADDRESS, stack.url))

    assert settled(first) == settled(json.loads(shown))
    assert "200 OK" in again.splitlines()[0]
    assert "idempotency-replayed: true" in again
    assert json.loads(again.splitlines()[-1])["record"]["id"] == first["record"]["id"]


def test_the_key_commands_work(stack: Stack) -> None:
    (command,) = [each for each in COMMANDS if "keys create" in each]

    shown = shell(command.replace(ADDRESS, stack.url))

    assert "my-agent" in shown
    assert "ingest, read" in shown


def test_the_api_table_is_the_route_table() -> None:
    rows = re.findall(r"^\| (\w+).*?\| `(\w+ /\S+)` \| (\w+) \| (\d+) \|$", README, re.MULTILINE)

    expected = {
        (each.rpc, each.route, str(each.permission), str(each.status)) for each in OPERATIONS
    }
    assert set(rows) == expected | {("health", "GET /health", "none", "200")}


def test_the_cost_table_is_what_the_bench_measures() -> None:
    (table,) = re.findall(r"## What it costs\n(.*?)##", README, re.DOTALL)
    cells = [row.split(" | ") for row in re.findall(r"^\| (.*\d) \|$", table, re.MULTILINE)]
    shown = {
        operation: tuple(map(float, figures))
        for names, _, *figures in cells
        for operation in names.partition(", once")[0].split(", ")
    }

    with running(None) as endpoint, dynoxide_store(endpoint) as store:
        measured = costs(store)

    assert {each.rpc for each in OPERATIONS} <= {name.split()[0] for name in shown}
    assert shown == {
        name: (cost.requests, cost.write_units, cost.read_units, price(cost))
        for name, cost in measured.items()
    }


def test_the_layout_names_what_is_there() -> None:
    (table,) = re.findall(r"## Layout\n(.*?)##", README, re.DOTALL)

    for place in re.findall(r"^\| `([^`]+)`", table, re.MULTILINE):
        assert (ROOT / place).exists(), place


def test_every_difference_names_a_test_that_there_is() -> None:
    named = re.findall(r"`(?:tests/)?([\w/]+\.py)(?:::(\w+))?` \|$", DIFFERENCES, re.MULTILINE)

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
