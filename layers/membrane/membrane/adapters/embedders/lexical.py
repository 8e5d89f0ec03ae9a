"""The embedder that needs no model: stems and pieces of words, hashed into a vector.

It finds what shares words or parts of words (`photographer`, `photography`, a misspelt name). It
knows nothing of meaning, so a model does better; but it is at hand everywhere, costs nothing, and
gives the same vector for the same text for ever.
"""

import math
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from membrane.domain.search.terms import STOPWORDS, stem, words_of

VERSION = 1
"""Moves with every change to what a text's vector is."""

_PIECES = (3, 4, 5)
"""Characters of the pieces that a word is cut into."""

_PIECE_WEIGHT = 0.5
"""Of all pieces of a word together, beside its stem's 1."""

_MAX_WORDS = 2_000


class LexicalEmbedder:
    """Deterministic vectors of any text."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.name = f"lexical-{VERSION}-{dimensions}"

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
    """Stems and pieces of words; more of the same word counts less and less."""
    words = Counter(word for word in words_of(text)[:_MAX_WORDS] if word not in STOPWORDS)
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
