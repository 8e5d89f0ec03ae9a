"""How well documents match a query: a score from 0 to 1 from meaning and words."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from membrane.domain.search.terms import stem, stems_of, words_of

MEANING_SHARE = 0.7
"""The share of the meaning in a score; the rest is of the words.

Chosen on one half of the questions of tests/bench/document_search.py, shown on the other half.
"""


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
    """The score of a document; the other part alone counts if a part is not known.

    `meaning` is a cosine, of which a negative counts as 0.
    """
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
