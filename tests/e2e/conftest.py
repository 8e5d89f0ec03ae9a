"""Per worker one local stack on moto, emptied for every test; per run one build, one client."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.once import made_once
from tests.e2e.programs import WITH_NODE
from tests.e2e.stack import Stack, dev
from tests.worlds.depth import LONG, is_deep

ROOT = Path(__file__).parents[2]
TYPESCRIPT = ROOT / "clients" / "typescript"


@pytest.fixture(scope="session")
def running_stack() -> Iterator[Stack]:
    """`membrane dev` with the options that README and the page of chat give, on a free port."""
    with dev("--api-key", "local-key", "--parameter", "ChatModel=scripted") as stack:
        yield stack


@pytest.fixture
def stack(running_stack: Stack) -> Stack:
    """The stack with an empty store and the machine's time."""
    running_stack.call("POST", "/_dev/clock", {"frozen": False})
    status, _ = running_stack.call("POST", "/_dev/reset")
    assert status == 200
    return running_stack


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make build` makes for this processor, with `--deep`: once, by one of the workers."""
    if not is_deep():
        pytest.skip(LONG)
    worker = tmp_path_factory.getbasetemp()
    place = worker.parent if worker.name.startswith("popen-") else worker
    return made_once(place / "artefacts", _build) / "build"


def _build(folder: Path) -> None:
    make = ["make", "--old-file=.venv/.ready", "build"]
    options = ["ARCHITECTURE=x86_64", f"BUILD={folder}"]
    done = subprocess.run([*make, *options], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session")
def typescript_client() -> Path:
    """The package of the TypeScript client, compiled with its tests into `dist`.

    It lies inside the client's folder: the tests need its node_modules.
    """
    return made_once(TYPESCRIPT / "build", _compile)


def _compile(folder: Path) -> None:
    compiler = TYPESCRIPT / "node_modules" / ".bin" / "tsc"
    missing = (
        f"{compiler} is missing; npm installs the file: see the messages of 'make clean setup'"
    )
    assert compiler.exists(), missing
    shutil.copy(TYPESCRIPT / "package.json", folder)
    compiled = subprocess.run(
        [compiler, "--outDir", folder / "dist"],
        capture_output=True, text=True, check=False, cwd=TYPESCRIPT,
        env={**os.environ, **WITH_NODE},
    )  # fmt: skip
    assert compiled.returncode == 0, compiled.stdout + compiled.stderr


@pytest.fixture(scope="session")
def node_modules(typescript_client: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A `node_modules` with a link to the TypeScript client, as npm installs a folder."""
    modules = tmp_path_factory.mktemp("project") / "node_modules"
    modules.mkdir()
    (modules / "membrane-serverless-client").symlink_to(typescript_client)
    return modules
