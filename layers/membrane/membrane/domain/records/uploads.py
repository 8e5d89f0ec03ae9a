"""Uploads: values too large for a request, put into the bucket first and then claimed."""

from dataclasses import dataclass
from datetime import timedelta

from membrane.domain.language.errors import FailedPrecondition, NotFound

CLAIM_PERIOD = timedelta(hours=24)

MAX_CLAIMS = 4
"""Places of one request that uploads go into.

Beside them, a transaction of 100 actions has room for 30 relations.
"""

NO_UPLOAD = "upload not found"


@dataclass(frozen=True, slots=True)
class Upload:
    """One value under way: who opened it, what it will be, and which record it went into."""

    id: str
    size: int
    """Bytes of its JSON text."""
    sha256: str
    """SHA-256 of its JSON text, in hex."""
    opened_by: str
    """Identity of the principal that opened it and alone may claim it."""
    expires_at_s: int
    """When it can be claimed no longer, in seconds since 1970."""
    fingerprint: bytes = b""
    """SHA-256 of the request that opened it; empty when it came without an idempotency key."""
    claimed_by: str = ""
    """Id of the record that it went into."""


def require_claimable(upload: Upload | None, identity: str, record_id: str, now_s: float) -> Upload:
    """The upload; raises NotFound where absent, expired or another principal's.

    Raises FailedPrecondition where the upload went into another record.
    """
    if upload is None or upload.opened_by != identity or upload.expires_at_s <= now_s:
        raise NotFound(NO_UPLOAD)
    if upload.claimed_by not in ("", record_id):
        raise FailedPrecondition("the upload went into another record")
    return upload
