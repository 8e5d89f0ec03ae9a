"""Settings of the interpreting model: what each does, and that a bad combination is named."""

from dataclasses import replace

import pytest

from membrane.wiring.environment import SettingError
from membrane.wiring.interpreter_settings import (
    InterpreterKind,
    InterpreterSettings,
    read_interpreter_settings,
)

ARN = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:key"
URL = "https://models.example/v1/chat/completions"
NONE = InterpreterSettings(InterpreterKind.NONE, "", "", "", 5, 1_000_000)
OPENAI = {
    "MEMBRANE_INTERPRETER": "openai",
    "MEMBRANE_INTERPRETER_MODEL": "some-model",
    "MEMBRANE_INTERPRETER_URL": URL,
}
BEDROCK = {"MEMBRANE_INTERPRETER": "bedrock", "MEMBRANE_INTERPRETER_MODEL": "some.model"}


def complaint(variables: dict[str, str], *, allows_loopback: bool = False) -> str:
    """What is said of an environment that cannot be used."""
    with pytest.raises(SettingError) as caught:
        read_interpreter_settings(variables, allows_loopback=allows_loopback)
    return str(caught.value)


def test_unless_set_no_model_interprets() -> None:
    assert read_interpreter_settings({}) == NONE


def test_bedrock_needs_a_model() -> None:
    settings = read_interpreter_settings(BEDROCK)

    assert settings == replace(NONE, kind=InterpreterKind.BEDROCK, model="some.model")


def test_an_endpoint_needs_a_model_and_a_url_and_may_have_a_secret() -> None:
    settings = read_interpreter_settings({**OPENAI, "MEMBRANE_INTERPRETER_SECRET_ARN": ARN})

    expected = replace(NONE, kind=InterpreterKind.OPENAI, model="some-model", url=URL)
    assert settings == replace(expected, secret_arn=ARN)
    assert read_interpreter_settings(OPENAI) == expected
    assert URL not in repr(settings)


def test_tokens_are_set_for_any_interpreter() -> None:
    settings = read_interpreter_settings({"MEMBRANE_INTERPRETER_DAILY_TOKENS": "250000"})

    assert settings == replace(NONE, daily_tokens=250_000)


def test_the_tries_are_those_of_the_queue() -> None:
    settings = read_interpreter_settings({"MEMBRANE_INTERPRETER_TRIES": "7"})

    assert settings == replace(NONE, most_tries=7)


@pytest.mark.parametrize(
    ("environment", "variable", "value", "rule"),
    [
        ({}, "INTERPRETER", "gpt", "must be one of: none, bedrock, openai"),
        ({}, "INTERPRETER", "scripted", "must be one of: none, bedrock, openai"),
        ({}, "INTERPRETER_MODEL", "m", "must be empty with the interpreter none"),
        ({}, "INTERPRETER_URL", URL, "must be empty with the interpreter none"),
        ({}, "INTERPRETER_SECRET_ARN", ARN, "must be empty with the interpreter none"),
        (BEDROCK, "INTERPRETER_MODEL", " ", "must be set with the interpreter bedrock"),
        (BEDROCK, "INTERPRETER_URL", URL, "must be empty with the interpreter bedrock"),
        (BEDROCK, "INTERPRETER_SECRET_ARN", ARN, "must be empty with the interpreter bedrock"),
        (OPENAI, "INTERPRETER_MODEL", "", "must be set with the interpreter openai"),
        (OPENAI, "INTERPRETER_URL", "", "must be set with the interpreter openai"),
        (OPENAI, "INTERPRETER_URL", "http://models.example/", "begins with https://"),
        (OPENAI, "INTERPRETER_URL", "http://localhost/v1", "begins with https://"),
        ({}, "INTERPRETER_DAILY_TOKENS", "99999", "must be a whole number from 100000 to"),
        ({}, "INTERPRETER_TRIES", "0", "must be a whole number from 1 to"),
        ({}, "INTERPRETER_DAILY_TOKENS", "-1", "must be a whole number from 100000 to"),
    ],
)
def test_a_bad_combination_is_refused_by_the_name_of_the_variable(
    environment: dict[str, str], variable: str, value: str, rule: str
) -> None:
    said = complaint({**environment, f"MEMBRANE_{variable}": value})

    assert said.startswith(f"MEMBRANE_{variable}: ")
    assert rule in said


def test_http_on_the_same_machine_is_for_the_local_stack() -> None:
    local = {**OPENAI, "MEMBRANE_INTERPRETER_URL": "http://localhost:11434/v1/chat/completions"}

    settings = read_interpreter_settings(local, allows_loopback=True)

    assert settings.url.startswith("http://localhost")
    distant = {**OPENAI, "MEMBRANE_INTERPRETER_URL": "http://models.example/"}
    assert "begins with https://" in complaint(distant, allows_loopback=True)
