"""The facts of one source that share a transaction; facts left out, and facts that wait."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from membrane.adapters.dynamodb.erasure.fences import FENCE_PERIOD_S
from membrane.adapters.dynamodb.records.queues import LINE, DynamoTicketQueues
from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.ingest.builder import Why
from membrane.domain.language.errors import Aborted, InvalidArgument, ScopeFenced, TooLarge
from membrane.domain.language.values import MAX_REPLY_BYTES
from membrane.domain.records import sizes
from membrane.domain.records.evidence import facts_derived_by
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.conflicts import Observation
from membrane.table.items import LostRace
from membrane.table.keys import head_key
from membrane.usecases.machinery.calls import FIRST_PAUSE_S, Call, longest_pause
from membrane.usecases.ports.records import Change, TicketQueue
from membrane.usecases.revision import heads
from membrane.usecases.revision.derived_facts import linked_version, observe_together
from membrane.usecases.revision.facts import PATIENCE, win_in_queue
from tests.builders.derived_facts import derivation
from tests.builders.observations import CONTEST, KEEP, Beliefs
from tests.builders.records import ingest
from tests.builders.requests import call, event, observation, written
from tests.fakes.clock import BackOff, FakeClock
from tests.worlds.memory import make_world
from tests.worlds.memory_table import Over, TableRecords
from tests.worlds.virtual_time import VirtualTime

Observed = tuple[Observation, Call]


@dataclass(slots=True)
class FailingRecords(TableRecords):
    """Fails the next creation."""

    failure: Exception | None = None
    created: list[str] = field(default_factory=list)

    def create(self, new: StoredRecord, **others: Any) -> None:
        """See DynamoRecords."""
        if self.failure is not None:
            raise self.failure
        self.created.append(new.id)
        self.store.create(new, **others)


@dataclass(slots=True)
class World:
    """A record as evidence, and a store of facts."""

    beliefs: Beliefs = field(default_factory=Beliefs)
    records: FailingRecords = field(init=False)
    primary: MemoryRecord = field(init=False)

    def __post_init__(self) -> None:
        self.records = FailingRecords(self.beliefs.clock)
        self.beliefs.records = self.records
        self.beliefs.switch(KEEP)
        asked = event()
        self.primary = written(ingest(asked, call(asked), self.beliefs.services))
        self.records.created.clear()

    def fact(self, value: Any, predicate: str) -> Observed:
        seen = derivation(value, self.primary, self.beliefs.services, CONTEST, predicate=predicate)
        return (seen, call(observation(), key=f"{predicate}/{value}"[:40]))

    def linked(self, fact_ids: Sequence[str]) -> Change:
        before = self.beliefs.now(self.primary.id)
        making = call(event()).making(before.id, self.beliefs.clock(), self.beliefs.services)
        return before, linked_version(before, fact_ids, Why(CONSOLIDATION, "linked"), making)

    def write(self, *facts: Observed) -> Sequence[str | None]:
        return observe_together(facts, self.linked, self.beliefs.services)

    def links(self) -> Sequence[str]:
        return facts_derived_by(self.beliefs.now(self.primary.id).record.relations)


def test_new_facts_are_created_in_one_write_with_the_change_of_the_evidence() -> None:
    world = World()

    ids = world.write(world.fact("tea", "likes"), world.fact("milk", "hates"))

    assert world.beliefs.active() == ["tea", "milk"]
    assert world.records.created == [ids[0]]
    assert list(world.links()) == ids
    assert world.beliefs.now(world.primary.id).version == 2
    assert {*map(frozenset, world.beliefs.holders())} == {frozenset({each}) for each in ids}


def test_a_known_fact_is_reinforced_in_the_write_of_the_new_ones() -> None:
    world = World()
    known = world.beliefs.made("tea")

    ids = world.write(world.fact("milk", "hates"), world.fact("tea", "likes"))

    assert ids[1] == known.id
    assert list(world.links()) == ids
    assert world.beliefs.now(known.id).version == 2


def test_known_facts_alone_are_reinforced_without_a_creation() -> None:
    world = World()
    known = world.beliefs.made("tea")

    ids = world.write(world.fact("tea", "likes"))

    assert ids == [known.id]
    assert len(world.records.created) == 1
    assert list(world.links()) == ids


def test_a_second_fact_of_a_head_is_left_out() -> None:
    world = World()

    ids = world.write(
        world.fact("tea", "likes"), world.fact("coffee", "likes"), world.fact("milk", "hates")
    )

    assert [each is None for each in ids] == [False, True, False]
    assert world.beliefs.active() == ["tea", "milk"]


def test_a_fact_that_contests_several_known_facts_is_left_out() -> None:
    world = World()
    world.beliefs.made("tea")
    world.beliefs.made("coffee")

    ids = world.write(world.fact("water", "likes"), world.fact("milk", "hates"))

    assert [each is None for each in ids] == [True, False]
    assert world.beliefs.active() == ["tea", "coffee", "milk"]


def test_a_fact_with_a_large_value_is_left_out() -> None:
    world = World()

    ids = world.write(world.fact("x" * 200_000, "likes"), world.fact("milk", "hates"))

    assert [each is None for each in ids] == [True, False]
    assert world.beliefs.active() == ["milk"]


def test_a_fact_of_a_full_head_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    world.beliefs.switch(CONTEST)
    world.beliefs.made("tea")
    monkeypatch.setattr(heads, "MAX_HOLDERS", 1)

    ids = world.write(world.fact("coffee", "likes"), world.fact("milk", "hates"))

    assert [each is None for each in ids] == [True, False]


def test_a_fact_that_a_known_fact_has_no_room_for_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    world.beliefs.made("tea", tags=[f"{number}".rjust(200, "x") for number in range(100)])
    monkeypatch.setattr(sizes, "GROWTH_BYTES", 10_000 - MAX_REPLY_BYTES)

    ids = world.write(world.fact("coffee", "likes"), world.fact("milk", "hates"))

    assert [each is None for each in ids] == [True, False]


def test_without_a_fact_for_the_transaction_the_evidence_stays_as_it_is() -> None:
    world = World()

    assert world.write() == []
    assert world.write(world.fact("x" * 200_000, "likes")) == [None]
    assert world.beliefs.now(world.primary.id).version == 1


def test_facts_that_do_not_fit_together_are_all_left_out() -> None:
    world = World()
    world.records.failure = TooLarge("no room")
    before = world.records.everything()

    ids = world.write(world.fact("tea", "likes"), world.fact("milk", "hates"))

    assert ids == [None, None]
    assert world.records.everything() == before


def test_a_fact_under_the_id_of_an_earlier_try_is_a_lost_race() -> None:
    world = World()
    (made,) = world.write(world.fact("tea", "likes"))
    assert made is not None
    juice, by_juice = world.fact("juice", "drinks")
    record = juice.record.model_copy(update={"id": made})
    before = world.records.everything()

    with pytest.raises(LostRace):
        world.write((juice._replace(record=record), by_juice), world.fact("milk", "hates"))

    assert world.records.everything() == before


def test_a_fenced_scope_ends_the_work() -> None:
    world = World()
    world.records.fence(world.primary.scope)
    world.beliefs.clock.advance(seconds=FENCE_PERIOD_S + 1)

    with pytest.raises(ScopeFenced):
        world.write(world.fact("tea", "likes"))


KEY = b"fact"

LONGEST_PAUSE_S = 2.0
"""What one pause may be, if the longest is drawn."""

LONGEST_WAIT_S = 16.0
"""What all pauses of a writer in line may add up to, if the longest of each is drawn."""

LONGEST_STANDSTILL_S = 8.0
"""What the pauses before a line that does not move may add up to."""

LONGEST_CALL_S = 26.0
"""What all pauses of a writer may add up to, in line and between its attempts."""


class Racing:
    """An attempt that loses so many races before it wins."""

    def __init__(self, races: int) -> None:
        self.races = races

    def __call__(self) -> str:
        if self.races:
            self.races -= 1
            raise LostRace
        return "won"


def queues(given: int = 0, served: int = 0) -> DynamoTicketQueues:
    """Queues over a new table; of one, so many tickets were given and served."""
    table = TableRecords(FakeClock())
    counts = {"given": {"N": str(given)}, "served": {"N": str(served)}}
    table.client.put_item(TableName=table.table, Item=head_key(KEY, LINE) | counts)
    return table.services.ticket_queues


class SlowTicketQueues(Over):
    """A line that moves by one place at each look."""

    def load(self, key: bytes) -> TicketQueue:
        """As DynamoTicketQueues."""
        found: TicketQueue = self.inner.load(key)
        self.inner.serve(key, found.served + 1)
        return found


@dataclass(slots=True)
class LongestPauses:
    """Seconds that a writer waits if every pause is the longest that may be drawn."""

    seconds: list[float] = field(default_factory=list)

    def __call__(self, tries: int) -> None:
        self.seconds.append(FIRST_PAUSE_S * longest_pause(tries))


def test_a_writer_that_wins_at_once_stands_in_no_line() -> None:
    lines = queues()

    assert win_in_queue(Racing(0), KEY, make_world(ticket_queues=lines)) == "won"

    assert lines.load(KEY) == TicketQueue()


def test_a_writer_that_lost_takes_a_ticket_and_calls_the_next_when_done() -> None:
    lines, pauses = queues(4, 4), BackOff()

    assert win_in_queue(Racing(1), KEY, make_world(ticket_queues=lines, back_off=pauses)) == "won"

    assert lines.load(KEY) == TicketQueue(5, 5)
    assert pauses.tries == [], "nobody stood before the writer"


@pytest.mark.parametrize("dead", [0, 1, 8, 16, 200])
def test_writers_that_were_killed_in_line_are_passed_together(dead: int) -> None:
    lines, pauses = queues(dead, 0), LongestPauses()

    assert win_in_queue(Racing(1), KEY, make_world(ticket_queues=lines, back_off=pauses)) == "won"

    assert lines.load(KEY) == TicketQueue(dead + 1, dead + 1), "nobody waits for the dead again"
    assert len(pauses.seconds) == (PATIENCE if dead else 0)
    assert sum(pauses.seconds) <= LONGEST_STANDSTILL_S


def test_a_writer_far_back_in_a_line_that_moves_tries_without_its_turn() -> None:
    lines, pauses = SlowTicketQueues(queues(1_000, 0)), LongestPauses()

    assert win_in_queue(Racing(1), KEY, make_world(ticket_queues=lines, back_off=pauses)) == "won"

    assert LONGEST_WAIT_S <= sum(pauses.seconds) <= LONGEST_WAIT_S + LONGEST_PAUSE_S


def test_a_writer_that_waited_long_has_given_up_before_its_function_is_cut_off() -> None:
    lines, pauses = SlowTicketQueues(queues(1_000, 0)), LongestPauses()

    with pytest.raises(Aborted):
        win_in_queue(Racing(1_000), KEY, make_world(ticket_queues=lines, back_off=pauses))

    assert LONGEST_CALL_S - LONGEST_PAUSE_S < sum(pauses.seconds) <= LONGEST_CALL_S


@pytest.mark.parametrize("dead", [0, 1, 8, 16])
def test_eight_writers_behind_the_same_dead_all_win_in_time(dead: int) -> None:
    time = VirtualTime()
    services = make_world(ticket_queues=queues(dead, 0), back_off=time.back_off)

    won = time.at_once([partial(win_in_queue, Racing(1), KEY, services) for _ in range(8)])

    assert won == ["won"] * 8
    assert max(time.ended_s) <= LONGEST_STANDSTILL_S


def test_a_writer_that_is_refused_in_its_turn_calls_the_next() -> None:
    lines, tries = queues(), iter([LostRace(), InvalidArgument("no")])

    def attempt() -> str:
        raise next(tries)

    with pytest.raises(InvalidArgument):
        win_in_queue(attempt, KEY, make_world(ticket_queues=lines))

    assert lines.load(KEY) == TicketQueue(1, 1)
