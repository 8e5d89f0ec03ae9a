"""Records what the original model makes of some texts, in original_vectors.json.

    PYTHONPATH=layers/encoder:. python tests/unit/adapters/encoder/record_vectors.py

A forward pass of its own, in numpy and 64 bits, over the published weights. Only the reading of the
file and the published tokenizer are shared with the encoder.
"""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from build_encoder import download_published, tensors_of

Array = NDArray[np.float64]

RECORDED = Path(__file__).with_name("original_vectors.json")
TEXTS = (
    "What can I cook for her tonight?",
    "She is vegetarian and allergic to peanuts.",
    "The deployment failed because the disk of the database server was full.",
    "Maria prefers tea in the morning and never answers the telephone before nine.",
    "def add(first: int, second: int) -> int: return first + second",
    "Zürich, 2024-05-01: €5 für den Kaffee",
    "ok",
    "password",
    "User reported ERR_CONN_RESET on /v1/orders?id=42 at 03:14 UTC.",
    "The invoice for the March hay was paid late, and the supplier asked twice.",
    (
        "The payment service retries three times with exponential backoff, then raises an alarm to "
        "the on-call engineer, who has fifteen minutes to acknowledge it before the second line is "
        "called by telephone and the incident is written into the log of the week."
    ),
    "The customer asked whether the discount of the spring sale still applies to the second "
    "licence that her team bought in March. " * 8,
)


class Original:
    """The model as published."""

    def __init__(self, tensors: Mapping[str, NDArray[Any]]) -> None:
        self.tensors = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}

    def vector(self, ids: Sequence[int]) -> Array:
        words, places, kinds = (
            self.tensors[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        values = self.norm(words[list(ids)] + places[: len(ids)] + kinds[0], "embeddings.LayerNorm")
        for number in range(6):
            values = self.layer(values, f"encoder.layer.{number}")
        mean = values.mean(0)
        unit: Array = mean / np.linalg.norm(mean)
        return unit

    def layer(self, values: Array, name: str) -> Array:
        joint = self.dense(self.attention(values, name), f"{name}.attention.output.dense")
        values = self.norm(joint + values, f"{name}.attention.output.LayerNorm")
        raised = self.dense(values, f"{name}.intermediate.dense")
        active = raised * 0.5 * (1 + np.vectorize(math.erf)(raised / math.sqrt(2)))
        return self.norm(
            self.dense(active, f"{name}.output.dense") + values, f"{name}.output.LayerNorm"
        )

    def attention(self, values: Array, name: str) -> Array:
        query, key, value = (
            self.dense(values, f"{name}.attention.self.{part}").reshape(-1, 12, 32).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = np.exp(query @ key.swapaxes(1, 2) / math.sqrt(32))
        shares = scores / scores.sum(-1, keepdims=True)
        joint: Array = (shares @ value).swapaxes(0, 1).reshape(-1, 384)
        return joint

    def dense(self, values: Array, name: str) -> Array:
        weighed: Array = values @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]
        return weighed

    def norm(self, values: Array, name: str) -> Array:
        centred = values - values.mean(-1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        scaled: Array = centred / deviation * self.tensors[f"{name}.weight"]
        return scaled + self.tensors[f"{name}.bias"]


if __name__ == "__main__":
    weights, tokenizer_json = download_published()
    original, tokenizer = Original(tensors_of(weights)), Tokenizer.from_str(tokenizer_json.decode())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    lines = [
        json.dumps([text, original.vector(tokenizer.encode(text).ids).round(4).tolist()])
        for text in TEXTS
    ]
    RECORDED.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
