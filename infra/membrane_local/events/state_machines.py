"""The template's state machines: the part of the Amazon States Language that the template uses.

A definition with anything else is refused, because executions would differ from those in AWS.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from membrane_local.refusals import TemplateError
from membrane_local.template import FUNCTION, Properties, Template, logical_id

STATE_MACHINE = "AWS::Serverless::StateMachine"

EVERY_ERROR = "States.ALL"
TASK_FAILED = "States.TaskFailed"
"""Matches every error but TIMEOUT."""

TIMEOUT = "States.Timeout"


@dataclass(frozen=True, slots=True)
class Errors:
    """The `ErrorEquals` of a retry or a catch."""

    names: frozenset[str]

    def match(self, error: str) -> bool:
        if EVERY_ERROR in self.names or error in self.names:
            return True
        return TASK_FAILED in self.names and error != TIMEOUT


@dataclass(frozen=True, slots=True)
class Retrier:
    """A rule for repeating a task; the defaults are Step Functions'."""

    errors: Errors
    interval_s: float
    backoff_rate: float
    max_delay_s: float
    max_attempts: int

    def delay_s(self, retries: int) -> float:
        """Seconds before the next try, after so many retries; jitter would make tests random."""
        return min(self.interval_s * self.backoff_rate**retries, self.max_delay_s)


@dataclass(frozen=True, slots=True)
class Catcher:
    """Where an execution goes on once a task has failed, and the field that takes the error."""

    errors: Errors
    result: str
    next: str


@dataclass(frozen=True, slots=True)
class Task:
    """A run of a function with the execution's data; `result` is the field that takes the reply."""

    function: str
    result: str
    next: str
    retriers: tuple[Retrier, ...]
    catchers: tuple[Catcher, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A choice of the next state by the text at a path."""

    path: tuple[str, ...]
    text: str
    next: str


@dataclass(frozen=True, slots=True)
class Choice:
    rules: tuple[Rule, ...]
    default: str


@dataclass(frozen=True, slots=True)
class Wait:
    seconds: tuple[str, ...]
    """The path of the number of seconds."""
    next: str


@dataclass(frozen=True, slots=True)
class Succeed:
    """The end of an execution."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The end of a failed execution."""

    error: str
    cause: str


State = Task | Choice | Wait | Succeed | Fail


@dataclass(frozen=True, slots=True)
class StateMachine:
    name: str
    """The logical id."""
    start_at: str
    states: Mapping[str, State]


def state_machines_in(template: Template) -> dict[str, StateMachine]:
    """The state machines by logical id; raises TemplateError."""
    return {
        name: state_machine(name, resource.get("Properties", {}), functions_in(template))
        for name, resource in template.resources.items()
        if resource["Type"] == STATE_MACHINE
    }


def functions_in(template: Template) -> frozenset[str]:
    """The logical ids of the functions."""
    return frozenset(name for name, each in template.resources.items() if each["Type"] == FUNCTION)


def state_machine(name: str, properties: Properties, functions: frozenset[str]) -> StateMachine:
    """The state machine with the properties; raises TemplateError."""
    machine = _Fields(name, properties)
    machine.require_known("Definition", "Role", "Tracing", "Type")
    if machine.read("Type", str, "STANDARD") != "STANDARD":
        raise machine.refusal("Type")
    definition = _Fields(name, machine.read("Definition", dict))
    definition.require_known("Comment", "StartAt", "States")
    described = definition.read("States", dict)
    states = {
        each: _state(_Fields(f"{name}, state {each}", fields), functions)
        for each, fields in described.items()
    }
    start_at = definition.read("StartAt", str)
    for place, target in (("StartAt", start_at), *_targets(states)):
        if target not in states:
            raise TemplateError(f"{name}, {place}: there is no state {target}")
    return StateMachine(name, start_at, states)


_MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields of a part of a definition; `place` names the part in refusals."""

    place: str
    fields: Properties

    def read(self, name: str, kind: type | tuple[type, ...], default: Any = _MISSING) -> Any:
        """The field; raises TemplateError for a missing field and for another type."""
        value = self.fields.get(name, default)
        if value is _MISSING:
            raise TemplateError(f"{self.place}: the local stack needs the field {name}")
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.refusal(name)
        return value

    def require_known(self, *known: str) -> None:
        """Raises TemplateError for further fields, which might change the behaviour in AWS."""
        unknown = sorted(self.fields.keys() - set(known))
        if unknown:
            raise TemplateError(f"{self.place}: the local stack does not know {', '.join(unknown)}")

    def refusal(self, name: str) -> TemplateError:
        value = self.fields.get(name)
        return TemplateError(f"{self.place}: the local stack cannot use {value!r} as {name}")

    def path(self, name: str) -> tuple[str, ...]:
        """The names in a path such as `$.step.state`."""
        root, *names = str(self.read(name, str)).split(".")
        if root != "$" or not names or not all(each.isidentifier() for each in names):
            raise self.refusal(name)
        return tuple(names)

    def result(self) -> str:
        """The one name in a `ResultPath` such as `$.step`."""
        match self.path("ResultPath"):
            case (name,):
                return name
            case _:
                raise self.refusal("ResultPath")

    def errors(self) -> Errors:
        return Errors(frozenset(map(str, self.read("ErrorEquals", list))))

    def parts(self, name: str, default: Any = _MISSING) -> list["_Fields"]:
        """The objects of a list."""
        place = f"{self.place}, {name}"
        return [_Fields(place, each) for each in self.read(name, list, default)]


def _state(fields: _Fields, functions: frozenset[str]) -> State:
    """Raises TemplateError for a type of states, or a field, that does not run here."""
    readers: Mapping[str, Callable[[_Fields], State]] = {
        "Task": partial(_task, functions=functions),
        "Choice": _choice,
        "Wait": _wait,
        "Succeed": _succeed,
        "Fail": _fail,
    }
    kind = fields.read("Type", str)
    if kind not in readers:
        raise fields.refusal("Type")
    return readers[kind](fields)


def _task(fields: _Fields, functions: frozenset[str]) -> Task:
    """`TimeoutSeconds` has no effect: a function here ends by itself, or not at all."""
    fields.require_known(
        "Catch", "Comment", "Next", "Resource", "ResultPath", "Retry", "TimeoutSeconds", "Type"
    )
    function = logical_id(fields.read("Resource", (str, dict)))
    if function not in functions:
        raise fields.refusal("Resource")
    return Task(
        function=function,
        result=fields.result(),
        next=fields.read("Next", str),
        retriers=tuple(map(_retrier, fields.parts("Retry", []))),
        catchers=tuple(map(_catcher, fields.parts("Catch", []))),
    )


def _retrier(fields: _Fields) -> Retrier:
    fields.require_known(
        "BackoffRate",
        "Comment",
        "ErrorEquals",
        "IntervalSeconds",
        "JitterStrategy",
        "MaxAttempts",
        "MaxDelaySeconds",
    )
    return Retrier(
        errors=fields.errors(),
        interval_s=fields.read("IntervalSeconds", int, 1),
        backoff_rate=fields.read("BackoffRate", (int, float), 2.0),
        max_delay_s=fields.read("MaxDelaySeconds", (int, float), float("inf")),
        max_attempts=fields.read("MaxAttempts", int, 3),
    )


def _catcher(fields: _Fields) -> Catcher:
    fields.require_known("Comment", "ErrorEquals", "Next", "ResultPath")
    return Catcher(fields.errors(), fields.result(), fields.read("Next", str))


def _choice(fields: _Fields) -> Choice:
    fields.require_known("Choices", "Comment", "Default", "Type")
    rules = tuple(map(_rule, fields.parts("Choices")))
    return Choice(rules, fields.read("Default", str))


def _rule(fields: _Fields) -> Rule:
    fields.require_known("Comment", "Next", "StringEquals", "Variable")
    text = fields.read("StringEquals", str)
    return Rule(fields.path("Variable"), text, fields.read("Next", str))


def _wait(fields: _Fields) -> Wait:
    fields.require_known("Comment", "Next", "SecondsPath", "Type")
    return Wait(fields.path("SecondsPath"), fields.read("Next", str))


def _succeed(fields: _Fields) -> Succeed:
    fields.require_known("Comment", "Type")
    return Succeed()


def _fail(fields: _Fields) -> Fail:
    fields.require_known("Cause", "Comment", "Error", "Type")
    return Fail(fields.read("Error", str, ""), fields.read("Cause", str, ""))


def _targets(states: Mapping[str, State]) -> Iterator[tuple[str, str]]:
    """The states that follow others, each with the place of the reference."""
    for name, state in states.items():
        for target in next_states(state):
            yield f"state {name}", target


def next_states(state: State) -> tuple[str, ...]:
    """The names of all states that may follow."""
    match state:
        case Task(next=following, catchers=catchers):
            return (following, *(each.next for each in catchers))
        case Choice(rules, default):
            return (*(each.next for each in rules), default)
        case Wait(next=following):
            return (following,)
        case Succeed() | Fail():
            return ()
