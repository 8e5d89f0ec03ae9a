"""How well documents match a query: a score from 0 to 1 from meaning and words; needs numpy.

A vector is packed as one signed byte a component, scaled so that the largest component is 127: a
text of 384 dimensions takes 384 bytes instead of 1,536. The scale itself is not kept, because a
cosine does not depend on the length of a vector. The loss: rounding moves a component by at most
1/254 of the largest component, and a cosine of all-MiniLM-L6-v2 vectors by at most 0.002 (measured
by tests/bench/document_search.py).
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.entries import stem, stems_of, words_of

LARGEST = 127
"""The largest component of a packed vector."""

MEANING_SHARE = 0.7
"""The share of the meaning in a score; the rest is of the words.

Chosen on one half of the questions of tests/bench/document_search.py, shown on the other half.
"""


def pack(vector: Sequence[float]) -> bytes:
    """The vector as signed bytes; all zeros for a text without content."""
    components = np.asarray(vector, np.float64)
    largest = float(np.abs(components).max(initial=0.0))
    scaled = components * (LARGEST / largest) if largest > 0.0 else components
    return np.rint(scaled).astype(np.int8).tobytes()


def best_cosines(
    query: Sequence[float], documents: Sequence[Sequence[bytes]]
) -> list[float | None]:
    """The highest cosine of the query with a packed vector of each document, in their order.

    None for a document without a vector of the query's dimensions, or with all zeros.
    """
    rows = [
        (number, vector)
        for number, vectors in enumerate(documents)
        for vector in vectors
        if len(vector) == len(query)
    ]
    found: list[float | None] = [None] * len(documents)
    if not rows:
        return found
    cosines = _cosines(np.asarray(query, np.float32), [vector for _, vector in rows])
    for (number, _), cosine in zip(rows, cosines.tolist(), strict=True):
        before = found[number]
        if cosine == cosine and (before is None or cosine > before):  # noqa: PLR0124 - not NaN
            found[number] = cosine
    return found


def _cosines(query: NDArray[np.float32], vectors: Sequence[bytes]) -> NDArray[np.float32]:
    matrix = np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), -1)
    matrix = matrix.astype(np.float32)
    lengths = np.linalg.norm(matrix, axis=1) * np.linalg.norm(query)
    with np.errstate(divide="ignore", invalid="ignore"):
        cosines: NDArray[np.float32] = np.clip((matrix @ query) / lengths, -1.0, 1.0)
    return cosines


def found_stems(stems: Collection[str], texts: Sequence[str]) -> frozenset[str]:
    """Those of the query's stems that the texts of a document have."""
    words = {word for text in texts for word in words_of(text)}
    return frozenset(stems).intersection(map(stem, words))


def query_stems(query: str) -> frozenset[str]:
    """The distinct stems of a query; none for a query of stop words alone."""
    return frozenset(stems_of(query))


def word_shares(stems: Collection[str], documents: Sequence[Collection[str]]) -> list[float | None]:
    """The share of the query's stems that each document has; a rare stem weighs more.

    `documents` are the found stems of the examined documents. None for a query without stems.
    """
    weights = _rarities(stems, documents)
    total = sum(weights.values())
    if not total:
        return [None] * len(documents)
    return [sum(weights[each] for each in sorted(found)) / total for found in documents]


def score(meaning: float | None, words: float | None) -> float:
    """A document's score from both parts, or the known one; a negative cosine counts as 0."""
    if meaning is None:
        return words or 0.0
    similarity = min(1.0, max(0.0, meaning))
    if words is None:
        return similarity
    return min(1.0, MEANING_SHARE * similarity + (1.0 - MEANING_SHARE) * words)


def _rarities(stems: Collection[str], documents: Sequence[Collection[str]]) -> Mapping[str, float]:
    """The weight of each stem as in BM25: positive, and lower the more documents have the stem."""
    counts = Counter(each for found in documents for each in found)
    total = len(documents)
    return {
        each: math.log(1.0 + (total - counts[each] + 0.5) / (counts[each] + 0.5))
        for each in sorted(stems)
    }
