"""A page of a retrieval: candidates by score first, then candidates by salience.

With a score floor, records that the search did not find are left out. Filters on attributes that
the index does not have are the exception: the search may have found only records that the filters
refuse. The walk by salience then continues, and adds every record with a score above the floor.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.search.prompts import Prompt
from membrane.domain.search.requests import PROMPT
from membrane.usecases.ports.search import MAX_FOUND
from membrane.usecases.ports.world import World
from membrane.usecases.search.by_salience import BySalience, order_of
from membrane.usecases.search.by_score import ByScore, by_score
from membrane.usecases.search.inquiry import Inquiry
from membrane.usecases.search.judging import Candidate, Hydration, Judge, Page
from membrane.usecases.search.progress import Progress, mark_of, marks_of, progress_of


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page, the scores behind the page, and the cursor of the next page."""

    page: Page
    scores: ByScore | None
    """The scores of the task's candidates; None for a page without a task."""
    next_cursor: str | None


def read_page(
    inquiry: Inquiry,
    cursor: str | None,
    world: World,
    begun_s: float,
    written: Sequence[str] = (),
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
        """Fill the page by score; the progress of a full page, None if candidates run out."""
        before = self.progress
        fused = before.fused or 0
        several = self._not_given(scores.candidates(page.read_size))
        for candidate in islice(several, MAX_FOUND - fused):
            if not page.try_add(candidate):
                given = marks_of(each.id for each in page.candidates)
                return replace(before, given=before.given + given, fused=fused + len(given))
        return None

    def _by_salience(self, page: Page, scores: ByScore | None) -> Progress | None:
        """Fill the page by salience; the progress of the page, None at the end."""
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
