"""Turns at one fact: who lost a race waits for those that lost before, and not for the dead."""

from dataclasses import dataclass, field
from functools import partial

import pytest

from membrane.adapters.dynamodb.records.queues import LINE, DynamoTicketQueues
from membrane.domain.language.errors import Aborted, InvalidArgument
from membrane.table.items import LostRace
from membrane.table.keys import head_key
from membrane.usecases.machinery.calls import FIRST_PAUSE_S, longest_pause
from membrane.usecases.ports.records import TicketQueue
from membrane.usecases.revision.facts import PATIENCE, win_in_queue
from tests.fakes.clock import BackOff, FakeClock
from tests.worlds.memory import make_world
from tests.worlds.memory_table import Over, TableRecords
from tests.worlds.virtual_time import VirtualTime

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
