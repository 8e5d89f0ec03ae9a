"""Calls, their results, and the retries of writes that lost a race; requests side by side.

Repeats of a request under an idempotency key are the matter of `usecases.records.write`.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from datetime import datetime
from heapq import merge
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.errors import Aborted, ResourceExhausted, Unavailable
from membrane.domain.language.fields import token_of
from membrane.domain.language.json_text import Body
from membrane.domain.language.values import LargeValue
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.stored import AnyRecord, Operation, keyed_id, operation
from membrane.table.items import LostRace
from membrane.usecases.ports.records import NO_VALUES
from membrane.usecases.ports.surroundings import MAX_WORKERS
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from membrane.adapters.dynamodb.indexes.orders import DynamoNatural
    from membrane.domain.language.replies import PageReply
    from membrane.domain.lifecycle.requests import ChangeRequest
    from membrane.domain.records.replies import DeletedRecord, GoneReply, WrittenReply


class Call(NamedTuple):
    """A call: the principal, the RPC, and the idempotency key for recognising a repeat."""

    principal: Principal
    rpc: str
    key: str | None
    fingerprint: bytes
    """SHA-256 of the request as sent; empty without an idempotency key."""

    @property
    def operation(self) -> Operation | None:
        """The mark of the call in a changed record; None without a key."""
        if self.key is None:
            return None
        return operation(self.principal.identity, self.rpc, self.key, self.fingerprint)

    @property
    def keyed_id(self) -> str | None:
        """The id of the record or job that the call creates; None without a key."""
        return self.key and keyed_id(self.principal.identity, self.rpc, self.key)

    def new_id(self, world: World) -> str:
        """The id of what the call creates: made from the idempotency key, else random."""
        return self.keyed_id or world.new_id()

    def why(self, request: "ChangeRequest") -> Why:
        return Why(request.actor or self.principal.actor_id, request.rationale)

    def making(self, record_id: str, now: datetime, world: World) -> Making:
        """The values for a record that the call makes or changes at `now`: ids, instant, salt."""
        return Making(
            record_id=record_id,
            node_id=world.new_id(),
            now=now,
            principal=self.principal.actor_id,
            salt=world.new_salt(),
            policy=world.policy,
        )


def making_by(actor: str, record_id: str, world: World) -> Making:
    """The context of a write that no call asks for, now."""
    return Making(record_id, "", world.now(), actor, world.new_salt(), world.policy)


class Written(NamedTuple):
    """A record written by the call, or by an earlier call under the same key."""

    record: MemoryRecord
    version: int
    replayed: bool = False
    values: Mapping[LargeValue, bytes] = NO_VALUES
    """The texts of large values already in memory."""
    reinforced: bool = False
    """Whether the call reinforced a known equal fact instead of creating a record."""

    @property
    def body(self) -> "WrittenReply":
        """The record with the consistency token."""
        token = token_of(self.record.id, self.version)
        return {"record": as_json(self.record), "consistency_token": token}


class Gone(NamedTuple):
    """The result of a deletion, or of a repeated call for a record deleted since."""

    record_id: str
    deleted_at: str
    replayed: bool = True

    def as_json(self) -> "DeletedRecord":
        """The deleted record in a reply."""
        return {"id": self.record_id, "deleted_at": self.deleted_at}

    @property
    def body(self) -> "GoneReply":
        return {"record": self.as_json()}


Result = Written | Gone


def known_values(result: object) -> Mapping[LargeValue, bytes]:
    """The texts of large values in a result, so that a reply need not read the bucket."""
    return result.values if isinstance(result, (Written, ReplyBody)) else NO_VALUES


def was_reinforced(result: object) -> bool:
    """Whether the call created no record because the fact was known."""
    return isinstance(result, Written) and result.reinforced


class ReplyBody(NamedTuple):
    """The body of a reply; `LargeValue`s in it are put in place, or linked to, at the edge."""

    body: Body
    replayed: bool = False
    values: Mapping[LargeValue, bytes] = NO_VALUES
    version: int | None = None
    """The version of the document in the body, for the header `ETag`; None = no header."""


def reply_body(result: Any) -> Body:
    """The body of the reply: the result of a use case itself, or the `body` of the result."""
    return result if isinstance(result, dict) else result.body


def cursor_part(cursor: str | None) -> "PageReply":
    """The part of a reply that says where the next page begins."""
    return {} if cursor is None else {"next_cursor": cursor}


MAX_TRIES = 16
"""Tries of a write, with full jitter between tries."""

FIRST_PAUSE_S = 0.02
"""The limit of the first pause."""

LONGEST_PAUSE = 100
"""The limit of the longest pause, as a multiple of FIRST_PAUSE_S, at which doubling ends."""

TRANSIENT = (ResourceExhausted, Unavailable)
"""Errors of a busy or silent store: no fault of an item, hence worth a retry."""

Outcome = TypeVar("Outcome")


def until_won(attempt: Callable[[], Outcome], world: World, max_tries: int = MAX_TRIES) -> Outcome:
    """The result of the first attempt without LostRace; raises Aborted after `max_tries`."""
    for tries in range(max_tries):
        if tries:
            world.back_off(tries - 1)
        with suppress(LostRace):
            return attempt()
    raise Aborted("other writers came first every time; nothing was changed")


def longest_pause(tries: int) -> int:
    """The limit of the pause after a number of tries, as a multiple of FIRST_PAUSE_S.

    `World.back_off(tries)` draws the pause from 0 up to the limit (full jitter).
    """
    return min(1 << tries, LONGEST_PAUSE)


@dataclass(frozen=True, slots=True)
class Attempts:
    """The audit entries that a call tried to write."""

    tried: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """The position in the trail, by record id and hash of the entry."""

    def note(self, after: AnyRecord) -> None:
        self.tried[after.id][after.trail[-1].hash] = after.written_entries - 1

    def note_first(self, record: MemoryRecord) -> None:
        self.tried[record.id][record.audit_log[0].hash] = 0

    def were_written(self, held: AnyRecord, world: World) -> bool:
        """Whether the trail of the record has a tried entry; older entries are read singly."""
        positions = self.tried.get(held.id, {})
        if any(entry.hash in positions for entry in held.trail):
            return True
        loaded_from = held.written_entries - len(held.trail)
        return any(
            entry.hash in positions
            for position in positions.values()
            if position < loaded_from
            for _, entry in world.records.entries(held, position, position + 1)
        )

    def find_written(self, world: World) -> AnyRecord | None:
        """The present state of the record that an attempt wrote; None if no attempt succeeded."""
        for record_id in self.tried:
            held = world.records.load(record_id)
            if held is not None and self.were_written(held, world):
                return held
        return None


IsOutOfTime = Callable[[], bool]

Item = TypeVar("Item")
Made = TypeVar("Made")


class OutOfTime(Exception):
    """A run ended before an item's turn came; nothing of the item was done."""


def never() -> bool:
    return False


def side_by_side(work: Callable[[Item], Made], items: Sequence[Item]) -> list[Made]:
    """The result for each item, in order; at most MAX_WORKERS threads, none for a single item.

    Raises the exception of the first item that fails.
    """
    if len(items) <= 1:
        return [work(item) for item in items]
    with threads(min(len(items), MAX_WORKERS)) as pool:
        return list(pool.map(work, items))


def one_ahead(work: Callable[[Item], Made], items: Sequence[Item]) -> Generator[Made]:
    """The result for each item, in order; work on the next item starts before a result is yielded.

    A single thread works beside the caller. The exception of an item is raised in order and ends
    the work.
    A caller that needs no further results closes the generator, which waits for the running item.
    """
    if len(items) <= 1:
        yield from map(work, items)
        return
    with threads(1) as pool:
        coming = pool.submit(work, items[0])
        for item in items[1:]:
            result = coming.result()
            coming = pool.submit(work, item)
            yield result
        yield coming.result()


def threads(number: int) -> "ThreadPoolExecutor":
    """Threads with the caller's context variables: their log lines name the caller's request."""
    # Functions that never have more than one item need not load the threads.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    return ThreadPoolExecutor(number, initializer=_take_over, initargs=(copy_context(),))


def _take_over(context: Context) -> None:
    for variable, value in context.items():
        variable.set(value)


Loaded = TypeVar("Loaded")


def load_undamaged(
    ids: Sequence[str], load_all: Callable[[Sequence[str]], Mapping[str, Loaded]]
) -> tuple[Mapping[str, Loaded], Mapping[str, Exception]]:
    """The items found, and the failure of each damaged item, by id; raises TRANSIENT errors.

    Each half of the ids of a batch with a damaged item is loaded by itself.
    """
    try:
        return load_all(ids), {}
    except TRANSIENT:
        raise
    except Exception as error:  # noqa: BLE001 - one damaged item must not keep back the others
        if len(ids) <= 1:
            return {}, dict.fromkeys(ids, error)
    half = len(ids) // 2
    (found, damaged), (more, also) = (
        load_undamaged(each, load_all) for each in (ids[:half], ids[half:])
    )
    return {**found, **more}, {**damaged, **also}


PAGE = 50
"""Entries per request and key."""

Place = tuple[float, str]
"""The negated instant of an entry in seconds since 1970, and the id; sorts the newest first."""

Key = TypeVar("Key")

Newest = Callable[[Key, int, float | None], Sequence[tuple[str, float]]]
"""Ids and instants of at most so many entries of a key, up to an instant, the newest first."""


def newest_first(
    keys: Sequence[bytes], natural: "DynamoNatural", after: Place | None = None
) -> Iterator[Place]:
    """Every record of the natural keys after the place, the newest first."""
    return places_newest_first(keys, natural.newest, after, PAGE)


def places_newest_first(
    keys: Sequence[Key], newest: Newest[Key], after: Place | None, page_size: int
) -> Iterator[Place]:
    """Every entry of the keys after the place, the newest first."""
    before_s = None if after is None else -after[0]
    firsts = side_by_side(lambda key: newest(key, page_size, before_s), keys)
    several = (
        _pages_of(key, newest, first, page_size) for key, first in zip(keys, firsts, strict=True)
    )
    return (place for place in merge(*several) if after is None or place > after)


def _pages_of(
    key: Key, newest: Newest[Key], page: Sequence[tuple[str, float]], page_size: int
) -> Iterator[Place]:
    seen: set[str] = set()
    while page:
        fresh = [(-instant_s, each) for each, instant_s in page if each not in seen]
        yield from sorted(fresh)
        seen.update(map(itemgetter(1), fresh))
        if len(page) < page_size:
            return
        last_s = page[-1][1]
        before_s = last_s if fresh else math.nextafter(last_s, -math.inf)
        page = newest(key, page_size, before_s)
