"""The codec of the lines beside topics: receipts, actions and the system context."""

from typing import Annotated, Any

from pydantic import StringConstraints, ValidationError

from membrane.domain.archive.lines import LineKind
from membrane.domain.archive.record_lines import (
    Digest,
    WholeSeconds,
    hex_of,
    list_of,
)
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import Part, RecordId, Scope, Timestamp
from membrane.domain.language.json_text import JsonObject, canonical_json
from membrane.domain.language.requests import validate
from membrane.domain.records.stored import IDENTITY_BYTES
from membrane.domain.topics.form import places_of_large_values, with_large_values
from membrane.domain.topics.system_context import MAX_CHANGES, MAX_CHARACTERS, SystemContext

MAX_TOPICS_OF_RECEIPT = 10_000


class TopicReceiptLine(Part):
    """The reply to a request about topics under an idempotency key."""

    kind: str
    identity: Annotated[str, hex_of(IDENTITY_BYTES)]
    fingerprint: Digest
    topic_ids: Annotated[tuple[RecordId, ...], list_of(MAX_TOPICS_OF_RECEIPT)]
    expires_at_s: WholeSeconds
    reply: dict[str, Any]
    large: Annotated[tuple[Any, ...], list_of(MAX_TOPICS_OF_RECEIPT)] = ()
    """The path of each large value in the reply, with the owner, the digest and the size."""


class ActionLine(Part):
    """An action of the reasoning, in the log of a scope."""

    kind: str
    scope: Scope = ""
    at: Timestamp
    id: Annotated[str, StringConstraints(pattern=r"^[^#]{1,128}$")]
    action: dict[str, Any]


class ContextLine(Part):
    """The system context."""

    kind: str
    document: dict[str, Any]


def topic_receipt_line(
    identity: bytes, fingerprint: bytes, topic_ids: tuple[str, ...], reply: Any, expires_at_s: int
) -> JsonObject:
    """The line of a receipt; large values in the reply are named by path."""
    line: JsonObject = {
        "kind": LineKind.TOPIC_RECEIPT,
        "identity": identity.hex(),
        "fingerprint": fingerprint.hex(),
        "topic_ids": list(topic_ids),
        "expires_at_s": expires_at_s,
        "reply": reply,
    }
    if large := places_of_large_values(reply):
        line["large"] = large
    return line


def reply_of_line(given: TopicReceiptLine) -> JsonObject:
    """The reply with the large values; raises InvalidArgument for a place not in the reply."""
    try:
        return with_large_values(given.reply, given.large)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise InvalidArgument("a large value is at no place of the reply") from error


def action_line(scope: str, at: str, action_id: str, action: JsonObject) -> JsonObject:
    of_scope = {"scope": scope} if scope else {}
    return {"kind": LineKind.ACTION, **of_scope, "at": at, "id": action_id, "action": action}


def context_line(document: JsonObject) -> JsonObject:
    return {"kind": LineKind.SYSTEM_CONTEXT, "document": document}


def context_of_line(line: JsonObject) -> JsonObject:
    """The document of the system context; raises InvalidArgument."""
    document = validate(ContextLine, line).document
    try:
        is_same = _is_system_context(document)
    except (AttributeError, KeyError, TypeError, ValueError, ValidationError) as error:
        raise InvalidArgument("the document is malformed") from error
    if not is_same:
        raise InvalidArgument("the document has a field or a value of another form")
    return document


def _is_system_context(document: JsonObject) -> bool:
    context = SystemContext.from_json(document)
    texts = (context.system_role, context.runtime_context)
    return (
        all(0 < len(text) <= MAX_CHARACTERS for text in texts)
        and len(context.changes) <= MAX_CHANGES
        and canonical_json(context.as_json()) == canonical_json(document)
    )
