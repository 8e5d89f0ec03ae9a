"""Keyed writes of documents: a repeat is recognised by the mark of the first."""

from membrane.domain.documents.changes import Making
from membrane.domain.documents.document import Document, Mark
from membrane.domain.documents.places import Place
from membrane.domain.language.errors import AlreadyExists
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.records.idempotency import FINGERPRINT_BYTES, Operation, operation
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.documents import Receipt
from membrane.usecases.ports.services_documents import DocumentServices
from membrane.usecases.records.creating import REUSED

NEWEST_COMPARED = 4
"""A repeated append is recognised among the chunks that hold this many of the newest items."""

RPC = "documents"
"""One name for the writes of documents: at a place, a key stands for one put or one deletion."""


def operation_of(call: Call) -> Operation | None:
    """The digests of caller and key, and of the request; None without a key."""
    if call.key is None:
        return None
    return operation(call.principal.identity, RPC, call.key, call.fingerprint)


def making_of(call: Call, rationale: str, services: DocumentServices) -> Making:
    now, keyed = services.now(), operation_of(call)
    return Making(
        now_s=epoch_seconds(now),
        at=rfc3339(now),
        principal=call.principal.actor_id,
        salt=services.new_salt(),
        rationale=rationale,
        identity=b"" if keyed is None else keyed.identity,
        fingerprint=b"" if keyed is None else keyed.fingerprint,
    )


def mark_of(document: Document | None, call: Call, now_s: float) -> Mark | None:
    """The mark of an earlier write under the same key; None in an expired document.

    Raises AlreadyExists if the earlier request was a different one.
    """
    keyed = operation_of(call)
    if keyed is None or document is None:
        return None
    if not document.is_deleted and not document.is_alive(now_s):
        return None
    found = next((mark for mark in document.marks if mark.identity == keyed.identity), None)
    if found is not None and found.fingerprint != keyed.fingerprint:
        raise AlreadyExists(REUSED)
    return found


def proven_mark(
    noted: Receipt, identity: str, operation_id: str, services: DocumentServices
) -> Mark | None:
    """The mark of the noted write in its document; None if the write did not take place."""
    document = services.documents.load(noted.place)
    own = operation(identity, RPC, operation_id, noted.fingerprint)
    marks = () if document is None else document.marks
    return next((each for each in marks if each[:2] == own), None)


def note_receipt(
    operation_id: str, place: Place, call: Call, until_s: float, services: DocumentServices
) -> None:
    """Keep where a write with an operation id goes; comes before the write.

    Raises AlreadyExists if a different write with the id took place.
    """
    identity = call.principal.identity
    receipt = Receipt(place, call.fingerprint[:FINGERPRINT_BYTES])
    earlier = services.documents.find_receipt(identity, operation_id)
    if earlier == receipt:
        return
    if earlier is not None and proven_mark(earlier, identity, operation_id, services) is not None:
        raise AlreadyExists(REUSED)
    services.documents.note(identity, operation_id, receipt, until_s)
