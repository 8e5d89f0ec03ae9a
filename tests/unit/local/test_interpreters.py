"""The model of the local stack: scripted for a demo, or an endpoint on this machine."""

from typing import Any

from membrane_local.functions import local_world
from membrane_local.scripted_models import ScriptedInterpreter
from tests.worlds.refusals import refuses_setting

SCRIPTED = {"MEMBRANE_INTERPRETER": "scripted"}
LOOPBACK = {
    "MEMBRANE_INTERPRETER": "openai",
    "MEMBRANE_INTERPRETER_MODEL": "some-model",
    "MEMBRANE_INTERPRETER_URL": "http://localhost:11434/v1/chat/completions",
}


def test_the_script_is_chosen_by_name() -> None:
    assert isinstance(local_world(SCRIPTED).interpreter, ScriptedInterpreter)
    assert local_world(SCRIPTED).daily_tokens == 1_000_000
    assert local_world({}).interpreter is None


def test_an_endpoint_on_this_machine_may_be_http() -> None:
    interpreter: Any = local_world(LOOPBACK).interpreter

    assert interpreter.endpoint.host == "localhost"


def test_a_bad_setting_is_refused_as_in_aws() -> None:
    with refuses_setting("MEMBRANE_INTERPRETER_MODEL: must be empty"):
        assert local_world({**SCRIPTED, "MEMBRANE_INTERPRETER_MODEL": "some-model"}).daily_tokens
