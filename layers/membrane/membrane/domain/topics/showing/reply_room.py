"""The division of the room in a reply among the candidates of a query."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from membrane.domain.records.sizes import Room, reply_bytes
from membrane.domain.topics.showing.shapes import SUMMARY_CHARACTERS

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import TopicBundle

Element = TypeVar("Element")

LEAST_HEAD_BYTES = 12 * 1024
"""The most bytes of a candidate with a cut summary, without neighbours and fields."""


def fit_each(
    elements: Sequence[Element],
    room: Room,
    least_bytes: int,
    fit: Callable[[Element, Room], Element],
) -> list[Element]:
    """The elements as cut by `fit`, with `least_bytes` reserved for every later element."""
    room.left -= least_bytes * len(elements)
    found: list[Element] = []
    for element in elements:
        room.left += least_bytes
        found.append(fit(element, room))
    return found


def cut_candidates(candidates: "Sequence[TopicBundle]", room: Room) -> "list[TopicBundle]":
    """All candidates, with the room divided evenly; `fields_cut` marks a candidate cut short."""
    heads = fit_each(candidates, room, LEAST_HEAD_BYTES, _head)
    every = [each["fields"] for each in candidates]
    sizes = [reply_bytes(fields) for fields in every]
    waiting = sorted(range(len(every)), key=sizes.__getitem__)
    for done, position in enumerate(waiting):
        share = Room(room.left // (len(waiting) - done))
        room.left -= share.left
        fitting = [each for each in every[position] if share.takes(each)]
        room.left += share.left
        heads[position]["fields"] = fitting
        if len(fitting) < len(every[position]):
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
