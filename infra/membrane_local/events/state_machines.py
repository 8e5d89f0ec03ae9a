"""Runs the template's state machines in this process, as Step Functions would.

The local stack knows the part of the Amazon States Language that the template uses. A definition
with anything else is refused, because executions would differ from those in AWS. A run of a
function is a job of the agenda in the function's lane, and a wait is a delay of the agenda.
Executions are in memory: a stack that is started anew knows none.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from threading import Lock
from typing import Any, NamedTuple

from membrane.domain.language.json_text import JsonObject, compact_json
from membrane_local.events.agenda import Agenda
from membrane_local.functions import FunctionError, Functions, PayloadTooLargeError
from membrane_local.refusals import TemplateError
from membrane_local.template import Properties, Template, logical_id

STATE_MACHINE = "AWS::Serverless::StateMachine"
EVERY_ERROR = "States.ALL"
TASK_FAILED = "States.TaskFailed"
"""Matches every error but TIMEOUT."""
TIMEOUT = "States.Timeout"
TOO_LARGE = "States.DataLimitExceeded"
Check = Callable[[Any], bool]


class StateMachine(NamedTuple):
    name: str
    start_at: str
    states: Mapping[str, Properties]
    """As in the template; the resource of a task is the logical id of the function."""


def state_machines_in(template: Template) -> dict[str, StateMachine]:
    """The state machines by logical id; raises TemplateError."""
    functions = frozenset(each.logical_id for each in template.functions)
    return {
        name: state_machine(name, properties, functions)
        for name, properties in template.properties_of(STATE_MACHINE).items()
    }


def state_machine(name: str, properties: Properties, functions: frozenset[str]) -> StateMachine:
    """The state machine with the properties; raises TemplateError."""
    _require(name, {"Type": "STANDARD", **properties}, _MACHINE, "Role", "Tracing")
    definition = properties["Definition"]
    _require(name, definition, {"StartAt": _is_text, "States": _is_object}, "Comment")
    states = {
        each: _state(f"{name}, state {each}", fields, functions)
        for each, fields in definition["States"].items()
    }
    start = definition["StartAt"]
    targets = {f"state {each}": [*next_states(state)] for each, state in states.items()}
    for place, reached in {"StartAt": [start], **targets}.items():
        for target in reached:
            if target not in states:
                raise TemplateError(f"{name}, {place}: there is no state {target}")
    return StateMachine(name, start, states)


def _state(place: str, fields: Properties, functions: frozenset[str]) -> Properties:
    """Raises TemplateError for a type of states, or a field, that does not run here.

    `TimeoutSeconds` has no effect: a function here ends by itself, or not at all.
    """
    kind = fields.get("Type")
    if not isinstance(kind, str) or kind not in _STATES:
        raise _refusal(place, fields, "Type")
    _require(place, fields, _STATES[kind], "Comment", "Type")
    for part, checks in _PARTS.items():
        for each in fields.get(part, ()):
            _require(f"{place}, {part}", each, checks, "Comment")
    if kind != "Task":
        return fields
    function = logical_id(fields["Resource"])
    if function not in functions:
        raise _refusal(place, fields, "Resource")
    return {**fields, "Resource": function}


def next_states(state: Properties) -> Iterator[str]:
    for part in (state, *state.get("Catch", ()), *state.get("Choices", ())):
        yield from (part[name] for name in ("Next", "Default") if name in part)


def _require(place: str, fields: Properties, checks: Mapping[str, Check], *free: str) -> None:
    """Raises TemplateError for unknown, missing and unusable fields.

    An unknown field might change the behaviour in AWS. A check whose name ends in `?` is of a field
    that may be absent.
    """
    unknown = sorted(fields.keys() - {*free, *(name.rstrip("?") for name in checks)})
    if unknown:
        raise TemplateError(f"{place}: the local stack does not know {', '.join(unknown)}")
    for named, is_usable in checks.items():
        name = named.rstrip("?")
        is_fit = is_usable(fields[name]) if name in fields else named.endswith("?")
        if not is_fit:
            raise _refusal(place, fields, name)


def _refusal(place: str, fields: Properties, name: str) -> TemplateError:
    if name not in fields:
        return TemplateError(f"{place}: the local stack needs the field {name}")
    return TemplateError(f"{place}: the local stack cannot use {fields[name]!r} as {name}")


def _is(*kinds: type) -> Check:
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool)


_is_text, _is_object, _is_list, _is_number = _is(str), _is(dict), _is(list), _is(int, float)


def _is_path(value: Any) -> bool:
    """Whether the value is a path such as `$.step.state`."""
    root, *names = value.split(".") if isinstance(value, str) else [""]
    return root == "$" and bool(names) and all(each.isidentifier() for each in names)


def _is_result(value: Any) -> bool:
    return _is_path(value) and value.count(".") == 1


_MACHINE: Mapping[str, Check] = {"Type": "STANDARD".__eq__, "Definition": _is_object}
_STATES: Mapping[str, Mapping[str, Check]] = {
    "Task": {
        "Resource": _is(str, dict),
        "ResultPath": _is_result,
        "Next": _is_text,
        "Retry?": _is_list,
        "Catch?": _is_list,
        "TimeoutSeconds?": _is(object),
    },
    "Choice": {"Choices": _is_list, "Default": _is_text},
    "Wait": {"SecondsPath": _is_path, "Next": _is_text},
    "Succeed": {},
    "Fail": {"Error?": _is_text, "Cause?": _is_text},
}
_PARTS: Mapping[str, Mapping[str, Check]] = {
    "Retry": {
        "ErrorEquals": _is_list,
        "IntervalSeconds?": _is(int),
        "BackoffRate?": _is_number,
        "MaxDelaySeconds?": _is_number,
        "MaxAttempts?": _is(int),
        "JitterStrategy?": _is(object),
    },
    "Catch": {"ErrorEquals": _is_list, "ResultPath": _is_result, "Next": _is_text},
    "Choices": {"StringEquals": _is_text, "Variable": _is_path, "Next": _is_text},
}


@dataclass(frozen=True, slots=True)
class _Step:
    machine: StateMachine
    execution: str
    task: Properties
    data: JsonObject
    retries: Mapping[int, int] = field(default_factory=dict)
    """The number of retries, by the position of the retrier."""


@dataclass(slots=True)
class Executions:
    machines: Mapping[str, StateMachine]
    functions: Functions
    agenda: Agenda
    started: set[tuple[str, str]] = field(default_factory=set)
    lock: Lock = field(default_factory=Lock)

    def start(self, machine: str, name: str, execution_input: JsonObject) -> None:
        """Start an execution, unless there was an execution of the name; raises KeyError."""
        begun = self.machines[machine]
        with self.lock:
            if (machine, name) in self.started:
                return
            self.started.add((machine, name))
        self._enter(begun, name, begun.start_at, execution_input)

    def forget(self) -> None:
        """Forget all executions; to be called with an empty agenda."""
        with self.lock:
            self.started.clear()

    def _enter(self, machine: StateMachine, execution: str, state: str, data: JsonObject) -> None:
        """Go on to a state, and through states that take no time."""
        match machine.states[state]:
            case {"Type": "Task"} as task:
                self._run_soon(_Step(machine, execution, task, data))
            case {"Choices": rules, "Default": default}:
                chosen = (
                    each["Next"]
                    for each in rules
                    if _value_at(data, each["Variable"]) == each["StringEquals"]
                )
                self._enter(machine, execution, next(chosen, default), data)
            case {"SecondsPath": path, "Next": following}:
                on = partial(self._enter, machine, execution, following, data)
                self.agenda.add(machine.name, on, _value_at(data, path))
            case {"Type": "Fail"} as end:
                _report_failure(machine, execution, end.get("Error", ""), end.get("Cause", ""))
            case _:  # the end of an execution
                pass

    def _run_soon(self, step: _Step, after_s: float = 0) -> None:
        self.agenda.add(step.task["Resource"], partial(self._run, step), after_s)

    def _run(self, step: _Step) -> None:
        try:
            reply = self.functions.invoke(step.task["Resource"], step.data)
        except FunctionError as error:
            self._after_failure(step, error.error_type, str(error))
        except PayloadTooLargeError as error:
            self._after_failure(step, TOO_LARGE, str(error))
        else:
            self._go_on(step, step.task, reply)

    def _go_on(self, step: _Step, way: Properties, result: Any) -> None:
        name = way["ResultPath"].removeprefix("$.")
        self._enter(step.machine, step.execution, way["Next"], {**step.data, name: result})

    def _after_failure(self, step: _Step, error: str, message: str) -> None:
        """Repeat the task, or catch the error, or end: the first retrier that matches decides."""
        for place, retrier in enumerate(step.task.get("Retry", ())):
            if is_of(error, retrier):
                before = step.retries.get(place, 0)
                if before < retrier.get("MaxAttempts", 3):
                    again = replace(step, retries={**step.retries, place: before + 1})
                    self._run_soon(again, delay_s(retrier, before))
                    return
                break
        cause = compact_json({"errorMessage": message, "errorType": error})
        for catcher in step.task.get("Catch", ()):
            if is_of(error, catcher):
                self._go_on(step, catcher, {"Error": error, "Cause": cause})
                return
        _report_failure(step.machine, step.execution, error, cause)


def is_of(error: str, rule: Properties) -> bool:
    """Whether the error is among the `ErrorEquals` of a retrier or a catcher."""
    names = rule["ErrorEquals"]
    return EVERY_ERROR in names or error in names or (TASK_FAILED in names and error != TIMEOUT)


def delay_s(retrier: Properties, retries: int) -> float:
    """Seconds before the next try, after so many retries; jitter would make tests random."""
    interval_s, rate = retrier.get("IntervalSeconds", 1), retrier.get("BackoffRate", 2.0)
    return float(min(interval_s * rate**retries, retrier.get("MaxDelaySeconds", inf)))


def _value_at(data: JsonObject, path: str) -> Any:
    value: Any = data
    for name in path.split(".")[1:]:
        value = value[name]
    return value


def _report_failure(machine: StateMachine, execution: str, error: str, cause: str) -> None:
    words = f"{machine.name}: the execution {execution} failed: {error}: {cause}"
    print(words, file=sys.stderr)
