"""Every part of every first job of docs/first-jobs.md, run as a new user would run it."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e import programs
from tests.e2e.programs import NODE
from tests.e2e.stack import Stack

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "first-jobs.md").read_text()
JOBS = {
    title: re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    for title, text in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
}
"""By title, the parts of a job: each a language and its text."""

LINES = 10
"""The most that a job takes in one language."""

DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Tool:
    """What runs the parts of one language."""

    language: str
    program: tuple[str, ...]
    suffix: str


TOOLS = {
    "python": Tool("python", (sys.executable,), ".py"),
    "typescript": Tool("js", (NODE,), ".mjs"),
    "bash": Tool("sh", ("bash", "-e"), ".sh"),
    "zsh": Tool("sh", ("zsh", "-f", "-e"), ".sh"),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """One language's way through the jobs, against one stack."""

    tool: Tool
    stack: Stack
    folder: Path

    def run(self, job: str, part: int = 0, environment: Mapping[str, str] | None = None) -> str:
        """The standard output of a part of the job, in a process of its own."""
        texts = [text for language, text in JOBS[job] if language == self.tool.language]
        script = self.folder / f"part{self.tool.suffix}"
        script.write_text(texts[part])
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        api = {"MEMBRANE_URL": self.stack.url, "MEMBRANE_API_KEY": self.stack.secret}
        known = {**os.environ, "PATH": path, **api, **(environment or {})}
        done = subprocess.run(
            [*self.tool.program, script],
            capture_output=True, text=True, check=False, cwd=self.folder,
            stdin=subprocess.DEVNULL, env=known,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(params=TOOLS)
def shown(request: pytest.FixtureRequest, stack: Stack, tmp_path: Path) -> Shown:
    tool = TOOLS[request.param]
    if tool.language == "sh":
        programs.shell(tool.program[0])
    if request.param == "typescript":
        modules = request.getfixturevalue("node_modules")
        (tmp_path / "node_modules").symlink_to(modules)
    return Shown(tool, stack, tmp_path)


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("language", ["python", "js", "sh"])
def test_a_job_takes_at_most_ten_lines_in_each_language(job: str, language: str) -> None:
    texts = [text for each, text in JOBS[job] if each == language]

    lines = [line for text in texts for line in text.splitlines() if line.strip()]

    assert 0 < len(lines) <= LINES


def test_a_second_session_finds_in_other_words_what_the_first_told(shown: Shown) -> None:
    job = "Facts over two sessions"
    shown.run(job)
    shown.stack.call("GET", "/_dev/queues?wait")

    answer = shown.run(job, 1)

    assert "allergic to peanuts" in answer


def test_the_next_day_what_worked_last_time_is_found_and_what_failed_is_not(shown: Shown) -> None:
    job = "What worked last time"
    shown.run(job)
    shown.stack.call("POST", "/_dev/clock?wait", {"advance_seconds": DAY_S})
    shown.stack.call("GET", "/_dev/queues?wait")

    answer = shown.run(job, 1)

    assert "make ship" in answer
    assert "git push" not in answer


def test_the_same_user_id_of_another_tenant_finds_nothing(shown: Shown) -> None:
    keys = {}
    if shown.tool.language != "sh":
        keys = {f"{tenant.upper()}_KEY": tenant_key(shown.stack, tenant) for tenant in TENANTS}

    answer = shown.run("Two tenants", environment=keys)

    assert answer.count("third of May") == (2 if shown.tool.language == "sh" else 1)


TENANTS = ("acme", "globex")


def tenant_key(stack: Stack, tenant: str) -> str:
    asked = {
        "actor_id": tenant,
        "permissions": ["ingest", "read"],
        "scopes": [f"tenant:{tenant}:*"],
        "max_sensitivity": "low",
        "user_prefix": f"tenant:{tenant}:user:",
        "user_required": True,
    }
    status, made = stack.call("POST", "/_dev/keys", asked)
    assert status in {200, 201}, made
    return str(made["secret"])


def test_a_corrected_fact_is_gone_from_the_answer_and_stands_in_the_history(shown: Shown) -> None:
    answer = shown.run("A correction")

    assert "Alice lives in Porto" in answer
    assert "Alice lives in Lisbon" not in answer
    assert "Lisbon" in answer
    assert "she moved" in answer


def test_a_months_bill_is_told_without_an_account(shown: Shown) -> None:
    assert re.search(r"\d+\.\d\d", shown.run("What a month costs"))
