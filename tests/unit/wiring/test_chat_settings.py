"""The settings of the model that leads conversations."""

import pytest

from membrane.domain.chat.allowances import Limits
from membrane.domain.chat.room import MAX_QUESTION_TOKENS
from membrane.domain.chat.turns import Question
from membrane.wiring.chat_settings import (
    LEAST_DAILY_TOKENS,
    USUAL_DAILY_TOKENS,
    USUAL_DAILY_TOKENS_OF_KEY,
    read_chat_settings,
)
from membrane.wiring.environment import SettingError

ENDPOINT = {"MEMBRANE_CHAT_MODEL": "llama", "MEMBRANE_CHAT_URL": "https://models.example/v1"}


@pytest.mark.parametrize("environment", [{}, {"MEMBRANE_CHAT_MODEL": "none"}])
def test_the_usual_settings_name_no_model(environment: dict[str, str]) -> None:
    settings = read_chat_settings(environment)

    assert (settings.model, settings.url, settings.secret_arn) == ("", "", "")
    assert settings.limits == Limits(USUAL_DAILY_TOKENS_OF_KEY, USUAL_DAILY_TOKENS)


def test_a_model_without_an_address_is_bedrocks() -> None:
    settings = read_chat_settings({"MEMBRANE_CHAT_MODEL": "eu.some.model-v1:0"})

    assert (settings.model, settings.url) == ("eu.some.model-v1:0", "")


def test_an_endpoint_has_an_address_and_perhaps_a_secret() -> None:
    settings = read_chat_settings({**ENDPOINT, "MEMBRANE_CHAT_SECRET_ARN": "arn"})

    assert (settings.model, settings.url, settings.secret_arn) == (
        "llama",
        "https://models.example/v1",
        "arn",
    )
    assert "models.example" not in repr(settings)


def test_the_limits_are_settings() -> None:
    settings = read_chat_settings(
        {"MEMBRANE_CHAT_DAILY_TOKENS": "400000", "MEMBRANE_CHAT_DAILY_TOKENS_OF_KEY": "200000"}
    )

    assert settings.limits == Limits(of_key=200_000, of_stack=400_000)


def test_the_least_limit_suffices_for_the_longest_question() -> None:
    assert MAX_QUESTION_TOKENS + Question("", []).max_tokens <= LEAST_DAILY_TOKENS


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        ({"MEMBRANE_CHAT_URL": "https://models.example"}, "MEMBRANE_CHAT_URL: must be empty"),
        ({**ENDPOINT, "MEMBRANE_CHAT_URL": "http://localhost:11434"}, "https://"),
        ({**ENDPOINT, "MEMBRANE_CHAT_URL": "https://user:secret@models.example"}, "without user"),
        (
            {"MEMBRANE_CHAT_MODEL": "m", "MEMBRANE_CHAT_SECRET_ARN": "arn"},
            "MEMBRANE_CHAT_SECRET_ARN: must be empty",
        ),
        ({"MEMBRANE_CHAT_DAILY_TOKENS": "109999"}, "MEMBRANE_CHAT_DAILY_TOKENS: must be"),
        ({"MEMBRANE_CHAT_DAILY_TOKENS_OF_KEY": "-1"}, "MEMBRANE_CHAT_DAILY_TOKENS_OF_KEY"),
    ],
)
def test_an_unusable_setting_is_named(environment: dict[str, str], named: str) -> None:
    with pytest.raises(SettingError, match=named) as refused:
        read_chat_settings(environment)

    assert "secret@" not in str(refused.value)


def test_a_local_stack_may_ask_its_own_machine_by_http() -> None:
    local = {**ENDPOINT, "MEMBRANE_CHAT_URL": "http://localhost:11434/v1/chat/completions"}

    assert read_chat_settings(local, allows_loopback=True).url == local["MEMBRANE_CHAT_URL"]
    with pytest.raises(SettingError):
        read_chat_settings(
            {**local, "MEMBRANE_CHAT_URL": "http://10.0.0.1/v1"}, allows_loopback=True
        )
