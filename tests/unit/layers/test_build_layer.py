"""The layer's bytecode: of Lambda's own Python version, or none."""

import sys
from pathlib import Path

import pytest

import build_layer
from build_layer import build, compile_for_lambda


@pytest.fixture
def layer(tmp_path: Path) -> Path:
    """A layer of one module."""
    folder = tmp_path / "python"
    folder.mkdir()
    (folder / "module.py").write_text("ANSWER = 42\n")
    return folder


def interpreter(folder: Path, says: str) -> str:
    """What runs as one, and says that of its version."""
    path = folder / "python3.13"
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("says", ["echo 3.12", "echo 3.130", "exit 1"])
def test_without_an_interpreter_of_lambdas_version_the_layer_has_no_bytecode_and_says_so(
    layer: Path, tmp_path: Path, says: str
) -> None:
    absent = str(tmp_path / "absent")

    said = compile_for_lambda(layer, [absent, interpreter(tmp_path, says)])

    assert said.startswith("NO BYTECODE: there is no Python 3.13 here")
    assert list(layer.rglob("*.pyc")) == []


def test_the_first_interpreter_of_lambdas_version_compiles_every_module(
    layer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_layer, "LAMBDA_PYTHON", "{}.{}".format(*sys.version_info))

    said = compile_for_lambda(layer, [interpreter(tmp_path, "echo 2.7"), sys.executable])

    assert said == f"bytecode of {sys.executable}"
    assert [path.stem for path in layer.rglob("*.pyc")] == [
        f"module.{sys.implementation.cache_tag}"
    ]


@pytest.mark.parametrize(
    ("architecture", "layer_name", "words"),
    [
        ("arm", "membrane", "for arm64 or x86_64, not 'arm'"),
        ("arm64", "scipy", "the layers are membrane, numeric, encoder; there is no 'scipy'"),
    ],
)
def test_what_is_no_layer_for_a_processor_is_not_begun(
    layer: Path, architecture: str, layer_name: str, words: str
) -> None:
    with pytest.raises(SystemExit, match=words):
        build(layer, architecture, layer_name)

    assert (layer / "module.py").exists()
