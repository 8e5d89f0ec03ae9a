"""The roots of a graph: the named entities, then the best records of a retrieval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from membrane.domain.access.trust import View
from membrane.usecases.graph.entities_in_task import bearers_in_task, candidates_named
from membrane.usecases.ports.world import World
from membrane.usecases.search.by_salience import BySalience, order_of
from membrane.usecases.search.by_score import ByScore, by_score
from membrane.usecases.search.judging import Candidate, Judge
from membrane.usecases.search.progress import marks_of
from membrane.usecases.search.rank.order import Allowance

MOST_LOOKED_AT = 100
"""Records by salience examined in search of redacted roots."""

MAX_ROWS = 5_000
"""Rows of the rank index, of a memory type, to read in search of roots, most of them hidden from
the reader; a page with a greater reach reads this number times the reach."""


@dataclass(frozen=True, slots=True)
class Roots:
    """The roots in the order of rank."""

    candidates: Sequence[Candidate]
    named: frozenset[str] = frozenset()
    """The ids of the entities named in the task."""
    scores: ByScore | None = None
    """The scores of the task's candidates; None without a task."""
    is_cut: bool = False
    """Whether roots are lacking behind rows that this page may not read."""

    def score_of(self, record_id: str) -> float | None:
        """The score of a loaded record; None for a record that the search did not find."""
        found = [] if self.scores is None else self.scores.candidates_of([record_id])
        return found[0].score if found else None


def find_roots(
    judge: Judge,
    fresh: Sequence[Candidate],
    world: World,
    begun_s: float,
    *,
    reach: int,
) -> Roots:
    """The roots; `fresh` are the records that consistency tokens name.

    Named entities need no score and come first. A page with a greater `reach` reads further by
    salience. Raises WrongEmbedder as `by_score`.
    """
    asked, walks = judge.inquiry, _Walks(judge, fresh, world, begun_s, MAX_ROWS * reach)
    if not (asked.task and asked.types):
        most_salient = list(islice(walks.by_salience(), asked.limit))
        return Roots(most_salient, is_cut=walks.are_cut)
    bearers = bearers_in_task(asked, world)
    judge.hydration.read_ahead(chain.from_iterable(bearers.values()))
    scores = by_score(fresh, judge, world)
    best = list(islice(scores.candidates(asked.limit), asked.limit))
    named = {each.id: each for each in candidates_named(bearers, scores, judge)}
    named |= {each.id: each for each in scores.candidates_of(named)}
    first = sorted(named.values(), key=lambda each: each.fused_place)
    others = (each for each in best if each.id not in named)
    candidates = list(islice(chain(first, others), asked.limit))
    if len(candidates) < asked.limit and (not asked.has_floor or asked.is_beyond_index):
        rest = walks.by_salience([each.id for each in candidates], scores)
        candidates += islice(rest, asked.limit - len(candidates))
    if not candidates and asked.has_floor:  # without a floor, the walk has met the redacted records
        candidates = walks.redacted_roots()
    return Roots(candidates, frozenset(named), scores, walks.are_cut)


@dataclass(slots=True)
class _Walks:
    """Walks by salience, each from the beginning."""

    judge: Judge
    fresh: Sequence[Candidate]
    world: World
    begun_s: float
    rows: int
    """Rows of the rank index that a walk may read of a memory type."""
    are_cut: bool = False
    """Whether a walk ended before the index did, for want of rows or of time."""

    def by_salience(
        self, given: Sequence[str] = (), scores: ByScore | None = None
    ) -> Iterator[Candidate]:
        """The candidates without `given`, and without candidates below a score floor."""
        floored = scores if self.judge.inquiry.has_floor else None
        refused = () if floored is None else floored.below_floor
        order = order_of(self.judge, None, self.world, Allowance(a_type=self.rows))
        marks = frozenset(marks_of([*given, *refused]))
        walk = BySalience(order, self.fresh, marks, self.judge, self.world, self.begun_s, floored)
        yield from walk.candidates(self.judge.inquiry.limit - len(given))
        self.are_cut |= not order.exhausted

    def redacted_roots(self) -> list[Candidate]:
        """Redacted records among the MOST_LOOKED_AT most salient: the roots where nothing answers.

        A redacted record takes no part in the search, and is listed by salience alone.
        """
        ranked = islice(self.by_salience(), MOST_LOOKED_AT)
        found = (each for each in ranked if each.view is View.REDACTED)
        return list(islice(found, self.judge.inquiry.limit))
