"""Definitions of state machines: what the local stack reads, and what it refuses."""

from copy import deepcopy
from typing import Any

import pytest

from membrane_local.events.state_machines import delay_s, is_of, state_machine
from membrane_local.refusals import TemplateError
from tests.builders.state_machines import FUNCTION, definition, machine_of


def changed(place: str, **fields: Any) -> dict[str, Any]:
    """The definition with further or other fields of a part; a field that is None is left out."""
    copy = deepcopy(definition())
    part: Any = copy
    for name in place.split("/") if place else ():
        part = part[int(name) if name.isdigit() else name]
    part |= fields
    for name in [name for name, value in part.items() if value is None]:
        del part[name]
    return copy


@pytest.mark.parametrize(
    ("fields", "delays_s"),
    [
        ({}, [1, 2, 4, 8, 16]),
        (
            {"IntervalSeconds": 2, "BackoffRate": 3, "MaxDelaySeconds": 30},
            [2, 6, 18, 30, 30],
        ),
    ],
    ids=["of Step Functions", "up to the longest"],
)
def test_delays_grow(fields: dict[str, Any], delays_s: list[float]) -> None:
    assert [delay_s(fields, each) for each in range(5)] == delays_s


@pytest.mark.parametrize(
    ("names", "error", "matches"),
    [
        (["ValueError"], "ValueError", True),
        (["ValueError"], "KeyError", False),
        (["States.TaskFailed"], "KeyError", True),
        (["States.TaskFailed"], "States.Timeout", False),
        (["States.Timeout"], "States.Timeout", True),
        (["States.ALL"], "States.Timeout", True),
        (["KeyError", "States.Timeout"], "KeyError", True),
    ],
)
def test_an_error_is_known_by_its_name_or_by_a_wildcard(
    names: list[str], error: str, *, matches: bool
) -> None:
    assert is_of(error, {"ErrorEquals": names}) is matches


@pytest.mark.parametrize(
    ("place", "fields", "named"),
    [
        ("", {"TimeoutSeconds": 60}, "StudyMachine: .* TimeoutSeconds"),
        ("", {"StartAt": "Nowhere"}, "StudyMachine, StartAt: .* Nowhere"),
        ("States/Step", {"Type": None}, "state Step: .* Type"),
        ("States/Step", {"HeartbeatSeconds": 9}, "state Step: .* HeartbeatSeconds"),
        ("States/Step", {"Next": "Nowhere"}, "state Step: .* Nowhere"),
        (
            "States/Step",
            {"Resource": "arn:aws:states:::sqs:sendMessage"},
            "state Step: .* Resource",
        ),
        ("States/Step", {"ResultPath": "$"}, r"state Step: .* '\$' as ResultPath"),
        ("States/Step/Retry/0", {"MaxAttempts": "6"}, "state Step, Retry: .* MaxAttempts"),
        ("States/Step/Retry/0", {"Unknown": 1}, "state Step, Retry: .* Unknown"),
        ("States/Step/Catch/0", {"Output": {}}, "state Step, Catch: .* Output"),
        ("States/IsDone", {"Default": "Nowhere"}, "state IsDone: .* Nowhere"),
        ("States/IsDone/Choices/0", {"And": []}, "state IsDone, Choices: .* And"),
        ("States/IsDone/Choices/0", {"StringEquals": 1}, "state IsDone, Choices: .* StringEquals"),
        ("States/WaitAWhile", {"SecondsPath": "$.a[0]"}, "state WaitAWhile: .* SecondsPath"),
        ("States/Failed", {"ErrorPath": "$.x"}, "state Failed: .* ErrorPath"),
    ],
)
def test_what_would_not_run_as_in_aws_is_refused_with_state_and_field(
    place: str, fields: dict[str, Any], named: str
) -> None:
    with pytest.raises(TemplateError, match=named):
        machine_of(changed(place, **fields))


@pytest.mark.parametrize(
    ("properties", "named"),
    [
        ({"Type": "EXPRESS"}, "EXPRESS"),
        ({"DefinitionUri": "study.asl.json"}, "DefinitionUri"),
        ({"Definition": None}, "Definition"),
        ({"Events": {}}, "Events"),
    ],
)
def test_another_kind_of_state_machine_is_refused(properties: dict[str, Any], named: str) -> None:
    asked = {"Definition": definition(), **properties}

    with pytest.raises(TemplateError, match=named):
        state_machine("StudyMachine", asked, frozenset({FUNCTION}))
