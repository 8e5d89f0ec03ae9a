"""Executions of state machines, on a clock that stands still until it is moved."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, cast

import pytest

from membrane_local.clock import DevClock
from membrane_local.events.agenda import Agenda
from membrane_local.events.state_machines import Executions
from membrane_local.functions import FunctionError, Functions
from tests.builders.state_machines import FUNCTION, MACHINE, definition, machine_of

PATIENCE_S = 10
STUDY = {"study": {"id": "study-1", "attempt": 1}}
RUNNING = {"state": "running", "wait_s": 0}
DONE = {"state": "done", "wait_s": 0}

Answer = dict[str, Any] | Exception


@dataclass
class ScriptedFunctions:
    """The functions of a stack, which answer in order and note their events."""

    answers: list[Answer]
    events: list[Any] = field(default_factory=list)

    def invoke(self, function: str, event: Any) -> Any:
        assert function == FUNCTION
        self.events.append(event)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class World:
    """A state machine over scripted functions."""

    clock: DevClock
    agenda: Agenda
    functions: ScriptedFunctions
    executions: Executions

    def start(self, name: str = "study-1-1", event: dict[str, Any] | None = None) -> None:
        self.executions.start(MACHINE, name, STUDY if event is None else event)
        self.settle()

    def pass_time(self, seconds: float) -> None:
        self.clock.advance(timedelta(seconds=seconds))
        self.settle()

    def settle(self) -> None:
        assert self.agenda.wait_until_idle(PATIENCE_S)

    @property
    def runs(self) -> int:
        return len(self.functions.events)


MakeWorld = Callable[..., World]


@pytest.fixture
def make_world() -> Iterator[MakeWorld]:
    """Makes worlds, by the answers of the function."""
    agendas: list[Agenda] = []

    def make(*answers: Answer, described: dict[str, Any] | None = None) -> World:
        clock = DevClock()
        clock.freeze(frozen=True)
        agendas.append(Agenda(clock))
        functions = ScriptedFunctions([*answers])
        machines = {MACHINE: machine_of(described or definition())}
        executions = Executions(machines, cast("Functions", functions), agendas[-1])
        return World(clock, agendas[-1], functions, executions)

    yield make
    for each in agendas:
        each.close()


def failure(error: str = "Unavailable") -> FunctionError:
    """The failure of a function by an exception of the name."""
    return FunctionError(type(error, (Exception,), {})("no"))


def test_a_waiting_execution_goes_on_when_its_time_has_passed(make_world: MakeWorld) -> None:
    world = make_world({"state": "waiting", "wait_s": 3_600}, DONE)

    world.start()
    assert world.runs == 1
    world.pass_time(3_599)
    assert world.runs == 1
    world.pass_time(1)

    assert world.runs == 2


def test_a_failed_task_is_repeated_with_the_same_data_after_growing_delays(
    make_world: MakeWorld,
) -> None:
    world = make_world(failure(), failure(), DONE)

    world.start()
    for seconds, runs in ((1, 1), (1, 2), (5, 2), (1, 3)):
        world.pass_time(seconds)
        assert world.runs == runs

    assert world.functions.events == [STUDY] * 3


def test_an_execution_without_retries_left_gives_up_with_the_error_and_fails(
    make_world: MakeWorld, capfd: pytest.CaptureFixture[str]
) -> None:
    world = make_world(failure(), failure(), failure("KeyError"), DONE)

    world.start()
    world.pass_time(2)
    world.pass_time(6)

    last = world.functions.events[-1]
    cause = '{"errorMessage":"no","errorType":"KeyError"}'
    assert last == {**STUDY, "failure": {"Error": "KeyError", "Cause": cause}}
    assert world.runs == 4
    failed = "StudyMachine: the execution study-1-1 failed: Failed: again and again\n"
    assert capfd.readouterr().err == failed


def test_an_error_that_no_retry_names_is_caught_at_once(make_world: MakeWorld) -> None:
    described = definition()
    described["States"]["Step"]["Retry"][0]["ErrorEquals"] = ["Unavailable"]
    world = make_world(failure("ValueError"), DONE, described=described)

    world.start()

    assert world.functions.events[-1]["failure"]["Error"] == "ValueError"


def test_an_execution_of_a_name_is_started_once_even_after_its_end(make_world: MakeWorld) -> None:
    world = make_world(DONE, DONE)

    world.start("study-1-1")
    world.start("study-1-1")
    assert world.runs == 1
    world.start("study-1-2")

    assert world.runs == 2
