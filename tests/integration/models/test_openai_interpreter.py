"""Interpretations over HTTP: what is asked, and which answers count."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from itertools import count
from time import monotonic
from typing import Any

import pytest

from membrane.adapters.https import MAX_REPLY_BYTES, endpoint_at
from membrane.adapters.models.openai_interpreter import OpenAIInterpreter
from membrane.domain.capture.proposals import InterpreterPrompt, MalformedProposal, proposal_schema
from membrane.domain.language.errors import Unavailable
from membrane.domain.model_failures import BusyModel, NotAsked
from membrane.usecases.ports.models import MAX_ANSWER_TOKENS, Proposed
from tests.builders.proposals import answer, mention, proposal
from tests.worlds.chat_endpoint import ChatEndpoint, chat_endpoint, says, sends

PROMPT = InterpreterPrompt("rules", "data")
ANSWER = answer(mentions=[mention()])
SECRET = "sk-hidden"
TEXT = json.dumps(ANSWER)
PROPOSAL = proposal(mentions=[mention()])
USAGE = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}


@pytest.fixture
def chat() -> Iterator[ChatEndpoint]:
    with chat_endpoint() as endpoint:
        yield endpoint


def ask(
    chat: ChatEndpoint,
    *,
    secret: str | None = SECRET,
    timeout_s: float = 20.0,
    elapsed_s: Callable[[], float] = monotonic,
) -> Proposed:
    """The proposal of the endpoint."""
    endpoint = endpoint_at(chat.url, allows_loopback=True)
    known = None if secret is None else (lambda: secret)
    return OpenAIInterpreter(endpoint, "some-model", known, elapsed_s, timeout_s).interpret(PROMPT)


def test_one_request_asks_for_an_answer_of_the_schema(chat: ChatEndpoint) -> None:
    chat.answer = says(TEXT, USAGE)

    assert ask(chat) == (PROPOSAL, 100)

    ((path, headers, body),) = chat.requests
    assert path == "/v1/chat"
    assert headers["authorization"] == "Bearer sk-hidden"
    assert headers["content-type"] == "application/json"
    assert body == {
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "rules"},
            {"role": "user", "content": "data"},
        ],
        "temperature": 0,
        "max_tokens": MAX_ANSWER_TOKENS,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "form", "strict": True, "schema": proposal_schema()},
        },
    }


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"Here you are:\n\n```json\n{TEXT}\n```\nAnything else?",
        f"```json\n{TEXT}",
        [{"type": "thinking"}, {"type": "text", "text": TEXT[:14]}, {"text": TEXT[14:]}, "x"],
    ],
)
def test_the_answer_may_stand_in_a_fence_or_in_parts(chat: ChatEndpoint, content: Any) -> None:
    chat.answer = says(content)

    assert ask(chat).proposal == PROPOSAL


def test_a_fence_inside_the_answer_is_a_part_of_the_answer(chat: ChatEndpoint) -> None:
    with_fence = answer(mentions=[mention("```sh\nrun\n```")])
    chat.answer = says(json.dumps(with_fence))

    assert ask(chat).proposal.mentions[0].surface == "```sh\nrun\n```"


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        (USAGE, 100),
        ({"total_tokens": "many"}, None),
        (None, None),
    ],
)
def test_tokens_are_as_counted_by_the_endpoint_or_estimated(
    chat: ChatEndpoint, usage: Any, tokens: int | None
) -> None:
    chat.answer = says(TEXT, usage)

    counted = ask(chat).tokens

    assert counted == tokens if tokens else counted > PROMPT.tokens


@pytest.mark.parametrize(
    "body",
    [
        b"\xff",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": null, "refusal": "no"}}]}',
        b'{"choices": [{"message": {"content": "I cannot do this"}}]}',
        b'{"choices": [{"message": {"content": "{\\"mentions\\": []}"}}]}',
        b'{"choices": [{"message": {"content": "```json\\nnot JSON\\n```"}}]}',
    ],
)
def test_any_other_answer_is_malformed(chat: ChatEndpoint, body: bytes) -> None:
    chat.answer = sends(body)

    with pytest.raises(MalformedProposal):
        ask(chat)


def test_a_malformed_answer_took_tokens(chat: ChatEndpoint) -> None:
    for content in ("no", None):
        chat.answer = says(content, USAGE)

        with pytest.raises(MalformedProposal) as caught:
            ask(chat)

        assert caught.value.tokens == 100


def test_an_answer_of_more_than_a_mebibyte_is_not_read_to_the_end(chat: ChatEndpoint) -> None:
    chat.answer = sends(b" " * (MAX_REPLY_BYTES + 1))

    with pytest.raises(MalformedProposal, match="longer than 1 MiB"):
        ask(chat)


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (307, NotAsked),
        (401, NotAsked),
        (429, BusyModel),
        (504, Unavailable),
    ],
)
def test_an_error_says_whether_the_model_is_busy_and_may_have_taken_tokens(
    chat: ChatEndpoint, status: int, error: type[Exception]
) -> None:
    chat.answer = sends(TEXT.encode(), status, [("Retry-After", "7")])

    with pytest.raises(error) as caught:
        ask(chat)

    assert type(caught.value) is error
    assert "sk-hidden" not in str(caught.value)
    assert len(chat.requests) == 1


def test_an_answer_that_trickles_in_has_the_time_of_a_single_answer(chat: ChatEndpoint) -> None:
    def trickle(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not chat.over.is_set():
            handler.wfile.write(b" ")

    chat.answer = trickle
    seconds = count()

    with pytest.raises(Unavailable, match="did not answer"):
        ask(chat, elapsed_s=lambda: float(next(seconds)))


def test_an_answer_that_breaks_off_is_unavailable(chat: ChatEndpoint) -> None:
    def break_off(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(TEXT.encode()[:10])

    chat.answer = break_off

    with pytest.raises(Unavailable, match="did not answer"):
        ask(chat)
