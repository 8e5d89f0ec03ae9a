"""What `make setup` and `make build` do about the Python that is given."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def set_up(folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a copy of the script in the folder."""
    (folder / "infra").mkdir()
    script = shutil.copy(ROOT / "infra" / "setup.sh", folder / "infra")
    return subprocess.run(
        [script], env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def test_a_python_without_ensurepip_is_refused_with_the_name_of_the_package(
    tmp_path: Path,
) -> None:
    (tmp_path / "ensurepip.py").write_text("raise ImportError\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    python.chmod(0o755)

    done = set_up(tmp_path, PATH="/usr/bin:/bin", PYTHON=str(python))

    package = "python{}.{}-venv".format(*sys.version_info)
    assert done.returncode == 1
    assert f"{python} has no module ensurepip: install the package {package}" in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_a_whole_python_under_a_name_that_setup_does_not_look_for_misses_no_package(
    tmp_path: Path,
) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("dirname", "ls", "sort"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)

    done = set_up(tmp_path, PATH=str(tmp_path / "bin"), HOME=str(tmp_path))

    assert done.returncode == 1
    assert done.stderr == "setup: no Python 3.11 to 3.13; name one with PYTHON=...\n"


@pytest.mark.parametrize("layer", ["encoder", "membrane", "numeric"])
def test_the_python_of_make_build_is_not_that_of_the_layers(layer: str) -> None:
    target = f"build-{layer.title()}Layer"
    command = ["make", "-C", str(ROOT / "layers" / layer), "-n", target, "PYTHON=/no/python"]

    planned = subprocess.check_output(command, text=True)

    assert "/.venv/bin/python" in planned
    assert "/no/python" not in planned
