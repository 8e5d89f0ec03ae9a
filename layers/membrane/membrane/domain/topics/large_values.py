"""Which values of a topic leave its items for the bucket, and how much those that stay may be."""

import hashlib
from collections.abc import Mapping
from typing import Any

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.topics.topic import Field

MAX_CURRENT_BYTES = 4 * 1024 * 1024
"""Of JSON, all current values of a topic: every write reads and writes all of them anew."""


def lean_value(value: Any, topic_id: str) -> tuple[Any, dict[LargeValue, bytes]]:
    """The value, or what stands for it where it is large, and then its JSON text."""
    if value is None or isinstance(value, bool | int | float | LargeValue):
        return value, {}
    text = compact_json(value).encode()
    if len(text) < LARGE_VALUE_BYTES:
        return value, {}
    large = LargeValue(owner_of_values(topic_id), hashlib.sha256(text).hexdigest(), len(text))
    return large, {large: text}


def current_bytes(fields: Mapping[str, Field]) -> int:
    """Bytes, as JSON, of the current values in the head: deleted fields too, no large values."""
    said = [
        (
            None if isinstance(current.value, LargeValue) else current.value,
            current.why_changed,
            current.impact_expected,
            current.provenance,
        )
        for field in fields.values()
        if (current := field.current) is not None
    ]
    return len(compact_json(said).encode())


def owner_of_values(topic_id: str) -> str:
    """Under which name the bucket has a topic's values: no record can have such an id."""
    return f"topic@{topic_id}"


def topic_of(owner: str) -> str | None:
    """The inverse of `owner_of_values`; None of a record."""
    topic_id = owner.removeprefix(owner_of_values(""))
    return None if topic_id == owner else topic_id
