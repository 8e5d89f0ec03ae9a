"""One vector for meaning and words: a dense embedding beside a hashed sketch of the terms."""

from collections.abc import Mapping, Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.frequencies import Frequencies
from membrane.domain.search.questions import Question
from membrane.domain.search.terms import is_word

SKETCH_DIMENSIONS = 256

DENSE_SHARE = 0.5
"""How much of the cosine of two such vectors is the cosine of their dense parts."""

Vector = NDArray[np.float64]


def hybrid(dense: Sequence[float], terms: Mapping[int, int]) -> Sequence[float]:
    """The vector of a document: how often a term occurs counts, how rare it is does not."""
    damped = {term: 1.0 + log(count) for term, count in terms.items() if count}
    return _joined(dense, _sketch(damped))


def hybrid_question(
    question: Question, dense: Sequence[float], frequencies: Frequencies
) -> Sequence[float]:
    """The vector of a question: rare terms count most."""
    weighed = {term: weight * frequencies.idf(term) for term, weight in question.terms.items()}
    return _joined(dense, _sketch(weighed))


def _joined(dense: Sequence[float], sketch: Vector) -> Sequence[float]:
    """Both at a length of 1, then weighed; one that is all zeros stays so."""
    parts = (_unit(np.array(dense)) * sqrt(DENSE_SHARE), _unit(sketch) * sqrt(1.0 - DENSE_SHARE))
    joined: list[float] = np.concatenate(parts).tolist()
    return joined


def _sketch(weights: Mapping[int, float]) -> Vector:
    """Each word is added to one place or taken from it, as its hash says.

    Marks are left out: in so few places they hide more than they tell.
    """
    words = [term for term in weights if is_word(term)]
    values = np.array([weights[word] for word in words], np.float64)
    mixed = np.array(words, np.uint32) * np.uint32(2_654_435_769)  # Fibonacci hashing
    signs = np.where(mixed & np.uint32(1 << 15), 1.0, -1.0)
    places = (mixed >> np.uint32(16)) % SKETCH_DIMENSIONS
    sketch = np.zeros(SKETCH_DIMENSIONS)
    np.add.at(sketch, places, values * signs)
    return sketch


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else vector
