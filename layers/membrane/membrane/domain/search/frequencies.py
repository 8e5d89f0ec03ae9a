"""How telling a word is, by the documents among which it is looked for.

The documents are the candidates that a search found, which the reader may all see. So no document
above the reader's ceiling moves a score.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from membrane.domain.search.terms import is_word


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many documents each term occurs, and how long a document is on average."""

    documents: int = 0
    average_length: float = 0.0
    """Words of a document, each counted as often as it occurs; marks are not counted."""
    occurrences: Mapping[int, int] = field(default_factory=dict)
    """Documents by term."""

    @classmethod
    def of(cls, documents: Iterable[Mapping[int, int]]) -> "Frequencies":
        """Of documents, each told by how often it has each term."""
        every = list(documents)
        if not every:
            return cls()
        average = sum(map(length_of, every)) / len(every)
        return cls(len(every), average, Counter(chain.from_iterable(every)))

    def idf(self, term: int) -> float:
        """ln(1 + (N - n + 0.5) / (n + 0.5)), as Lucene has it (BM25)."""
        n = max(self.occurrences.get(term, 0), min(1, self.documents))
        return math.log(1.0 + (self.documents - n + 0.5) / (n + 0.5))


def length_of(terms: Mapping[int, int]) -> int:
    """How many words a document has; marks are not counted."""
    return sum(count for term, count in terms.items() if is_word(term))
