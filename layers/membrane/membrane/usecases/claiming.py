"""Putting uploads in the place of the claims in a request (design 4.2)."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from membrane.domain.errors import FailedPrecondition, InvalidArgument
from membrane.domain.fields import Part
from membrane.domain.json_text import parse_json
from membrane.domain.timestamps import epoch_seconds
from membrane.domain.uploads import MAX_CLAIMS, Upload, require_claimable
from membrane.domain.values import LARGE_VALUE_BYTES, Claim, LargeValue, claims_in, replaced
from membrane.usecases.calls import Call
from membrane.usecases.ports import Services

Model = TypeVar("Model", bound=Part)


@dataclass(frozen=True, slots=True)
class Claimed:
    """The uploads that go into a record, and those of its values that the bucket will hold."""

    uploads: tuple[Upload, ...] = ()
    values: Mapping[LargeValue, bytes] = field(default_factory=dict)


NOTHING_CLAIMED = Claimed()


def key_of_uploads(request: Part) -> str | None:
    """The key of a request that brings none but claims an upload, which one record alone takes.

    So the retry of such a request finds the record of the first attempt.
    """
    named = [claim.upload_id for claim in claims_in(request)]
    return f"upload {min(named)}" if named else None


def claimed(
    request: Model, claims: Sequence[Claim], record_id: str, call: Call, services: Services
) -> tuple[Model, Claimed]:
    """The request with the uploads that its claims name in place, for that record to take.

    Raises NotFound and FailedPrecondition as `require_claimable` does, FailedPrecondition where
    nothing was uploaded yet, and InvalidArgument where the value is not what was declared, is no
    JSON or does not fit its field.
    """
    if not claims:
        return request, NOTHING_CLAIMED
    if len(claims) > MAX_CLAIMS:
        raise InvalidArgument(f"a request may claim {MAX_CLAIMS} uploads at most")
    uploads = {
        upload_id: require_claimable(
            services.uploads.find(upload_id),
            call.principal.actor_id,
            record_id,
            epoch_seconds(services.now()),
        )
        for upload_id in sorted({claim.upload_id for claim in claims})
    }
    contents = {upload.id: _content(upload, services) for upload in uploads.values()}
    values: dict[LargeValue, bytes] = {}

    def in_place(value: Any) -> Any:
        if not isinstance(value, Claim):
            return value
        upload = uploads[value.upload_id]
        content = contents[upload.id]
        checked = value.check(parse_json(content))
        if upload.size < LARGE_VALUE_BYTES:
            return checked
        large = LargeValue(record_id, upload.sha256, upload.size)
        values[large] = content
        return large

    return replaced(request, in_place), Claimed(tuple(uploads.values()), values)


def _content(upload: Upload, services: Services) -> bytes:
    content = services.uploads.content(upload)
    if content is None:
        raise FailedPrecondition("nothing was uploaded yet")
    if len(content) != upload.size or hashlib.sha256(content).hexdigest() != upload.sha256:
        raise InvalidArgument("what was uploaded is not of the declared size and SHA-256")
    return content
