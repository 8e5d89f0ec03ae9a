"""The candidates of a search as arrays, in numpy: every part of a score is measured here."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.entries import Entry
from membrane.domain.search.neighbours import Neighbours
from membrane.domain.search.postings import Floats, Frequencies, Postings, ideal
from membrane.domain.search.questions import Question


@dataclass(frozen=True, slots=True)
class Corpus:
    """Entries, each named by its position."""

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
        """How well the words match, as a share of what would match best."""
        best = ideal(question.terms, frequencies)
        scores = self.postings.bm25(question.terms, frequencies)
        return np.minimum(scores / best, 1.0) if best > 0.0 else scores

    def meaning(self, dense: Sequence[float]) -> Floats:
        """The cosine of each entry's vector and the question's; 0 where they are opposed."""
        similar: Floats = self.dense @ np.array(dense, np.float32)
        return np.clip(similar, 0.0, 1.0)

    def named(self, question: Question, frequencies: Frequencies) -> Floats:
        """How much of what the question names, rare names before common ones; under 1."""
        found = self.postings.sums(question.marks, frequencies)
        return found / (found + 1.0)


def unit_rows(packed: Sequence[bytes]) -> Floats:
    """Packed dense vectors of one dimension as rows, at a length of 1, or of zeros."""
    dimensions = len(packed[0]) if packed else 0
    rows = np.frombuffer(b"".join(packed), np.int8).reshape(len(packed), dimensions)
    lengths = np.linalg.norm(rows.astype(np.float32), axis=1, keepdims=True)
    unit: Floats = (rows / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
    return unit
