"""Prepare a record that a caller sends: uploads, values in place of references, id, targets."""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from membrane.domain.ingest.builder import Making, build_full_record
from membrane.domain.ingest.full_records import RecordInput
from membrane.domain.language import errors
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import (
    LARGE_VALUE_BYTES,
    MAX_VALUE_BYTES,
    BorrowedValue,
    Claim,
    LargeValue,
    Reference,
    references_in,
    replace_values,
)
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.records import MemoryRecord, Relation, as_json
from membrane.domain.records.sizes import CLAIM_PERIOD, MAX_CLAIMS, Upload, require_claimable
from membrane.domain.records.stored import StoredRecord, is_keyed_id
from membrane.domain.salience.decay_defaults import lifecycle_for
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.machinery.visibility import load_alive
from membrane.usecases.ports.bucket import UPLOAD_LINK_PERIOD
from membrane.usecases.ports.records import NOTHING_CLAIMED, Claimed, Receipt
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import REUSED

if TYPE_CHECKING:
    from membrane.domain.ingest.full_records import OpenUpload
    from membrane.domain.records.replies import OpenedUpload


Model = TypeVar("Model", bound=Part)


MAX_BORROWED = 64
"""Enough for any record of one request: 6 MB in values of 128 KiB, and MAX_CLAIMS uploads."""

MAX_BORROWED_BYTES = MAX_CLAIMS * MAX_VALUE_BYTES
NO_VALUE = "a $blob's record: value not found"


def resolve_references(
    request: Model, references: Sequence[Reference], record_id: str, call: Call, world: World
) -> tuple[Model, Claimed]:
    """The request with values for references, and the uploads and values of the record.

    Raises the errors of `require_claimable`; FailedPrecondition before the upload of the content;
    InvalidArgument for content that differs from the declaration, is no JSON or does not fit the
    field; NotFound for a value of an absent or hidden record.
    """
    if not references:
        return request, NOTHING_CLAIMED
    uploads = _uploads(references, record_id, call, world)
    contents = {upload.id: _content(upload, world) for upload in uploads.values()}
    texts: dict[Reference, bytes] = {
        **{each: contents[each.upload_id] for each in references if isinstance(each, Claim)},
        **_borrowed_texts(references, call, world),
    }
    values: dict[LargeValue, bytes] = {}

    def in_place(value: Any) -> Any:
        if not isinstance(value, (Claim, BorrowedValue)):
            return value
        text = texts[value]
        checked = value.check(parse_json(text))
        if len(text) < LARGE_VALUE_BYTES:
            return checked
        large = LargeValue.of(record_id, text)
        values[large] = text
        return large

    return replace_values(request, in_place), Claimed(tuple(uploads.values()), values)


def _uploads(
    references: Sequence[Reference], record_id: str, call: Call, world: World
) -> Mapping[str, Upload]:
    named = [each.upload_id for each in references if isinstance(each, Claim)]
    if len(named) > MAX_CLAIMS:
        raise errors.InvalidArgument(f"a request may claim {MAX_CLAIMS} uploads at most")
    return {
        upload_id: require_claimable(
            world.uploads.find(upload_id),
            call.principal.identity,
            record_id,
            epoch_seconds(world.now()),
        )
        for upload_id in sorted(set(named))
    }


def _content(upload: Upload, world: World) -> bytes:
    content = world.uploads.content(upload)
    if content is None:
        raise errors.FailedPrecondition("nothing was uploaded yet")
    if len(content) != upload.size or hashlib.sha256(content).hexdigest() != upload.sha256:
        raise errors.InvalidArgument("what was uploaded is not of the declared size and SHA-256")
    return content


def _borrowed_texts(
    references: Sequence[Reference], call: Call, world: World
) -> Mapping[Reference, bytes]:
    """The JSON texts of values of other records, as far as the caller may still see the records."""
    borrowed = [each for each in references if isinstance(each, BorrowedValue)]
    if len(borrowed) > MAX_BORROWED:
        raise errors.InvalidArgument(
            f"a request may take {MAX_BORROWED} values of other records at most"
        )
    lenders = [
        load_alive(record_id, call.principal, world, missing=NO_VALUE)
        for record_id in {each.record_id for each in borrowed}
    ]
    lent = {
        (large.record_id, large.sha256): large
        for lender in lenders
        for large in references_in(lender.record.payload)
        if isinstance(large, LargeValue)
    }
    found = {each: lent.get((each.record_id, each.sha256)) for each in borrowed}
    sizes = [large.size for each in borrowed if (large := found[each])]
    if sum(sizes) > MAX_BORROWED_BYTES:
        raise errors.TooLarge(
            f"a request may take {MAX_BORROWED_BYTES} bytes of other records at most"
        )
    return {each: _text(large, world) for each, large in found.items()}


def _text(large: LargeValue | None, world: World) -> bytes:
    if large is None:
        raise errors.NotFound(NO_VALUE)
    return world.records.value(large)


def open_upload(request: "OpenUpload", call: Call, world: World) -> ReplyBody:
    """Open an upload, or find the upload that the same key opened; always with a fresh link.

    Raises TooLarge, PermissionDenied for a scope that the key does not cover, and AlreadyExists for
    a key reused with a different request.
    """
    if request.size > MAX_VALUE_BYTES:
        raise errors.TooLarge(f"size exceeds maximum payload size of {MAX_VALUE_BYTES} bytes")
    now = world.now()
    new = Upload(
        id=call.new_id(world),
        size=request.size,
        sha256=request.sha256,
        opened_by=call.principal.identity,
        expires_at_s=math.ceil(epoch_seconds(now + CLAIM_PERIOD)),
        fingerprint=call.fingerprint,
        scope=_scope_of(request, call),
    )
    earlier = world.uploads.open(new)
    upload = earlier or new
    if upload.fingerprint != new.fingerprint:
        raise errors.AlreadyExists(REUSED)
    link = world.uploads.link(upload)
    body: OpenedUpload = {
        "upload_id": upload.id,
        "url": link.url,
        "method": link.method,
        "headers": dict(link.headers),
        "expires_at": rfc3339(now + UPLOAD_LINK_PERIOD),
    }
    return ReplyBody(body, replayed=earlier is not None)


def _scope_of(request: "OpenUpload", call: Call) -> str:
    if request.scope is None:
        return call.principal.usual_scope or ""
    call.principal.require_write(request.scope, Sensitivity.PUBLIC)
    return request.scope


def id_of(given: RecordInput, call: Call, world: World) -> str:
    """The given id, else a new id; raises InvalidArgument for an id reserved for the server."""
    if given.id is not None and is_keyed_id(given.id):
        raise errors.InvalidArgument(
            "validation error for id: UUIDs of version 8 are the server's own"
        )
    return given.id or call.new_id(world)


def prepare_record(
    given: RecordInput, scope: str, making: Making, call: Call, world: World
) -> tuple[MemoryRecord, Claimed]:
    """The record with lifecycle and resolved references, and the claimed uploads.

    Raises the errors of `lifecycle_for`, `build_full_record` and `resolve_references`.
    """
    lifecycle = lifecycle_for(given.type, given.lifecycle, world.policy, making.timestamp)
    whole, uploads = resolve_references(
        given, references_in(given.payload), making.record_id, call, world
    )
    return build_full_record(whole, as_json(whole), lifecycle, scope, making), uploads


def receipt_of(given: RecordInput, call: Call, world: World) -> Receipt | None:
    """The receipt of the idempotency key; needed only if the client chose the id."""
    if given.id is None or call.key is None:
        return None
    return Receipt(call.new_id(world), call.fingerprint)


def targets_of(relations: Iterable[Relation], call: Call, world: World) -> tuple[StoredRecord, ...]:
    """The targets of the relations; raises NotFound for an absent or hidden target."""
    targets = []
    for target_id in dict.fromkeys(relation.target_id for relation in relations):
        try:
            target = load_alive(target_id, call.principal, world)
        except errors.NotFound:
            raise errors.NotFound("a relation's target: record not found") from None
        targets.append(target)
    return tuple(targets)
