"""Many at once or one alone, and nobody waits without end."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from membrane_local.events.agenda import BusyError
from membrane_local.http.gate import Gate

PATIENCE_S = 10


@contextmanager
def inside(gate: Gate, name: str) -> Iterator[threading.Event]:
    """Somebody is inside until the event is set."""
    entered, may_leave = threading.Event(), threading.Event()

    def stay() -> None:
        with gate.enter(name):
            entered.set()
            assert may_leave.wait(PATIENCE_S)

    visitor = threading.Thread(target=stay)
    visitor.start()
    assert entered.wait(PATIENCE_S)
    try:
        yield may_leave
    finally:
        may_leave.set()
        visitor.join(PATIENCE_S)


def alone(gate: Gate) -> bool:
    with gate.enter_alone(PATIENCE_S):
        return True


def enter(gate: Gate) -> bool:
    with gate.enter("visitor"):
        return True


def test_who_wants_to_be_alone_waits_no_longer_than_they_said_and_others_then_enter() -> None:
    gate = Gate()

    with inside(gate, "long"):
        with pytest.raises(BusyError, match=r"^long$"), gate.enter_alone(0.01):
            pass

        assert enter(gate)


def test_while_somebody_waits_to_be_alone_others_enter() -> None:
    gate = Gate(closed_s=0.01)

    with ThreadPoolExecutor() as people, inside(gate, "long") as may_leave:
        waits = people.submit(alone, gate)
        entered = people.submit(enter, gate).result(PATIENCE_S)
        waited = not waits.done()
        may_leave.set()

        assert (entered, waited, waits.result(PATIENCE_S)) == (True, True, True)


def test_one_alone_gets_in_among_many_who_come_and_go() -> None:
    gate, enough = Gate(), threading.Event()

    def come_and_go() -> None:
        while not enough.is_set():
            enter(gate)

    with ThreadPoolExecutor() as people:
        for _ in range(4):
            people.submit(come_and_go)
        try:
            assert alone(gate)
        finally:
            enough.set()


def test_one_alone_gets_in_also_where_each_request_takes_longer_than_the_gate_is_closed() -> None:
    gate, enough, came = Gate(closed_s=0), threading.Event(), threading.Condition()

    def stay_until_the_next_comes() -> None:
        while not enough.is_set():
            with gate.enter("visitor"), came:
                came.notify_all()
                came.wait(0.1)

    with ThreadPoolExecutor() as people:
        for _ in range(4):
            people.submit(stay_until_the_next_comes)
        try:
            assert alone(gate)
        finally:
            enough.set()


def test_nobody_enters_while_one_is_alone() -> None:
    gate = Gate()

    with ThreadPoolExecutor() as people:
        with gate.enter_alone(PATIENCE_S):
            visitor = people.submit(enter, gate)
            with pytest.raises(BusyError, match=r"^another reset$"), gate.enter_alone(0.01):
                pass
            assert not visitor.done()

        assert visitor.result(PATIENCE_S)
