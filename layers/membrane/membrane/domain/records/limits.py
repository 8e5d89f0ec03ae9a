"""How large a record may become: every reply that holds it must fit an invocation's payload."""

import json
from typing import Any

from membrane.domain.language.errors import TooLarge
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import Printable, compact_json, printing
from membrane.domain.records.records import MemoryRecord, as_json

MAX_PAYLOAD_BYTES = 6 * 1024 * 1024
"""What a Lambda invocation carries each way (AWS, "Lambda quotas")."""

MAX_REPLY_BYTES = MAX_PAYLOAD_BYTES - 64 * 1024
"""A reply's JSON, once more escaped as the string in a payload, with room for headers."""

LINK_BYTES = 4_096
"""Room for a presigned address: the credentials of a role make it long."""

MAX_BYTES_A_CHARACTER = 4
"""UTF-8's longest; a quote or backslash takes two."""


def payload_bytes(payload: Any) -> int:
    """Bytes of an invocation's payload: JSON in UTF-8, as the runtime writes it."""
    return len(json.dumps(payload, ensure_ascii=False).encode())


def reply_bytes(value: Any) -> int:
    """What a JSON value takes in a reply, large values as links."""
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
    printed = part.model_dump_json(by_alias=True, exclude_defaults=True, fallback=printing(large))
    return MAX_BYTES_A_CHARACTER * len(printed) + LINK_BYTES * len(large)


def require_returnable(record: MemoryRecord) -> None:
    """Raises TooLarge for a record that no reply could carry, large values as links."""
    if most_bytes(record) < MAX_REPLY_BYTES:
        return
    if reply_bytes(as_json(record)) > MAX_REPLY_BYTES:
        raise TooLarge(f"the record would be larger than {MAX_REPLY_BYTES} bytes in a reply")
