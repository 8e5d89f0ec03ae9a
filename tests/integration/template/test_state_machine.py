"""The state machine of studies: it ends, it may run its functions alone, and it holds ids alone."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from membrane_local.events.state_machines import (
    StateMachine,
    delay_s,
    is_of,
    next_states,
    state_machine,
)
from tests.worlds.agreed import RESERVE_S, STEP_S
from tests.worlds.template import (
    arn,
    functions,
    listed,
    nodes,
    ref,
    resources,
    target,
    timeout_s,
)
from tests.worlds.template_rights import allowing, rights, uses

MACHINES = sorted(resources("AWS::Serverless::StateMachine"))
MAX_RETRIES, MAX_DELAY_S = 10, 300
ENDS = ("Succeed", "Fail")

each_machine = pytest.mark.parametrize("name", MACHINES)


def read(name: str) -> StateMachine:
    """The machine as the local stack reads it: every target of a state is a state."""
    properties = resources("AWS::Serverless::StateMachine")[name]
    return state_machine(name, properties, frozenset(functions()))


def described(name: str) -> Mapping[str, Any]:
    """The states as the template has them."""
    states: Mapping[str, Any] = resources("AWS::Serverless::StateMachine")[name]["Definition"][
        "States"
    ]
    return states


def tasks(name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for state_name, state in read(name).states.items():
        if state["Type"] == "Task":
            yield state_name, state


def reached_from(start: str, machine: StateMachine) -> set[str]:
    """The states that an execution may come to."""
    reached, coming = set[str](), [start]
    while coming:
        name = coming.pop()
        if name not in reached:
            reached.add(name)
            coming += next_states(machine.states[name])
    return reached


@each_machine
def test_every_state_is_reached_and_leads_to_an_end(name: str) -> None:
    machine = read(name)

    assert reached_from(machine.start_at, machine) == set(machine.states)
    for state_name in machine.states:
        ahead = reached_from(state_name, machine)
        assert any(machine.states[each]["Type"] in ENDS for each in ahead), state_name


@each_machine
def test_no_circle_is_without_a_run_of_a_function(name: str) -> None:
    """A circle of choices and waits would go on without a step of the job."""
    machine = read(name)
    idle = {
        each: [] if state["Type"] == "Task" else [*next_states(state)]
        for each, state in machine.states.items()
    }

    def ends(state_name: str, before: tuple[str, ...] = ()) -> bool:
        if state_name in before:
            return False
        return all(ends(each, (*before, state_name)) for each in idle[state_name])

    assert all(map(ends, machine.states))


@each_machine
def test_a_failed_task_is_repeated_a_bounded_number_of_times_and_then_caught(name: str) -> None:
    for state_name, task in tasks(name):
        assert task["Retry"], state_name
        for retrier in task["Retry"]:
            assert 0 < retrier.get("MaxAttempts", 3) <= MAX_RETRIES, state_name
            assert delay_s(retrier, MAX_RETRIES) <= MAX_DELAY_S, state_name
            assert is_of("Lambda.TooManyRequestsException", retrier), state_name
            assert is_of("States.Timeout", retrier), state_name
        assert [each["ErrorEquals"] for each in task["Catch"]] == [["States.ALL"]], state_name
        assert all(
            each["JitterStrategy"] == "FULL" for each in described(name)[state_name]["Retry"]
        ), state_name


@each_machine
def test_the_machine_may_run_its_functions_and_nothing_else(name: str) -> None:
    properties = resources("AWS::Serverless::StateMachine")[name]
    role = resources("AWS::IAM::Role")[target(properties["Role"])]
    run = {task["Resource"] for _, task in tasks(name)}

    allowed = allowing(role["Policies"])

    assert [each["Action"] for each in allowed] == ["lambda:InvokeFunction"]
    assert [listed(each["Resource"]) for each in allowed] == [[arn(each) for each in sorted(run)]]
    traced = [ref("TracePolicy")]
    assert role["ManagedPolicyArns"] == {"Fn::If": ["Traced", traced, ref("AWS::NoValue")]}
    trust = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "states.amazonaws.com"}
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": ref("AWS::AccountId")}}


@each_machine
def test_a_function_ends_before_its_task_and_a_step_ends_before_its_function(name: str) -> None:
    for state_name, task in tasks(name):
        longest_s = timeout_s(task["Resource"])
        assert longest_s < described(name)[state_name]["TimeoutSeconds"], state_name
        assert longest_s > STEP_S + RESERVE_S, state_name


@each_machine
def test_an_execution_holds_the_ids_of_its_input_and_the_state_of_a_step_alone(name: str) -> None:
    """An erasure does not reach the history of executions, which has no text of a document.

    A function gets the whole data of an execution, replies with a state and a wait, and is named
    by its ARN: no state makes data of its own.
    """
    made = {"Parameters", "Result", "ResultSelector", "InputPath", "OutputPath", "Assign", "Output"}
    machine = read(name)

    for state_name, fields in described(name).items():
        assert not made & fields.keys(), state_name
    assert {task["ResultPath"] for _, task in tasks(name)} == {"$.step"}
    caught = {each["ResultPath"] for _, task in tasks(name) for each in task["Catch"]}
    assert caught == {"$.failure"}
    paths = {
        part[field]
        for state in machine.states.values()
        for part in (state, *state.get("Choices", ()))
        for field in ("Variable", "SecondsPath")
        if field in part
    }
    assert paths == {"$.step.state", "$.step.wait_s"}


@each_machine
def test_the_data_of_executions_is_in_no_log(name: str) -> None:
    assert "Logging" not in resources("AWS::Serverless::StateMachine")[name]


@each_machine
def test_the_function_of_the_requests_alone_may_start_an_execution_and_knows_the_machine(
    name: str,
) -> None:
    starting = {
        function: (each["Action"], each["Resource"])
        for function in functions()
        for each in rights(function)
        if uses("states", each)
    }
    knowing = {
        function
        for function, properties in functions().items()
        if ref(name) in list(nodes(properties.get("Environment", {})))
    }

    assert starting == {"StudiesFunction": ("states:StartExecution", ref(name))}
    assert knowing == {"StudiesFunction"}


@each_machine
def test_a_failed_execution_raises_an_alarm(name: str) -> None:
    (alarm,) = (
        each
        for each in resources("AWS::CloudWatch::Alarm").values()
        if each.get("MetricName") == "ExecutionsFailed"
    )

    assert alarm["Namespace"] == "AWS/States"
    assert alarm["Dimensions"] == [{"Name": "StateMachineArn", "Value": ref(name)}]
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanThreshold", 0)
    assert any(each["Type"] == "Fail" for each in read(name).states.values())
