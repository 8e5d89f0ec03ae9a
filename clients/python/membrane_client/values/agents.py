"""Tools for agents, and conversations. Written by `make openapi`."""

from collections.abc import Mapping, Sequence
from typing import Any

from membrane_client.value import Value
from membrane_client.values.words import Route


class LoggedCall(Value):
    tool: str  # The name of the tool
    args: Any  # The arguments of the model, or a CutPart; a text that is no object is `unreadable`
    result: Any  # The answer of the tool, or a CutPart
    phase: str | None  # `study_a` or `study_b`, for a call of a study session
    links: Sequence[str]  # Where the topics and memories of a cut call are read


class ChatTokens(Value):
    used: int  # The tokens of this conversation's questions
    questions: int  # The questions to the model, with the question about the route


class ChatStop(Value):
    code: str  # The error code, as in a problem
    status: int  # The HTTP status of the error, had no tool run
    detail: str  # A sentence for the caller


class ChatReply(Value):
    reply: str  # The text for the user
    tool_log: Sequence[LoggedCall]  # The calls in order
    model: str  # The name of the model that answered last, as the endpoint reports the name
    provider: str
    intent: Route | str  # The route of the conversation
    intent_source: str  # `classifier` or `override`
    max_tool_rounds: int  # The most questions to the model that the request allows
    tokens: ChatTokens  # What the conversation took of the day's tokens
    study_ingest: bool = False  # Present and true if the last message was studied as a document
    study_session_kind: str | None
    study_phases: int | None  # The phases of the session: 2
    stopped: ChatStop | None


class ToolList(Value):
    tools: Sequence[Mapping[str, Any]]


class CalledTool(Value):
    result: Mapping[str, Any]  # The answer as a JSON object
    text: str  # The answer as text for a language model, at most 2,000 tokens by an estimate
    is_error: bool = False  # True where the tool had no effect, as the text says; absent otherwise
