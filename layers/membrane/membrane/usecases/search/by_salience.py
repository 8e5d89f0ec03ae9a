"""Candidates in the order of salience: from the index, and from consistency tokens.

The order comes from index rows; every candidate is made from the record, read consistently.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from membrane.domain.access.trust import View
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.world import World
from membrane.usecases.search.by_score import ByScore
from membrane.usecases.search.judging import Candidate, Judge
from membrane.usecases.search.natural_order import NaturalOrder, NaturalResume
from membrane.usecases.search.progress import mark_of
from membrane.usecases.search.rank.order import ALLOWANCE, Allowance, RankOrder, RankQuery, Row
from membrane.usecases.search.rank.resuming import Resume

READS_FOR_S = 10.0
"""Seconds for which a request reads further batches; API Gateway waits for 29."""

MOST_AT_ONCE = 500


Order = RankOrder | NaturalOrder
"""Rows of an index in the order of salience."""


def order_of(
    judge: Judge,
    resume: JsonObject | None,
    world: World,
    allowance: Allowance = ALLOWANCE,
) -> Order:
    """The order by salience at the judge's instant; raises InvalidArgument for a forged resume.

    `allowance` limits the rows of the rank index.
    """
    inquiry = judge.inquiry
    if inquiry.natural_keys:
        if resume is not None:
            begin = NaturalResume.of_json(resume)
        elif inquiry.as_of is not None:
            begin = NaturalResume.as_of(epoch_seconds(inquiry.as_of))
        else:
            begin = NaturalResume()
        return NaturalOrder(judge, world.natural, begin)
    wanted = RankQuery(
        scopes=inquiry.scopes,
        types=inquiry.types,
        ceiling=inquiry.gate.asked.ceiling,
        own=inquiry.gate.own.ceiling,
        min_salience=inquiry.min_salience,
        now_s=judge.at_s,
    )
    start = None if resume is None else Resume.of_json(resume)
    return RankOrder(wanted, world, start, allowance)


@dataclass(slots=True)
class BySalience:
    """Walks through an order, and merges in the records that consistency tokens name."""

    order: Order
    fresh: Sequence[Candidate]
    """The records that tokens name, by salience; their index rows are skipped."""
    given: frozenset[str]
    """Marks of records to skip: given on earlier pages, or with a score below the floor."""
    judge: Judge
    world: World
    begun_s: float
    """The start of the request, by `elapsed_s`."""
    scores: ByScore | None = None
    """Scores for the score floor; None without a floor."""
    examined: Row | None = None

    def candidates(self, at_once: int) -> Iterator[Candidate]:
        """The candidates, until the order ends or the time or read allowance is used up.

        The first batch has `at_once` records; later batches grow up to MOST_AT_ONCE.
        """
        fresh = self._fresh_candidates()
        while rows := self.order.take(at_once):
            living = self._living(rows)
            self._measure(living.values())
            for row in rows:
                while fresh and fresh[0].place < (-row.salience, -row.born_s, row.record_id):
                    yield fresh.pop(0)
                self.examined = row
                candidate = self._candidate(living.get(row.record_id))
                if candidate is not None:
                    yield candidate
            if self.world.elapsed_s() - self.begun_s > READS_FOR_S:
                return
            at_once = min(2 * at_once, MOST_AT_ONCE)
        if self.order.exhausted:
            yield from fresh

    def _fresh_candidates(self) -> list[Candidate]:
        unseen = (each for each in self.fresh if mark_of(each.id) not in self.given)
        return [candidate for each in unseen if (candidate := self._above_floor(each))]

    def _measure(self, several: Iterable[StoredRecord]) -> None:
        """Measure the relevance of the fully visible candidates of a batch in one request."""
        if self.scores is not None:
            candidates = self.judge.candidates_uncounted(several)
            self.scores.measure(each.id for each in candidates if each.view is View.FULL)

    def _candidate(self, stored: StoredRecord | None) -> Candidate | None:
        candidate = None if stored is None else self.judge.candidate_of(stored)
        return None if candidate is None else self._above_floor(candidate)

    def _above_floor(self, candidate: Candidate) -> Candidate | None:
        return candidate if self.scores is None else self.scores.above_floor(candidate.id)

    def _living(self, rows: Sequence[Row]) -> Mapping[str, StoredRecord]:
        fresh = {each.id for each in self.fresh}
        return self.judge.hydration.living(
            row.record_id
            for row in rows
            if row.record_id not in fresh and mark_of(row.record_id) not in self.given
        )
