"""Size limits of a record, and the move of large values from the document to the bucket.

A value too large for a request is an upload: first put into the bucket, then claimed by a record.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from membrane.domain.language.errors import FailedPrecondition, NotFound, TooLarge
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import Printable, compact_json, json_fallback
from membrane.domain.language.values import (
    GROWTH_BYTES,
    LARGE_VALUE_BYTES,
    LINK_BYTES,
    MAX_BYTES_A_CHARACTER,
    MAX_REPLY_BYTES,
    LargeValue,
    replace_values,
    reply_bytes,
)
from membrane.domain.records.records import MemoryRecord, as_json


def most_bytes(part: Part) -> int:
    """An upper bound for the bytes of the part's JSON in a reply, with links for large values.

    The bound is far cheaper than the exact count of `reply_bytes`.
    """
    large: list[Printable] = []
    text = part.model_dump_json(by_alias=True, exclude_defaults=True, fallback=json_fallback(large))
    return MAX_BYTES_A_CHARACTER * len(text) + LINK_BYTES * len(large)


def require_returnable(record: MemoryRecord, most: int = MAX_REPLY_BYTES) -> None:
    """Raises TooLarge if the record without audit takes more than `most` bytes in a reply."""
    bare = record.model_copy(update={"audit_log": (), "audit_count": 0})
    if most_bytes(bare) >= most and reply_bytes(as_json(bare)) > most:
        raise TooLarge(f"the record would be larger than {most} bytes in a reply")


def require_still_returnable(before: MemoryRecord, after: MemoryRecord) -> None:
    """Raises TooLarge if a change adds relations, sources or interpretation beyond GROWTH_BYTES.

    All other changes are small, and MAX_BODY_BYTES has room for them.
    """
    adds_relation = len(after.relations) > len(before.relations)
    adds_source = len(after.provenance.sources) > len(before.provenance.sources)
    if adds_relation or adds_source or after.interpretation != before.interpretation:
        require_returnable(after, MAX_REPLY_BYTES + GROWTH_BYTES)


def split_large_values(record: MemoryRecord) -> tuple[MemoryRecord, dict[LargeValue, bytes]]:
    """The record with references in place of large values, and the JSON text of each value."""
    values: dict[LargeValue, bytes] = {}

    def without(value: Any) -> Any:
        if isinstance(value, LargeValue):
            return value
        text = compact_json(_json_value(value)).encode()
        if len(text) < LARGE_VALUE_BYTES:
            return value
        large = LargeValue.of(record.id, text)
        values[large] = text
        return large

    payload = replace_values(record.payload, without)
    return record.model_copy(update={"payload": payload}) if values else record, values


def _json_value(value: Any) -> Any:
    """The value as JSON: a tuple of models (constraints) is converted, the rest is JSON already."""
    is_listed = isinstance(value, tuple)
    return [as_json(each) for each in value if isinstance(each, Part)] if is_listed else value


CLAIM_PERIOD = timedelta(hours=24)

MAX_CLAIMS = 4
"""The uploads that a request may claim: beside four, 30 relations fit a transaction."""

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
