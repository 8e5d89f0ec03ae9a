"""A page of a retrieval: candidates by score first, then candidates by salience.

With a score floor, records that the search did not find are left out. Filters on attributes that
the index does not have are the exception: the search may have found only records that the filters
refuse. The walk by salience then continues, and adds every record with a score above the floor.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import View
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import salience_at
from membrane.domain.search.prompts import Prompt
from membrane.domain.search.requests import PROMPT
from membrane.usecases.machinery.calls import Place, newest_first
from membrane.usecases.ports.search import MAX_FOUND
from membrane.usecases.ports.world import World
from membrane.usecases.search.by_score import ByScore, by_score
from membrane.usecases.search.inquiry import Inquiry, Progress, mark_of, marks_of, progress_of
from membrane.usecases.search.judging import Candidate, Hydration, Judge, Page
from membrane.usecases.search.rank.order import ALLOWANCE, Allowance, RankOrder, RankQuery, Row
from membrane.usecases.search.rank.streams import Finite, Id, Key, Resumable, Resume

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.indexes.orders import DynamoNatural


WINDOW = 200
"""The records of a window; a call reads a whole window, however small the page."""


@dataclass(frozen=True, slots=True)
class NaturalResume(Resumable):
    window: tuple[Finite, Id] | None = None
    """The place just before the window; None for the window of the newest records."""
    last: Key | None = None
    """The key of the last row of the window that a page used."""

    @classmethod
    def as_of(cls, instant_s: float) -> "NaturalResume":
        """The beginning of a walk that leaves out records created after the instant."""
        return cls(window=(-instant_s, ""))


@dataclass(slots=True)
class NaturalOrder:
    """A walk through the records of natural keys, with the interface of RankOrder."""

    judge: Judge
    natural: "DynamoNatural"
    resume: NaturalResume = field(default_factory=NaturalResume)
    exhausted: bool = False
    withheld: set[str] = field(default_factory=set)
    """Always empty: the index has no sensitivity, so the judge counts withheld records."""
    hidden: set[str] = field(default_factory=set)
    _rows: list[Row] | None = None
    _taken: int = 0
    _next_window: Place | None = None

    def take(self, rows: int) -> Sequence[Row]:
        """The next rows; fewer at the end of the window."""
        if self._rows is None:
            self._rows = self._read_window()
        taken = self._rows[self._taken : self._taken + rows]
        self._taken += len(taken)
        self.exhausted = self._taken == len(self._rows) and self._next_window is None
        return taken

    def resume_after(self, row: Row | None) -> NaturalResume:
        """The point from which a later call continues after `row`; None = no row was used."""
        is_through = not self._rows or row == self._rows[-1]
        if is_through and self._next_window is not None:
            return NaturalResume(self._next_window)
        if row is None:
            return self.resume
        return NaturalResume(self.resume.window, _key(row))

    def _read_window(self) -> list[Row]:
        after = self.resume.window
        places = list(
            islice(newest_first(self.judge.inquiry.natural_keys, self.natural, after), WINDOW + 1)
        )
        if len(places) > WINDOW:
            self._next_window = places[WINDOW - 1]
        living = self.judge.hydration.living(record_id for _, record_id in places[:WINDOW])
        rows = sorted((self._row(each) for each in living.values()), key=_key)
        last = self.resume.last
        return [row for row in rows if last is None or _key(row) > last]

    def _row(self, stored: StoredRecord) -> Row:
        judge, lifecycle = self.judge, stored.record.lifecycle
        salience = salience_at(judge.at_s, stored.anchor, lifecycle, judge.curves)
        return Row(stored.id, salience, stored.born_s, stored.sensitivity)


def _key(row: Row) -> Key:
    return (-row.salience, -row.born_s, row.record_id)


READS_FOR_S = 10.0
"""Seconds for which a request reads further batches; API Gateway waits for 29."""

MOST_AT_ONCE = 500


Order = RankOrder | NaturalOrder
"""Rows of an index in the order of salience."""


def order_of(
    judge: Judge, resume: JsonObject | None, world: World, allowance: Allowance = ALLOWANCE
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


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page, the scores behind the page, and the cursor of the next page."""

    page: Page
    scores: ByScore | None
    """The scores of the task's candidates; None for a page without a task."""
    next_cursor: str | None


def read_page(
    inquiry: Inquiry, cursor: str | None, world: World, begun_s: float, written: Sequence[str] = ()
) -> FoundPage:
    """The next page of a request that began at `begun_s`, by `elapsed_s`.

    `written` has the ids of records from consistency tokens, which the page must know in their
    present version. Raises InvalidArgument for a cursor of a different request, and WrongEmbedder.
    """
    past = inquiry.as_of
    now = past or world.now()
    progress = progress_of(cursor, inquiry.binding, epoch_seconds(now), world.cursor_key)
    hydration = Hydration(world.records, None if past is None else rfc3339(past))
    judge = Judge(inquiry, world.policy.custom_curves, now, progress.at_s, hydration)
    fresh = judge.candidates_uncounted(hydration.living(written).values())
    return _Paging(judge, progress, world, begun_s, fresh).read()


@dataclass(slots=True)
class _Paging:
    judge: Judge
    progress: Progress
    world: World
    begun_s: float
    fresh: Sequence[Candidate]
    """The records that consistency tokens name."""

    def read(self) -> FoundPage:
        asked = self.judge.inquiry
        prompt = Prompt(asked.max_tokens) if asked.view == PROMPT else None
        page = Page(asked.limit, self.judge, prompt=prompt)
        scores = self._scores()
        further = None
        if scores is not None and self.progress.fused is not None:
            further = self._by_score(scores, page)
        # A record that the search did not find has a score below the floor.
        is_by_score_alone = asked.has_floor and not asked.is_beyond_index
        if further is None and not is_by_score_alone:
            further = self._by_salience(page, scores)
        if further is None:
            return FoundPage(page, scores, None)
        cursor = further.cursor(asked.binding, self.world.cursor_key())
        return FoundPage(page, scores, cursor)

    def _scores(self) -> ByScore | None:
        asked = self.judge.inquiry
        is_scored = self.progress.fused is not None or asked.has_floor
        if not (asked.task and asked.types and is_scored):
            return None
        return by_score(self.fresh, self.judge, self.world)

    def _by_score(self, scores: ByScore, page: Page) -> Progress | None:
        before = self.progress
        fused = before.fused or 0
        several = self._not_given(scores.candidates(page.read_size))
        for candidate in islice(several, MAX_FOUND - fused):
            if not page.try_add(candidate):
                given = marks_of(each.id for each in page.candidates)
                return replace(before, given=before.given + given, fused=fused + len(given))
        return None

    def _by_salience(self, page: Page, scores: ByScore | None) -> Progress | None:
        given = self.progress.given + marks_of(each.id for each in page.candidates)
        floored = scores if self.judge.inquiry.has_floor else None
        refused = marks_of(() if floored is None else floored.below_floor)
        order = order_of(self.judge, self.progress.rank, self.world)
        walk = BySalience(
            order,
            self.fresh,
            frozenset(given + refused),
            self.judge,
            self.world,
            self.begun_s,
            floored,
        )
        after, is_full = None, False
        for candidate in walk.candidates(page.read_size):
            is_full = not page.try_add(candidate)
            if is_full:
                break
            after = walk.examined
        self.judge.withheld |= order.withheld
        self.judge.hidden |= order.hidden
        if order.exhausted and not is_full:
            return None
        resume = order.resume_after(after if is_full else walk.examined).as_json()
        fresh = {each.id for each in self.fresh}
        given += marks_of(each.id for each in page.candidates if each.id in fresh)
        return Progress(self.progress.at_s, tuple(dict.fromkeys(given)), None, resume)

    def _not_given(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        given = frozenset(self.progress.given)
        return (each for each in candidates if mark_of(each.id) not in given)
