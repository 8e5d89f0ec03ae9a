"""The TypeScript client: built, its types as the document has them, its own tests run by node."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.programs import NODE, NPM, WITH_NODE
from tests.e2e.stack import Stack

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "clients" / "typescript"


@pytest.mark.usefixtures("typescript_client")
def test_types_and_routes_are_what_the_document_says(tmp_path: Path) -> None:
    run(NODE, "generate.mjs", str(tmp_path))

    for name in ("openapi.ts", "routes.ts"):
        written = (CLIENT / "src" / name).read_text()
        message = f"clients/typescript/src/{name} is out of date; run 'make openapi'"
        assert written == (tmp_path / name).read_text(), message


def test_the_client_does_what_its_unit_tests_say(typescript_client: Path) -> None:
    assert passing(typescript_client / "dist" / "tests" / "unit") > 0


def test_the_client_works_against_a_local_stack(typescript_client: Path, stack: Stack) -> None:
    there = {"MEMBRANE_URL": stack.url, "MEMBRANE_API_KEY": stack.secret}

    assert passing(typescript_client / "dist" / "tests" / "integration", **there) > 0


def test_the_example_of_its_readme_runs_as_it_stands(
    node_modules: Path, stack: Stack, tmp_path: Path
) -> None:
    (example,) = re.findall(r"```js\n(.*?)```", (CLIENT / "README.md").read_text(), re.DOTALL)
    program = tmp_path / "example.mjs"
    program.write_text(example.replace("http://127.0.0.1:8765", stack.url))
    (tmp_path / "node_modules").symlink_to(node_modules)

    printed = run(NODE, str(program))

    for word in ("Lambda", "We deploy on Fridays", "three servers", "moved in May", "Good morning"):
        assert word in printed


def test_its_package_has_the_licence_of_the_repository() -> None:
    (package,) = json.loads(run(NODE, NPM, "pack", "--dry-run", "--json", "--ignore-scripts"))

    assert "LICENSE" in {each["path"] for each in package["files"]}
    assert (CLIENT / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_the_lock_file_names_hashes_and_no_registry() -> None:
    lock = (CLIENT / "package-lock.json").read_text()

    assert '"integrity": "sha512-' in lock
    assert '"resolved"' not in lock


def passing(folder: Path, **environment: str) -> int:
    """How many tests of a folder node ran; fails where one failed or was left out."""
    files = sorted(str(file) for file in folder.glob("*.test.js"))
    report = run(NODE, "--test", "--test-reporter=tap", *files, **environment)
    counts = dict(re.findall(r"^# (\w+) (\d+)$", report, re.MULTILINE))
    assert counts["pass"] == counts["tests"], report
    return int(counts["pass"])


def run(*command: str, **environment: str) -> str:
    """What a program prints; fails with all of it where the program fails."""
    done = subprocess.run(
        command,
        capture_output=True, text=True, check=False, cwd=CLIENT, timeout=300,
        env={**os.environ, **WITH_NODE, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
