"""The indexed vector: a dense embedding for meaning, and a hashed sketch of the words.

The index holds small integers: a cosine does not depend on the length of a vector, and DynamoDB
charges a number by its digits.
"""

from collections.abc import Mapping, Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.questions import Question
from membrane.domain.search.terms import SKETCH_DIMENSIONS, is_word

DENSE_SHARE = 0.7
"""The share of the dense parts in the cosine of two hybrid vectors."""

LARGEST_INTEGER = 99
"""The largest component of every scaled vector, of two digits."""

Vector = NDArray[np.float64]


def hybrid(dense: Sequence[float], terms: Mapping[int, int]) -> Sequence[int]:
    """The vector of a document: words count by frequency in the document, not by rarity."""
    damped = {term: 1.0 + log(count) for term, count in terms.items() if count}
    return _as_integers(_concatenate(dense, _sketch(damped)))


def hybrid_question(question: Question, dense: Sequence[float]) -> Sequence[int]:
    """The vector of a question: words count by their weights in the question."""
    return _as_integers(_concatenate(dense, _sketch(question.terms)))


def _concatenate(dense: Sequence[float], sketch: Vector) -> Vector:
    """Both parts, scaled to length 1, then weighted; a part of zeros stays zero."""
    parts = (_unit(np.array(dense)) * sqrt(DENSE_SHARE), _unit(sketch) * sqrt(1.0 - DENSE_SHARE))
    return np.concatenate(parts)


def _as_integers(vector: Vector) -> Sequence[int]:
    largest = float(np.abs(vector).max())
    scaled = vector * (LARGEST_INTEGER / largest) if largest > 0.0 else vector
    integers: list[int] = np.rint(scaled).astype(np.int64).tolist()
    return integers


def _sketch(weights: Mapping[int, float]) -> Vector:
    """The hashed sum of the words; marks are left out, because marks would outweigh words.

    The hash of a word chooses a dimension and a sign.
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
