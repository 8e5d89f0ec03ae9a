"""List removed records, retracted records, and the working states of a thread."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import merge
from itertools import groupby, islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Gate
from membrane.domain.language.cursors import decode, foreign_cursor
from membrane.domain.language.errors import NotFound
from membrane.domain.language.json_text import Body
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.language.values import reply_bytes
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.lifecycle.pruning import RANK_OF_RETRACTED
from membrane.domain.records.redaction import redacted_view
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, Removal, StoredRecord, removal_by
from membrane.domain.search.filters import Filters
from membrane.domain.search.requests import RETRACTED, USUAL_PAGE, ReadThread
from membrane.usecases.machinery import calls
from membrane.usecases.ports.indexes import Position, RankPartition
from membrane.usecases.ports.world import World
from membrane.usecases.search.inquiry import Inquiry, binding_of, cursor_at, place_in, scopes_of
from membrane.usecases.search.judging import Candidate, Judge, Page, judge_now

if TYPE_CHECKING:
    from membrane.domain.search import replies
    from membrane.domain.search.replies import RemovedRecord


AT_ONCE = 100
"""The records of a read."""

MOST_READ = 1_000
"""The most records that a call reads, visible or not."""

RetractedPlace = tuple[str, str, str, int, str]
"""Scope, type, decay class and shard of a partition of the rank index, and the id of a record."""

ListPage = tuple[Sequence[Body], str | None]
"""The records of a page, and the cursor of the next page."""


def list_by_state(state: str, inquiry: Inquiry, cursor: str | None, world: World) -> ListPage:
    """The next page; raises InvalidArgument for a cursor of a different request."""
    records: Sequence[Body]
    last: calls.Place | RetractedPlace | None
    if state == RETRACTED:
        start = None if cursor is None else _retracted_place(cursor, inquiry, world)
        records, last = _retracted_page(inquiry, start, world)
    else:
        after = place_in(cursor, inquiry.binding, world)
        records, last = _removed_page(Removal(state), inquiry, after, world)
    return records, cursor_at(last, inquiry.binding, world)


def records_at(
    places: Iterator[calls.Place],
    after: calls.Place | None,
    limit: int,
    is_listed: Callable[[AnyRecord], bool],
    world: World,
    *,
    most: int = MOST_READ,
) -> tuple[Sequence[AnyRecord], calls.Place | None]:
    """The listed records at the places behind a place, and the place of the last record read.

    None for the last place at the end. A BatchGetItem for 100 records; `most` in all.
    """
    size = min(limit + 1, AT_ONCE)
    listed: list[AnyRecord] = []
    for _ in range(0, most, size):
        chunk = list(islice(places, size))
        held = world.records.load_own([record_id for _, record_id in chunk]) if chunk else {}
        for place in chunk:
            one = held.get(place[1])
            if one is not None and is_listed(one):
                if len(listed) == limit:
                    return listed, after
                listed.append(one)
            after = place
        if len(chunk) < size:
            return listed, None
    return listed, after


# --- deleted and pruned records ------------------------------------------------------------------


def _removed_page(
    removal: Removal, inquiry: Inquiry, after: calls.Place | None, world: World
) -> tuple[Sequence[Body], calls.Place | None]:
    """A Query for each scope and a BatchGetItem for 100 records; the place of the last record."""

    def newest(scope: str, entries: int, before_s: float | None) -> Sequence[tuple[str, float]]:
        return world.ranks.removed_records(scope, removal, entries, before_s)

    places = calls.places_newest_first(
        inquiry.scopes, newest, after, min(inquiry.limit + 1, AT_ONCE)
    )
    listed = partial(_is_listed, removal=removal, inquiry=inquiry)
    removed, last = records_at(places, after, inquiry.limit, listed, world)
    now_s = epoch_seconds(world.now())
    return [_row(each, now_s) for each in removed], last


def _is_listed(held: AnyRecord, removal: Removal, inquiry: Inquiry) -> bool:
    """Whether the list shows the record as it was read; the index may lag behind."""
    if held.tombstone is None or removal_by(held.tombstone) is not removal:
        return False
    is_asked = held.scope in inquiry.scopes and held.type in inquiry.types
    return is_asked and inquiry.gate.asked.allows(held.scope, held.sensitivity)


def _row(held: AnyRecord, now_s: float) -> "RemovedRecord":
    tombstone = held.tombstone
    if tombstone is None:
        raise ValueError("a record without a tombstone is not removed")
    due_s = tombstone.due_s if isinstance(held, StoredRecord) else None
    until = None if due_s is None or due_s <= now_s else rfc3339(from_epoch_seconds(due_s))
    return {
        "id": held.id,
        "type": held.type,
        "scope": held.scope,
        "sensitivity": held.sensitivity,
        "deleted_at": rfc3339(from_epoch_seconds(tombstone.deleted_at_s)),
        "reason": tombstone.reason,
        "restorable_until": until,
        "expires_at": rfc3339(from_epoch_seconds(tombstone.expires_at_s)),
    }


# --- retracted records ---------------------------------------------------------------------------


def _retracted_page(
    inquiry: Inquiry, after: RetractedPlace | None, world: World
) -> tuple[Sequence[Body], RetractedPlace | None]:
    """Two GetItems for each scope, a Query for each decay class, a BatchGetItem for 100 records."""
    inquiry = replace(inquiry, filters=Filters(include_retracted=True))
    judge = judge_now(inquiry, world)
    page, read = Page(inquiry.limit, judge), 0
    places = _retracted_places(inquiry, after, world)
    while chunk := list(islice(places, page.read_size)):
        living = judge.hydration.living(place[-1] for place in chunk)
        for place in chunk:
            stored = living.get(place[-1])
            if stored is not None and is_retracted(stored.record.payload):
                candidate = judge.candidate_of(stored)
                if candidate is not None and not page.try_add(candidate):
                    return page.records, after
            after = place
        read += len(chunk)
        if read >= MOST_READ:
            return page.records, after
    return page.records, None


def _retracted_places(
    inquiry: Inquiry, after: RetractedPlace | None, world: World
) -> Iterator[RetractedPlace]:
    """The retracted records have the lowest rank of each partition of the rank index."""
    partitions = {
        _place_in(each): each
        for scope in inquiry.scopes
        for each in world.ranks.partitions(scope)
        if each.type in inquiry.types
    }
    for start in sorted(partitions):
        if after is not None and start < after[:-1]:
            continue
        last_id = "" if after is None or start != after[:-1] else after[-1]
        while True:
            position = Position(RANK_OF_RETRACTED, last_id)
            entries = world.ranks.top(partitions[start], AT_ONCE, position)
            yield from ((*start, each.record_id) for each in entries)
            if len(entries) < AT_ONCE:
                break
            last_id = entries[-1].record_id


def _place_in(partition: RankPartition) -> tuple[str, str, str, int]:
    return partition.scope, str(partition.type), partition.decay_class, partition.shard


def _retracted_place(cursor: str, inquiry: Inquiry, world: World) -> RetractedPlace:
    match decode(cursor, inquiry.binding, world.cursor_key()).get("place"):
        case [str(scope), str(kind), str(decay_class), int(shard), str(record_id)]:
            return scope, kind, decay_class, shard, record_id
        case _:
            raise foreign_cursor()


STATES_AT_ONCE = 25
"""The states of a thread of a read."""


def read_thread(
    request: ReadThread, call: calls.Call, world: World, written: Sequence[str] = ()
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
    part = calls.cursor_part(cursor_at(further, inquiry.binding, world))
    return {"record": record, "earlier": page.records, **part}


@dataclass(slots=True)
class _Walk:
    """Walks through the states of a thread, the newest first."""

    judge: Judge
    world: World
    written: Sequence[str] = ()
    examined: calls.Place | None = None
    """The place at which the walk stopped before the end of the thread."""

    def states(self, after: calls.Place | None) -> Iterator[Candidate]:
        keys = self.judge.inquiry.natural_keys
        places = self._with_written(calls.newest_first(keys, self.world.natural, after), after)
        read = 0
        while read < MOST_READ and (chunk := list(islice(places, STATES_AT_ONCE))):
            living = self.judge.hydration.living(record_id for _, record_id in chunk)
            candidates = map(self.judge.candidate_of, living.values())
            yield from (each for each in candidates if each is not None)
            read += len(chunk)
            self.examined = chunk[-1]
        if read < MOST_READ:
            self.examined = None

    def _with_written(
        self, indexed: Iterator[calls.Place], after: calls.Place | None
    ) -> Iterator[calls.Place]:
        """The places with those of the records just written, each once; the judge decides."""
        states = self.judge.hydration.living(self.written).values()
        just_written = sorted((-each.born_s, each.id) for each in states)
        later = (place for place in just_written if after is None or place > after)
        return (place for place, _ in groupby(merge(indexed, later)))


def _fill(
    page: Page, states: Iterator[Candidate], walk: _Walk, after: calls.Place
) -> calls.Place | None:
    """Fill the page with states after a place; the place of the last, None at the thread's end."""
    for candidate in states:
        if not page.try_add(candidate):
            return after
        after = _place_of(candidate)
    return walk.examined


def _place_of(state: Candidate) -> calls.Place:
    return (-state.stored.born_s, state.id)
