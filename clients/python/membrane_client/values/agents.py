"""Tools for agents, and conversations in which a model calls tools, as replies show them."""

from membrane_client.values.value import (
    Value,
    count,
    flag,
    mapping,
    mappings,
    optional_count,
    optional_part,
    optional_text,
    optional_word,
    part,
    parts,
    text,
    texts,
    word,
)
from membrane_client.values.words import Route


class ToolList(Value):
    tools = mappings()
    """In the form that the call named."""


class CalledTool(Value):
    result = mapping()
    text = text()
    """For a language model: at most 2,000 tokens by an estimate."""
    is_error = flag(default=False)
    """Whether the tool had no effect, as the text says."""


class LoggedCall(Value):
    tool = text()
    args = mapping()
    """As the model gave them; `cut`, `bytes` and `preview` in the place of large arguments."""
    result = mapping()
    """The same of a large result."""
    phase = optional_text()
    """`study_a` or `study_b`, for a call of a study session."""
    links = texts()
    """Where the topics and memories of a cut call are read."""


class ChatTokens(Value):
    used = count()
    questions = count()
    """The questions to the model, with the question about the route."""


class ChatStop(Value):
    code = text()
    status = count()
    """The HTTP status of the error, had no tool run."""
    detail = text()


class ChatReply(Value):
    reply = text()
    """The model's answer, for the user."""
    tool_log = parts(LoggedCall)
    """The calls in order."""
    model = text()
    provider = text()
    """`bedrock`, `openai` for a compatible endpoint, or `scripted`."""
    intent = word(Route)
    intent_source = text()
    """`classifier` or `override`."""
    max_tool_rounds = count()
    tokens = part(ChatTokens)
    study_ingest = flag(default=False)
    """Whether the last message was studied as a document."""
    study_session_kind = optional_text()
    study_phases = optional_count()
    stopped = optional_part(ChatStop)
    """Why the conversation ended early after tools had run: the writes of the tools stand."""


class ChatFrame(Value):
    """A step of a conversation; a step of an unknown type has the fields in `raw`."""

    type = text()
    """`intent`, `llm_round`, `tool_start`, `tool_end`, `reply`, `done`, or a later word."""
    route = optional_word(Route)
    """With the next: of `intent`."""
    intent_source = optional_text()
    phase = optional_text()
    """`study_a` or `study_b`, for a step of a study session."""
    index = optional_count()
    """With the next four: of `tool_start` and `tool_end`. The place of the call in the log."""
    tool = optional_text()
    args = mapping()
    viz = mapping()
    """Hints for a program that draws the graph of topics."""
    result = mapping()
    """Of `tool_end` alone."""
    text = optional_text()
    """The model's answer, of `reply`."""

    @property
    def is_last(self) -> bool:
        return self.type == "done"

    @property
    def end(self) -> ChatReply | None:
        """The result of `chat`, of `done`."""
        return ChatReply(self.raw) if self.is_last else None
