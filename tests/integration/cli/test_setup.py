"""What `make setup` and `make build` do about the Python that is given."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_a_python_without_ensurepip_is_refused_with_the_name_of_the_package(
    tmp_path: Path,
) -> None:
    (tmp_path / "ensurepip.py").write_text("raise ImportError\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    (tmp_path / "infra").mkdir()
    script = shutil.copy(ROOT / "infra" / "setup.sh", tmp_path / "infra")

    done = subprocess.run(
        [script],
        env={"PATH": "/usr/bin:/bin", "PYTHON": str(python)},
        capture_output=True,
        text=True,
        check=False,
    )

    package = "python{}.{}-venv".format(*sys.version_info)
    assert done.returncode == 1
    assert f"{python} has no module ensurepip: install the package {package}" in done.stderr
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("layer", ["encoder", "membrane", "numeric"])
def test_the_python_of_make_build_is_not_that_of_the_layers(layer: str) -> None:
    target = f"build-{layer.title()}Layer"
    command = ["make", "-C", str(ROOT / "layers" / layer), "-n", target, "PYTHON=/no/python"]

    planned = subprocess.check_output(command, text=True)

    assert "/.venv/bin/python" in planned
    assert "/no/python" not in planned
