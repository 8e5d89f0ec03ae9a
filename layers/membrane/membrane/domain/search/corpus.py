"""The entries of a scope as arrays, in numpy, so that each question is a few sums over them.

Every part of a score is measured here, for a whole scope and for a few candidates alike.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import DENSE_BYTES, Entry
from membrane.domain.search.frequencies import Frequencies
from membrane.domain.search.neighbours import Neighbours
from membrane.domain.search.postings import Floats, Postings, ideal
from membrane.domain.search.questions import Question

Mask = NDArray[np.bool_]
"""Which entries are meant."""

DENSE, MARKS, LENT = 0.5, 0.25, 1.3
"""What speaks for an entry beside its words, when a whole scope is searched."""

_TYPES = {kind: code for code, kind in enumerate(MemoryType)}


@dataclass(frozen=True, slots=True)
class Corpus:
    """Entries, each named by its position."""

    entries: Sequence[Entry]
    postings: Postings
    dense: Floats
    """A row for each entry."""
    types: NDArray[np.int8]
    levels: NDArray[np.int8]
    """Of sensitivity."""
    happened_s: NDArray[np.float64]
    neighbours: Neighbours

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Corpus":
        """The corpus of entries whose vectors all have the same dimension."""
        return cls(
            entries=entries,
            postings=Postings.of([entry.terms for entry in entries]),
            dense=_matrix(entries),
            types=np.array([_TYPES[entry.type] for entry in entries], np.int8),
            levels=np.array([entry.sensitivity.level for entry in entries], np.int8),
            happened_s=np.array([entry.happened_s for entry in entries], np.float64),
            neighbours=Neighbours.of(entries),
        )

    @property
    def nbytes(self) -> int:
        """What the arrays and the packed entries take, about."""
        packed = sum(len(entry.terms) + len(entry.dense) for entry in self.entries)
        arrays = (self.dense, self.types, self.levels, self.happened_s)
        arrays_bytes = sum(array.nbytes for array in arrays)
        return packed + arrays_bytes + self.postings.nbytes + self.neighbours.nbytes

    def likeliest(
        self,
        question: Question,
        dense: Sequence[float],
        frequencies: Frequencies,
        *,
        ceiling: Sensitivity,
        types: AbstractSet[MemoryType],
        limit: int,
    ) -> list[tuple[float, int]]:
        """Scores and positions of the likeliest entries, the best first; ties by record id.

        Scores of several corpora can be compared where question and frequencies are the same. What
        is above the ceiling or of another type lends nothing to its neighbours either.
        """
        if not self.entries:
            return []
        among = self._among(ceiling, types)
        scores = self.words(question, frequencies) + DENSE * self.meaning(dense)
        scores += MARKS * self.named(question, frequencies)
        scores = np.where(among, scores, 0.0)
        scores += LENT * self.lent(scores)
        return self._best(scores, among, limit)

    def beside(self, position: int) -> list[int]:
        """The positions just before and just after it in its thread, the nearest first."""
        return self.neighbours.beside(position)

    # --- parts of a score -----------------------------------------------------------------------

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

    def lent(self, scores: Floats) -> Floats:
        """What the entries just before and after lend to each; see `Neighbours.lent`."""
        return self.neighbours.lent(scores)

    # --- choice ---------------------------------------------------------------------------------

    def _among(self, ceiling: Sensitivity, types: AbstractSet[MemoryType]) -> Mask:
        codes = [_TYPES[kind] for kind in types]
        allowed: Mask = (self.levels <= ceiling.level) & np.isin(self.types, codes)
        return allowed

    def _best(self, scores: Floats, among: Mask, limit: int) -> list[tuple[float, int]]:
        places = np.flatnonzero(among & (scores > 0.0))
        if len(places) > limit:
            least = np.partition(scores[places], -limit)[-limit]
            places = places[scores[places] >= least]
        ranked = sorted(
            ((float(scores[place]), int(place)) for place in places),
            key=lambda found: (-found[0], self.entries[found[1]].record_id),
        )
        return ranked[:limit]


def _matrix(entries: Sequence[Entry]) -> Floats:
    dimensions = len(entries[0].dense) // DENSE_BYTES if entries else 0
    packed = np.frombuffer(b"".join(entry.dense for entry in entries), "<f2")
    return packed.reshape(len(entries), dimensions).astype(np.float32)
