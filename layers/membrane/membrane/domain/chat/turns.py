"""A question to a chat model and the answer: the turns of a dialogue, with calls of tools."""

from collections.abc import Sequence
from typing import NamedTuple

from membrane.domain.language.json_text import JsonObject


class UserTurn(NamedTuple):
    """What the user said."""

    text: str


class ToolCall(NamedTuple):
    """A call that the model asks for."""

    id: str
    """The model's own name for the call; the result refers to the name."""
    name: str
    arguments: JsonObject | str
    """The arguments; a text that is no JSON object where the model failed to write one."""


class ModelTurn(NamedTuple):
    """What the model said, and the calls that the model asked for."""

    text: str
    calls: Sequence[ToolCall] = ()


class ToolResult(NamedTuple):
    """The result of a call, as the model reads it."""

    call_id: str
    text: str
    is_error: bool = False


class ResultsTurn(NamedTuple):
    """The results of all calls of the model's turn before, in the order of the calls."""

    results: Sequence[ToolResult]


Turn = UserTurn | ModelTurn | ResultsTurn


class OfferedTool(NamedTuple):
    """A tool that the model may call."""

    name: str
    description: str
    schema: JsonObject
    """The JSON schema of the arguments."""


class Question(NamedTuple):
    """Everything that one request to a model has."""

    system: str
    turns: Sequence[Turn]
    """User and model alternate, and the last turn is the user's or holds results."""
    tools: Sequence[OfferedTool] = ()
    max_tokens: int = 4_000
    """The most tokens of the answer."""
    temperature: float = 0.2
    must_call: bool = False
    """Whether the answer must call a tool."""


class Answer(NamedTuple):
    """A model's answer: a text, calls of tools, or both."""

    text: str
    calls: Sequence[ToolCall]
    tokens: int | None
    """The tokens of question and answer as counted by the model; None without a count."""
    model: str
    """The name of the model that answered, as the endpoint reports the name."""
