"""In how many documents of a scope each term occurs: a snapshot, made from a sample of it.

Never kept by counting along: a snapshot is made anew when the scope has doubled, so rankings rest
on numbers that one reader after the other agrees on.

A snapshot keeps the levels of sensitivity apart, and each reader puts together those that he may
see: what is said above his ceiling moves no score of his.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.terms import is_word

REPEATED = 2
"""In how many documents of a sample a term must be to be counted: most are in one."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """Of the documents of one scope, or of several together, that a reader may see."""

    documents: int = 0
    """How many documents there were."""
    average_length: float = 0.0
    """Words of a document, each counted as often as it occurs; marks are not counted."""
    shares: Mapping[int, float] = field(default_factory=dict)
    """In which share of the documents a term occurs; a term that is not there is in one at most."""

    def idf(self, term: int) -> float:
        """How telling a term is: ln(1 + (N - n + 0.5) / (n + 0.5)), as Lucene has it (BM25)."""
        n = max(self.shares.get(term, 0.0) * self.documents, min(1.0, self.documents))
        return math.log(1.0 + (self.documents - n + 0.5) / (n + 0.5))


@dataclass(frozen=True, slots=True)
class Level:
    """What a sample's documents of one sensitivity add to the less sensitive ones."""

    documents: int
    words: int
    """Of all of them, each counted as often as it occurs; marks are not counted."""
    occurrences: Mapping[int, int]
    """By term how many more documents have it; where fewer than REPEATED have it below, then all
    that have it up to here, and nothing where those are fewer, too.
    """

    def shortened(self, terms: int) -> "Level":
        """With no more than so many terms, the most frequent; ties by term."""
        ranked = sorted(self.occurrences, key=lambda term: (-self.occurrences[term], term))
        return replace(self, occurrences={term: self.occurrences[term] for term in ranked[:terms]})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """In how many documents of a scope each term occurred; by default of a scope without any."""

    documents: int = 0
    """How many there were, in the sample or not."""
    levels: Mapping[Sensitivity, Level] = field(default_factory=dict)

    @property
    def weight(self) -> float:
        """For how many documents one of the sample stands."""
        sampled = sum(level.documents for level in self.levels.values())
        return self.documents / sampled if sampled else 0.0

    def up_to(self, ceiling: Sensitivity) -> Iterable[Level]:
        """What is not more sensitive than that, the least first."""
        seen = (level for level in Sensitivity if level.level <= ceiling.level)
        return [self.levels[level] for level in seen if level in self.levels]

    def shortened(self, terms: int) -> "Snapshot":
        """With no more than so many terms: each level may take half of what those below leave.

        So no level's terms make way for what is said above it.
        """
        levels = {}
        for sensitivity in Sensitivity:
            if sensitivity in self.levels:
                level = levels[sensitivity] = self.levels[sensitivity].shortened(terms // 2)
                terms -= len(level.occurrences)
        return replace(self, levels=levels)


def counted(sample: Iterable[tuple[Sensitivity, Mapping[int, int]]], documents: int) -> Snapshot:
    """The snapshot of so many documents, of which the sample has some: how sensitive, what terms.

    What it has of a level depends on nothing above that level.
    """
    by_level: dict[Sensitivity, list[Mapping[int, int]]] = {level: [] for level in Sensitivity}
    for sensitivity, terms in sample:
        by_level[sensitivity].append(terms)
    levels, below = {}, Counter[int]()
    for level, texts in by_level.items():
        so_far = below + Counter(chain.from_iterable(texts))
        levels[level] = Level(len(texts), sum(map(length_of, texts)), _added(below, so_far))
        below = so_far
    there = {level: found for level, found in levels.items() if found.documents}
    return Snapshot(max(documents, sum(map(len, by_level.values()))), there)


def length_of(terms: Mapping[int, int]) -> int:
    """How many words a document has; marks are not counted."""
    return sum(count for term, count in terms.items() if is_word(term))


def together(snapshots: Iterable[Snapshot], ceiling: Sensitivity) -> Frequencies:
    """The frequencies of all documents of several scopes up to that sensitivity."""
    occurrences: defaultdict[int, float] = defaultdict(float)
    documents = words = 0.0
    for snapshot in snapshots:
        weight = snapshot.weight
        for level in snapshot.up_to(ceiling):
            documents += level.documents * weight
            words += level.words * weight
            for term, count in level.occurrences.items():
                occurrences[term] += count * weight
    if not documents:
        return Frequencies()
    shares = {term: count / documents for term, count in occurrences.items()}
    return Frequencies(round(documents), words / documents, shares)


def _added(below: Counter[int], so_far: Counter[int]) -> Mapping[int, int]:
    """What is counted of a level: see Level."""
    return {
        term: count - (below[term] if below[term] >= REPEATED else 0)
        for term, count in so_far.items()
        if count >= REPEATED and count > below[term]
    }
