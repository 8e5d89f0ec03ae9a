"""Which values of a topic move from its items to the bucket, and the limit for the rest."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from membrane.domain.language.json_text import Body, JsonObject, compact_json
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.topics.topic import Field

MAX_CURRENT_BYTES = 4 * 1024 * 1024
"""The limit for all current values of a topic, as JSON: every write rewrites all of them."""

Path = tuple[str | int, ...]


def lean_value(value: Any, topic_id: str) -> tuple[Any, dict[LargeValue, bytes]]:
    """The value to store, and the JSON text for the bucket.

    A large value is replaced by a `LargeValue`; the JSON text is empty for any smaller value.
    """
    if value is None or isinstance(value, bool | int | float | LargeValue):
        return value, {}
    text = compact_json(value).encode()
    if len(text) < LARGE_VALUE_BYTES:
        return value, {}
    large = LargeValue.of(owner_of_values(topic_id), text)
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


def places_of_large_values(reply: Body) -> list[list[Any]]:
    """The path of each large value in a reply, with the owner, the digest and the size."""
    return [
        [list(path), each.record_id, each.sha256, each.size] for path, each in _large_in(reply, ())
    ]


def with_large_values(body: JsonObject, places: Sequence[Sequence[Any]]) -> JsonObject:
    """The reply read from JSON, with large values at the places.

    Raises KeyError, IndexError, TypeError or ValueError for a place that is not in the reply.
    """
    for (*way, last), owner, sha256, size in places:
        within: Any = body
        for step in way:
            within = within[step]
        within[last] = LargeValue(owner, sha256, size)
    return body


def _large_in(value: Any, path: Path) -> Iterator[tuple[Path, LargeValue]]:
    match value:
        case LargeValue():
            yield path, value
        case dict():
            for name, each in value.items():
                yield from _large_in(each, (*path, name))
        case list() | tuple():
            for index, each in enumerate(value):
                yield from _large_in(each, (*path, index))
        case _:
            pass
