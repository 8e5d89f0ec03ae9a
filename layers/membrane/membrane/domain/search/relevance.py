"""The relevance of candidates to a question, part by part, in numpy.

The steps for a pool of candidates:

1. Match each candidate alone: words (BM25, `lexical`), meaning (cosine, `dense`), names (`marks`),
   times (`period`), and entities named in the question (`entities`).
2. Divide `lexical` and `dense` by the best value in the pool, so that the best candidate has 1.
3. Let each candidate lend part of its match to adjacent turns of the thread (`neighbours`).
4. Hold back a borrowed part that would lift a candidate above a candidate with a better match.

Relevance depends on the arguments alone, not on the order of the candidates. `Scale` measures
entries outside the pool by the pool.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from membrane.domain.search.corpus import Corpus, Floats, Frequencies, lent_to
from membrane.domain.search.entries import Entry
from membrane.domain.search.questions import Period, Question, marks_of_named
from membrane.domain.search.score import Weights

MEANING = 0.6
"""The weight of meaning, beside words with 1, in the score that a turn lends."""

HALVED_S = 14 * 86_400.0
"""The half-life of `period` after a named time: people report events afterwards."""

BEFORE_S = 2 * 86_400.0
"""The half-life of `period` before a named time: people speak of plans shortly before."""

JUST_BELOW = 1e-6
"""The distance of a held-back score below the score of a candidate with a better match."""

Parts = dict[str, float]

Columns = dict[str, Floats]
"""The values of all entries, by the name of the part."""

Item = TypeVar("Item")

_MATCH = ("lexical", "dense")
_PARTS = (*_MATCH, "marks", "period", "entities", "neighbours")


@dataclass(frozen=True, slots=True)
class Relevance:
    """The parts of a candidate's score, and the match of the candidate alone."""

    parts: Parts
    """From 0 to 1, by name; see `relevance`."""
    match: float
    """The larger of cosine and share of words; does not depend on further candidates."""


def relevance(
    question: Question, dense: Sequence[float], entries: Sequence[Entry], weights: Weights
) -> list[Relevance]:
    """The relevance of each candidate, in order.

    Parts: `lexical` and `dense` are shares of the best candidate's. `neighbours` is the borrowed
    score as a share of the most possible; a borrowed score never lifts a candidate above a
    candidate with more of both `lexical` and `dense`. `marks` measures names that candidate and
    question share, below 1. `period` measures the nearness to a time in the question. `entities` is
    1 for a candidate about an entity that is a candidate, too, and that the question names.
    """
    if not entries:
        return []
    order, pool = _sorted_corpus(entries)
    named = marks_of_named(question, entries)
    matches = _matches(pool, question, dense, pool.postings.frequencies, named)
    return _in_given_order(_relevances(matches, _parts_of_pool(pool, matches, weights)), order)


@dataclass(frozen=True, slots=True)
class Scale:
    """Measures entries outside the candidates by the candidates that the search found.

    The candidates alone give the rarity of words, the best `lexical` and `dense` (shares are cut
    at 1), and the scores to borrow. The relevance of a measured entry therefore does not depend on
    further measured entries. Without candidates nothing is relevant.
    """

    question: Question
    dense: Sequence[float]
    weights: Weights
    found: Corpus
    frequencies: Frequencies
    named: AbstractSet[int]
    """The marks of the candidate entities that the question names."""
    best: Columns
    """The matches of the candidates."""
    lenders: Columns
    """The parts of the candidates' relevance, by name."""

    @classmethod
    def of(
        cls, question: Question, dense: Sequence[float], found: Sequence[Entry], weights: Weights
    ) -> "Scale | None":
        """The scale of the found candidates; None without any."""
        if not found:
            return None
        _, pool = _sorted_corpus(found)
        frequencies, named = pool.postings.frequencies, marks_of_named(question, found)
        best = _matches(pool, question, dense, frequencies, named)
        lenders = _parts_of_pool(pool, best, weights)
        return cls(question, dense, weights, pool, frequencies, named, best, lenders)

    def relevance(self, entries: Sequence[Entry]) -> list[Relevance]:
        if not entries:
            return []
        lenders = self.lenders
        corpus, frequencies = Corpus.of(entries), self.frequencies
        matches = _matches(corpus, self.question, self.dense, frequencies, self.named)
        parts = _as_shares(matches, self.best)
        lendable = _lendable(lenders["lexical"], lenders["dense"])
        lent = np.minimum(lent_to(entries, self.found.entries, lendable), 1.0)
        neighbours = _hold_back_outsiders(lenders, lent, parts, self.weights)
        return _relevances(matches, parts | {"neighbours": neighbours})


def relevance_by_scale(scale: Scale | None, entries: Sequence[Entry]) -> list[Relevance]:
    """The relevance of entries outside the candidates; 0 without a scale."""
    if scale is None:
        return [Relevance(dict.fromkeys(_PARTS, 0.0), 0.0) for _ in entries]
    return scale.relevance(entries)


def likeness(question: Question, dense: Sequence[float], entries: Sequence[Entry]) -> list[Parts]:
    """The match of each entry with the question in words, meaning and names, from 0 to 1."""
    if not entries:
        return []
    order, pool = _sorted_corpus(entries)
    rows = _rows(_text_matches(pool, question, dense, pool.postings.frequencies))
    return _in_given_order(rows, order)


def _text_matches(
    corpus: Corpus, question: Question, dense: Sequence[float], frequencies: Frequencies
) -> Columns:
    return {
        "lexical": corpus.words(question, frequencies),
        "dense": corpus.meaning(dense),
        "marks": corpus.names(question, frequencies),
    }


def _matches(
    corpus: Corpus,
    question: Question,
    dense: Sequence[float],
    frequencies: Frequencies,
    named: AbstractSet[int],
) -> Columns:
    """The match of each entry alone with the question, from 0 to 1."""
    return _text_matches(corpus, question, dense, frequencies) | {
        "period": _nearness(corpus, question.periods),
        "entities": corpus.bearing(named),
    }


def _as_shares(matches: Columns, best: Columns) -> Columns:
    """The matches with words and meaning as shares of the best among `best`."""
    return matches | {name: _share_of_best(matches[name], best[name]) for name in _MATCH}


def _sorted_corpus(entries: Sequence[Entry]) -> tuple[list[int], Corpus]:
    """The corpus in an order of scope and id, and the positions of the entries in that order.

    Float sums depend on the order of the summands; a sorted corpus gives equal scores for every
    order of the arguments.
    """
    order = sorted(
        range(len(entries)), key=lambda place: (entries[place].scope, entries[place].record_id)
    )
    return order, Corpus.of([entries[place] for place in order])


def _in_given_order(items: Sequence[Item], order: Sequence[int]) -> list[Item]:
    by_place = dict(zip(order, items, strict=True))
    return [by_place[place] for place in range(len(order))]


def _relevances(matches: Columns, parts: Columns) -> list[Relevance]:
    match = np.maximum(*(matches[name] for name in _MATCH)).tolist()
    return list(map(Relevance, _rows(parts), match))


def _rows(parts: Columns) -> list[Parts]:
    rows = zip(*(values.tolist() for values in parts.values()), strict=True)
    return [dict(zip(parts, row, strict=True)) for row in rows]


def _parts_of_pool(pool: Corpus, matches: Columns, weights: Weights) -> Columns:
    parts = _as_shares(matches, matches)
    lexical, similar = parts["lexical"], parts["dense"]
    lendable = _lendable(lexical, similar)
    lent = np.minimum(pool.neighbours.borrow(lendable), 1.0)  # a sum of shares may round above 1
    own = _score(parts, weights)
    return parts | {"neighbours": _hold_back(lent, weights.neighbours, own, lexical, similar)}


def _score(parts: Columns, weights: Weights) -> Floats:
    return np.asarray(sum(getattr(weights, name) * values for name, values in parts.items()))


def _lendable(lexical: Floats, similar: Floats) -> Floats:
    """The score that an entry can lend, from words and meaning, from 0 to 1."""
    return ((lexical + MEANING * similar) / (1.0 + MEANING)).astype(np.float32)


def _hold_back(
    lent: Floats, weight: float, own: Floats, lexical: Floats, similar: Floats
) -> Floats:
    """The borrowed scores, reduced where a candidate would pass a candidate with a better match.

    A better match has more of both words and meaning. Candidates are processed from the best match
    down, so that a score to stay below is final.
    """
    kept = lent.copy()
    if weight <= 0.0:
        return kept
    scores = own.astype(np.float64) + weight * kept
    for place in np.argsort(-(lexical + similar), kind="stable"):
        better = (lexical > lexical[place]) & (similar > similar[place])
        if better.any():
            scores[place] = _capped_score(float(scores[place]), float(own[place]), scores[better])
            kept[place] = (scores[place] - own[place]) / weight
    return kept


def _hold_back_outsiders(found: Columns, lent: Floats, parts: Columns, weights: Weights) -> Floats:
    """The borrowed scores of entries outside the candidates, reduced as in `_hold_back`.

    The entries are compared with the found candidates alone, never with each other.
    """
    kept, weight = lent.copy(), weights.neighbours
    if weight <= 0.0:
        return kept
    scores = _score(found, weights).astype(np.float64)
    alone = _score(parts, weights).tolist()
    for place in np.flatnonzero(lent):
        better = np.logical_and(*(found[name] > parts[name][place] for name in _MATCH))
        if better.any():
            own, lifted = alone[place], alone[place] + weight * float(lent[place])
            kept[place] = (_capped_score(lifted, own, scores[better]) - own) / weight
    return kept


def _capped_score(score: float, own: float, better: NDArray[np.float64]) -> float:
    """The score, kept below the scores of better matches, but not below `own`."""
    return min(score, max(own, float(better.min()) - JUST_BELOW))


def _share_of_best(values: Floats, among: Floats) -> Floats:
    best = float(among.max())
    return np.minimum(values / best, 1.0) if best > 0.0 else values


def _nearness(pool: Corpus, periods: Sequence[Period]) -> Floats:
    """The part `period`: 1 within a named period, fading outside; 0 without a named period."""
    nearest = np.zeros(len(pool.entries), np.float64)
    for period in periods:
        early = np.maximum(0.0, period.from_s - pool.happened_s) / BEFORE_S
        late = np.maximum(0.0, pool.happened_s - period.to_s) / HALVED_S
        nearest = np.maximum(nearest, np.exp2(-(early + late)))
    return nearest.astype(np.float32)
