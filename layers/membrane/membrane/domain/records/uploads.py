"""Uploads: values too large for a request, first put into the bucket, then claimed by a record."""

from dataclasses import dataclass
from datetime import timedelta

from membrane.domain.language.errors import FailedPrecondition, NotFound

CLAIM_PERIOD = timedelta(hours=24)

MAX_CLAIMS = 4
"""The uploads that a request may claim.

A DynamoDB transaction has 100 actions; with four claims, 30 relations still fit.
"""

NO_UPLOAD = "upload not found"


@dataclass(frozen=True, slots=True)
class Upload:
    """A declared value, the principal that opened the upload and the record that claimed it."""

    id: str
    size: int
    """The bytes of the value's JSON text."""
    sha256: str
    """SHA-256 of the value's JSON text, in hex."""
    opened_by: str
    """The identity of the opener, the only principal allowed to claim the upload."""
    expires_at_s: int
    """The end of the claim period, in seconds since 1970."""
    fingerprint: bytes = b""
    """SHA-256 of the request that opened the upload; empty without an idempotency key."""
    scope: str = ""
    """The scope that the value belongs to, by which an erasure finds the upload."""
    claimed_by: str = ""
    """The id of the record that claimed the upload; empty before the claim."""


def require_claimable(upload: Upload | None, identity: str, record_id: str, now_s: float) -> Upload:
    """The upload; raises NotFound if absent, expired or opened by a different principal.

    Raises FailedPrecondition if a different record claimed the upload.
    """
    if upload is None or upload.opened_by != identity or upload.expires_at_s <= now_s:
        raise NotFound(NO_UPLOAD)
    if upload.claimed_by not in ("", record_id):
        raise FailedPrecondition("the upload went into another record")
    return upload
