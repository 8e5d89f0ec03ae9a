"""Jobs in the background, on a clock that can be moved."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from membrane_local.clock import DevClock
from membrane_local.events.agenda import Agenda, BusyError

PATIENCE_S = 10


@pytest.fixture
def clock() -> DevClock:
    """A clock that stands still."""
    clock = DevClock()
    clock.freeze(frozen=True)
    return clock


@pytest.fixture
def agenda(clock: DevClock) -> Iterator[Agenda]:
    agenda = Agenda(clock)
    yield agenda
    agenda.close()


def test_what_is_due_is_done_in_order(agenda: Agenda) -> None:
    done: list[int] = []

    for number in range(50):
        agenda.add("lane", partial(done.append, number))

    assert agenda.wait_until_idle(PATIENCE_S)
    assert done == list(range(50))


def test_a_job_waits_until_its_time_has_passed(agenda: Agenda, clock: DevClock) -> None:
    done: list[str] = []
    agenda.add("lane", lambda: done.append("later"), after_s=60)

    clock.advance(timedelta(seconds=59))
    assert agenda.wait_until_idle(PATIENCE_S)
    assert done == []
    clock.advance(timedelta(seconds=1))
    assert agenda.wait_until_idle(PATIENCE_S)
    assert done == ["later"]


def test_a_running_clock_brings_a_job_about_by_itself(agenda: Agenda, clock: DevClock) -> None:
    done = threading.Event()
    clock.freeze(frozen=False)

    agenda.add("lane", done.set, after_s=0.01)

    assert done.wait(PATIENCE_S)


def test_time_set_back_takes_nothing_off_what_has_passed(agenda: Agenda, clock: DevClock) -> None:
    done: list[str] = []
    agenda.add("lane", lambda: done.append("later"), after_s=60)
    clock.advance(timedelta(seconds=30))

    clock.set_to(datetime(2000, 1, 1, tzinfo=UTC))
    clock.advance(timedelta(seconds=30))

    assert agenda.wait_until_idle(PATIENCE_S)
    assert done == ["later"]


def test_a_lane_does_one_thing_at_a_time_and_lanes_do_not_wait(agenda: Agenda) -> None:
    first_runs, first_may_end, other_done = (threading.Event() for _ in range(3))
    order: list[str] = []

    def first() -> None:
        first_runs.set()
        assert first_may_end.wait(PATIENCE_S)
        order.append("first")

    agenda.add("lane", first)
    agenda.add("lane", lambda: order.append("second"))
    agenda.add("other", other_done.set)

    assert first_runs.wait(PATIENCE_S)
    assert other_done.wait(PATIENCE_S)
    assert order == []
    first_may_end.set()
    assert agenda.wait_until_idle(PATIENCE_S)
    assert order == ["first", "second"]


def test_a_job_that_fails_harms_no_other(
    agenda: Agenda, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []

    def fail() -> None:
        raise ZeroDivisionError

    agenda.add("lane", fail)
    agenda.add("lane", lambda: done.append("next"))

    assert agenda.wait_until_idle(PATIENCE_S)
    assert done == ["next"]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_while_held_nothing_begins_and_what_is_forgotten_never_does(agenda: Agenda) -> None:
    done: list[str] = []

    with agenda.hold(PATIENCE_S):
        agenda.add("lane", lambda: done.append("forgotten"))
        agenda.forget()
        agenda.add("lane", lambda: done.append("kept"))
        assert not agenda.wait_until_idle(0)

    assert agenda.wait_until_idle(PATIENCE_S)
    assert done == ["kept"]


def test_who_holds_it_waits_no_longer_than_they_said_and_then_jobs_go_on(agenda: Agenda) -> None:
    runs, may_end = threading.Event(), threading.Event()
    done: list[str] = []

    def work() -> None:
        runs.set()
        assert may_end.wait(PATIENCE_S)

    agenda.add("lane", work)
    assert runs.wait(PATIENCE_S)

    with pytest.raises(BusyError, match=r"^lane$"), agenda.hold(0.01):
        done.append("within")
    agenda.add("lane", lambda: done.append("after"))
    may_end.set()

    assert agenda.wait_until_idle(PATIENCE_S)
    assert done == ["after"]


def test_of_two_who_hold_it_the_first_to_leave_lets_nothing_begin(agenda: Agenda) -> None:
    done: list[str] = []

    with agenda.hold(PATIENCE_S):
        with agenda.hold(PATIENCE_S):
            agenda.add("lane", lambda: done.append("later"))
        assert not agenda.wait_until_idle(0.01)
        assert done == []

    assert agenda.wait_until_idle(PATIENCE_S)
    assert done == ["later"]


def test_once_closed_it_takes_nothing_more(agenda: Agenda) -> None:
    agenda.add("lane", lambda: None)
    agenda.close()

    agenda.add("lane", lambda: pytest.fail("nobody does this"))

    assert agenda.wait_until_idle(0)
