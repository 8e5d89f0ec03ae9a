"""Optimistic writing: again after a lost race, a bounded number of times."""

from collections.abc import Callable

import pytest

from membrane.domain.language.errors import Aborted, InvalidArgument
from membrane.usecases.machinery.retries import MAX_TRIES, longest_pause, until_won
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services
from tests.fakes.clock import BackOff


def lost(races: int) -> Callable[[], str]:
    """An attempt that wins after so many lost races."""
    left = [LostRace()] * races

    def attempt() -> str:
        if left:
            raise left.pop()
        return "won"

    return attempt


def test_a_race_that_is_won_at_once_needs_no_pause(services: Services, back_off: BackOff) -> None:
    assert until_won(lost(0), services) == "won"
    assert back_off.tries == []


@pytest.mark.parametrize("races", [1, 5, MAX_TRIES - 1])
def test_a_pause_follows_each_lost_race(services: Services, back_off: BackOff, races: int) -> None:
    assert until_won(lost(races), services) == "won"
    assert back_off.tries == list(range(races))


def test_sixteen_lost_races_are_enough(services: Services, back_off: BackOff) -> None:
    attempt = lost(MAX_TRIES)

    with pytest.raises(Aborted):
        until_won(attempt, services)

    assert attempt() == "won", "all sixteen races were run"
    assert len(back_off.tries) >= MAX_TRIES - 1


def test_no_pause_follows_the_last_race(services: Services, back_off: BackOff) -> None:
    with pytest.raises(Aborted):
        until_won(lost(MAX_TRIES), services)

    assert back_off.tries == list(range(MAX_TRIES - 1))


def test_what_an_attempt_refuses_is_not_tried_again(services: Services, back_off: BackOff) -> None:
    def attempt() -> str:
        raise InvalidArgument("no")

    with pytest.raises(InvalidArgument):
        until_won(attempt, services)

    assert back_off.tries == []


def test_the_limit_of_a_pause_doubles_up_to_a_hundred_first_pauses() -> None:
    assert [longest_pause(tries) for tries in range(9)] == [1, 2, 4, 8, 16, 32, 64, 100, 100]
