"""The wheel of the project, which `pip install .` makes: every command runs from it alone."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from membrane_local.dev_options import TEMPLATE
from membrane_local.template import read_template

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of packages that an installed wheel is."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "packages")
    return folder / "packages"


def said(unpacked: Path, *arguments: str) -> str:
    """What the wheel's command says, outside the repository."""
    code = "import sys; from membrane_cli.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.check_output(
        [sys.executable, "-c", code, *arguments],
        cwd=unpacked,
        text=True,
        env={**os.environ, "PYTHONPATH": str(unpacked), "AWS_ENDPOINT_URL": "http://127.0.0.1:9"},
    )


def test_it_has_the_code_of_every_function_beside_the_template(unpacked: Path) -> None:
    folder = unpacked / "membrane_local/deployed"
    in_repository, deployed = read_template(TEMPLATE), read_template(folder / "template.yaml")

    assert len(deployed.functions) == len(in_repository.functions)
    assert all((each.folder / "handler.py").is_file() for each in deployed.functions)


def test_it_has_the_command_and_no_bytecode(unpacked: Path) -> None:
    (entry_points,) = unpacked.glob("*.dist-info/entry_points.txt")

    assert "membrane = membrane_cli.cli:main" in entry_points.read_text()
    assert not list((unpacked / "membrane_local").rglob("*.pyc"))


def test_its_command_finds_all_that_the_local_stack_needs_in_the_wheel(unpacked: Path) -> None:
    found = [json.loads(line) for line in said(unpacked, "doctor", "--json").splitlines()]

    by_name = {each["name"]: each for each in found}
    assert not any(each["is_fatal"] for each in found)
    assert by_name["template"]["found"] == str(unpacked / "membrane_local/deployed/template.yaml")
    assert (unpacked / "membrane_encoder/model.onnx").is_file()


def test_it_has_the_files_of_the_page_of_the_document(unpacked: Path) -> None:
    folder = unpacked / "membrane_local/swagger_ui"

    assert {"page.html", "start.js", "swagger-ui-bundle.js", "swagger-ui.css", "LICENSE"} <= {
        each.name for each in folder.iterdir()
    }
