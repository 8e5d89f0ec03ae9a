"""Turns at one fact: who lost a race waits for those that lost before, and not for the dead."""

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.usecases.ports.lines import Line
from membrane.usecases.ports.records import LostRace
from membrane.usecases.revision.turns import PATIENCE, won_in_turn
from tests.fakes.clock import BackOff
from tests.fakes.lines import FakeLines
from tests.fakes.world import make_services

KEY = b"fact"


class Racing:
    """An attempt that loses so many races before it wins."""

    def __init__(self, races: int) -> None:
        self.races = races

    def __call__(self) -> str:
        if self.races:
            self.races -= 1
            raise LostRace
        return "won"


def test_a_writer_that_wins_at_once_stands_in_no_line() -> None:
    lines = FakeLines()

    assert won_in_turn(Racing(0), KEY, make_services(lines=lines)) == "won"

    assert lines.lines == {}


def test_a_writer_that_lost_takes_a_ticket_and_calls_the_next_when_done() -> None:
    lines, pauses = FakeLines({KEY: Line(4, 4)}), BackOff()

    assert won_in_turn(Racing(1), KEY, make_services(lines=lines, back_off=pauses)) == "won"

    assert lines.look(KEY) == Line(5, 5)
    assert pauses.tries == [], "nobody stood before the writer"


def test_writers_that_were_killed_in_line_are_passed() -> None:
    lines, pauses = FakeLines({KEY: Line(2, 0)}), BackOff()

    assert won_in_turn(Racing(1), KEY, make_services(lines=lines, back_off=pauses)) == "won"

    assert lines.look(KEY) == Line(3, 3)
    assert PATIENCE <= len(pauses.tries) <= 3 * PATIENCE


def test_a_writer_that_is_refused_in_its_turn_calls_the_next() -> None:
    lines, tries = FakeLines(), iter([LostRace(), InvalidArgument("no")])

    def attempt() -> str:
        raise next(tries)

    with pytest.raises(InvalidArgument):
        won_in_turn(attempt, KEY, make_services(lines=lines))

    assert lines.look(KEY) == Line(1, 1)
