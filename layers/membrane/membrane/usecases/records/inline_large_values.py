"""Put large values from the bucket into a reply: inline while the reply has room, else a link."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from membrane.domain.language import values
from membrane.domain.language.errors import ResourceExhausted, TooLarge, Unavailable
from membrane.domain.language.json_text import Body, JsonObject, compact_json
from membrane.usecases.ports.records import NO_VALUES
from membrane.usecases.ports.world import World

QUOTES_BYTES = 2
"""The quotes around a whole reply, which `reply_bytes` counts for a part as well."""


def inline_large_values(
    body: Body,
    world: World,
    known: Mapping[values.LargeValue, bytes] = NO_VALUES,
    bytes_of: values.BytesOf = values.payload_bytes,
) -> Body:
    """The body with large values inline, the smallest first, while the reply has room.

    Further values become links. `known` holds values just written, which need no read. `bytes_of`
    counts the bytes that a JSON text takes in the payload. A body above the limit loses the oldest
    audit entries of the records; raises TooLarge if the body is still above the limit.
    """
    places = sorted(_places(body), key=lambda place: place[2].size)
    room = values.MAX_BODY_BYTES - values.reply_bytes(body, bytes_of)
    if room < 0:
        _drop_oldest_entries(body, -room)
        room = values.MAX_BODY_BYTES - values.reply_bytes(body, bytes_of)
    if room < 0:
        raise TooLarge(f"the reply would be larger than {values.MAX_BODY_BYTES} bytes")
    for holder, name, large in places:
        value, size = _fitting(large, room + values.LINK_BYTES, world, known, bytes_of)
        holder[name] = value
        room -= size - values.LINK_BYTES
    return body


def _drop_oldest_entries(body: Body, excess: int) -> None:
    for record in (body.get("record"), *body.get("records", ())):
        if isinstance(record, dict) and "audit_log" in record:
            left = list(record["audit_log"])
            while left and excess > 0:
                excess -= values.reply_bytes(left.pop(0)) - QUOTES_BYTES
            record["audit_log"] = left


def _fitting(
    large: values.LargeValue,
    room: int,
    world: World,
    known: Mapping[values.LargeValue, bytes],
    bytes_of: values.BytesOf,
) -> tuple[Any, int]:
    text = _text_if_readable(large, world, known) if large.size <= room else None
    if text is not None:
        value = json.loads(text)
        size = bytes_of(compact_json(value))
        if size <= room:
            return value, size
    link = world.records.link(large)
    return {
        values.BLOB: {"sha256": large.sha256, "size": large.size, "url": link}
    }, values.LINK_BYTES


def _text_if_readable(
    large: values.LargeValue, world: World, known: Mapping[values.LargeValue, bytes]
) -> bytes | None:
    """The JSON text of the value; None if the bucket does not answer: a link serves as well."""
    try:
        return known.get(large) or world.records.value(large)
    except (ResourceExhausted, Unavailable):
        return None


def _places(value: Any) -> Iterator[tuple[JsonObject, str, values.LargeValue]]:
    """The object, the name and the value of each large value; lists hold none directly."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, values.LargeValue):
                yield value, name, inner
            else:
                yield from _places(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _places(inner)
