"""The candidates of a search as numpy arrays, and the measures that make the parts of a score."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.entries import Entry
from membrane.domain.search.neighbours import Neighbours
from membrane.domain.search.postings import Floats, Frequencies, Postings, ideal
from membrane.domain.search.questions import Question


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
