"""Vectors of texts by the model that `make setup` builds."""

import json
import math
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import run
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from build_encoder import INSTALLED, MODEL_SHA256, digest
from membrane.adapters import sentence_encoder
from membrane.adapters.sentence_encoder import (
    BEGINNING,
    END,
    MAX_WINDOWS,
    WINDOW,
    SentenceEncoder,
    count_tokens,
)

ORIGINALS = json.loads(Path(__file__).with_name("original_vectors.json").read_text("utf-8"))
"""Texts with the vectors of the published 32-bit weights; record_vectors.py made them."""

ENCODER = SentenceEncoder()
WORDS = "The crane on the quay was inspected on Monday and found to be rusty "
"""14 word pieces."""


def likeness(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors."""
    return float(np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other))


def windows(text: str) -> list[Sequence[int]]:
    return list(sentence_encoder._model().windows(text))  # noqa: SLF001 - what the encoder reads


@pytest.mark.parametrize(("text", "original"), ORIGINALS, ids=range(len(ORIGINALS)))
def test_a_vector_is_nearly_that_of_the_original_model(text: str, original: list[float]) -> None:
    (vector,) = ENCODER.embed([text])

    assert likeness(vector, original) >= 0.98


def test_on_average_a_vector_is_closer_yet_to_that_of_the_original_model() -> None:
    vectors = ENCODER.embed([text for text, _ in ORIGINALS])

    likenesses = [likeness(vectors[at], each[1]) for at, each in enumerate(ORIGINALS)]
    assert sum(likenesses) / len(likenesses) >= 0.99


def test_the_name_tells_the_file_that_makes_the_vectors() -> None:
    """Another file needs another name, or vectors of both would be compared."""
    assert {ENCODER.name: MODEL_SHA256} == {
        "all-MiniLM-L6-v2-int8-1": (
            "7b139a79bfce6c6961c970c7b0fc84773b6ddff8f9e2380b75e9140e363ee7ec"
        )
    }
    assert digest((INSTALLED / "model.onnx").read_bytes()) == MODEL_SHA256


def test_what_is_meant_is_found_in_other_words() -> None:
    asked, diet, disk = ENCODER.embed(
        ["What can I cook for her?", "vegetarian, allergic to peanuts", "The server's disk is full"]
    )

    assert likeness(asked, diet) > likeness(asked, disk) + 0.1


def test_a_vector_is_the_same_whatever_else_is_embedded_with_its_text() -> None:
    alone = ENCODER.embed(["the crane"])[0]

    beside = ENCODER.embed([WORDS * 40, "the crane", ""])[1]

    assert alone == beside


def test_threads_share_one_model_and_get_the_vectors_of_one_thread() -> None:
    texts = [f"{WORDS}{number}" for number in range(24)]
    alone = ENCODER.embed(texts)
    sentence_encoder._load_model.cache_clear()  # noqa: SLF001 - as in a new process

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: SentenceEncoder().embed([text])[0], texts))

    assert together == alone
    assert sentence_encoder._load_model.cache_info().misses == 1  # noqa: SLF001


def test_importing_the_encoder_loads_no_model_and_nothing_that_runs_one() -> None:
    script = (
        "import sys; from membrane.adapters.sentence_encoder import SentenceEncoder; "
        "SentenceEncoder().embed(['', ' \\n']); print(*sys.modules)"
    )
    said = run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert not {"onnxruntime", "tokenizers", "membrane_encoder"} & set(said.stdout.split())


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\x00\x01\x07" * 1_000, "\u200b", "\ud800", "\ud800" * 100_000]
)
def test_a_text_with_nothing_in_it_is_all_zeros(text: str) -> None:
    (vector,) = ENCODER.embed([text])

    assert list(vector) == [0.0] * 384


@given(st.lists(st.text(max_size=50), max_size=3))
def test_each_text_has_a_vector_of_length_1_or_0(texts: list[str]) -> None:
    vectors = ENCODER.embed(texts)

    assert len(vectors) == len(texts)
    for vector in vectors:
        assert len(vector) == ENCODER.dimensions == 384
        assert math.hypot(*vector) == pytest.approx(1.0) or not any(vector)


# --- windows --------------------------------------------------------------------------------------


def test_a_text_that_fits_is_read_at_once_between_the_marks_of_beginning_and_end() -> None:
    tokenizer = sentence_encoder._model().tokenizer  # noqa: SLF001

    (window,) = windows("the crane")

    assert (tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")) == (BEGINNING, END)
    assert list(window) == tokenizer.encode("the crane").ids


@pytest.mark.parametrize(("pieces", "number"), [(254, 1), (255, 2), (508, 2), (509, 3)])
def test_a_longer_text_is_read_in_windows_of_about_one_length(pieces: int, number: int) -> None:
    found = windows("crane " * pieces)

    lengths = [len(window) - 2 for window in found]
    assert len(found) == number
    assert sum(lengths) == pieces
    assert max(lengths) <= WINDOW
    assert max(lengths) - min(lengths) <= 1


def test_the_vector_of_a_long_text_is_the_mean_of_those_of_its_windows() -> None:
    harbour, kitchen = "crane " * WINDOW, "onion " * WINDOW
    parts = np.array(ENCODER.embed([harbour, kitchen]))

    (vector,) = ENCODER.embed([harbour + kitchen])

    mean = parts.mean(0)
    assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)


def test_of_a_text_without_end_eight_windows_are_read() -> None:
    longest = "crane " * WINDOW * MAX_WINDOWS

    first, more = ENCODER.embed([longest, longest + "onion " * 10_000])

    assert len(windows(longest + "onion " * 1_000)) == MAX_WINDOWS == 8
    assert first == more


@pytest.mark.parametrize(
    "unit",
    ["a", "!", "1 ", "漢", "\u0300", "e\u0301", "👩\u200d", "\ud800a", "\x00b", "[CLS] ", "##"],
    ids=ascii,
)
def test_a_hostile_text_takes_no_longer_than_one_of_eight_windows(unit: str) -> None:
    """2,032 word pieces take 0.26 s of CPU; 100,000 would take 13 s."""
    started = process_time()

    (vector,) = ENCODER.embed([unit * (100_000 // len(unit))])

    assert process_time() - started < 3
    assert math.hypot(*vector) == pytest.approx(1.0) or not any(vector)


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), (WORDS, 14), (WORDS * 1_000, 14_000), ("a\ud800b", 1)]
)
def test_the_tokens_of_any_text_are_counted_without_the_weights(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens
