"""Size limits of a record, and the move of large values from the document to the bucket.

Every reply with the record must fit the payload of a Lambda invocation.

A value too large for a request is an upload: first put into the bucket, then claimed by a record.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from membrane.domain.language.errors import FailedPrecondition, NotFound, TooLarge
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import Printable, compact_json, json_fallback
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue, replace_values
from membrane.domain.records.records import MemoryRecord, as_json

MAX_PAYLOAD_BYTES = 6 * 1024 * 1024
"""The largest request and the largest response of a Lambda invocation (AWS, "Lambda quotas")."""

MAX_REPLY_BYTES = MAX_PAYLOAD_BYTES - 64 * 1024
"""The limit for a new record without audit, and for a page.

The JSON is counted as escaped a second time, as a string inside the payload.
"""

MAX_BODY_BYTES = MAX_PAYLOAD_BYTES - 16 * 1024
"""The limit for the body of any reply; the rest of the payload is room for headers.

The bytes beyond MAX_REPLY_BYTES are room for field names, token, cursor and audit entries.
"""

GROWTH_BYTES = 16 * 1024
"""Room for what later changes add to the relations, the sources and the interpretation."""

BESIDE_BYTES = 64 * 1024
"""For the rest of a reply of a topic: cursors, names, counts."""

LINK_BYTES = 4_096
"""Room for a presigned URL, which is long because it holds the credentials of a role."""

MAX_BYTES_A_CHARACTER = 4
"""The longest UTF-8 character; an escaped quote or backslash takes two bytes."""


BytesOf = Callable[[str], int]
"""Counts the bytes that a JSON text takes in the payload."""


def payload_bytes(payload: Any) -> int:
    """The bytes of an invocation's payload: JSON in UTF-8, as written by the Lambda runtime."""
    return len(json.dumps(payload, ensure_ascii=False).encode())


def nested_bytes(text: str) -> int:
    """The bytes in the payload of a text that is a string of the JSON in the reply's body."""
    return payload_bytes(compact_json(text))


def reply_bytes(value: Any, bytes_of: BytesOf = payload_bytes) -> int:
    """The bytes of the value in a reply; `bytes_of` counts those of a JSON text."""
    large: list[Printable] = []
    return bytes_of(compact_json(value, large)) + LINK_BYTES * len(large)


@dataclass(slots=True)
class Room:
    """The room that is left in a reply or a page, in bytes."""

    left: int = MAX_REPLY_BYTES - BESIDE_BYTES

    def takes(self, value: Any) -> bool:
        """Whether the value fits, with large values as links; reserves the room if so."""
        size = reply_bytes(value)
        if size > self.left:
            return False
        self.left -= size
        return True


def is_surely_within(text: str) -> bool:
    """Whether a JSON text fits a reply even if every character takes four bytes."""
    return len(text) < MAX_REPLY_BYTES // MAX_BYTES_A_CHARACTER


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
