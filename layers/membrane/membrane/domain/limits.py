"""How large a record may become: every reply that holds it must fit an invocation's payload."""

import json

from membrane.domain.errors import TooLarge
from membrane.domain.json_text import compact_json
from membrane.domain.records import MemoryRecord, as_json

MAX_PAYLOAD_BYTES = 6 * 1024 * 1024
"""What a Lambda invocation carries each way (AWS, "Lambda quotas")."""

MAX_RECORD_BYTES = MAX_PAYLOAD_BYTES - 64 * 1024
"""A record's JSON, once more escaped as the string in a reply, with room for headers."""


def require_returnable(record: MemoryRecord) -> None:
    """Raises TooLarge for a record that no reply could carry."""
    printed = compact_json(as_json(record))
    if len(printed) < MAX_RECORD_BYTES // 6:  # no character escapes to more than six bytes
        return
    if len(json.dumps(printed)) > MAX_RECORD_BYTES:
        raise TooLarge(f"the record would be larger than {MAX_RECORD_BYTES} bytes in a reply")
