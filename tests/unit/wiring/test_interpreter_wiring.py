"""The interpreting model that the settings name."""

from dataclasses import replace

import pytest

from membrane.adapters.https.endpoints import Endpoint
from membrane.adapters.models.bedrock_interpreter import BedrockInterpreter
from membrane.adapters.models.openai_interpreter import OpenAIInterpreter
from membrane.wiring import model_endpoints as wiring
from membrane.wiring.interpreter import interpreter_of
from membrane.wiring.interpreter_settings import InterpreterKind, InterpreterSettings
from tests.fakes.secrets import SecretsManager

NONE = InterpreterSettings(InterpreterKind.NONE, "", "", "", 5, 1_000_000)
ENDPOINT = replace(
    NONE, kind=InterpreterKind.OPENAI, model="some-model", url="https://models.example/v1"
)


def test_without_an_interpreter_there_is_none() -> None:
    assert interpreter_of(NONE) is None


def test_a_model_of_bedrock_is_asked_through_bedrock() -> None:
    interpreter = interpreter_of(replace(NONE, kind=InterpreterKind.BEDROCK, model="some.model"))

    assert isinstance(interpreter, BedrockInterpreter)
    assert interpreter.name == "bedrock-some.model"
    assert interpreter.client().meta.service_model.service_name == "bedrock-runtime"


def test_any_other_model_is_asked_at_its_endpoint_without_a_secret_unless_named() -> None:
    interpreter = interpreter_of(ENDPOINT)

    assert isinstance(interpreter, OpenAIInterpreter)
    assert interpreter.endpoint == Endpoint("models.example", 443, "/v1", is_secure=True)
    assert interpreter.name == "openai-some-model"
    assert interpreter.secret is None


def test_the_secret_is_read_once_for_an_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = SecretsManager()
    monkeypatch.setattr(wiring, "secrets_client", lambda: secrets)
    interpreter = interpreter_of(replace(ENDPOINT, secret_arn="arn"))

    assert isinstance(interpreter, OpenAIInterpreter)
    assert interpreter.secret is not None
    assert secrets.reads == 0
    assert [interpreter.secret(), interpreter.secret()] == ["key-of-arn"] * 2
    assert secrets.reads == 1


def test_the_client_of_secrets_is_of_secrets_manager() -> None:
    assert hasattr(wiring.secrets_client(), "get_secret_value")
