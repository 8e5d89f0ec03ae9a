"""The request that records a conversation: messages, and the tool calls in messages."""

from collections.abc import Mapping
from itertools import dropwhile
from typing import Annotated, Any, Literal, LiteralString

from pydantic import AfterValidator, BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from membrane.domain.ingest.provider_messages import INSTRUCTIONS, read_message
from membrane.domain.ingest.reports import RecordRequest
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.fields import LIST, Text
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.requests import OPTIONAL, OptionalTimestamp, RequestPart
from membrane.domain.language.values import BLOB, UPLOAD
from membrane.domain.language.vocabulary import Role

MAX_MESSAGES = 100
MAX_CALLS = 100
"""Tool calls in one message."""

MAX_NAME_CHARACTERS = 256
"""Characters of the name of a thread, speaker or tool, and of the id of a call."""

NO_PARTS: LiteralString = (
    'must be a text, or a list of parts: {"type": "text", "text": ...}, an image, a file, '
    "or a call or a result of a tool"
)


def _refuse_parts(value: Any) -> Any:
    """Refuse a list, which `read_message` leaves where a part is unknown."""
    if isinstance(value, list):
        raise PydanticCustomError("parts", NO_PARTS)
    return value


def _object_or_text(value: Any) -> Any:
    """The JSON object in a text; any other text, such as JSON that was cut, under `text`."""
    if not isinstance(value, str):
        return value
    try:
        found = parse_json(value) if value else {}
    except InvalidArgument:
        found = None
    return found if isinstance(found, dict) else {"text": value}


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
        dict[str, Any], AfterValidator(_refuse_references), BeforeValidator(_object_or_text)
    ] = {}
    """Arguments of the call: a JSON object or the JSON text of an object, without `$upload` and
    `$blob`. Absent, null or "": an empty object. Any other text, such as JSON that was cut, is kept
    as the argument `text`."""


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

    role: Annotated[Role, Field(strict=False)]
    """Who speaks: `user` (also `human`), `assistant` (also `model` and `ai`) or `tool` (also
    `function`), in any case. Messages of `system` and `developer` at the beginning are skipped,
    and refused elsewhere: instructions are not memories. Messages of `reasoning`, or with thoughts
    alone, are skipped: nobody said them."""
    content: Annotated[Text | None, BeforeValidator(_refuse_parts)] = None
    """The text of the message, at most 100,000 characters: a text, or a list of parts, joined by
    line breaks. An image or a file is named by type, size and address; a call or a result among
    the parts goes to `tool_calls` or to the role `tool`. Required; only an assistant's message with
    `tool_calls` may leave out the content, and one whose content is null or blank is skipped. For
    the role `tool`: the result of the call."""
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

    @model_validator(mode="before")
    @classmethod
    def _of_a_provider(cls, value: Any) -> Any:
        return read_message(value) if isinstance(value, dict) else value

    @property
    def source(self) -> str:
        """The name of the speaker, or the role."""
        return self.name or self.role


class IngestMessages(RecordRequest):
    """Record the messages of one thread in order, all or none.

    Each message becomes an episodic record at the next turn of the thread.
    """

    messages: Annotated[tuple[Message, ...], Field(strict=False, max_length=MAX_MESSAGES)]
    """The messages, 1 to 100, in the order of the conversation. Messages of `system` and
    `developer` at the beginning, and of `reasoning` anywhere, are skipped."""
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
    def kept_messages(self) -> Mapping[int, Message]:
        """The messages that become records, by place: no leading instructions, no thoughts."""
        said = {at: each for at, each in enumerate(self.messages) if each.role != Role.REASONING}
        return dict(dropwhile(lambda placed: placed[1].role in INSTRUCTIONS, said.items()))

    @property
    def calls(self) -> Mapping[str, CalledFunction]:
        """The tools called in the request, by the ids of the calls."""
        return {call.id: call.function for each in self.messages for call in each.tool_calls}


def check(request: IngestMessages) -> None:
    """Raise InvalidArgument for a missing thread, and for each message that lacks a field."""
    violations = []
    if not request.kept_messages:
        more = (
            "besides instructions and thoughts, which are no memories" if request.messages else ""
        )
        violations.append(Violation("messages", f"messages needs 1 element or more {more}".strip()))
    if not request.thread.strip():
        violations.append(Violation("thread_id", "thread ID is required for messages"))
    elif request.session and request.session != request.thread:
        violations.append(Violation("session", "session and thread_id must be the same"))
    for index, message in request.kept_messages.items():
        violations += [
            Violation(f"messages.{index}.{field}", f"messages.{index}.{field} {problem}")
            for field, problem in _problems(message).items()
        ]
    if violations:
        raise InvalidArgument(violations[0].message, violations)


def _problems(message: Message) -> Mapping[str, str]:
    """The errors of fields that depend on the role, by field."""
    if message.role in INSTRUCTIONS:
        after = "instructions are not memories, and are skipped at the beginning alone"
        return {"role": f"must not be {message.role}: {after}"}
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
