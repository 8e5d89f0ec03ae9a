"""The request that records a conversation: messages, and the tool calls in messages."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, LiteralString

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.ingest.reports import RecordRequest, accept_json_text
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.fields import LIST, Text
from membrane.domain.language.requests import OPTIONAL, OptionalTimestamp, RequestPart
from membrane.domain.language.values import BLOB, UPLOAD
from membrane.domain.language.vocabulary import Role

MAX_MESSAGES = 100
MAX_CALLS = 100
"""Tool calls in one message."""

MAX_NAME_CHARACTERS = 256
"""Characters of the name of a thread, speaker or tool, and of the id of a call."""

INSTRUCTIONS = ("system", "developer")
"""Roles whose messages are refused: instructions are not memories."""

TEXT_PARTS: LiteralString = (
    'must be a text, or a list of {"type": "text", "text": ...}, none of them empty'
)


def _refuse_instructions(value: Any) -> Any:
    if value in INSTRUCTIONS:
        raise PydanticCustomError(
            "instructions",
            "must not be {role}: instructions are not memories; leave the message out",
            {"role": value},
        )
    return value


def _join_text_parts(value: Any) -> Any:
    """The texts of a list of text parts, joined by line breaks; any other value unchanged."""
    if not isinstance(value, list):
        return value
    texts = []
    for part in value or [None]:
        match part:
            case {"type": "text", "text": str(text), **others} if text and not others:
                texts.append(text)
            case _:
                raise PydanticCustomError("text_parts", TEXT_PARTS)
    return "\n".join(texts)


def _refuse_references(value: dict[str, Any]) -> dict[str, Any]:
    if value.keys() in ({UPLOAD}, {BLOB}):
        raise PydanticCustomError("in_place", "must be in place, without $upload or $blob")
    return value


Name = Annotated[str, Field(max_length=MAX_NAME_CHARACTERS)]
NonEmptyName = Annotated[Name, Field(min_length=1)]


class CalledFunction(RequestPart):
    """The tool that a call names, with arguments."""

    name: NonEmptyName
    """Name of the tool, 1 to 256 characters."""
    arguments: Annotated[
        dict[str, Any], AfterValidator(_refuse_references), accept_json_text(dict, "a JSON object")
    ] = {}
    """Arguments of the call: a JSON object or the JSON text of an object, without `$upload` and
    `$blob`. Absent, null or "": an empty object."""


class ToolCall(RequestPart):
    """A tool call that an assistant's message makes."""

    id: NonEmptyName
    """Id of the call, 1 to 256 characters. The message with the result repeats the id in
    `tool_call_id`."""
    type: Literal["function"] = "function"
    """Kind of the call; `function` is the only kind."""
    function: CalledFunction
    """The tool that is called, with arguments."""


class Message(RequestPart):
    """A message of a conversation, or the result of a tool call."""

    role: Annotated[Role, Field(strict=False), BeforeValidator(_refuse_instructions)]
    """Who speaks: `user`, `assistant` or `tool`. `system` and `developer` are refused."""
    content: Annotated[Text | None, BeforeValidator(_join_text_parts)] = None
    """The text of the message, at most 100,000 characters: a text, or a list of text parts, joined
    by line breaks. Required; only an assistant's message with `tool_calls` may leave out the
    content. For the role `tool`: the result of the call."""
    name: Annotated[Name | None, OPTIONAL] = None
    """Name of the speaker; for the role `tool`, of the tool. At most 256 characters. Absent or
    empty: the role stands for the speaker, and the call that `tool_call_id` names gives the tool.
    """
    at: OptionalTimestamp = None
    """When the message was said, in RFC 3339. Absent or empty: the server's time; messages of one
    request follow in their order."""
    tool_calls: Annotated[tuple[ToolCall, ...], LIST, Field(max_length=MAX_CALLS)] = ()
    """Tool calls that the message makes, at most 100. Only for the role `assistant`."""
    tool_call_id: Annotated[Name | None, OPTIONAL] = None
    """Id of the call whose result the message has, at most 256 characters. Only for the role
    `tool`, where `tool_call_id` or `name` is required."""

    @property
    def source(self) -> str:
        """The name of the speaker, or the role."""
        return self.name or self.role


class IngestMessages(RecordRequest):
    """Record the messages of one thread in order, all or none.

    Each message becomes an episodic record at the next turn of the thread.
    """

    messages: Annotated[tuple[Message, ...], Field(strict=False, max_length=MAX_MESSAGES)]
    """The messages, 1 to 100, in the order of the conversation."""
    thread_id: Annotated[Name | None, OPTIONAL] = None
    """Thread that the messages belong to, at most 256 characters, not blank. Required, unless
    `session` names the thread."""
    session: Annotated[Name | None, OPTIONAL] = None
    """An alternative name of `thread_id`. If both are given, both must be equal."""
    source: Text = ""
    """Name of the reporter for the audit trail. Absent: the name or role of each message's speaker.
    """

    @property
    def thread(self) -> str:
        return self.thread_id or self.session or ""

    @property
    def calls(self) -> Mapping[str, CalledFunction]:
        """The tools called in the request, by the ids of the calls."""
        return {call.id: call.function for each in self.messages for call in each.tool_calls}


def check(request: IngestMessages) -> None:
    """Raise InvalidArgument for a missing thread, and for each message that lacks a field."""
    violations = []
    if not request.messages:  # empty also if every element was refused and reported
        violations.append(Violation("messages", "messages needs 1 element or more"))
    if not request.thread.strip():
        violations.append(Violation("thread_id", "thread ID is required for messages"))
    elif request.session and request.session != request.thread:
        violations.append(Violation("session", "session and thread_id must be the same"))
    for index, message in enumerate(request.messages):
        violations += [
            Violation(f"messages.{index}.{field}", f"messages.{index}.{field} {problem}")
            for field, problem in _problems(message).items()
        ]
    if violations:
        raise InvalidArgument(violations[0].message, violations)


def _problems(message: Message) -> Mapping[str, str]:
    """The errors of fields that depend on the role, by field."""
    problems = {}
    is_tool = message.role is Role.TOOL
    is_said = bool((message.content or "").strip())
    if message.content is None if is_tool else not (is_said or message.tool_calls):
        problems["content"] = "is required"
    if message.tool_calls and message.role is not Role.ASSISTANT:
        problems["tool_calls"] = "goes with the role assistant alone"
    if message.tool_call_id is not None and not is_tool:
        problems["tool_call_id"] = "goes with the role tool alone"
    if is_tool and not (message.tool_call_id or message.name):
        problems["tool_call_id"] = "or name is required of the role tool"
    return problems
