"""Vectors of words and parts of words, hashed: alike for texts that share some, without a model."""

import math
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from membrane.domain.language.names import STOPWORDS
from membrane.domain.search.entries import stem, words_of

_PIECES = (3, 4, 5)
"""Characters of the pieces that a word is cut into."""

_PIECE_WEIGHT = 0.5
"""Of all pieces of a word together, beside its stem's 1."""


class HashingEmbedder:
    """An Embedder whose vectors are the same in every process."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.name = f"hashed-{dimensions}"
        self.concurrency = None

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector of length 1 for each text; all zeros for one without a telling word."""
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Sequence[float]:
        vector = [0.0] * self.dimensions
        for feature, weight in _features(text).items():
            place, sign = divmod(_hashed(feature), 2)
            vector[place % self.dimensions] += weight if sign else -weight
        length = math.hypot(*vector)
        return [each / length for each in vector] if length else vector


def _features(text: str) -> Mapping[str, float]:
    words = Counter(word for word in words_of(text) if word not in STOPWORDS)
    weights: Counter[str] = Counter()
    for word, count in words.items():
        damped = 1.0 + math.log(count)
        for feature, weight in _features_of_word(word):
            weights[feature] += weight * damped  # type: ignore[assignment]  # a Counter of floats
    return weights


@lru_cache(maxsize=1 << 14)
def _features_of_word(word: str) -> tuple[tuple[str, float], ...]:
    pieces = list(_pieces(f"<{word}>"))
    each = _PIECE_WEIGHT / math.sqrt(len(pieces)) if pieces else 0.0
    return ((stem(word), 1.0), *((piece, each) for piece in pieces))


def _pieces(word: str) -> Iterator[str]:
    for size in _PIECES:
        yield from (word[start : start + size] for start in range(len(word) - size + 1))


def _hashed(feature: str) -> int:
    return zlib.crc32(feature.encode())
