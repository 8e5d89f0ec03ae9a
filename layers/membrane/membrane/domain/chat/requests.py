"""Requests of a conversation with a language model."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.language.fields import MAX_TEXT_CHARACTERS, Text
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.requests import OPTIONAL, IdempotencyKey, Request, RequestPart
from membrane.domain.tools.arguments import Profile

MAX_MESSAGES = 1_000
MAX_INTENT_TURNS = 64
MAX_TOOL_ROUNDS = 256

USUAL_INTENT_TURNS = 8
USUAL_TOOL_ROUNDS = 32


class Route(StrEnum):
    """What the last message of the user asks of memory."""

    QUERY = "query"
    """Read-only questions."""
    INGEST = "ingest"
    """Store, change, delete or link."""
    BOTH = "both"


def _content(value: Any) -> str:
    """A JSON value other than a text as its JSON text; null as the empty text."""
    text = value if isinstance(value, str) else "" if value is None else compact_json(value)
    if len(text) > MAX_TEXT_CHARACTERS:
        message = "must have at most {most} characters"
        raise PydanticCustomError("content_too_long", message, {"most": MAX_TEXT_CHARACTERS})
    return text


class ChatMessage(RequestPart):
    """A message of the conversation."""

    role: Text
    """`user` or `assistant`; messages of other roles are left out."""
    content: Annotated[Any, AfterValidator(_content)] = ""
    """The text, at most 100,000 characters; another JSON value counts as its JSON text. A message
    with a blank text is left out."""


class Chat(Request):
    """Lead a conversation: a model reads and writes memory with tools under the caller's key.

    `POST /v1/chat/stream` takes the same request, and sends each step as a server-sent event.
    """

    messages: Annotated[tuple[ChatMessage, ...], Field(strict=False, max_length=MAX_MESSAGES)]
    """The conversation so far, the oldest message first; the last message is the user's."""
    profile: Annotated[Profile | None, Field(strict=False), OPTIONAL] = None
    """The tools that the model may call: `memstate`, `agent` or `search`, as at `GET /v1/tools`.
    Absent or empty: `memstate`."""
    intent_turns: Annotated[int, Field(ge=1, le=MAX_INTENT_TURNS)] = USUAL_INTENT_TURNS
    """The newest turns that the model reads. A turn is a message of the user with the messages
    until the next message of the user."""
    intent_override: Annotated[Route | None, Field(strict=False), OPTIONAL] = None
    """`query`, `ingest` or `both`, in place of the route that a question to the model finds."""
    study_ingest: bool = True
    """Whether a last message of more than 10,000 characters that is to be stored is studied as a
    document, in two phases; with the profile `memstate` alone."""
    idempotency_key: IdempotencyKey | None = None
    """The caller's name for this conversation: 1 to 255 printable ASCII characters. A repeat asks
    the model again; calls of tools with equal arguments then write nothing a second time. Takes
    precedence over the header `Idempotency-Key`."""
    max_tool_rounds: Annotated[int, Field(ge=1, le=MAX_TOOL_ROUNDS)] = USUAL_TOOL_ROUNDS
    """The most questions to the model; each answer may call several tools."""
