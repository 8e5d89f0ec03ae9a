"""Which values of a topic move from its items to the bucket, and the limit for the rest."""

import hashlib
from collections.abc import Mapping
from typing import Any

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.topics.topic import Field

MAX_CURRENT_BYTES = 4 * 1024 * 1024
"""The limit for all current values of a topic, as JSON: every write rewrites all of them."""


def lean_value(value: Any, topic_id: str) -> tuple[Any, dict[LargeValue, bytes]]:
    """The value to store, and the JSON text for the bucket.

    A large value is replaced by a `LargeValue`; the JSON text is empty for any smaller value.
    """
    if value is None or isinstance(value, bool | int | float | LargeValue):
        return value, {}
    text = compact_json(value).encode()
    if len(text) < LARGE_VALUE_BYTES:
        return value, {}
    large = LargeValue(owner_of_values(topic_id), hashlib.sha256(text).hexdigest(), len(text))
    return large, {large: text}


def current_bytes(fields: Mapping[str, Field]) -> int:
    """The bytes of the current values in the head, with reasons and provenance, as JSON.

    Deleted fields count; large values do not.
    """
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
    """The owner name of a topic's values in the bucket; no record can have such an id."""
    return f"topic@{topic_id}"


def topic_of(owner: str) -> str | None:
    """The inverse of `owner_of_values`; None for the id of a record."""
    topic_id = owner.removeprefix(owner_of_values(""))
    return None if topic_id == owner else topic_id
