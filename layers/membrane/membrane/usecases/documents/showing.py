"""Documents as replies show them: who sees a document, in which form, with how much room."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from membrane.domain.access.principals import Principal
from membrane.domain.documents.changes import with_fresh_period
from membrane.domain.documents.document import Document, Text, Version
from membrane.domain.documents.items import Chunk
from membrane.domain.language.errors import AlreadyExists, NotFound, VersionMismatch
from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.records.sizes import reply_bytes
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.documents.replies import (
        DocumentItem,
        DocumentVersion,
        ShownDocument,
        StoredDocument,
    )
    from membrane.domain.documents.requests import DeleteDocument, PutDocument


NOT_FOUND = "document not found"
TAKEN = "namespace and key are taken by a document that the key may not see"


def visible(document: Document | None, principal: Principal, now_s: float) -> bool:
    """Whether the document is there for the principal: alive, in scope, and up to the ceiling."""
    return document is not None and document.is_alive(now_s) and sees(document, principal)


def require_visible(document: Document | None, principal: Principal, now_s: float) -> Document:
    """Raises NotFound for an absent, expired, deleted or hidden document."""
    if document is None or not visible(document, principal, now_s):
        raise NotFound(NOT_FOUND)
    return document


def require_not_hidden(document: Document | None, principal: Principal, now_s: float) -> None:
    """Raises AlreadyExists if a document that the principal may not see holds the place."""
    if document is not None and document.is_alive(now_s) and not sees(document, principal):
        raise AlreadyExists(TAKEN)


def require_own_or_revise(document: Document, principal: Principal) -> None:
    """Raises PermissionDenied for a value that another actor wrote, without `revise`."""
    if document.current.entry.principal != principal.actor_id:
        principal.require(Permission.REVISE)


def require_version(request: "PutDocument | DeleteDocument", present: Document | None) -> None:
    """Raises VersionMismatch if the document is not as the request expects.

    `present`: the document as the principal sees it; None for an absent, deleted or hidden one.
    """
    version = 0 if present is None else present.version
    is_missing = request.must_exist and present is None
    if not is_missing and request.expected_version in {None, version}:
        return
    if present is None:
        raise VersionMismatch("there is no document at namespace and key")
    raise VersionMismatch(
        f"the document has version {version}, not the expected version {request.expected_version}"
    )


def sensitivity_after(
    before: Document | None, asked: Sensitivity | None, usual: Sensitivity, principal: Principal
) -> Sensitivity:
    """The sensitivity of the next version; raises PermissionDenied to lower it without `admin`."""
    if before is None:
        return asked or usual
    if asked is None:
        return before.sensitivity
    if asked.level < before.sensitivity.level:
        principal.require(Permission.ADMIN)
    return asked


REFRESHED_FROM = 0.05
"""The part of its period after which a read begins the period of a document anew: earlier reads
would pay for a write that hardly moves the expiry."""


def may_refresh(document: Document, principal: Principal, now_s: float) -> bool:
    """Whether a read by the principal begins the document's period anew."""
    expiry = document.expires_at_s
    if expiry is None:
        return False
    period_s, age_s = expiry - document.refreshed_at_s, now_s - document.refreshed_at_s
    return (
        age_s >= REFRESHED_FROM * period_s
        and Permission.INGEST in principal.permissions
        and principal.may_write(document.place.scope, document.sensitivity)
    )


def sees(document: Document, principal: Principal) -> bool:
    """Whether scope and sensitivity are within the principal's, whatever state the document has."""
    return principal.trust.allows(document.place.scope, document.sensitivity)


def begin_anew(document: Document, call: Call, now_s: float, world: World) -> Document:
    """The document as the read leaves it.

    Unchanged for a principal that may not write the document, early in the period, and if a write
    came between.
    """
    if not may_refresh(document, call.principal, now_s):
        return document
    after = with_fresh_period(document, now_s)
    return after if world.documents.refresh(document, after) else document


ROOM_BYTES = 5 * 1024 * 1024
"""For a page; `MAX_BODY_BYTES` then has room for large values that fit, and for the cursor."""


@dataclass(slots=True)
class Room:
    left: int = ROOM_BYTES

    def takes(self, value: Any) -> bool:
        """Whether the value fits, with large values as links; reserves the room if so.

        A first value always fits: no value in place is as large as the room.
        """
        size = reply_bytes(value)
        if size > self.left:
            return False
        self.left -= size
        return True


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
