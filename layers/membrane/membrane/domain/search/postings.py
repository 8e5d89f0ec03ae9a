"""Which texts have a term, how often, and how well that speaks for them (BM25), in numpy.

How telling a word is depends on the candidates that a search found, which the reader may all see.
So no document above the reader's ceiling moves a score.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.terms import MARK

K1 = 1.2
"""How soon more of the same term stops to count (BM25)."""

B = 0.5
"""How much a long text must repeat a term to count like a short one (BM25)."""

_PACKED = np.dtype([("term", "<u4"), ("count", "u1")])  # entries.TERM

Floats = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many documents each term occurs, and how long a document is on average."""

    documents: int = 0
    average_length: float = 0.0
    """Words of a document, each counted as often as it occurs; marks are not counted."""
    occurrences: Mapping[int, int] = field(default_factory=dict)

    def idf(self, term: int) -> float:
        """ln(1 + (N - n + 0.5) / (n + 0.5)), as Lucene has it (BM25)."""
        n = max(self.occurrences.get(term, 0), min(1, self.documents))
        return math.log(1.0 + (self.documents - n + 0.5) / (n + 0.5))


@dataclass(frozen=True, slots=True)
class Postings:
    """Terms of many texts, sorted by term: texts are named by their position."""

    terms: NDArray[np.uint32]
    """The distinct terms, ascending."""
    starts: Places
    """Where the texts of each term begin; one more than terms."""
    texts: NDArray[np.int32]
    counts: NDArray[np.uint8]
    lengths: Floats
    """Of each text in words; marks are not counted."""

    @classmethod
    def of(cls, packed: Sequence[bytes]) -> "Postings":
        """The postings of texts whose terms are packed as `entries.pack_terms` does."""
        every = np.frombuffer(b"".join(packed), _PACKED)
        sizes = np.array([len(each) // _PACKED.itemsize for each in packed], np.int64)
        texts = np.repeat(np.arange(len(packed), dtype=np.int32), sizes)
        words = (every["term"] & MARK) == 0
        lengths = np.bincount(texts[words], every["count"][words], minlength=len(packed))
        order = np.argsort(every["term"], kind="stable")
        terms, starts = np.unique(every["term"][order], return_index=True)
        ends = np.append(starts, len(every))
        return cls(terms, ends, texts[order], every["count"][order], lengths.astype(np.float32))

    @property
    def frequencies(self) -> Frequencies:
        documents = len(self.lengths)
        average = float(self.lengths.mean(dtype=np.float64)) if documents else 0.0
        occurrences = zip(self.terms.tolist(), np.diff(self.starts).tolist(), strict=True)
        return Frequencies(documents, average, dict(occurrences))

    def having(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        place = int(np.searchsorted(self.terms, term))
        is_known = place < len(self.terms) and self.terms[place] == term
        found = slice(*self.starts[place : place + 2]) if is_known else slice(0)
        return self.texts[found], self.counts[found]

    def bm25(self, weights: Mapping[int, float], frequencies: Frequencies) -> Floats:
        """The BM25 score of each text for the weighed terms, as Lucene has it, times k1 + 1."""
        scores = np.zeros(len(self.lengths), np.float32)
        average = frequencies.average_length or float(self.lengths.mean() or 1.0)
        damping = K1 * (1.0 - B + B * self.lengths / average)
        for term in sorted(weights):
            texts, counts = self.having(term)
            gain = weights[term] * frequencies.idf(term) * (K1 + 1.0)
            scores[texts] += gain * counts / (counts + damping[texts])
        return scores

    def sums(self, weights: Mapping[int, float], frequencies: Frequencies) -> Floats:
        """For each text the weighed rarity of the terms that it has, however often."""
        scores = np.zeros(len(self.lengths), np.float32)
        for term in sorted(weights):
            texts, _ = self.having(term)
            scores[texts] += weights[term] * frequencies.idf(term)
        return scores


def ideal(weights: Mapping[int, float], frequencies: Frequencies) -> float:
    """What no text's score can pass, which makes scores of several corpora comparable."""
    return sum(weight * frequencies.idf(term) * (K1 + 1.0) for term, weight in weights.items())
