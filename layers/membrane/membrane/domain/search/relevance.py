"""How relevant candidates are to a question, part by part, in numpy.

It depends on its arguments alone, so that the same candidates come in the same order whichever
search found them.
"""

from collections.abc import Sequence

import numpy as np

from membrane.domain.search.corpus import Corpus
from membrane.domain.search.entries import Entry
from membrane.domain.search.frequencies import Frequencies
from membrane.domain.search.periods import Period
from membrane.domain.search.postings import Floats
from membrane.domain.search.questions import Question

MAX_SEEDS = 16
"""Candidates whose neighbours are asked for."""

MEANING = 0.3
"""What meaning counts beside words in what a neighbour lends."""

HALVED_S = 14 * 86_400.0
"""So long after a time that is named, half is left: what happened is told of afterwards."""

BEFORE_S = 2 * 86_400.0
"""The same before it: what is planned is told of shortly before."""


def relevance(
    question: Question,
    dense: Sequence[float],
    entries: Sequence[Entry],
    beside: Sequence[Entry],
    frequencies: Frequencies,
) -> list[dict[str, float]]:
    """The parts of each candidate's score, from 0 to 1: of `entries`, then of `beside`, in order.

    `lexical` and `dense`: the best candidate has 1. `neighbours`: what it is lent, as a share of
    the most that could be. `marks`: how much of what the question names it is about, under 1.
    `period`: how near it is to a time that the question names.
    """
    candidates = [*entries, *beside]
    if not candidates:
        return []
    order = _canonical(candidates)
    pool = Corpus.of([candidates[place] for place in order])
    words = _of_best(pool.words(question, frequencies))
    meaning = _of_best(pool.meaning(dense))
    own = _own(words, meaning)
    parts = {
        "lexical": words,
        "dense": meaning,
        "neighbours": np.minimum(pool.lent(own), 1.0),  # sums of shares round to more
        "marks": pool.named(question, frequencies),
        "period": _nearness(pool, question.periods),
    }
    columns = zip(*(values.tolist() for values in parts.values()), strict=True)
    rows = dict(zip(order, columns, strict=True))
    return [dict(zip(parts, rows[place], strict=True)) for place in range(len(candidates))]


def likeness(
    question: Question,
    dense: Sequence[float],
    entries: Sequence[Entry],
    frequencies: Frequencies,
) -> list[dict[str, float]]:
    """How each entry matches the question by itself, part by part, from 0 to 1; in order.

    Unlike `relevance` no part depends on which others there are.
    """
    if not entries:
        return []
    pool = Corpus.of(entries)
    parts = {
        "lexical": pool.words(question, frequencies),
        "dense": pool.meaning(dense),
        "marks": pool.named(question, frequencies),
    }
    rows = zip(*(values.tolist() for values in parts.values()), strict=True)
    return [dict(zip(parts, row, strict=True)) for row in rows]


def seeds(
    question: Question, dense: Sequence[float], entries: Sequence[Entry], frequencies: Frequencies
) -> list[int]:
    """Positions of the candidates whose neighbours are worth asking for, the best first."""
    if not entries:
        return []
    order = _canonical(entries)
    pool = Corpus.of([entries[place] for place in order])
    own = _own(_of_best(pool.words(question, frequencies)), _of_best(pool.meaning(dense)))
    scores = dict(zip(order, own.tolist(), strict=True))
    ranked = sorted(
        (place for place, entry in enumerate(entries) if entry.thread and scores[place] > 0.0),
        key=lambda place: (-scores[place], entries[place].record_id),
    )
    return ranked[:MAX_SEEDS]


def _canonical(entries: Sequence[Entry]) -> list[int]:
    """Positions in an order of the entries' own: sums of floats depend on it."""
    return sorted(
        range(len(entries)), key=lambda place: (entries[place].scope, entries[place].record_id)
    )


def _own(words: Floats, meaning: Floats) -> Floats:
    """What an entry has to lend: how well it matches by itself, from 0 to 1."""
    return ((words + MEANING * meaning) / (1.0 + MEANING)).astype(np.float32)


def _of_best(values: Floats) -> Floats:
    """As shares of the highest."""
    best = float(values.max())
    return values / best if best > 0.0 else values


def _nearness(pool: Corpus, periods: Sequence[Period]) -> Floats:
    """1 within a time that is named, less and less outside it; 0 where none is."""
    nearest = np.zeros(len(pool.entries), np.float64)
    for period in periods:
        early = np.maximum(0.0, period.from_s - pool.happened_s) / BEFORE_S
        late = np.maximum(0.0, pool.happened_s - period.to_s) / HALVED_S
        nearest = np.maximum(nearest, np.exp2(-(early + late)))
    return nearest.astype(np.float32)
