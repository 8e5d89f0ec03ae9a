"""Interpretations by a model of Bedrock's, with a forced tool; and the secrets of endpoints."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from membrane.adapters.models.bedrock_interpreter import FORM, BedrockInterpreter
from membrane.adapters.models.secrets import read_secret
from membrane.domain.capture.proposals import InterpreterPrompt, MalformedProposal, proposal_schema
from membrane.domain.language.errors import Unavailable
from membrane.domain.model_failures import BusyModel, NotAsked
from membrane.usecases.ports.models import MAX_ANSWER_TOKENS
from tests.builders.proposals import answer, mention, proposal
from tests.worlds.stubbed_bedrock import StubbedBedrock

MODEL = "eu.some.model-v1:0"
PROMPT = InterpreterPrompt("rules", "data")
ASKED = {
    "modelId": MODEL,
    "system": [{"text": "rules"}],
    "messages": [{"role": "user", "content": [{"text": "data"}]}],
    "inferenceConfig": {"maxTokens": MAX_ANSWER_TOKENS},
    "toolConfig": {
        "tools": [
            {
                "toolSpec": {
                    "name": FORM,
                    "description": "Fill in what the content says.",
                    "inputSchema": {"json": proposal_schema()},
                    "strict": True,
                }
            }
        ],
        "toolChoice": {"tool": {"name": FORM}},
    },
}


class Model(StubbedBedrock):
    """Bedrock with an interpreter."""

    def __init__(self) -> None:
        super().__init__()
        self.interpreter = BedrockInterpreter(lambda: self.client, MODEL)


def use(form: Any, name: str = FORM) -> dict[str, Any]:
    """A use of a tool."""
    return {"toolUse": {"toolUseId": "t-1", "name": name, "input": form}}


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    with model.stub:
        yield model
        model.stub.assert_no_pending_responses()
    assert model.requests == [ASKED]


def test_the_input_of_the_forced_tool_is_the_proposal(model: Model) -> None:
    model.answers({"text": "I will fill in the form."}, use(answer(mentions=[mention()])))

    proposed = model.interpreter.interpret(PROMPT)

    assert proposed == (proposal(mentions=[mention()]), 1_000)
    assert model.interpreter.name == f"bedrock-{MODEL}"


def test_an_answer_without_the_tool_is_malformed_and_took_tokens(model: Model) -> None:
    model.answers({"text": "no"}, use(answer(), name="other"))

    with pytest.raises(MalformedProposal, match="not of the schema") as caught:
        model.interpreter.interpret(PROMPT)

    assert caught.value.tokens == 1_000


@pytest.mark.parametrize("reason", ["max_tokens", "end_turn", "content_filtered"])
def test_an_answer_that_stopped_early_is_malformed(model: Model, reason: str) -> None:
    model.answers(use(answer()), reason=reason)

    with pytest.raises(MalformedProposal, match=reason) as caught:
        model.interpreter.interpret(PROMPT)

    assert caught.value.tokens == 1_000


def test_an_answer_that_is_not_of_the_schema_is_malformed(model: Model) -> None:
    model.answers(use(answer(mentions=[{"surface": "Ana"}])))

    with pytest.raises(MalformedProposal, match="in: mentions"):
        model.interpreter.interpret(PROMPT)


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("ThrottlingException", 429, BusyModel),
        ("ModelTimeoutException", 408, Unavailable),
        ("AccessDeniedException", 403, NotAsked),
    ],
)
def test_a_refusal_says_whether_the_model_is_busy_and_may_have_taken_tokens(
    model: Model, code: str, status: int, error: type[Exception]
) -> None:
    model.refuses(code, status)

    with pytest.raises(error) as caught:
        model.interpreter.interpret(PROMPT)

    assert type(caught.value) is error
    assert code in str(caught.value.__cause__)


def test_a_model_out_of_reach_was_not_asked() -> None:
    def fail() -> Any:
        raise EndpointConnectionError(endpoint_url="https://bedrock")

    with pytest.raises(NotAsked):
        BedrockInterpreter(fail, MODEL).interpret(PROMPT)


ARN = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:interpreter"
DENIED = ClientError(
    {"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "GetSecretValue"
)


class SecretsManager:
    """A client that knows one secret, or fails."""

    def __init__(self, secret: Mapping[str, Any], failure: Exception | None = None) -> None:
        self._secret = secret
        self._failure = failure

    def get_secret_value(self, *, SecretId: str) -> Mapping[str, Any]:  # noqa: N803 - AWS's name
        """See SecretsClient."""
        assert SecretId == ARN
        if self._failure is not None:
            raise self._failure
        return self._secret


def read(secret: Mapping[str, Any], failure: Exception | None = None) -> str:
    return read_secret(lambda: SecretsManager(secret, failure), ARN)


def test_the_text_is_read_without_white_space_around() -> None:
    assert read({"SecretString": " sk-1\n"}) == "sk-1"


@pytest.mark.parametrize(
    "secret",
    [
        {},
        {"SecretBinary": b"sk-hidden"},
        {"SecretString": ""},
        {"SecretString": "sk-hidden\r\nX-Other: 1"},
        {"SecretString": '{"key": "sk-hidden", "b": 1}'},
        {"SecretString": "sk-hidden-ä"},
        {"SecretString": "sk-hidden" * 1_000},
    ],
)
def test_a_secret_that_fits_no_header_asks_nothing_and_is_not_repeated(
    secret: Mapping[str, Any],
) -> None:
    with pytest.raises(NotAsked, match="no text of visible ASCII") as caught:
        read(secret)

    assert "hidden" not in str(caught.value)


def test_a_secret_that_cannot_be_read_asks_nothing() -> None:
    for failure in (DENIED, EndpointConnectionError(endpoint_url="https://secrets")):
        with pytest.raises(NotAsked):
            read({}, failure)


@pytest.mark.parametrize("failure", [None, DENIED])
def test_an_error_names_the_model_that_the_secret_is_for(failure: Exception | None) -> None:
    with pytest.raises(NotAsked, match="the secret of the interpreter"):
        read({}, failure)

    with pytest.raises(NotAsked, match="the secret of the chat model"):
        read_secret(lambda: SecretsManager({}, failure), ARN, "the chat model")
