"""Documents, versions and list items as replies show them."""

import json
from typing import TYPE_CHECKING, Any, cast

from membrane.domain.documents.document import Document, Text, Version
from membrane.domain.documents.items import Chunk
from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.language.values import LargeValue

if TYPE_CHECKING:
    from membrane.domain.documents.replies import (
        DocumentItem,
        DocumentVersion,
        ShownDocument,
        StoredDocument,
    )


def stored_document(document: Document, now_s: float) -> "StoredDocument":
    """The document without its value."""
    entry, place, expiry = document.current.entry, document.place, document.expires_at_s
    shown: StoredDocument = {
        "namespace": [*place.namespace],
        "key": place.key,
        "scope": place.scope,
        "sensitivity": document.sensitivity,
        "version": document.version,
        "created_at": document.created_at,
        "updated_at": entry.at,
        "principal": entry.principal,
    }
    if entry.rationale:
        shown["rationale"] = entry.rationale
    if expiry is not None and not document.is_deleted:
        shown["expires_at"] = rfc3339(from_epoch_seconds(expiry))
    if document.half_life_s is not None:
        shown["salience"] = document.salience(now_s)
    if document.index:
        shown["index"] = [*document.index]
    return shown


def shown_document(document: Document, now_s: float) -> "ShownDocument":
    shown = cast("ShownDocument", stored_document(document, now_s))
    if document.current.text is not None:
        shown["value"] = value_of(document.current.text)
    if document.is_deleted:
        shown["deleted"] = True
    return shown


def value_of(text: Text) -> Any:
    """The JSON value; a LargeValue stays, and the edge puts the value or a link in place."""
    if text is None or isinstance(text, LargeValue):
        return text
    return json.loads(text)


def shown_version(version: Version) -> "DocumentVersion":
    entry = version.entry
    shown: DocumentVersion = {
        "version": entry.version,
        "action": entry.action,
        "at": entry.at,
        "principal": entry.principal,
        "rationale": entry.rationale,
        "previous_hash": entry.previous_hash,
        "hash": entry.hash,
    }
    if version.text is not None:
        shown["value"] = value_of(version.text)
    return shown


def shown_item(item: Any, chunk: Chunk) -> "DocumentItem":
    return {"value": item, "at": chunk.at, "principal": chunk.principal}
