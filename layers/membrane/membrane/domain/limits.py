"""How large a record may become: every reply that holds it must fit an invocation's payload."""

import json
from typing import Any

from membrane.domain.errors import TooLarge
from membrane.domain.json_text import compact_json
from membrane.domain.records import MemoryRecord, as_json

MAX_PAYLOAD_BYTES = 6 * 1024 * 1024
"""What a Lambda invocation carries each way (AWS, "Lambda quotas")."""

MAX_RECORD_BYTES = MAX_PAYLOAD_BYTES - 64 * 1024
"""A record's JSON, once more escaped as the string in a reply, with room for headers."""

MAX_BYTES_A_CHARACTER = 4
"""UTF-8's longest; a quote or backslash takes two."""


def payload_bytes(payload: Any) -> int:
    """Bytes of an invocation's payload: JSON in UTF-8, as the runtime writes it."""
    return len(json.dumps(payload, ensure_ascii=False).encode())


def require_returnable(record: MemoryRecord) -> None:
    """Raises TooLarge for a record that no reply could carry."""
    printed = compact_json(as_json(record))
    if len(printed) < MAX_RECORD_BYTES // MAX_BYTES_A_CHARACTER:
        return
    if payload_bytes(printed) > MAX_RECORD_BYTES:
        raise TooLarge(f"the record would be larger than {MAX_RECORD_BYTES} bytes in a reply")
