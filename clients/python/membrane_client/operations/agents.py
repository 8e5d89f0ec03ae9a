"""Agents: tools for the caller's model, and conversations that a model of the service leads."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from membrane_client.core.api import Api, require_user
from membrane_client.core.encoding import whole_arguments
from membrane_client.core.parameters import Json, Opt, User
from membrane_client.core.protocol import NOT_GIVEN, Steps, Stream
from membrane_client.errors import as_described, error_of
from membrane_client.values.agents import CalledTool, ChatFrame, ChatReply, ToolList
from membrane_client.values.value import Value

CHAT_WAIT_S = 35.0
"""The HTTP API ends a conversation after 29 seconds."""

STREAM_WAIT_S = 310.0
"""A conversation behind the function URL ends after 300 seconds, and may be silent until then."""


def list_tools(
    api: Api, *, format: str = "mcp", profile: str = "agent", user: User = NOT_GIVEN
) -> Steps[ToolList]:
    """The tools that the key may call.

    `format` is `mcp`, `anthropic`, `openai` or `bedrock`; `profile` is `agent`, `search` or
    `memstate`.
    """
    return api.read("GET /v1/tools", locals(), ToolList)


def call_tool(
    api: Api,
    name: str,
    arguments: Opt[Json] = NOT_GIVEN,
    *,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[CalledTool]:
    """The answer of a tool of any profile.

    A tool that found nothing to change answers with `is_error`.
    """
    given = locals()
    raw = arguments.raw if isinstance(arguments, Value) else arguments
    if isinstance(raw, Mapping):
        require_user(raw.get("user", NOT_GIVEN))
        given["arguments"] = whole_arguments(raw)
    return api.write("POST /v1/tools/{name}", given, CalledTool)


def chat(
    api: Api,
    messages: str | Sequence[Json],
    *,
    profile: Opt[str] = NOT_GIVEN,
    intent_override: Opt[str] = NOT_GIVEN,
    intent_turns: Opt[int] = 8,
    max_tool_rounds: Opt[int] = 32,
    study_ingest: Opt[bool] = True,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
) -> Steps[ChatReply]:
    """The answer of the service's model, which reads and writes memory with tools.

    `messages` is the text of the user, or the conversation so far, `[{"role": "user", "content":
    "..."}]`. `profile` names the tools: `memstate`, `agent` or `search`. `intent_override` is
    `query`, `ingest` or `both`. With `study_ingest`, a message of more than 10,000 characters that
    is to be stored is studied in two phases. The client waits at least 35 seconds for the reply.
    The scope of the client stays out: the model names scopes itself.

    A second attempt asks the model again. Under the same idempotency key, equal calls of tools
    write nothing twice; the model may call other tools the second time. The client tries again only
    after a refusal without effects: 429, or 503 of the service with a `Retry-After`. After a lost
    connection or a timeout, a look into memory shows the writes.
    """
    given = {**locals(), "messages": _messages(messages)}
    return api.converse("POST /v1/chat", given, ChatReply, least_wait_s=CHAT_WAIT_S)


def chat_stream(
    api: Api,
    messages: str | Sequence[Json],
    *,
    profile: Opt[str] = NOT_GIVEN,
    intent_override: Opt[str] = NOT_GIVEN,
    intent_turns: Opt[int] = 8,
    max_tool_rounds: Opt[int] = 32,
    study_ingest: Opt[bool] = True,
    stream_url: str | None = None,
    user: User = NOT_GIVEN,
    idempotency_key: str | None = None,
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
    given = {**locals(), "messages": _messages(messages)}
    return api.stream(
        "POST /v1/chat/stream",
        given,
        _frame,
        address=stream_url,
        least_wait_s=STREAM_WAIT_S,
    )


def _messages(messages: str | Sequence[Json]) -> Sequence[Json]:
    return [{"role": "user", "content": messages}] if isinstance(messages, str) else messages


def _frame(data: str) -> ChatFrame:
    """The frame of an event; raises APIError for a frame that reports an error."""
    with as_described("an event of the stream"):
        frame = ChatFrame(json.loads(data))
        if frame.type != "error":
            return frame
        problem: dict[str, Any] = {**frame.raw.get("stopped", {}), **frame.raw}
        error = error_of(int(problem["status"]), {}, json.dumps(problem).encode())
    if "tool_log" in problem:
        error.reply = ChatReply(frame.raw)
    raise error
