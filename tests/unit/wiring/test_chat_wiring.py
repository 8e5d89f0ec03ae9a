"""The chat model that the settings name, and the clients that wait for the model."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.adapters.https.endpoints import Endpoint
from membrane.adapters.models.bedrock_chat import BedrockChat
from membrane.adapters.models.openai_chat import OpenAIChat
from membrane.domain.chat.allowances import Limits
from membrane.domain.models.failures import NotAsked
from membrane.wiring import model_endpoints
from membrane.wiring.chat import chat_model_of, waiting_client
from membrane.wiring.chat_settings import ChatSettings
from tests.fakes.secrets import SecretsManager

NONE = ChatSettings("", "", "", Limits(1_000_000, 1_000_000))
ENDPOINT = replace(NONE, model="llama", url="https://models.example/v1/chat/completions")


def test_without_a_model_there_is_none() -> None:
    assert chat_model_of(NONE) is None


def test_a_model_without_an_address_is_asked_through_bedrock() -> None:
    model = chat_model_of(replace(NONE, model="some.model"))

    assert isinstance(model, BedrockChat)
    assert (model.name, model.provider) == ("some.model", "bedrock")
    assert model.client(60.0).meta.service_model.service_name == "bedrock-runtime"


def test_any_other_model_is_asked_at_its_endpoint() -> None:
    model = chat_model_of(ENDPOINT)

    assert isinstance(model, OpenAIChat)
    assert (model.name, model.provider) == ("llama", "openai")
    assert model.endpoint == Endpoint("models.example", 443, "/v1/chat/completions", True)  # noqa: FBT003 - a named tuple
    assert model.secret is None


def test_a_secret_is_read_for_the_first_question_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = SecretsManager()
    monkeypatch.setattr(model_endpoints, "secrets_client", lambda: secrets)
    model = chat_model_of(replace(ENDPOINT, secret_arn="arn"))

    assert isinstance(model, OpenAIChat)
    assert model.secret is not None
    assert secrets.reads == 0
    assert [model.secret(), model.secret()] == ["key-of-arn"] * 2
    assert secrets.reads == 1


@pytest.mark.parametrize(
    ("timeout_s", "waits_s"), [(3.0, 2), (19.9, 16), (24.0, 20), (61.0, 60), (500.0, 170)]
)
def test_a_client_of_bedrock_waits_no_longer_than_the_request_has_time(
    timeout_s: float, waits_s: int
) -> None:
    config: Any = waiting_client(timeout_s).meta.config

    assert config.read_timeout == waits_s
    assert config.retries["total_max_attempts"] == 1


@pytest.mark.parametrize("timeout_s", [-1.0, 0.1, 2.9])
def test_without_time_for_the_shortest_wait_nothing_is_asked(timeout_s: float) -> None:
    with pytest.raises(NotAsked):
        waiting_client(timeout_s)


def test_a_client_is_made_once_for_a_wait() -> None:
    assert waiting_client(21.0) is waiting_client(22.0)
