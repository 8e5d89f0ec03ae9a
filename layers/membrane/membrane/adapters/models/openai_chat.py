"""Dialogues with a model behind an OpenAI-compatible chat endpoint."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from membrane.adapters.https import Reply, TooLong
from membrane.adapters.models import chat_questions, openai_replies
from membrane.domain.chat import turns
from membrane.domain.language.errors import InvalidArgument, Unavailable
from membrane.domain.language.json_text import JsonObject, compact_json, parse_json
from membrane.domain.model_failures import BusyModel, GarbledAnswer

ENDPOINT = f"the endpoint of {chat_questions.CHAT_MODEL}"
_BAD_REQUEST = 400


class OpenAIChat(openai_replies.OpenAIModel):
    """A ChatModel by one request in the form of chat completions for each question.

    No error repeats the body of a reply, see `refusal`.
    """

    @property
    def name(self) -> str:
        return self.model

    @property
    def provider(self) -> str:
        return "openai"

    def answer(self, question: turns.Question, timeout_s: float) -> turns.Answer:
        until_s = self.elapsed_s() + timeout_s
        reply = self._post(request_of(self.model, question), timeout_s)
        if (
            reply.status == _BAD_REQUEST
            and openai_replies.reason_in(reply.content).asks_for_newer_form
        ):
            newer = request_of(self.model, question, is_newer=True)
            reply = self._post(newer, until_s - self.elapsed_s())
        if not openai_replies.is_success(reply):
            raise _failure(reply)
        body, message = _first_choice(reply.content)
        return turns.Answer(
            openai_replies.text_in(body),
            _calls_in(message),
            openai_replies.counted_tokens(body),
            _text_or(body.get("model"), self.model),
        )

    def _post(self, request: JsonObject, timeout_s: float) -> Reply:
        chat_questions.require_time(timeout_s)
        try:
            return self.post(request, timeout_s, ENDPOINT)
        except TooLong as error:
            raise Unavailable(
                f"the answer of {chat_questions.CHAT_MODEL} is longer than 1 MiB"
            ) from error


def _failure(reply: Reply) -> BusyModel | Unavailable:
    """The error for a throttled question, an unreadable call, or any other failure."""
    reason = openai_replies.reason_in(reply.content)
    is_bad_request = reply.status == _BAD_REQUEST
    if openai_replies.is_busy(reply) or (is_bad_request and reason.is_rate):
        wait_s = reply.retry_after_s or reason.wait_s
        return BusyModel(f"{chat_questions.CHAT_MODEL} is busy; try again later", wait_s)
    if is_bad_request and reason.is_garbled:
        return GarbledAnswer(f"{chat_questions.CHAT_MODEL} wrote a call that cannot be read")
    return openai_replies.refusal(reply, ENDPOINT)


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


def _calls_in(message: JsonObject) -> Sequence[turns.ToolCall]:
    match message:
        case {"tool_calls": list(calls)}:
            return tuple(_call_in(call, index) for index, call in enumerate(calls))
        case _:
            return ()


def _call_in(call: Any, index: int) -> turns.ToolCall:
    """The call, with a made id where the server gives none; raises GarbledAnswer."""
    match call:
        case {"function": {"name": str(name), **function}} if name:
            call_id = _text_or(call.get("id"), f"call_{index}")
            return turns.ToolCall(call_id, name, _arguments_of(function.get("arguments")))
        case _:
            raise GarbledAnswer(f"{chat_questions.CHAT_MODEL} called a tool without a name")


def _text_or(value: Any, substitute: str) -> str:
    return value if isinstance(value, str) and value else substitute


def _arguments_of(written: Any) -> JsonObject | str:
    """The arguments as an object; some servers send none for a tool without parameters."""
    if written is None or written == "":
        return {}
    return chat_questions.arguments_in(
        written if isinstance(written, str) else compact_json(written)
    )


def request_of(model: str, question: turns.Question, *, is_newer: bool = False) -> JsonObject:
    """The request; a newer endpoint gets no temperature and another name of the limit."""
    if is_newer:
        limits: JsonObject = {"max_completion_tokens": question.max_tokens}
    else:
        limits = {"temperature": question.temperature, "max_tokens": question.max_tokens}
    return {
        "model": model,
        "messages": [*_messages(question)],
        **limits,
        **(_offer(question) if question.tools else {}),
    }


def _offer(question: turns.Question) -> JsonObject:
    """The tools, one call of a tool at a time."""
    return {
        "tools": [_function(tool) for tool in question.tools],
        "tool_choice": "required" if question.must_call else "auto",
        "parallel_tool_calls": False,
    }


def _function(tool: turns.OfferedTool) -> JsonObject:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.schema,
        },
    }


def _messages(question: turns.Question) -> Iterator[JsonObject]:
    if question.system:
        yield {"role": "system", "content": question.system}
    yield from chain.from_iterable(map(_messages_of, question.turns))


def _messages_of(turn: turns.Turn) -> Sequence[JsonObject]:
    match turn:
        case turns.UserTurn(text):
            return [{"role": "user", "content": text}]
        case turns.ModelTurn(text, calls):
            return [_assistant(text, calls)]
        case turns.ResultsTurn(results):
            return [
                {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
                for result in results
            ]


def _assistant(text: str, calls: Sequence[turns.ToolCall]) -> JsonObject:
    if not calls:
        return {"role": "assistant", "content": text}
    return {
        "role": "assistant",
        "content": text or None,
        "tool_calls": [_repeated_call(call) for call in calls],
    }


def _repeated_call(call: turns.ToolCall) -> JsonObject:
    arguments = compact_json(chat_questions.repeated_arguments(call.arguments))
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    }
