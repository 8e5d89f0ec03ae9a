"""Per worker one local stack on moto, emptied for every test, and one TypeScript client."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.e2e.stack import Stack, dev

TYPESCRIPT = Path(__file__).parents[2] / "clients" / "typescript"


@pytest.fixture(scope="session")
def running_stack() -> Iterator[Stack]:
    """`membrane dev` with the options that README gives it, on a free port."""
    with dev("--api-key", "local-key") as stack:
        yield stack


@pytest.fixture
def stack(running_stack: Stack) -> Stack:
    """The stack with an empty store and the machine's time."""
    running_stack.call("POST", "/_dev/clock", {"frozen": False})
    status, _ = running_stack.call("POST", "/_dev/reset")
    assert status == 200
    return running_stack


@pytest.fixture(scope="session")
def typescript_client() -> Iterator[Path]:
    """The package of the TypeScript client, compiled with its tests into `dist`.

    The folder is this worker's own, inside the client's folder: the tests need its node_modules.
    """
    compiler = TYPESCRIPT / "node_modules" / ".bin" / "tsc"
    missing = f"{compiler} is missing; npm installs it: see what 'make clean setup' says"
    assert compiler.exists(), missing
    (TYPESCRIPT / "build").mkdir(exist_ok=True)
    with TemporaryDirectory(dir=TYPESCRIPT / "build") as folder:
        shutil.copy(TYPESCRIPT / "package.json", folder)
        compiled = subprocess.run(
            [compiler, "--outDir", Path(folder) / "dist"],
            capture_output=True, text=True, check=False, cwd=TYPESCRIPT,
        )  # fmt: skip
        assert compiled.returncode == 0, compiled.stdout
        yield Path(folder)


@pytest.fixture(scope="session")
def node_modules(typescript_client: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A `node_modules` with a link to the TypeScript client, as npm installs a folder."""
    modules = tmp_path_factory.mktemp("project") / "node_modules"
    modules.mkdir()
    (modules / "membrane-serverless-client").symlink_to(typescript_client)
    return modules
