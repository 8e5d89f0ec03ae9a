"""The codec between topics and heads, the topics' own items, and the JSON texts of topics' items.

The texts are validated on reading: an item may be corrupt.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from membrane.adapters.dynamodb.topics import topic_keys
from membrane.domain.access.trust import Trust
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.salience.function import rank_of
from membrane.domain.topics.events import MAX_RESIDENT_EVENTS, TopicEvent
from membrane.domain.topics.form import event_json, topic_json, topic_of_json, validate_as
from membrane.domain.topics.large_values import owner_of_values
from membrane.domain.topics.titles import title_key
from membrane.domain.topics.topic import HIDDEN, Topic, TopicStatus
from membrane.table.blobs import BlobStore, Packing, blob_of_text, unpack
from membrane.table.index import DUE, NATURAL, RANK
from membrane.table.items import (
    CorruptItem,
    Item,
    Parsed,
    Value,
    binary,
    key_in,
    number,
    parse_text,
    raising_corrupt_item,
    read_integer,
    read_number,
    read_text,
    read_word,
    text,
)

DOCUMENT, TRAIL, EVENTS, REPLY = "document", "trail", "events", "reply"
"""The attributes that hold JSON texts: of heads, of older audit events, of receipts."""

ALL_TEXTS = (DOCUMENT, TRAIL, EVENTS, REPLY)

KEPT_EVENTS = 8
"""Audit events that stay in the head when the events before leave the head together."""

_UNLISTED = (TopicStatus.MERGED, *HIDDEN)
_NATIVE = ("id", "scope", "sensitivity", "status", "version")
_NATIVE_NUMBERS = {"salience": "salience", "anchored_at_s": "anchored_at", "born_s": "created_at"}
"""The attributes of the item that the document lacks, by their names in the JSON of a topic."""


def topic_item(topic: Topic) -> tuple[Packing, Packing | None]:
    """The head of a topic, and the item of audit events that no longer fit the head, if any."""
    held = len(topic.trail)
    leaving = held - KEPT_EVENTS if held > MAX_RESIDENT_EVENTS else 0
    packing = Packing(owner_of_values(topic.id), _native(topic))
    apart = (*_NATIVE, *_NATIVE_NUMBERS)
    document = {name: each for name, each in topic_json(topic).items() if name not in apart}
    document["events"] = topic.events
    packing.add({DOCUMENT: compact_json(document), TRAIL: _events_json(topic.trail[leaving:])})
    return packing, _events_item(topic, leaving) if leaving else None


def topic_in(item: Item, blobs: BlobStore) -> Topic:
    """The topic of a head, whose attributes override the document; raises CorruptItem."""
    topic_id = topic_keys.topic_id_of(item)
    document = json_in(item, DOCUMENT, blobs, dict)
    trail = json_in(item, TRAIL, blobs, list)
    native = {name: read_number(item, each) for name, each in _NATIVE_NUMBERS.items()} | {
        "id": topic_id,
        "scope": read_text(item, "scope") if "scope" in item else "",
        "sensitivity": read_text(item, "sensitivity"),
        "status": read_text(item, "status"),
        "version": read_integer(item, "version"),
    }
    with requiring_shape(item):
        return topic_of_json(document | native, trail, document["events"])


def may_be_shown(item: Item, trust: Trust) -> bool:
    """Whether the trust allows the topic, or the topic is an alias; raises CorruptItem."""
    if read_text(item, "status") == TopicStatus.MERGED:
        return True
    scope = read_text(item, "scope") if "scope" in item else ""
    return trust.allows(scope, read_word(item, "sensitivity", Sensitivity))


def events_in(item: Item, blobs: BlobStore) -> list[TopicEvent]:
    """Audit events that have left a head; raises CorruptItem."""
    listed = json_in(item, EVENTS, blobs, list)
    with requiring_shape(item):
        return validate_as(list[TopicEvent], listed)


def rewritten_events(
    item: Item, events: Mapping[int, TopicEvent], blobs: BlobStore
) -> Packing | None:
    """The item of older events with the replacements, by position; None without a change."""
    before = events_in(item, blobs)
    first = position_of(item)
    after = [events.get(first + offset, each) for offset, each in enumerate(before)]
    if after == before:
        return None
    packing = Packing(owner_of_values(topic_keys.topic_id_of(item)), key_in(item))
    packing.add({EVENTS: _events_json(after)})
    return packing


def position_of(item: Item) -> int:
    """The position of the item's first event in the whole trail."""
    return int(read_text(item, "sk").removeprefix(topic_keys.AUDIT))


def due_keys(due_s: float | None) -> dict[str, Value]:
    """The keys in the due index, rounded up to whole seconds: never before the topic is due."""
    if due_s is None or not math.isfinite(due_s):
        return {}
    return DUE.entry(text(topic_keys.TOPICS_DUE), number(math.ceil(due_s)))


def _native(topic: Topic) -> dict[str, Value]:
    item: dict[str, Value] = topic_keys.topic_key(topic.id) | {
        "version": number(topic.version),
        "sensitivity": text(topic.sensitivity),
        "status": text(topic.status),
        "salience": number(topic.base.salience),
        "anchored_at": number(topic.base.at_s),
        "created_at": number(topic.base.born_s),
    }
    if topic.scope:
        item["scope"] = text(topic.scope)
    if topic.status not in _UNLISTED:
        rank = number(rank_of(topic.base, topic.lifecycle))
        title = binary(title_key(topic.scope, topic.kind, topic.title))
        item |= RANK.entry(text(topic_keys.rank_partition(topic.scope)), rank)
        item |= NATURAL.entry(title, number(topic.base.born_s))
    return item | due_keys(topic.due_s)


def _events_item(topic: Topic, leaving: int) -> Packing:
    place = topic_keys.events_place(topic.events - len(topic.trail))
    packing = Packing(owner_of_values(topic.id), topic_keys.topic_key(topic.id, place))
    packing.add({EVENTS: _events_json(topic.trail[:leaving])})
    return packing


def _events_json(events: Sequence[TopicEvent]) -> str:
    return compact_json([*map(event_json, events)])


# --- the JSON texts of items --------------------------------------------------------------------


def json_in(item: Item, name: str, blobs: BlobStore, expected: type[Parsed]) -> Parsed:
    """The JSON value of an attribute; raises CorruptItem."""
    owner = owner_of_values(topic_keys.topic_id_of(item))
    return parse_text(item, name, unpack(item, name, owner, blobs), expected)


def blobs_of(item: Item, names: Iterable[str]) -> Iterator[str]:
    """The blobs that hold the item's JSON texts of the given names."""
    owner = owner_of_values(topic_keys.topic_id_of(item))
    for name in names:
        blob = blob_of_text(item, name, owner)
        if blob is not None:
            yield blob


@contextmanager
def requiring_shape(item: Item) -> Iterator[None]:
    """Raise CorruptItem for a document of an unexpected shape."""
    try:
        with raising_corrupt_item(item):
            yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        reason = f"not of the shape that was expected ({type(error).__name__})"
        raise CorruptItem(item, reason) from error
