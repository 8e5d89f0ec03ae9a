"""A page of a retrieval: by score as long as a task finds something, and then by salience.

With a floor, what a search did not find is left out, unless filters ask for what the search index
does not know. The search may then have found records that the filters refuse, in place of relevant
ones. So salience goes on there, and each record comes by it that reaches the floor.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.search.prompts import Prompt
from membrane.domain.search.requests import PROMPT
from membrane.usecases.ports.search import MAX_FOUND
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.by_salience import BySalience, order_of
from membrane.usecases.search.by_score import ByScore, by_score
from membrane.usecases.search.hydration import Hydration
from membrane.usecases.search.inquiry import Inquiry
from membrane.usecases.search.judging import Candidate, Judge
from membrane.usecases.search.page import Page
from membrane.usecases.search.progress import Progress, mark_of, marks_of, progress_of


@dataclass(frozen=True, slots=True)
class Paged:
    """A page, and what can be told of how it came about."""

    page: Page
    scores: ByScore | None
    """What was found for the task, and measured beside; None where this page was not about it."""
    next_cursor: str | None


def paged(
    inquiry: Inquiry,
    cursor: str | None,
    services: ReadingServices,
    begun_s: float,
    written: Sequence[str] = (),
) -> Paged:
    """The next page of a request that began then, by `elapsed_s`.

    `written` are ids of records that it must know as they are now. Raises InvalidArgument for a
    cursor of another request, WrongEmbedder.
    """
    past = inquiry.as_of
    now = past or services.now()
    progress = progress_of(cursor, inquiry.binding, epoch_seconds(now), services.cursor_key)
    hydration = Hydration(services.records, None if past is None else rfc3339(past))
    judge = Judge(inquiry, services.policy.custom_curves, now, progress.at_s, hydration)
    told = judge.judged_quietly(hydration.living(written).values())
    return _Paging(judge, progress, services, begun_s, told).paged()


@dataclass(slots=True)
class _Paging:
    judge: Judge
    progress: Progress
    services: ReadingServices
    begun_s: float
    told: Sequence[Candidate]

    def paged(self) -> Paged:
        asked = self.judge.inquiry
        prompt = Prompt(asked.max_tokens) if asked.view == PROMPT else None
        page = Page(asked.limit, self.judge, prompt=prompt)
        scores = self._scores()
        further = None
        if scores is not None and self.progress.fused is not None:
            further = self._by_score(scores, page)
        # What the index did not find scores less than the floor.
        is_by_score_alone = asked.has_floor and not asked.is_beyond_index
        if further is None and not is_by_score_alone:
            further = self._by_salience(page, scores)
        if further is None:
            return Paged(page, scores, None)
        cursor = further.cursor(asked.binding, self.services.cursor_key())
        return Paged(page, scores, cursor)

    def _scores(self) -> ByScore | None:
        asked = self.judge.inquiry
        is_scored = self.progress.fused is not None or asked.has_floor
        if not (asked.task and asked.types and is_scored):
            return None
        return by_score(self.told, self.judge, self.services)

    def _by_score(self, scores: ByScore, page: Page) -> Progress | None:
        """Fill the page; where to go on by score, None where salience is next."""
        before = self.progress
        fused = before.fused or 0
        several = self._not_given(scores.candidates(page.wanted))
        for candidate in islice(several, MAX_FOUND - fused):
            if not page.takes(candidate):
                given = marks_of(each.id for each in page.candidates)
                return replace(before, given=before.given + given, fused=fused + len(given))
        return None

    def _by_salience(self, page: Page, scores: ByScore | None) -> Progress | None:
        """Fill the page; where to go on, None at the end."""
        given = self.progress.given + marks_of(each.id for each in page.candidates)
        floored = scores if self.judge.inquiry.has_floor else None
        refused = marks_of(() if floored is None else floored.below_floor)
        order = order_of(self.judge, self.progress.rank, self.services)
        walk = BySalience(
            order,
            self.told,
            frozenset(given + refused),
            self.judge,
            self.services,
            self.begun_s,
            floored,
        )
        after, is_full = None, False
        for candidate in walk.candidates(page.wanted):
            is_full = not page.takes(candidate)
            if is_full:
                break
            after = walk.examined
        self.judge.withheld |= order.withheld
        self.judge.hidden |= order.hidden
        if order.exhausted and not is_full:
            return None
        resume = order.resume_after(after if is_full else walk.examined).as_json()
        named = {each.id for each in self.told}
        given += marks_of(each.id for each in page.candidates if each.id in named)
        return Progress(self.progress.at_s, tuple(dict.fromkeys(given)), None, resume)

    def _not_given(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        given = frozenset(self.progress.given)
        return (each for each in candidates if mark_of(each.id) not in given)
