"""The TypeScript client: built, its types as the document has them, its own tests run by node."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.e2e.stack import dev

CLIENT = Path(__file__).parents[3] / "clients" / "typescript"
KEY = "local-key"


@pytest.fixture(scope="session")
def build() -> Iterator[Path]:
    """The compiled client and its tests, in a folder of this worker's own beside node_modules."""
    compiler = CLIENT / "node_modules" / ".bin" / "tsc"
    missing = f"{compiler} is missing; npm installs it: see what 'make clean setup' says"
    assert compiler.exists(), missing
    (CLIENT / "build").mkdir(exist_ok=True)
    with TemporaryDirectory(dir=CLIENT / "build") as folder:
        run(str(compiler), "--outDir", folder)
        yield Path(folder)


@pytest.mark.usefixtures("build")
def test_types_and_routes_are_what_the_document_says(tmp_path: Path) -> None:
    run("node", "generate.mjs", str(tmp_path))

    for name in ("openapi.ts", "routes.ts"):
        written = (CLIENT / "src" / name).read_text()
        message = f"clients/typescript/src/{name} is out of date; run 'make openapi'"
        assert written == (tmp_path / name).read_text(), message


def test_the_client_does_what_its_unit_tests_say(build: Path) -> None:
    assert passing(build / "tests" / "unit") > 0


def test_the_client_works_against_a_local_stack(build: Path) -> None:
    with dev("--api-key", KEY) as stack:
        there = {"MEMBRANE_URL": stack.url, "MEMBRANE_API_KEY": KEY}
        assert passing(build / "tests" / "integration", **there) > 0


def test_the_example_of_its_readme_runs_as_it_stands(build: Path) -> None:
    (example,) = re.findall(r"```js\n(.*?)```", (CLIENT / "README.md").read_text(), re.DOTALL)

    with dev("--api-key", KEY) as stack:
        program = build / "example.mjs"
        here = example.replace("membrane-serverless-client", "./src/index.js")
        program.write_text(here.replace("http://127.0.0.1:8765", stack.url))
        printed = run("node", str(program))

    for word in ("Lambda", "We deploy on Fridays", "three servers", "moved in May"):
        assert word in printed


def test_the_lock_file_names_hashes_and_no_registry() -> None:
    lock = (CLIENT / "package-lock.json").read_text()

    assert '"integrity": "sha512-' in lock
    assert '"resolved"' not in lock


def passing(folder: Path, **environment: str) -> int:
    """How many tests of a folder node ran; fails where one failed or was left out."""
    files = sorted(str(file) for file in folder.glob("*.test.js"))
    report = run("node", "--test", "--test-reporter=tap", *files, **environment)
    counts = dict(re.findall(r"^# (\w+) (\d+)$", report, re.MULTILINE))
    assert counts["pass"] == counts["tests"], report
    return int(counts["pass"])


def run(*command: str, **environment: str) -> str:
    """What a program prints; fails with all of it where the program fails."""
    found = shutil.which(command[0])
    assert found, f"{command[0]} is missing; the TypeScript client needs node"
    done = subprocess.run(
        [found, *command[1:]],
        capture_output=True, text=True, check=False, cwd=CLIENT, timeout=300,
        env={**os.environ, **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
