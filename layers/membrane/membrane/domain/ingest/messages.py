"""A conversation as a request: its messages, and the tools that were called in it."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, LiteralString

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.ingest.reports import RecordRequest, decoded
from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.fields import LIST, Text
from membrane.domain.language.requests import OPTIONAL, Asked, OptionalTimestamp
from membrane.domain.language.values import BLOB, UPLOAD
from membrane.domain.language.vocabulary import Role

MAX_MESSAGES = 100
MAX_CALLS = 100
"""Tool calls of one message."""

MAX_NAME_CHARACTERS = 256
"""Of a thread, a speaker, a tool and the id of a call."""

INSTRUCTIONS = ("system", "developer")
"""Roles whose messages are refused."""

TEXT_PARTS: LiteralString = (
    'must be a text, or a list of {"type": "text", "text": ...}, none of them empty'
)


def _speaking(value: Any) -> Any:
    if value in INSTRUCTIONS:
        raise PydanticCustomError(
            "instructions",
            "must not be {role}: instructions are not memories; leave the message out",
            {"role": value},
        )
    return value


def _joined(value: Any) -> Any:
    """The texts of a list of text parts, a line each."""
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


def _in_place(value: dict[str, Any]) -> dict[str, Any]:
    if value.keys() in ({UPLOAD}, {BLOB}):
        raise PydanticCustomError("in_place", "must be in place, without $upload or $blob")
    return value


Name = Annotated[str, Field(max_length=MAX_NAME_CHARACTERS)]
Named = Annotated[Name, Field(min_length=1)]


class CalledFunction(Asked):
    """Which tool was called, and with which arguments: an object, or its JSON text."""

    name: Named
    arguments: Annotated[
        dict[str, Any], AfterValidator(_in_place), decoded(dict, "a JSON object")
    ] = {}


class ToolCall(Asked):
    """One call of a tool; the message with its result names `id`."""

    id: Named
    type: Literal["function"] = "function"
    function: CalledFunction


class Message(Asked):
    """What was said, or what a tool returned; `at` absent is the server's time."""

    role: Annotated[Role, Field(strict=False), BeforeValidator(_speaking)]
    content: Annotated[Text | None, BeforeValidator(_joined)] = None
    name: Annotated[Name | None, OPTIONAL] = None
    """Who speaks, or which tool it was."""
    at: OptionalTimestamp = None
    tool_calls: Annotated[tuple[ToolCall, ...], LIST, Field(max_length=MAX_CALLS)] = ()
    tool_call_id: Annotated[Name | None, OPTIONAL] = None

    @property
    def source(self) -> str:
        """Who speaks, by name or role."""
        return self.name or self.role


class IngestMessages(RecordRequest):
    """Messages of one thread, in their order; `session` is another word for `thread_id`."""

    messages: Annotated[tuple[Message, ...], Field(strict=False, max_length=MAX_MESSAGES)]
    thread_id: Annotated[Name | None, OPTIONAL] = None
    session: Annotated[Name | None, OPTIONAL] = None
    source: Text = ""

    @property
    def thread(self) -> str:
        return self.thread_id or self.session or ""

    @property
    def calls(self) -> Mapping[str, CalledFunction]:
        """The tools called in the request, by the ids of the calls."""
        return {call.id: call.function for each in self.messages for call in each.tool_calls}


def check(request: IngestMessages) -> None:
    """Raises InvalidArgument where no thread is named, and for each message that lacks a field."""
    violations = []
    if not request.messages:  # of a list whose elements are all refused, pydantic says it, too
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
    """What is wrong with fields that depend on the role, by field."""
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
