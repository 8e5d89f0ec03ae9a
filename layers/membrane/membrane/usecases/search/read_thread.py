"""Read the working state of a thread: the latest, and earlier states page by page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import groupby, islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Gate
from membrane.domain.language.errors import NotFound
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.redaction import redacted_view
from membrane.domain.records.sizes import reply_bytes
from membrane.domain.search.filters import Filters
from membrane.domain.search.requests import USUAL_PAGE, ReadThread
from membrane.usecases.machinery.calls import Call, cursor_part
from membrane.usecases.machinery.side_by_side import Place, newest_first
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import Inquiry, binding_of, cursor_at, place_in, scopes_of
from membrane.usecases.search.judging import Candidate, Judge, Page, judge_now

if TYPE_CHECKING:
    from membrane.domain.search import replies

AT_ONCE = 25
"""The records of a read."""

MOST_READ = 1_000
"""The most records that a call reads, visible or not."""


def read_thread(
    request: ReadThread, call: Call, world: World, written: Sequence[str] = ()
) -> "replies.ThreadState":
    """The states that the trust of the request shows in full; `limit` counts earlier states.

    `written` are ids of records just written: a state among the records is found before the index
    has the state.

    Raises NotFound without such a state, and InvalidArgument for a cursor of a different request
    and if the scopes must be named.
    """
    gate = Gate.of(call.principal.trust, request.trust)
    inquiry = Inquiry(
        gate=gate,
        scopes=scopes_of(gate.asked, world),
        types=(MemoryType.WORKING,),
        filters=Filters(thread_id=request.thread_id),
        binding=binding_of(request, call),
        limit=request.limit or USUAL_PAGE,
    )
    after, judge = place_in(request.cursor, inquiry.binding, world), judge_now(inquiry, world)
    walk = _Walk(judge, world, written)
    states = walk.states(None)
    latest = next(states, None)
    if latest is None:
        raise NotFound("thread not found")
    record = judge.reply_of(latest)
    page = Page(inquiry.limit, judge, has_record_before=True)
    page.room -= reply_bytes(record)
    if after is None:
        further = _fill(page, states, walk, _place_of(latest))
    else:
        further = _fill(page, walk.states(after), walk, after)
        if further == after:  # no room beside the latest, which the first page has shown
            record, page = redacted_view(latest.stored.record), Page(inquiry.limit, judge)
            page.room -= reply_bytes(record)
            further = _fill(page, walk.states(after), walk, after)
    part = cursor_part(cursor_at(further, inquiry.binding, world))
    return {"record": record, "earlier": page.records, **part}


@dataclass(slots=True)
class _Walk:
    """Walks through the states of a thread, the newest first."""

    judge: Judge
    world: World
    written: Sequence[str] = ()
    examined: Place | None = None
    """The place at which the walk stopped before the end of the thread."""

    def states(self, after: Place | None) -> Iterator[Candidate]:
        keys = self.judge.inquiry.natural_keys
        places = self._with_written(newest_first(keys, self.world.natural, after), after)
        read = 0
        while read < MOST_READ and (chunk := list(islice(places, AT_ONCE))):
            living = self.judge.hydration.living(record_id for _, record_id in chunk)
            candidates = map(self.judge.candidate_of, living.values())
            yield from (each for each in candidates if each is not None)
            read += len(chunk)
            self.examined = chunk[-1]
        if read < MOST_READ:
            self.examined = None

    def _with_written(self, indexed: Iterator[Place], after: Place | None) -> Iterator[Place]:
        """The places with those of the records just written, each once; the judge decides."""
        states = self.judge.hydration.living(self.written).values()
        just_written = sorted((-each.born_s, each.id) for each in states)
        later = (place for place in just_written if after is None or place > after)
        return (place for place, _ in groupby(merge(indexed, later)))


def _fill(page: Page, states: Iterator[Candidate], walk: _Walk, after: Place) -> Place | None:
    """Fill the page with states after a place; the place of the last, None at the thread's end."""
    for candidate in states:
        if not page.try_add(candidate):
            return after
        after = _place_of(candidate)
    return walk.examined


def _place_of(state: Candidate) -> Place:
    return (-state.stored.born_s, state.id)
