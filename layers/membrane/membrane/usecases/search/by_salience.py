"""Candidates by salience: index rows as the records behind them are now, and what tokens name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from membrane.domain.access.trust import View
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.by_score import ByScore
from membrane.usecases.search.judging import Candidate, Judge
from membrane.usecases.search.natural_order import NaturalOrder, NaturalResume
from membrane.usecases.search.progress import mark_of
from membrane.usecases.search.rank.order import RankOrder, Row, Wanted
from membrane.usecases.search.rank.resuming import Resume

READS_FOR_S = 10.0
"""Seconds after its beginning in which a request reads on: API Gateway waits for 29."""

MOST_AT_ONCE = 500


Order = RankOrder | NaturalOrder
"""Rows of an index in the order of their salience."""


def order_of(judge: Judge, resume: JsonObject | None, services: ReadingServices) -> Order:
    """By salience as of the judge's instant; raises InvalidArgument for a forged resume."""
    inquiry = judge.inquiry
    if inquiry.natural_keys:
        if resume is not None:
            begin = NaturalResume.of_json(resume)
        elif inquiry.as_of is not None:
            begin = NaturalResume.as_of(epoch_seconds(inquiry.as_of))
        else:
            begin = NaturalResume()
        return NaturalOrder(judge, services.natural, begin)
    wanted = Wanted(
        scopes=inquiry.scopes,
        types=inquiry.types,
        ceiling=inquiry.gate.asked.ceiling,
        own=inquiry.gate.own.ceiling,
        min_salience=inquiry.min_salience,
        now_s=judge.at_s,
    )
    return RankOrder(wanted, services, None if resume is None else Resume.of_json(resume))


@dataclass(slots=True)
class BySalience:
    """Goes through an order, with what tokens name in its place."""

    order: Order
    told: Sequence[Candidate]
    """What tokens name, by salience; index rows of the same records are passed over."""
    given: frozenset[str]
    """Marks of what is passed over: it was given, or scores less than the floor."""
    judge: Judge
    services: ReadingServices
    begun_s: float
    """When the request began, by `elapsed_s`."""
    scores: ByScore | None = None
    """Leave out what scores less than the floor; None where there is no floor."""
    examined: Row | None = None

    def candidates(self, at_once: int) -> Iterator[Candidate]:
        """Each that there is, until the order ends or has read what it may.

        So many records are read at first, and more where they do not do.
        """
        told = self._told()
        while rows := self.order.take(at_once):
            living = self._living(rows)
            self._measure(living.values())
            for row in rows:
                while told and told[0].place < (-row.salience, -row.born_s, row.record_id):
                    yield told.pop(0)
                self.examined = row
                candidate = self._candidate(living.get(row.record_id))
                if candidate is not None:
                    yield candidate
            if self.services.elapsed_s() - self.begun_s > READS_FOR_S:
                return
            at_once = min(2 * at_once, MOST_AT_ONCE)
        if self.order.exhausted:
            yield from told

    def _told(self) -> list[Candidate]:
        there = (each for each in self.told if mark_of(each.id) not in self.given)
        return [candidate for each in there if (candidate := self._above_floor(each))]

    def _measure(self, several: Iterable[StoredRecord]) -> None:
        """Measure at once what is seen in full of them and is among what was asked for."""
        if self.scores is not None:
            candidates = self.judge.judged_quietly(several)
            self.scores.measure(each.id for each in candidates if each.view is View.FULL)

    def _candidate(self, stored: StoredRecord | None) -> Candidate | None:
        candidate = None if stored is None else self.judge.judged(stored)
        return None if candidate is None else self._above_floor(candidate)

    def _above_floor(self, candidate: Candidate) -> Candidate | None:
        return candidate if self.scores is None else self.scores.above_floor(candidate.id)

    def _living(self, rows: Sequence[Row]) -> Mapping[str, StoredRecord]:
        told = {each.id for each in self.told}
        return self.judge.hydration.living(
            row.record_id
            for row in rows
            if row.record_id not in told and mark_of(row.record_id) not in self.given
        )
