"""A state machine with every type of states and every field that the local stack runs."""

from typing import Any

from membrane_local.events.state_machines import StateMachine, state_machine

FUNCTION = "StudyFunction"
MACHINE = "StudyMachine"


def definition() -> dict[str, Any]:
    """Steps until one is done, waits between some, and gives up after three failures."""
    resource = {"Fn::GetAtt": [FUNCTION, "Arn"]}
    return {
        "Comment": "a test",
        "StartAt": "Step",
        "States": {
            "Step": {
                "Type": "Task",
                "Resource": resource,
                "TimeoutSeconds": 360,
                "ResultPath": "$.step",
                "Retry": [
                    {
                        "ErrorEquals": ["States.TaskFailed", "States.Timeout"],
                        "IntervalSeconds": 2,
                        "BackoffRate": 3,
                        "MaxDelaySeconds": 30,
                        "MaxAttempts": 2,
                        "JitterStrategy": "FULL",
                    }
                ],
                "Catch": [
                    {"ErrorEquals": ["States.ALL"], "ResultPath": "$.failure", "Next": "GiveUp"}
                ],
                "Next": "IsDone",
            },
            "IsDone": {
                "Type": "Choice",
                "Choices": [
                    {"Variable": "$.step.state", "StringEquals": "done", "Next": "Done"},
                    {"Variable": "$.step.state", "StringEquals": "waiting", "Next": "WaitAWhile"},
                ],
                "Default": "Step",
            },
            "WaitAWhile": {"Type": "Wait", "SecondsPath": "$.step.wait_s", "Next": "Step"},
            "Done": {"Type": "Succeed"},
            "GiveUp": {
                "Type": "Task",
                "Resource": resource,
                "ResultPath": "$.step",
                "Next": "Failed",
            },
            "Failed": {"Type": "Fail", "Error": "Failed", "Cause": "again and again"},
        },
    }


def machine_of(described: dict[str, Any]) -> StateMachine:
    """The machine of a definition; raises TemplateError."""
    return state_machine(MACHINE, {"Definition": described}, frozenset({FUNCTION}))
