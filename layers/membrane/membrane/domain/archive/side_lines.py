"""The codec of the lines beside records and topics: receipts, threads, actions, and others."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints, ValidationError

from membrane.domain.archive import record_lines
from membrane.domain.archive.lines import LineKind
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import Count, Part, RecordId, Scope, Timestamp
from membrane.domain.language.json_text import JsonObject, canonical_json
from membrane.domain.language.requests import validate
from membrane.domain.records.stored import IDENTITY_BYTES
from membrane.domain.topics import form
from membrane.domain.topics.system_context import MAX_CHANGES, MAX_CHARACTERS, SystemContext

MAX_TOPICS_OF_RECEIPT = 10_000


class ReceiptLine(Part):
    """The use of an idempotency key by a record with an id of its own."""

    kind: str
    keyed_id: RecordId
    record_id: RecordId
    fingerprint: record_lines.Digest


class ThreadLine(Part):
    """The next turn of a thread; `key` is a digest of scope and thread."""

    kind: str
    key: record_lines.Digest
    next_turn: Annotated[Count, Field(ge=2)]


class TopicReceiptLine(Part):
    """The reply to a request about topics under an idempotency key."""

    kind: str
    identity: Annotated[str, record_lines.hex_of(IDENTITY_BYTES)]
    fingerprint: record_lines.Digest
    topic_ids: Annotated[tuple[RecordId, ...], record_lines.list_of(MAX_TOPICS_OF_RECEIPT)]
    expires_at_s: record_lines.WholeSeconds
    reply: dict[str, Any]
    large: Annotated[tuple[Any, ...], record_lines.list_of(MAX_TOPICS_OF_RECEIPT)] = ()
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


def receipt_line(keyed_id: str, record_id: str, fingerprint: bytes) -> JsonObject:
    return {
        "kind": LineKind.RECEIPT,
        "keyed_id": keyed_id,
        "record_id": record_id,
        "fingerprint": fingerprint.hex(),
    }


def thread_line(key: bytes, next_turn: int) -> JsonObject:
    return {"kind": LineKind.THREAD, "key": key.hex(), "next_turn": next_turn}


def topic_receipt_line(receipt: form.TopicReceipt) -> JsonObject:
    shown = form.receipt_json(receipt)
    return {
        "kind": LineKind.TOPIC_RECEIPT,
        "identity": receipt.identity.hex(),
        "fingerprint": receipt.fingerprint.hex(),
        "topic_ids": shown.pop("topic_ids"),
        "expires_at_s": receipt.expires_at_s,
        **shown,
    }


def topic_receipt_of_line(line: JsonObject) -> form.TopicReceipt:
    """Raises InvalidArgument, also for a large value at a place not in the reply."""
    given = validate(TopicReceiptLine, line)
    identity, fingerprint = bytes.fromhex(given.identity), bytes.fromhex(given.fingerprint)
    try:
        return form.receipt_of_json(dict(given), identity, fingerprint, given.expires_at_s)
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
