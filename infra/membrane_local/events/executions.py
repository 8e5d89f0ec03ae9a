"""Runs the template's state machines in this process, as Step Functions would.

A run of a function is a job of the agenda in the function's lane, and a wait is a delay of the
agenda. Executions are in memory: a stack that is started anew knows none.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Any

from membrane.domain.language.json_text import JsonObject, compact_json
from membrane_local.events.agenda import Agenda
from membrane_local.events.state_machines import (
    Choice,
    Fail,
    StateMachine,
    Succeed,
    Task,
    Wait,
)
from membrane_local.functions import FunctionError, Functions, PayloadTooLargeError

TOO_LARGE = "States.DataLimitExceeded"


@dataclass(frozen=True, slots=True)
class _Execution:
    machine: StateMachine
    name: str


@dataclass(frozen=True, slots=True)
class _Run:
    """A task of an execution, with the data that the function gets."""

    execution: _Execution
    task: Task
    data: JsonObject
    retries: Mapping[int, int] = field(default_factory=dict)
    """The number of retries, by the position of the retrier."""


@dataclass(slots=True)
class Executions:
    """The executions of the state machines of a stack."""

    machines: Mapping[str, StateMachine]
    """By logical id."""
    functions: Functions
    agenda: Agenda
    started: set[tuple[str, str]] = field(default_factory=set)
    """Machine and name of every execution."""
    lock: Lock = field(default_factory=Lock)

    def start(self, machine: str, name: str, execution_input: JsonObject) -> None:
        """Start an execution, unless there was an execution of the name; raises KeyError."""
        execution = _Execution(self.machines[machine], name)
        with self.lock:
            if (machine, name) in self.started:
                return
            self.started.add((machine, name))
        self._enter(execution, execution.machine.start_at, execution_input)

    def forget(self) -> None:
        """Forget all executions; to be called with an empty agenda."""
        with self.lock:
            self.started.clear()

    def _enter(self, execution: _Execution, state_name: str, data: JsonObject) -> None:
        """Go on to a state, and through states that take no time."""
        state = execution.machine.states[state_name]
        match state:
            case Task():
                self._run_soon(_Run(execution, state, data))
            case Choice(rules, default):
                chosen = (each.next for each in rules if _value_at(data, each.path) == each.text)
                self._enter(execution, next(chosen, default), data)
            case Wait(seconds, following):
                on = partial(self._enter, execution, following, data)
                self.agenda.add(execution.machine.name, on, _value_at(data, seconds))
            case Succeed():
                pass
            case Fail(error, cause):
                _report_failure(execution, error, cause)

    def _run_soon(self, run: _Run, after_s: float = 0) -> None:
        self.agenda.add(run.task.function, partial(self._run, run), after_s)

    def _run(self, run: _Run) -> None:
        try:
            reply = self.functions.invoke(run.task.function, run.data)
        except FunctionError as error:
            self._after_failure(run, error.error_type, str(error))
        except PayloadTooLargeError as error:
            self._after_failure(run, TOO_LARGE, str(error))
        else:
            data = {**run.data, run.task.result: reply}
            self._enter(run.execution, run.task.next, data)

    def _after_failure(self, run: _Run, error: str, message: str) -> None:
        """Repeat the task, or catch the error, or end: the first retrier that matches decides."""
        retriers = enumerate(run.task.retriers)
        place, retrier = next((each for each in retriers if each[1].errors.match(error)), (0, None))
        before = run.retries.get(place, 0)
        if retrier is not None and before < retrier.max_attempts:
            again = replace(run, retries={**run.retries, place: before + 1})
            self._run_soon(again, retrier.delay_s(before))
            return
        cause = compact_json({"errorMessage": message, "errorType": error})
        catcher = next((each for each in run.task.catchers if each.errors.match(error)), None)
        if catcher is None:
            _report_failure(run.execution, error, cause)
            return
        data = {**run.data, catcher.result: {"Error": error, "Cause": cause}}
        self._enter(run.execution, catcher.next, data)


def _value_at(data: JsonObject, path: Sequence[str]) -> Any:
    value: Any = data
    for name in path:
        value = value[name]
    return value


def _report_failure(execution: _Execution, error: str, cause: str) -> None:
    """Report a failed execution; AWS raises an alarm."""
    print(
        f"{execution.machine.name}: the execution {execution.name} failed: {error}: {cause}",
        file=sys.stderr,
    )
