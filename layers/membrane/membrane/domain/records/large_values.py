"""Which values of a record leave its document for the bucket."""

import hashlib
from typing import Any

from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue, replaced
from membrane.domain.records.records import MemoryRecord, as_json


def split(record: MemoryRecord) -> tuple[MemoryRecord, dict[LargeValue, bytes]]:
    """The record without its large values, and their JSON texts."""
    values: dict[LargeValue, bytes] = {}

    def without(value: Any) -> Any:
        if isinstance(value, LargeValue):
            return value
        text = compact_json(_printed(value)).encode()
        if len(text) < LARGE_VALUE_BYTES:
            return value
        large = LargeValue(record.id, hashlib.sha256(text).hexdigest(), len(text))
        values[large] = text
        return large

    payload = replaced(record.payload, without)
    return record.model_copy(update={"payload": payload}) if values else record, values


def _printed(value: Any) -> Any:
    """Constraints are models, every other value is JSON already."""
    is_listed = isinstance(value, tuple)
    return [as_json(each) for each in value if isinstance(each, Part)] if is_listed else value
