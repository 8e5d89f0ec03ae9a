"""How large a record may become, and which of its values leave its document for the bucket.

Every reply that holds the record must fit an invocation's payload.
"""

import hashlib
import json
from typing import Any

from membrane.domain.language.errors import TooLarge
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import Printable, compact_json, json_fallback
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue, replace_values
from membrane.domain.records.records import MemoryRecord, as_json

MAX_PAYLOAD_BYTES = 6 * 1024 * 1024
"""What a Lambda invocation carries each way (AWS, "Lambda quotas")."""

MAX_REPLY_BYTES = MAX_PAYLOAD_BYTES - 64 * 1024
"""A new record without its audit, and a page: JSON, escaped once more as a payload's string."""

MAX_BODY_BYTES = MAX_PAYLOAD_BYTES - 16 * 1024
"""The body of any reply; the rest of the payload is room for headers.

Beyond MAX_REPLY_BYTES is room for names, token, cursor and as many audit entries as fit.
"""

GROWTH_BYTES = 16 * 1024
"""Room for the relations and sources that changes add to a record as large as a new one may be."""

LINK_BYTES = 4_096
"""Room for a presigned address: the credentials of a role make it long."""

MAX_BYTES_A_CHARACTER = 4
"""UTF-8's longest; a quote or backslash takes two."""


def payload_bytes(payload: Any) -> int:
    """Bytes of an invocation's payload: JSON in UTF-8, as the runtime writes it."""
    return len(json.dumps(payload, ensure_ascii=False).encode())


def reply_bytes(value: Any) -> int:
    large: list[Printable] = []
    return payload_bytes(compact_json(value, large)) + LINK_BYTES * len(large)


def is_surely_within(text: str) -> bool:
    """Whether so short a JSON text fits a reply, whatever characters it is made of."""
    return len(text) < MAX_REPLY_BYTES // MAX_BYTES_A_CHARACTER


def most_bytes(part: Part) -> int:
    """No fewer bytes than the part's JSON takes in a reply, large values as links.

    Far cheaper than to print and count it.
    """
    large: list[Printable] = []
    text = part.model_dump_json(by_alias=True, exclude_defaults=True, fallback=json_fallback(large))
    return MAX_BYTES_A_CHARACTER * len(text) + LINK_BYTES * len(large)


def require_returnable(record: MemoryRecord, most: int = MAX_REPLY_BYTES) -> None:
    """Raises TooLarge for a record that takes more in a reply, without its audit."""
    bare = record.model_copy(update={"audit_log": (), "audit_count": 0})
    if most_bytes(bare) >= most and reply_bytes(as_json(bare)) > most:
        raise TooLarge(f"the record would be larger than {most} bytes in a reply")


def require_still_returnable(before: MemoryRecord, after: MemoryRecord) -> None:
    """Raises TooLarge for a change that adds relations or sources for which there is no room.

    Other changes are bounded, and MAX_BODY_BYTES has room for them.
    """
    adds_relation = len(after.relations) > len(before.relations)
    if adds_relation or len(after.provenance.sources) > len(before.provenance.sources):
        require_returnable(after, MAX_REPLY_BYTES + GROWTH_BYTES)


def split_large_values(record: MemoryRecord) -> tuple[MemoryRecord, dict[LargeValue, bytes]]:
    """The record with references in place of its large values, and the JSON texts of these."""
    values: dict[LargeValue, bytes] = {}

    def without(value: Any) -> Any:
        if isinstance(value, LargeValue):
            return value
        text = compact_json(_json_value(value)).encode()
        if len(text) < LARGE_VALUE_BYTES:
            return value
        large = LargeValue(record.id, hashlib.sha256(text).hexdigest(), len(text))
        values[large] = text
        return large

    payload = replace_values(record.payload, without)
    return record.model_copy(update={"payload": payload}) if values else record, values


def _json_value(value: Any) -> Any:
    """Constraints are models, every other value is JSON already."""
    is_listed = isinstance(value, tuple)
    return [as_json(each) for each in value if isinstance(each, Part)] if is_listed else value
