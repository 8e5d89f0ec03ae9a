"""Vectors by all-MiniLM-L6-v2, with weights from the encoder layer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

VERSION = 1
"""Moves with the model's file and with every change to the vector of a text."""

WINDOW = 254
"""Word pieces that the model reads at once, beside the marks of beginning and end."""

MAX_WINDOWS = 8

BEGINNING, END = 101, 102
"""The word pieces that mark beginning and end; a test compares them with the tokenizer."""

MAX_CHARACTERS = 8 * MAX_WINDOWS * WINDOW
"""Characters of a text that are read; an English word piece has 4 to 5."""

_loading = Lock()


class SentenceEncoder:
    """An Embedder of English texts, in one thread.

    The model is loaded with the first text. Texts are encoded one by one: the int8 numbers of a
    batch share one scale, which would let every text change the vectors of the rest. For many
    texts, a batch in one thread is at most a tenth faster.
    """

    name = f"all-MiniLM-L6-v2-int8-{VERSION}"
    dimensions = 384
    concurrency = None

    def load(self) -> None:
        """Load the model now, which takes about as long as embedding 1,000 words."""
        _model()

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """All zeros for a text without a word piece; for a long text, the mean of the windows."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Sequence[float]:
        beginning = text[:MAX_CHARACTERS].encode(errors="ignore").decode()  # no lone surrogates
        if not beginning.strip():
            return (0.0,) * self.dimensions
        model = _model()
        total = sum(map(model.vector, model.windows(beginning)), np.zeros(self.dimensions))
        vector: list[float] = (total / (np.linalg.norm(total) or 1.0)).tolist()
        return vector


@dataclass(frozen=True, slots=True)
class Model:
    """The loaded model, safe to use from any number of threads."""

    tokenizer: "Tokenizer"
    session: "InferenceSession"

    def windows(self, text: str) -> Iterator[Sequence[int]]:
        """The text's word pieces in windows of about equal length; none without pieces."""
        pieces = self.tokenizer.encode(text, add_special_tokens=False).ids[: MAX_WINDOWS * WINDOW]
        count = ceil(len(pieces) / WINDOW)
        for number in range(count):
            start, stop = (len(pieces) * each // count for each in (number, number + 1))
            yield [BEGINNING, *pieces[start:stop], END]

    def vector(self, window: Sequence[int]) -> NDArray[np.float32]:
        """A vector of length 1."""
        made: Sequence[NDArray[np.float32]] = self.session.run(None, {"ids": np.array([window])})[0]
        return made[0]


def _model() -> Model:
    """The model, loaded once even if several threads ask at the same time."""
    with _loading:
        return _load_model()


@cache
def _load_model() -> Model:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = InferenceSession(_folder() / "model.onnx", options, ["CPUExecutionProvider"])
    return Model(_load_tokenizer(), session)


@cache
def _load_tokenizer() -> "Tokenizer":
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def _folder() -> Path:
    import membrane_encoder

    return Path(membrane_encoder.__file__).parent


def count_tokens(text: str) -> int:
    """The number of the text's word pieces, without the model; the weights are not loaded."""
    with _loading:
        tokenizer = _load_tokenizer()
    return len(
        tokenizer.encode(text.encode(errors="ignore").decode(), add_special_tokens=False).ids
    )
