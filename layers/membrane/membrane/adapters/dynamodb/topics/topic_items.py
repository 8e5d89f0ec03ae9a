"""Topics as entities: the codec of heads, the log of events, and what a change writes beside.

topic#<id>  topic               the head
            audit#<position>    older events
            rev#, stored#       revisions and archives: see `revisions`
            out#, in#, access   edges and reads: see `small_items`

The texts are validated on reading: an item may be corrupt.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import ClassVar

from membrane.domain.access.trust import Trust
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.pruning import Retention
from membrane.domain.records.standing import index_version
from membrane.domain.salience.function import rank_of
from membrane.domain.topics import form
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.titles import title_key
from membrane.domain.topics.topic import HIDDEN, Topic, TopicStatus
from membrane.domain.topics.versions import changes_search, loses_vector
from membrane.table.blobs import BlobStore, blob_names_in, unpack
from membrane.table.dynamo import MAX_KEYS, items_at
from membrane.table.entity import Change, Draft, Entities, Log, Origin
from membrane.table.index import DUE, NATURAL, RANK, STALE, WRITTEN, marker, register
from membrane.table.items import (
    BORN,
    Item,
    Parsed,
    Refusal,
    Value,
    Write,
    binary,
    number,
    parse_text,
    place_in,
    put_new,
    raising_corrupt_item,
    read_integer,
    read_number,
    read_text,
    read_word,
    text,
)
from membrane.table.keys import TOPICS, primary_key, scope_place
from membrane.table.long import MARK, unmarked_removal
from membrane.usecases.machinery.calls import side_by_side
from membrane.usecases.ports.topics import TopicIdTaken

DOCUMENT, TRAIL = "document", "trail"
"""The attributes of a head that hold JSON texts."""

SCOPES = "topics-homes"
"""The partition of the registry of scopes that have, or had, topics."""

TOPICS_DUE = "topics-due"
"""The partition of the due index, separate from the records'."""

INCOMING, OUTGOING = "in#", "out#"
"""The sort keys of edges begin so, in the partition of the target and of the source."""

TOGETHER = 48
"""Deletions of one transaction."""

_UNLISTED = (TopicStatus.MERGED, *HIDDEN)
_NATIVE = ("id", "scope", "sensitivity", "status", "version")
_NATIVE_NUMBERS = {"salience": "salience", "anchored_at_s": "anchored_at", "born_s": "created_at"}
"""The attributes of the item that the document lacks, by their names in the JSON of a topic."""


def topic_partition(topic_id: str) -> str:
    return f"{TOPICS.sources}{topic_id}"


def topic_key(topic_id: str, sort_key: str = TOPICS.own) -> dict[str, Value]:
    """The key of an item in a topic's partition; by default of the head."""
    return primary_key(topic_partition(topic_id), sort_key)


def topic_id_of(item: Item) -> str:
    return read_text(item, "pk").removeprefix(TOPICS.sources)


def rank_partition(scope: str) -> str:
    return f"topics#{scope_place(scope)}"


def topic_in(item: Item, blobs: BlobStore) -> Topic:
    """The topic of a head, whose attributes override the document; raises CorruptItem."""
    topic_id = topic_id_of(item)
    document = json_in(item, DOCUMENT, blobs, dict)
    trail = json_in(item, TRAIL, blobs, list)
    native = {name: read_number(item, each) for name, each in _NATIVE_NUMBERS.items()} | {
        "id": topic_id,
        "scope": read_text(item, "scope") if "scope" in item else "",
        "sensitivity": read_text(item, "sensitivity"),
        "status": read_text(item, "status"),
        "version": read_integer(item, "version"),
    }
    with raising_corrupt_item(item):
        return form.topic_of_json(document | native, trail, document["events"])


def may_be_shown(item: Item, trust: Trust) -> bool:
    """Whether the trust allows the topic, or the topic is an alias; raises CorruptItem."""
    if read_text(item, "status") == TopicStatus.MERGED:
        return True
    scope = read_text(item, "scope") if "scope" in item else ""
    return trust.allows(scope, read_word(item, "sensitivity", Sensitivity))


def due_keys(due_s: float | None) -> dict[str, Value]:
    """The keys in the due index, rounded up to whole seconds: never before the topic is due."""
    if due_s is None or not math.isfinite(due_s):
        return {}
    return DUE.entry(text(TOPICS_DUE), number(math.ceil(due_s)))


def _native(topic: Topic) -> dict[str, Value]:
    item: dict[str, Value] = topic_key(topic.id) | {
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
        item |= RANK.entry(text(rank_partition(topic.scope)), rank)
        item |= NATURAL.entry(title, number(topic.base.born_s))
    return item | due_keys(topic.due_s)


def _events_json(events: Sequence[TopicEvent]) -> str:
    return compact_json([*map(form.event_json, events)])


def _events_in(item: Item, name: str, content: str) -> list[TopicEvent]:
    listed = parse_text(item, name, content, list)
    with raising_corrupt_item(item):
        return form.validate_as(list[TopicEvent], listed)


EVENTS = Log("audit", "events", _events_json, _events_in, tail=TRAIL, spilled="spilled")
"""The audit trail of a topic."""


@dataclass(frozen=True, slots=True)
class TopicKind(Entities[Topic]):
    """The part of DynamoTopics that says what a change of a topic writes."""

    retention: Retention
    elapsed_s: Callable[[], float] = lambda: 0.0
    """Seconds of a monotonic clock."""
    registered: dict[str, float] = field(default_factory=dict)

    logs: ClassVar[Sequence[Log]] = (EVENTS,)

    def encode(self, held: Topic) -> tuple[dict[str, Value], dict[str, str]]:
        apart = (*_NATIVE, *_NATIVE_NUMBERS)
        document = {name: each for name, each in form.topic_json(held).items() if name not in apart}
        return _native(held), {DOCUMENT: compact_json(document | {"events": held.events})}

    def entries_of(self, held: Topic, _log: Log) -> Sequence[TopicEvent]:
        return held.trail

    def origin_of(self, held: Topic) -> Origin:
        """A topic knows its version and its counts; no text of a head outlives a version."""
        resident = len(held.trail)
        counts = EVENTS.counts(held.events - resident, resident)
        return Origin({"version": number(held.version), **counts}, {EVENTS.name: resident})

    def owner_of(self, held: Topic) -> str:
        return form.owner_of_values(held.id)

    def beside(self, held: Topic) -> dict[str, Value]:
        return {"pk": text(topic_partition(held.id)), BORN: number(held.base.born_s)}

    def add_beside(self, draft: Draft, change: Change[Topic], head: dict[str, Value]) -> None:
        """Flag the head for a new vector, also for a new edge at the topic; end a vector."""
        before, after = change.before, change.after
        partition, sides = topic_partition(after.id), (OUTGOING, INCOMING)
        places = (place_in(part.item) for part in draft.parts)
        has_edge = any(at == partition and place.startswith(sides) for at, place in places)
        if has_edge or changes_search(before, after):
            head[STALE] = WRITTEN
        if before is not None and loses_vector(before, after):
            version = index_version(after.base.born_s, after.version)
            draft.writes.append(marker(after.id, version, self.now(), TOPICS))

    def open_scopes(self, changes: Sequence[Change[Topic]]) -> Collection[str]:
        return {each.after.scope for each in changes}

    def refusal_of(self, _held: Topic) -> Refusal:
        return lambda _: TopicIdTaken()

    def require_free(self, puts: Iterable[Write]) -> None:
        """Read nothing: ids and keys are new but for repeats, whose blobs are the same or go."""

    def carry_out(self, draft: Draft) -> None:
        """Register the scopes of new topics before."""
        for each in draft.changes:
            if each.before is None:
                scope = each.after.scope
                registration = put_new(primary_key(SCOPES, scope_place(scope)))
                register(self, registration, scope, self.registered, self.elapsed_s)
        Entities.carry_out(self, draft)

    def put_blobs(self, blobs: Mapping[str, bytes]) -> None:
        side_by_side(lambda blob: self.blobs.write(*blob), list(blobs.items()))

    def items_of_topic(
        self, topic_id: str, prefix: str = "", limit: int | None = None
    ) -> Iterator[Item]:
        """The items of a topic's partition whose sort keys have the prefix."""
        condition, values = "pk = :pk", {":pk": text(topic_partition(topic_id))}
        if prefix:
            condition += " AND begins_with(sk, :prefix)"
            values[":prefix"] = text(prefix)
        return self.query(condition, values, limit=limit)

    def items_at(self, keys: Sequence[dict[str, Value]]) -> list[Item]:
        """The existing items: one GetItem, or a BatchGetItem for 100; strongly consistent."""
        if len(keys) == 1:
            item = self.item_at(keys[0])
            return [] if item is None else [item]
        parts = [keys[start : start + MAX_KEYS] for start in range(0, len(keys), MAX_KEYS)]
        read = partial(items_at, self.client, self.table, consistent=True)
        return list(chain.from_iterable(side_by_side(read, parts)))

    def settled_items(self, topic_id: str, prefix: str = "") -> list[Item]:
        """The items after every unfinished change that wrote one of the items is settled."""
        items = list(self.items_of_topic(topic_id, prefix))
        tokens = {read_text(item, MARK) for item in items if MARK in item}
        for token in sorted(tokens):
            self.long.settle(token)
        return list(self.items_of_topic(topic_id, prefix)) if tokens else items

    def delete(self, keys: Sequence[Mapping[str, Value]]) -> None:
        """Delete the items that exist; raises LostRace for an item of an unfinished change."""
        writes = [unmarked_removal(key) for key in {place_in(key): key for key in keys}.values()]
        for start in range(0, len(writes), TOGETHER):
            self.long.commit("", writes[start : start + TOGETHER], ())


# --- the JSON texts of items --------------------------------------------------------------------


def json_in(item: Item, name: str, blobs: BlobStore, expected: type[Parsed]) -> Parsed:
    """The JSON value of an attribute; raises CorruptItem."""
    owner = form.owner_of_values(topic_id_of(item))
    return parse_text(item, name, unpack(item, name, owner, blobs), expected)


def blobs_of(item: Item) -> frozenset[str]:
    """The blobs that an item of a topic's partition names."""
    return blob_names_in([item], form.owner_of_values(topic_id_of(item)))
