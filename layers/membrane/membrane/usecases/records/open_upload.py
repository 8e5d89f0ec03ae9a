"""Open an upload: a place for a value too large for a request."""

import math
from typing import TYPE_CHECKING

from membrane.domain.language.errors import AlreadyExists, TooLarge
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import MAX_VALUE_BYTES
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.uploads import CLAIM_PERIOD, Upload
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.uploads import UPLOAD_LINK_PERIOD
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import REUSED, id_for

if TYPE_CHECKING:
    from membrane.domain.ingest.full_records import OpenUpload
    from membrane.domain.records.replies import OpenedUpload


def open_upload(request: "OpenUpload", call: Call, world: World) -> ReplyBody:
    """Open an upload, or find the upload that the same key opened; always with a fresh link.

    Raises TooLarge, PermissionDenied for a scope that the key does not cover, and AlreadyExists for
    a key reused with a different request.
    """
    if request.size > MAX_VALUE_BYTES:
        raise TooLarge(f"size exceeds maximum payload size of {MAX_VALUE_BYTES} bytes")
    now = world.now()
    new = Upload(
        id=id_for(call, world),
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
        raise AlreadyExists(REUSED)
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
    """The requested scope; by default the scope of the caller's records, unscoped without one."""
    if request.scope is None:
        return call.principal.usual_scope or ""
    call.principal.require_write(request.scope, Sensitivity.PUBLIC)
    return request.scope
