"""How telling a word is, by the documents among which it is looked for.

The documents are the candidates that a search found, which the reader may all see. So no document
above the reader's ceiling moves a score.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Frequencies:
    """In how many documents each term occurs, and how long a document is on average."""

    documents: int = 0
    average_length: float = 0.0
    """Words of a document, each counted as often as it occurs; marks are not counted."""
    occurrences: Mapping[int, int] = field(default_factory=dict)
    """Documents by term."""

    def idf(self, term: int) -> float:
        """ln(1 + (N - n + 0.5) / (n + 0.5)), as Lucene has it (BM25)."""
        n = max(self.occurrences.get(term, 0), min(1, self.documents))
        return math.log(1.0 + (self.documents - n + 0.5) / (n + 0.5))
