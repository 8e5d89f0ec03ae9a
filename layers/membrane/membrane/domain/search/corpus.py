"""The candidates of a search as numpy arrays, the inverted index, and BM25 over the index.

Document frequencies come from the candidates of the search alone. The reader may see all of the
candidates, so a record above the ceiling of the reader moves no score.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.entries import Entry
from membrane.domain.search.neighbours import Neighbours
from membrane.domain.search.questions import Question
from membrane.domain.search.terms import MARK

K1 = 1.2
"""BM25's saturation: a smaller K1 lets repetitions of a term count less."""

B = 0.5
"""BM25's length normalisation: 0 ignores the length of a text, 1 divides by the length."""

_PACKED = np.dtype([("term", "<u4"), ("count", "u1")])  # entries.TERM

Floats = NDArray[np.float32]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Frequencies:
    """The document frequency of each term, and the average length of a document."""

    documents: int = 0
    average_length: float = 0.0
    """In words with repetitions, without marks."""
    occurrences: Mapping[int, int] = field(default_factory=dict)

    def idf(self, term: int) -> float:
        """BM25's inverse document frequency in Lucene's form: ln(1 + (N - n + 0.5) / (n + 0.5))."""
        n = max(self.occurrences.get(term, 0), min(1, self.documents))
        return math.log(1.0 + (self.documents - n + 0.5) / (n + 0.5))


@dataclass(frozen=True, slots=True)
class Postings:
    """The terms of many texts, sorted by term; a text is named by position."""

    terms: NDArray[np.uint32]
    """The distinct terms, ascending."""
    starts: Places
    """The index in `texts` at which the texts of each term begin, and a last end."""
    texts: NDArray[np.int32]
    counts: NDArray[np.uint8]
    lengths: Floats
    """The length of each text in words, without marks."""

    @classmethod
    def of(cls, packed: Sequence[bytes]) -> "Postings":
        """The postings of texts with terms packed by `entries.pack_terms`."""
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
        """The texts with the term, and the number of occurrences in each."""
        place = int(np.searchsorted(self.terms, term))
        is_known = place < len(self.terms) and self.terms[place] == term
        found = slice(*self.starts[place : place + 2]) if is_known else slice(0)
        return self.texts[found], self.counts[found]

    def bm25(self, weights: Mapping[int, float], frequencies: Frequencies) -> Floats:
        """The BM25 score of each text for the weighted terms: Lucene's score times K1 + 1."""
        scores = np.zeros(len(self.lengths), np.float32)
        average = frequencies.average_length or float(self.lengths.mean() or 1.0)
        damping = K1 * (1.0 - B + B * self.lengths / average)
        for term in sorted(weights):
            texts, counts = self.having(term)
            gain = weights[term] * frequencies.idf(term) * (K1 + 1.0)
            scores[texts] += gain * counts / (counts + damping[texts])
        return scores

    def sums(self, weights: Mapping[int, float], frequencies: Frequencies) -> Floats:
        """The sum of weighted idf over the terms of each text; repetitions count once."""
        scores = np.zeros(len(self.lengths), np.float32)
        for term in sorted(weights):
            texts, _ = self.having(term)
            scores[texts] += weights[term] * frequencies.idf(term)
        return scores


def ideal(weights: Mapping[int, float], frequencies: Frequencies) -> float:
    """The upper bound of a BM25 score, by which scores of several corpora become comparable."""
    return sum(weight * frequencies.idf(term) * (K1 + 1.0) for term, weight in weights.items())


@dataclass(frozen=True, slots=True)
class Corpus:
    """Entries and arrays of their features; row n belongs to entry n."""

    entries: Sequence[Entry]
    postings: Postings
    dense: Floats
    happened_s: NDArray[np.float64]
    neighbours: Neighbours

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Corpus":
        return cls(
            entries=entries,
            postings=Postings.of([entry.terms for entry in entries]),
            dense=unit_rows([entry.dense for entry in entries]),
            happened_s=np.array([entry.happened_s for entry in entries], np.float64),
            neighbours=Neighbours.of(entries),
        )

    def words(self, question: Question, frequencies: Frequencies) -> Floats:
        """The BM25 score of each entry as a share of the best possible score, 0 to 1."""
        best = ideal(question.terms, frequencies)
        scores = self.postings.bm25(question.terms, frequencies)
        return np.minimum(scores / best, 1.0) if best > 0.0 else scores

    def meaning(self, dense: Sequence[float]) -> Floats:
        """The cosine of the vectors of each entry and of the question; 0 for a negative cosine."""
        similar: Floats = self.dense @ np.array(dense, np.float32)
        return np.clip(similar, 0.0, 1.0)

    def names(self, question: Question, frequencies: Frequencies) -> Floats:
        """The match of each entry with names in the question; rare names count more; below 1."""
        found = self.postings.sums(question.marks, frequencies)
        return found / (found + 1.0)

    def bearing(self, marks: Iterable[int]) -> Floats:
        """1 for each entry that bears at least one of the marks, 0 for any other entry."""
        bears = np.zeros(len(self.entries), np.float32)
        for each in marks:
            bears[self.postings.having(each)[0]] = 1.0
        return bears


def unit_rows(packed: Sequence[bytes]) -> Floats:
    """Packed vectors of equal dimension as rows of length 1; a zero vector stays zero."""
    dimensions = len(packed[0]) if packed else 0
    rows = np.frombuffer(b"".join(packed), np.int8).reshape(len(packed), dimensions)
    lengths = np.linalg.norm(rows.astype(np.float32), axis=1, keepdims=True)
    unit: Floats = (rows / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
    return unit
