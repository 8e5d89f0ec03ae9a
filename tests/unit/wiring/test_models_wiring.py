"""The models that the settings name, and the clients that wait for them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from membrane.wiring import clients
from membrane.wiring.clients import bedrock_client, waiting_client
from membrane.wiring.models import EMBEDDING_ATTEMPTS, EMBEDDING_S
from membrane.wiring.world import World
from tests.fakes.clock import SecretsManager

URL = "https://models.example/v1/chat/completions"
ENDPOINT = ("models.example", 443, "/v1/chat/completions", True)


def chatting(**variables: str) -> Any:
    """The chat model of settings."""
    named = {f"MEMBRANE_CHAT_{name}": value for name, value in variables.items()}
    return World(environment=named).chat_model


def interpreting(kind: str, **variables: str) -> Any:
    """The interpreting model of settings."""
    named = {f"MEMBRANE_INTERPRETER_{name}": value for name, value in variables.items()}
    return World(environment={"MEMBRANE_INTERPRETER": kind, **named}).interpreter


def reading(send: Any = None, **variables: str) -> Any:
    """What retrieves, by settings, over no table."""
    named = {f"MEMBRANE_{name}": each for name, each in variables.items()}
    places = {"MEMBRANE_TABLE": "memory", "MEMBRANE_BUCKET": "blobs"}
    return World(environment=places | named, **send or {})


def test_without_a_model_there_is_none() -> None:
    assert chatting() is None
    assert interpreting("none") is None


def test_a_model_without_an_address_is_asked_through_bedrock() -> None:
    chat, interpreter = chatting(MODEL="some.model"), interpreting("bedrock", MODEL="some.model")

    assert (chat.name, chat.provider, interpreter.name) == (
        "some.model",
        "bedrock",
        "bedrock-some.model",
    )
    for client in (chat.client(60.0), interpreter.client()):
        assert client.meta.service_model.service_name == "bedrock-runtime"


def test_any_other_model_is_asked_at_its_endpoint_and_its_secret_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secrets = SecretsManager()
    monkeypatch.setattr(clients, "secrets_client", lambda: secrets)

    for plain, model in (
        (chatting(MODEL="llama", URL=URL), chatting(MODEL="llama", URL=URL, SECRET_ARN="arn")),
        (
            interpreting("openai", MODEL="llama", URL=URL),
            interpreting("openai", MODEL="llama", URL=URL, SECRET_ARN="arn"),
        ),
    ):
        assert (plain.endpoint, plain.secret) == (ENDPOINT, None)
        assert plain.name.removeprefix("openai-") == "llama"
        before = secrets.reads
        assert [model.secret(), model.secret()] == ["key-of-arn"] * 2
        assert secrets.reads == before + 1


@pytest.mark.parametrize(
    ("timeout_s", "waits_s"), [(3.0, 2), (19.9, 16), (24.0, 20), (61.0, 60), (500.0, 170)]
)
def test_a_client_of_bedrock_waits_no_longer_than_the_request_has_time(
    timeout_s: float, waits_s: int
) -> None:
    config: Any = waiting_client(timeout_s).meta.config

    assert config.read_timeout == waits_s
    assert config.retries["total_max_attempts"] == 1
    assert waiting_client(timeout_s) is waiting_client(timeout_s)


@pytest.mark.parametrize("timeout_s", [-1.0, 0.1, 2.9])
def test_without_time_for_the_shortest_wait_nothing_is_asked(timeout_s: float) -> None:
    with pytest.raises(Exception, match="no time is left to ask the chat model"):
        waiting_client(timeout_s)


TITAN = "bedrock-amazon.titan-embed-text-v2:0"
SMALL = {"EMBEDDER": "bedrock", "EMBEDDING_DIMENSIONS": "512"}


@pytest.mark.parametrize(
    ("variables", "names"),
    [
        ({}, ["all-MiniLM-L6-v2-int8-1"]),
        (
            {**SMALL, "FORMER_EMBEDDER": "encoder", "FORMER_EMBEDDING_DIMENSIONS": "384"},
            [f"{TITAN}-512", "all-MiniLM-L6-v2-int8-1"],
        ),
        (
            {
                **SMALL,
                "EMBEDDING_MODEL": "amazon.another:0",
                "FORMER_EMBEDDING_DIMENSIONS": "256",
                "FORMER_EMBEDDING_MODEL": "amazon.former:0",
            },
            ["bedrock-amazon.another:0-512", "bedrock-amazon.former:0-256"],
        ),
    ],
)
def test_while_the_embedder_is_changed_the_new_one_and_the_former_one_index(
    variables: dict[str, str], names: Sequence[str]
) -> None:
    assert [each.name for each in reading(**variables).embedders] == names


def test_a_record_is_set_aside_by_a_message_to_the_queue_of_the_settings() -> None:
    sent: list[tuple[str, str, int]] = []
    send = {"send": lambda *message: sent.append(message)}

    reading(send, INDEX_QUEUE="https://queue").set_aside("r-1", ["team:ops"])

    ((queue, body, delay_s),) = sent
    assert (queue, delay_s) == ("https://queue", 0)
    assert json.loads(body) == {"record_id": "r-1", "scopes": ["team:ops"]}


def test_a_model_that_is_busy_is_asked_again() -> None:
    bedrock = Bedrock(chain(["busy"], repeat("ready")))

    (vector,) = bedrock.embedder().embed(["text"])

    assert len(vector) == 256
    assert bedrock.asked == 2


@dataclass
class Bedrock:
    """A model that is busy or ready in turn, behind the client that a deployment makes."""

    states: Iterator[str]
    asked: int = 0

    def embedder(self) -> Any:
        client: Any = bedrock_client(EMBEDDING_S, EMBEDDING_ATTEMPTS, 8)
        client.meta.events.register(
            "before-send.bedrock-runtime.InvokeModel", self.answer, unique_id="model"
        )
        return reading(EMBEDDER="bedrock").embedder

    def answer(self, **_: Any) -> AWSResponse:
        self.asked += 1
        if next(self.states) == "busy":
            return response(429, {"message": "slow"}, {"x-amzn-errortype": "ThrottlingException"})
        return response(200, {"embedding": [0.0] * 256}, {})


def response(status: int, content: Any, headers: Any) -> AWSResponse:
    return AWSResponse("https://model", status, headers, Body(content))


@dataclass
class Body:
    """As it comes from the network."""

    content: Any

    def read(self, *_: Any) -> bytes:
        return json.dumps(self.content).encode()

    def stream(self) -> Iterator[bytes]:
        yield self.read()
