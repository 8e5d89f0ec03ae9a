"""Conversations in which the service's model reads and writes memory with tools."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from membrane_client.core.addresses import secure_address
from membrane_client.core.api import Api
from membrane_client.core.protocol import Json, Steps, Stream
from membrane_client.core.sending import send
from membrane_client.errors import as_described, error_of
from membrane_client.operations.parameters import Write
from membrane_client.value import Value
from membrane_client.values.jobs import ChatReply
from membrane_client.values.words import Route

CHAT_WAIT_S = 35.0
"""The HTTP API ends a conversation after 29 seconds."""

STREAM_WAIT_S = 310.0
"""A conversation behind the function URL ends after 300 seconds, and may be silent until then."""


class Chat(Write, total=False):
    """The parameters of a conversation."""

    profile: str | None
    """The tools: `memstate`, `agent` or `search`."""
    intent_override: str | None
    """`query`, `ingest` or `both`."""
    intent_turns: int | None
    max_tool_rounds: int | None
    study_ingest: bool | None
    """Whether a message of more than 10,000 characters that is to be stored is studied."""


class ChatFrame(Value):
    """A step of a conversation; a step of an unknown type has the fields in `raw`."""

    type: str  # `intent`, `llm_round`, `tool_start`, `tool_end`, `reply`, `done`, or a later word
    route: Route | str | None  # Of `intent`
    intent_source: str | None  # Of `intent`
    phase: str | None  # `study_a` or `study_b`, for a step of a study session
    index: int | None  # Of `tool_start` and `tool_end`: the place of the call in the log
    tool: str | None  # Of `tool_start` and `tool_end`
    args: Mapping[str, Any]  # Of `tool_start` and `tool_end`
    viz: Mapping[str, Any]  # Hints for a program that draws the graph of topics
    result: Mapping[str, Any]  # Of `tool_end`
    text: str | None  # The model's answer, of `reply`

    @property
    def is_last(self) -> bool:
        return self.type == "done"

    @property
    def end(self) -> ChatReply | None:
        """The result of `chat`, of `done`."""
        return ChatReply(self.raw) if self.is_last else None


def chat(api: Api, messages: str | Sequence[Json], **more: Unpack[Chat]) -> Steps[ChatReply]:
    """The answer of the service's model, which reads and writes memory with tools.

    `messages` is the text of the user, or the conversation so far, `[{"role": "user", "content":
    "..."}]`. The client waits at least 35 seconds for the reply. The scope of the client stays out:
    the model names scopes itself.

    A second attempt asks the model again. Under the same idempotency key, equal calls of tools
    write nothing twice; the model may call other tools the second time. The client tries again only
    after a refusal without effects: 429, or 503 of the service with a `Retry-After`. After a lost
    connection or a timeout, a look into memory shows the writes.
    """
    given = {"messages": _messages(messages), "more": more}
    return api.exchange(api.conversation("POST /v1/chat", given, CHAT_WAIT_S), ChatReply)


def chat_stream(
    api: Api, messages: str | Sequence[Json], *, stream_url: str | None = None, **more: Unpack[Chat]
) -> Stream[ChatFrame]:
    """The steps of `chat`, each as the step arrives; `.end` of the last step is the whole reply.

    `stream_url` is the stack's output `ChatStreamUrl`, by HTTPS or on this machine: the API key
    goes to the address. Without `stream_url` all steps arrive at the end, within 29 seconds. The
    first step sends the request; closing the iterator closes the connection. The client waits at
    least 310 seconds for the next step, and tries again as `chat` does, before the first step.

    Raises the error of the status after the last step of a conversation that failed; `.reply` of
    the error is the reply of a conversation that ended early after tools had run. Raises
    ConnectionFailed for a stream that ends before the last step.
    """
    given = {"messages": _messages(messages), "more": more}
    request = api.conversation("POST /v1/chat/stream", given, STREAM_WAIT_S)
    url = request.url
    if stream_url is not None:
        path = url.removeprefix(api.options.url)
        url = secure_address(stream_url).removesuffix(path) + path
    headers = {**request.headers, "accept": "text/event-stream"}
    request = replace(request, url=url, headers=headers, is_streamed=True)
    return Stream(send(request, api.options.max_retries), _frame)


def _messages(messages: str | Sequence[Json]) -> Sequence[Json]:
    return [{"role": "user", "content": messages}] if isinstance(messages, str) else messages


def _frame(data: str) -> tuple[ChatFrame, bool]:
    """The frame of an event, as in Stream; raises APIError for a frame that reports an error."""
    with as_described("an event of the stream"):
        frame = ChatFrame(json.loads(data))
        if frame.type != "error":
            return frame, frame.is_last
        problem: dict[str, Any] = {**frame.raw.get("stopped", {}), **frame.raw}
        error = error_of(int(problem["status"]), {}, json.dumps(problem).encode())
    if "tool_log" in problem:
        error.reply = ChatReply(frame.raw)
    raise error
