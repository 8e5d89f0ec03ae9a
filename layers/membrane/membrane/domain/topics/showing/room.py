"""Room in a reply, and how the candidates of a query share it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from membrane.domain.records.limits import MAX_REPLY_BYTES, reply_bytes
from membrane.domain.topics.showing.shapes import SUMMARY_CHARACTERS

if TYPE_CHECKING:
    from membrane.domain.topics.replies.query import TopicBundle

Element = TypeVar("Element")

BESIDE_BYTES = 64 * 1024
"""For what else a reply holds: cursors, names, counts."""

LEAST_HEAD_BYTES = 12 * 1024
"""No candidate is larger without its neighbours, its fields and most of its summary."""


@dataclass(slots=True)
class Room:
    left: int = MAX_REPLY_BYTES - BESIDE_BYTES

    def takes(self, value: Any) -> bool:
        """Whether it fits, large values as links; then there is so much less left."""
        size = reply_bytes(value)
        if size > self.left:
            return False
        self.left -= size
        return True


def fitted(
    elements: Sequence[Element],
    room: Room,
    least_bytes: int,
    fit: Callable[[Element, Room], Element],
) -> list[Element]:
    """Each element as `fit` cuts it, while `least_bytes` stay for each element behind it."""
    room.left -= least_bytes * len(elements)
    found: list[Element] = []
    for element in elements:
        room.left += least_bytes
        found.append(fit(element, room))
    return found


def cut(candidates: "Sequence[TopicBundle]", room: Room) -> "list[TopicBundle]":
    """All candidates, sharing the room evenly; `fields_cut` where a candidate needs more."""
    heads = fitted(candidates, room, LEAST_HEAD_BYTES, _head)
    every = [each["fields"] for each in candidates]
    sizes = [reply_bytes(fields) for fields in every]
    waiting = sorted(range(len(every)), key=sizes.__getitem__)
    for done, position in enumerate(waiting):
        share = Room(room.left // (len(waiting) - done))
        room.left -= share.left
        told = [each for each in every[position] if share.takes(each)]
        room.left += share.left
        heads[position]["fields"] = told
        if len(told) < len(every[position]):
            heads[position]["fields_cut"] = True
    return heads


def _head(candidate: "TopicBundle", room: Room) -> "TopicBundle":
    whole: TopicBundle = {**candidate, "fields": []}
    if room.takes(whole):
        return whole
    summary = candidate["summary"]
    least: TopicBundle = {
        **whole,
        "summary": summary and summary[:SUMMARY_CHARACTERS],
        "neighbors": [],
        "neighbors_truncated": bool(candidate["neighbors"]) or candidate["neighbors_truncated"],
    }
    room.takes(least)
    return least
