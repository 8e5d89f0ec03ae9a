"""Dialogues with a model behind an OpenAI-compatible chat endpoint."""

from collections.abc import Sequence
from typing import Any

from membrane.adapters.https.exchange import Reply, TooLong
from membrane.adapters.models.chat_questions import CHAT_MODEL, arguments_in, require_time
from membrane.adapters.models.openai_questions import request_of
from membrane.adapters.models.openai_replies import (
    OpenAIModel,
    counted_tokens,
    is_busy,
    is_success,
    reason_in,
    refusal,
    text_in,
)
from membrane.domain.chat.turns import Answer, Question, ToolCall
from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.models.failures import BusyModel, GarbledAnswer

ENDPOINT = f"the endpoint of {CHAT_MODEL}"
_BAD_REQUEST = 400


class OpenAIChat(OpenAIModel):
    """A ChatModel by one request in the form of chat completions for each question.

    No error repeats the body of a reply, see `refusal`.
    """

    @property
    def name(self) -> str:
        return self.model

    @property
    def provider(self) -> str:
        return "openai"

    def answer(self, question: Question, timeout_s: float) -> Answer:
        until_s = self.elapsed_s() + timeout_s
        reply = self._post(request_of(self.model, question), timeout_s)
        if reply.status == _BAD_REQUEST and reason_in(reply.content).asks_for_newer_form:
            newer = request_of(self.model, question, is_newer=True)
            reply = self._post(newer, until_s - self.elapsed_s())
        if not is_success(reply):
            raise _failure(reply)
        body, message = _first_choice(reply.content)
        return Answer(
            text_in(body),
            _calls_in(message),
            counted_tokens(body),
            _text_or(body.get("model"), self.model),
        )

    def _post(self, request: JsonObject, timeout_s: float) -> Reply:
        require_time(timeout_s)
        try:
            return self.post(request, timeout_s, ENDPOINT)
        except TooLong as error:
            raise Unavailable(f"the answer of {CHAT_MODEL} is longer than 1 MiB") from error


def _failure(reply: Reply) -> BusyModel | Unavailable:
    """The error for a throttled question, an unreadable call, or any other failure."""
    reason = reason_in(reply.content)
    is_bad_request = reply.status == _BAD_REQUEST
    if is_busy(reply) or (is_bad_request and reason.is_rate):
        wait_s = reply.retry_after_s or reason.wait_s
        return BusyModel(f"{CHAT_MODEL} is busy; try again later", wait_s)
    if is_bad_request and reason.is_garbled:
        return GarbledAnswer(f"{CHAT_MODEL} wrote a call that cannot be read")
    return refusal(reply, ENDPOINT)


def _first_choice(content: bytes) -> tuple[JsonObject, JsonObject]:
    """The body of a reply, and the message of the first choice; raises Unavailable."""
    try:
        body = parse_json(content)
    except InvalidArgument:
        body = None
    match body:
        case {"choices": [{"message": dict(message)}, *_]}:
            return body, message
        case _:
            raise Unavailable(f"{ENDPOINT} answered no choice")


def _calls_in(message: JsonObject) -> Sequence[ToolCall]:
    match message:
        case {"tool_calls": list(calls)}:
            return tuple(_call_in(call, index) for index, call in enumerate(calls))
        case _:
            return ()


def _call_in(call: Any, index: int) -> ToolCall:
    """The call, with a made id where the server gives none; raises GarbledAnswer."""
    match call:
        case {"function": {"name": str(name), **function}} if name:
            call_id = _text_or(call.get("id"), f"call_{index}")
            return ToolCall(call_id, name, _arguments_of(function.get("arguments")))
        case _:
            raise GarbledAnswer(f"{CHAT_MODEL} called a tool without a name")


def _text_or(value: Any, substitute: str) -> str:
    return value if isinstance(value, str) and value else substitute


def _arguments_of(written: Any) -> JsonObject | str:
    """The arguments as an object; some servers send none for a tool without parameters."""
    if written is None or written == "":
        return {}
    return arguments_in(written if isinstance(written, str) else compact_json(written))
