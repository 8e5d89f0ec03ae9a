"""The services of studies: the jobs of the table, and the state machine of the settings."""

import pytest

from membrane.wiring import services as wiring
from membrane.wiring.services import serving
from membrane.wiring.study import read_study_machine, study_services
from tests.fakes.study_world import studying


def test_the_state_machine_is_a_setting_of_the_function_that_starts_executions() -> None:
    machine = "arn:aws:states:eu-central-1:000000000000:stateMachine:Study"

    assert read_study_machine({"MEMBRANE_STUDY_MACHINE": machine}) == machine
    assert read_study_machine({}) == ""


def test_a_handler_is_served_by_the_replacement() -> None:
    services = studying()

    with serving(services):
        assert study_services() is services


def test_the_client_is_that_of_step_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")

    client = wiring.states_client()

    assert client is wiring.states_client()
    assert client.meta.endpoint_url == "https://states.eu-central-1.amazonaws.com"  # type: ignore[attr-defined]  # botocore's client has more than the port needs
