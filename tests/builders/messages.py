"""Conversations, and what ingesting them gives."""

from collections.abc import Mapping, Sequence
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.ingest.messages import IngestMessages
from membrane.domain.language.requests import validate
from membrane.usecases.ingest.ingest_messages import ingest_messages
from membrane.usecases.machinery.calls import ReplyBody
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call

PLACE = {"thread_id": "talk", "scope": "project:alpha"}


def said(*contents: str, **fields: Any) -> IngestMessages:
    """A request of messages that user and assistant say by turns."""
    roles = ("user", "assistant")
    return messages(
        *({"role": roles[place % 2], "content": each} for place, each in enumerate(contents)),
        **fields,
    )


def messages(*each: Mapping[str, Any], **fields: Any) -> IngestMessages:
    return validate(IngestMessages, {**PLACE, "messages": list(each), **fields})


def lines(number: int) -> Sequence[str]:
    """The contents of so many messages."""
    return [f"message {place}" for place in range(number)]


def tell(
    request: IngestMessages,
    services: World,
    principal: Principal = OWNER,
    *,
    key: str | None = None,
) -> ReplyBody:
    """What ingesting the messages gives."""
    return ingest_messages(request, call(request, principal, key=key), services)


def refs(told: ReplyBody) -> Sequence[str]:
    """Where in their threads the messages of a reply stand."""
    return [each["payload"]["timeline"][0]["ref"] for each in told.body["records"]]
