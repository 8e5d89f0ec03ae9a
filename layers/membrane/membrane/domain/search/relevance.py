"""How relevant candidates are to a question, part by part, in numpy.

Relevance depends on the arguments alone, in whatever order the candidates come.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.corpus import Corpus
from membrane.domain.search.entries import Entry
from membrane.domain.search.fusion import Weights
from membrane.domain.search.neighbours import lent_to
from membrane.domain.search.periods import Period
from membrane.domain.search.postings import Floats, Frequencies
from membrane.domain.search.questions import Question

MEANING = 0.6
"""What meaning counts beside words in what a neighbour lends."""

HALVED_S = 14 * 86_400.0
"""So long after a time that is named, half is left: what happened is told of afterwards."""

BEFORE_S = 2 * 86_400.0
"""The same before it: what is planned is told of shortly before."""

JUST_BELOW = 1e-6
"""How far a lent score stays below that of a record that matches better by itself."""

Parts = dict[str, float]

Columns = dict[str, Floats]
"""By name of the part, of every entry."""

Found = TypeVar("Found")

_BY_ITSELF = ("lexical", "dense")
_PARTS = (*_BY_ITSELF, "marks", "period", "neighbours")


@dataclass(frozen=True, slots=True)
class Relevance:
    """The parts of a candidate's score, and how well the candidate matches by itself."""

    parts: Parts
    """From 0 to 1, by name; see `relevance`."""
    match: float
    """The better of its cosine and its share of the words; depends on no other candidate."""


def relevance(
    question: Question, dense: Sequence[float], entries: Sequence[Entry], weights: Weights
) -> list[Relevance]:
    """The relevance of each candidate, in order.

    `lexical` and `dense`: the best candidate has 1. `neighbours`: what a candidate is lent, as a
    share of the most that could be; less where it would pass a candidate that has more of both
    `lexical` and `dense`. `marks`: how much of what the question names the candidate is about,
    under 1. `period`: how near it is to a time that the question names.
    """
    if not entries:
        return []
    order, pool = _pooled(entries)
    matches = _matches(pool, question, dense, pool.postings.frequencies)
    return _restored(_listed(matches, _parts_of_pool(pool, matches, weights)), order)


@dataclass(frozen=True, slots=True)
class Scale:
    """Measures entries that the search did not find by those that it found.

    How rare a word is, the found tell; the best of them has 1 of `lexical` and of `dense`, and no
    entry has more; they alone lend. So the relevance of an entry does not depend on the other
    entries. Where nothing was found, nothing is relevant.
    """

    question: Question
    dense: Sequence[float]
    weights: Weights
    found: Corpus
    frequencies: Frequencies
    best: Columns
    """How the found match by themselves."""
    lenders: Columns
    """The parts of their relevance, by name."""

    @classmethod
    def of(
        cls, question: Question, dense: Sequence[float], found: Sequence[Entry], weights: Weights
    ) -> "Scale | None":
        """The scale of what was found; None where that is nothing."""
        if not found:
            return None
        _, pool = _pooled(found)
        frequencies = pool.postings.frequencies
        best = _matches(pool, question, dense, frequencies)
        lenders = _parts_of_pool(pool, best, weights)
        return cls(question, dense, weights, pool, frequencies, best, lenders)

    def relevance(self, entries: Sequence[Entry]) -> list[Relevance]:
        if not entries:
            return []
        lenders = self.lenders
        matches = _matches(Corpus.of(entries), self.question, self.dense, self.frequencies)
        parts = _as_shares(matches, self.best)
        lendable = _lendable(lenders["lexical"], lenders["dense"])
        lent = np.minimum(lent_to(entries, self.found.entries, lendable), 1.0)
        neighbours = _deferring_to(lenders, lent, parts, self.weights)
        return _listed(matches, parts | {"neighbours": neighbours})


def relevance_beside(scale: Scale | None, entries: Sequence[Entry]) -> list[Relevance]:
    if scale is None:
        return [Relevance(dict.fromkeys(_PARTS, 0.0), 0.0) for _ in entries]
    return scale.relevance(entries)


def likeness(question: Question, dense: Sequence[float], entries: Sequence[Entry]) -> list[Parts]:
    """How each entry matches the question by itself, part by part, from 0 to 1; in order."""
    if not entries:
        return []
    order, pool = _pooled(entries)
    return _restored(_rows(_said(pool, question, dense, pool.postings.frequencies)), order)


def _said(
    corpus: Corpus, question: Question, dense: Sequence[float], frequencies: Frequencies
) -> Columns:
    """How what each entry says matches the question, from 0 to 1."""
    return {
        "lexical": corpus.words(question, frequencies),
        "dense": corpus.meaning(dense),
        "marks": corpus.named(question, frequencies),
    }


def _matches(
    corpus: Corpus, question: Question, dense: Sequence[float], frequencies: Frequencies
) -> Columns:
    """How each entry matches the question by itself, from 0 to 1."""
    period = _nearness(corpus, question.periods)
    return _said(corpus, question, dense, frequencies) | {"period": period}


def _as_shares(matches: Columns, best: Columns) -> Columns:
    """Words and meaning as shares of the best of those matches."""
    return matches | {name: _of_best(matches[name], best[name]) for name in _BY_ITSELF}


def _pooled(entries: Sequence[Entry]) -> tuple[list[int], Corpus]:
    """Positions in an order of the entries' own, since sums of floats depend on it; so ordered."""
    order = sorted(
        range(len(entries)), key=lambda place: (entries[place].scope, entries[place].record_id)
    )
    return order, Corpus.of([entries[place] for place in order])


def _restored(found: Sequence[Found], order: Sequence[int]) -> list[Found]:
    by_place = dict(zip(order, found, strict=True))
    return [by_place[place] for place in range(len(order))]


def _listed(matches: Columns, parts: Columns) -> list[Relevance]:
    match = np.maximum(*(matches[name] for name in _BY_ITSELF)).tolist()
    return list(map(Relevance, _rows(parts), match))


def _rows(parts: Columns) -> list[Parts]:
    rows = zip(*(values.tolist() for values in parts.values()), strict=True)
    return [dict(zip(parts, row, strict=True)) for row in rows]


def _parts_of_pool(pool: Corpus, matches: Columns, weights: Weights) -> Columns:
    parts = _as_shares(matches, matches)
    lexical, similar = parts["lexical"], parts["dense"]
    lendable = _lendable(lexical, similar)
    lent = np.minimum(pool.neighbours.lent(lendable), 1.0)  # sums of shares round to more
    own = _weighed(parts, weights)
    return parts | {"neighbours": _deferring(lent, weights.neighbours, own, lexical, similar)}


def _weighed(parts: Columns, weights: Weights) -> Floats:
    return np.asarray(sum(getattr(weights, name) * values for name, values in parts.items()))


def _lendable(lexical: Floats, similar: Floats) -> Floats:
    """What an entry has to lend: how well it matches by itself, from 0 to 1."""
    return ((lexical + MEANING * similar) / (1.0 + MEANING)).astype(np.float32)


def _deferring(
    lent: Floats, weight: float, own: Floats, lexical: Floats, similar: Floats
) -> Floats:
    """What is lent, never so much as to pass a candidate with more of both words and meaning."""
    kept = lent.copy()
    if weight <= 0.0:
        return kept
    scores = own.astype(np.float64) + weight * kept
    for place in np.argsort(-(lexical + similar), kind="stable"):
        better = (lexical > lexical[place]) & (similar > similar[place])
        if better.any():
            scores[place] = _held_back(float(scores[place]), float(own[place]), scores[better])
            kept[place] = (scores[place] - own[place]) / weight
    return kept


def _deferring_to(found: Columns, lent: Floats, parts: Columns, weights: Weights) -> Floats:
    """What is lent to entries beside the found, deferring to those alone as `_deferring` does."""
    kept, weight = lent.copy(), weights.neighbours
    if weight <= 0.0:
        return kept
    scores = _weighed(found, weights).astype(np.float64)
    alone = _weighed(parts, weights).tolist()
    for place in np.flatnonzero(lent):
        better = np.logical_and(*(found[name] > parts[name][place] for name in _BY_ITSELF))
        if better.any():
            own, lifted = alone[place], alone[place] + weight * float(lent[place])
            kept[place] = (_held_back(lifted, own, scores[better]) - own) / weight
    return kept


def _held_back(score: float, own: float, better: NDArray[np.float64]) -> float:
    """The score, not above those of candidates that match better; never less than its own part."""
    return min(score, max(own, float(better.min()) - JUST_BELOW))


def _of_best(values: Floats, among: Floats) -> Floats:
    best = float(among.max())
    return np.minimum(values / best, 1.0) if best > 0.0 else values


def _nearness(pool: Corpus, periods: Sequence[Period]) -> Floats:
    """1 within a time that is named, less and less outside it; 0 where none is."""
    nearest = np.zeros(len(pool.entries), np.float64)
    for period in periods:
        early = np.maximum(0.0, period.from_s - pool.happened_s) / BEFORE_S
        late = np.maximum(0.0, pool.happened_s - period.to_s) / HALVED_S
        nearest = np.maximum(nearest, np.exp2(-(early + late)))
    return nearest.astype(np.float32)
