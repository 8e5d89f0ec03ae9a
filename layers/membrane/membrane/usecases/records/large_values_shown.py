"""What a reply shows of values that lie in the bucket: the value, or a link (design 4.2)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from membrane.domain.language.errors import ResourceExhausted, TooLarge, Unavailable
from membrane.domain.language.json_text import Body, JsonObject, compact_json
from membrane.domain.language.values import BLOB, LargeValue
from membrane.domain.records.limits import LINK_BYTES, MAX_BODY_BYTES, payload_bytes, reply_bytes
from membrane.usecases.ports.records import NO_VALUES
from membrane.usecases.ports.services import Services

QUOTES_BYTES = 2
"""What a whole reply has around its JSON, and a part of it has not."""


def shown(body: Body, services: Services, known: Mapping[LargeValue, bytes] = NO_VALUES) -> Body:
    """The body with its large values in place, the smallest first, while the reply has room.

    The others become links. `known` spares reading what was just written. A body that is too large
    loses its records' oldest audit entries; raises TooLarge where that is not enough.
    """
    places = sorted(_places(body), key=lambda place: place[2].size)
    room = MAX_BODY_BYTES - reply_bytes(body)
    if room < 0:
        _drop_oldest_entries(body, -room)
        room = MAX_BODY_BYTES - reply_bytes(body)
    if room < 0:
        raise TooLarge(f"the reply would be larger than {MAX_BODY_BYTES} bytes")
    for holder, name, large in places:
        value, size = _fitting(large, room + LINK_BYTES, services, known)
        holder[name] = value
        room -= size - LINK_BYTES
    return body


def _drop_oldest_entries(body: Body, excess: int) -> None:
    for record in (body.get("record"), *body.get("records", ())):
        if isinstance(record, dict) and "audit_log" in record:
            left = list(record["audit_log"])
            while left and excess > 0:
                excess -= reply_bytes(left.pop(0)) - QUOTES_BYTES
            record["audit_log"] = left


def _fitting(
    large: LargeValue, room: int, services: Services, known: Mapping[LargeValue, bytes]
) -> tuple[Any, int]:
    text = _at_hand(large, services, known) if large.size <= room else None
    if text is not None:
        value = json.loads(text)
        size = payload_bytes(compact_json(value))
        if size <= room:
            return value, size
    link = services.records.link(large)
    return {BLOB: {"sha256": large.sha256, "size": large.size, "url": link}}, LINK_BYTES


def _at_hand(
    large: LargeValue, services: Services, known: Mapping[LargeValue, bytes]
) -> bytes | None:
    """None where the bucket does not give the value now: a link then does."""
    try:
        return known.get(large) or services.records.value(large)
    except (ResourceExhausted, Unavailable):
        return None


def _places(value: Any) -> Iterator[tuple[JsonObject, str, LargeValue]]:
    """Where large values stand: always in an object, since no list is a field of its own."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, LargeValue):
                yield value, name, inner
            else:
                yield from _places(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _places(inner)
