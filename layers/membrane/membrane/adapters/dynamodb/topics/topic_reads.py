"""Read topics, histories, edges, events and accesses, with strong consistency."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice

from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.long_changes import CommittedView, LongChanges
from membrane.adapters.dynamodb.topics.side_items import (
    access_in,
    archived_in,
    blob_names_in,
    edge_in,
    edge_keys,
    receipt_in,
    revision_in,
)
from membrane.adapters.dynamodb.topics.topic_items import (
    ALL_TEXTS,
    blobs_of,
    events_in,
    may_be_shown,
    position_of,
    topic_in,
)
from membrane.domain.access.trust import Trust
from membrane.domain.language.timestamps import epoch_seconds, is_before
from membrane.domain.topics.access import Access
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Archive, Edge, Line, Topic
from membrane.table.dynamo import MAX_KEYS, items_at
from membrane.table.items import CorruptItem, Item, Value, key_in, read_text, text
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.topics import TopicReceipt


@dataclass(frozen=True, slots=True)
class TopicReads(LongChanges):
    """The part of DynamoTopics that reads."""

    def load(self, topic_id: str) -> Topic | None:
        """The topic of any status; aliases are not followed. One strongly consistent GetItem."""
        return self.load_all([topic_id]).get(topic_id)

    def load_all(self, topic_ids: Sequence[str], trust: Trust | None = None) -> Mapping[str, Topic]:
        """Existing topics of any status by id; an alias is returned as an alias.

        Topics outside `trust` are left out before the content is read, so the cost never tells a
        caller a hidden topic from an absent one. A strongly consistent BatchGetItem for 100 ids.
        """
        items = self._items(topic_ids, topic_keys.TOPIC)
        if trust is not None:
            items = [item for item in items if may_be_shown(item, trust)]
        return {
            topic_keys.topic_id_of(item): topic
            for item in items
            if (topic := self._topic(item)) is not None
        }

    def history(
        self,
        line: Line,
        *,
        limit: int | None = None,
        until: str | None = None,
        oldest_first: bool = False,
    ) -> Sequence[Revision]:
        """At most `limit` revisions of a line in the table, ordered by `Revision.place`.

        The newest first unless `oldest_first`; with a `valid_from` of `until` at the latest. One
        Query a megabyte, of the requested revisions only.
        """

        def read_visible(view: CommittedView) -> list[Revision]:
            found = self._revision_items(line, limit, until, oldest_first=oldest_first)
            items = filter(None, map(view.of, found))
            revisions = (revision_in(item, self.blobs) for item in items)
            valid = (
                each for each in revisions if not until or not is_before(until, each.valid_from)
            )
            return list(islice(valid, limit))

        return self.read_whole(read_visible)

    def find_revisions(
        self, places: Sequence[tuple[Line, Revision]]
    ) -> Sequence[tuple[Line, Revision]]:
        """The whole revisions at the places, as far as stored in the table, in few requests.

        A place is a line and a revision without the value. A strongly consistent BatchGetItem for
        100 places.
        """
        at = [topic_keys.revision_place(line.id, each) for line, each in places]
        lines = {(line.topic_id, place): line for (line, _), place in zip(places, at, strict=True)}
        keys = [topic_keys.topic_key(*place) for place in lines]

        def read_visible(view: CommittedView) -> list[tuple[Line, Revision]]:
            pairs = []
            for item in filter(None, map(view.of, self._items_at(keys))):
                place = topic_keys.topic_id_of(item), read_text(item, "sk")
                pairs.append((lines[place], revision_in(item, self.blobs)))
            return pairs

        return self.read_whole(read_visible)

    def load_archive(self, line: Line, archive: Archive) -> Sequence[Revision]:
        """One GetObject."""
        return archived_in(line, archive, self.blobs)

    def edges(self, topic_ids: Sequence[str], limit: int) -> Sequence[Edge]:
        """At most `limit` edges per topic and direction, distinct, removed edges included.

        Two Queries a topic, side by side.
        """
        sides = [
            (topic_id, side)
            for topic_id in dict.fromkeys(topic_ids)
            for side in (topic_keys.OUTGOING, topic_keys.INCOMING)
        ]

        def read_visible(view: CommittedView) -> list[Edge]:
            def of_side(side: tuple[str, str]) -> list[Edge]:
                items = filter(None, map(view.of, self.items_of_topic(*side, limit)))
                return list(map(edge_in, islice(items, limit)))

            return list(chain.from_iterable(side_by_side(of_side, sides)))

        return list(dict.fromkeys(self.read_whole(read_visible)))

    def find_edge(self, from_id: str, to_id: str, kind: str) -> Edge | None:
        """One strongly consistent GetItem."""

        def read_visible(view: CommittedView) -> Edge | None:
            item = self.item_at(edge_keys(from_id, to_id, kind)[0])
            found = None if item is None else view.of(item)
            return None if found is None else edge_in(found)

        return self.read_whole(read_visible)

    def events(self, topic: Topic) -> Sequence[TopicEvent]:
        """The whole audit trail, the oldest event first.

        One Query if events have left the head; events added since the load are left out.
        """
        older = topic.events - len(topic.trail)
        if not older:
            return topic.trail
        spilled = {
            position_of(item) + offset: event
            for item in self.items_of_topic(topic.id, topic_keys.AUDIT)
            for offset, event in enumerate(events_in(item, self.blobs))
        }
        return [*(spilled[each] for each in sorted(spilled) if each < older), *topic.trail]

    def find_receipt(self, identity: bytes) -> TopicReceipt | None:
        """One strongly consistent GetItem."""
        key = topic_keys.receipt_key(identity)
        item = self.lasting_item_at(key, epoch_seconds(self.now()))
        return None if item is None else receipt_in(identity, item, self.blobs)

    def accesses(self, topic_ids: Sequence[str]) -> Mapping[str, Access]:
        """The salience that reading added, by topic id; topics never read are left out.

        A strongly consistent BatchGetItem for 100 ids.
        """
        items = self._items(topic_ids, topic_keys.ACCESS)
        return {topic_keys.topic_id_of(item): access_in(item, self.blobs) for item in items}

    def blob_names(self, topic_id: str) -> frozenset[str]:
        """One Query a megabyte, of the whole partition."""
        named: set[str] = set()
        for item in self.items_of_topic(topic_id):
            named.update(blobs_of(item, ALL_TEXTS))
            named.update(blob_names_in(item))
        return frozenset(named)

    def _topic(self, item: Item) -> Topic | None:
        """The topic of a head; reads again if a concurrent change removed a blob."""
        with suppress(CorruptItem):
            return topic_in(item, self.blobs)
        newest = self.item_at(key_in(item))
        return None if newest is None else topic_in(newest, self.blobs)

    def _items(self, topic_ids: Sequence[str], sort_key: str) -> list[Item]:
        keys = [topic_keys.topic_key(each, sort_key) for each in dict.fromkeys(topic_ids)]
        if len(keys) == 1:
            item = self.item_at(keys[0])
            return [] if item is None else [item]
        return self._items_at(keys)

    def _items_at(self, keys: list[dict[str, Value]]) -> list[Item]:
        parts = [keys[start : start + MAX_KEYS] for start in range(0, len(keys), MAX_KEYS)]

        def at(some: list[dict[str, Value]]) -> list[Item]:
            return items_at(self.client, self.table, some, consistent=True)

        return list(chain.from_iterable(side_by_side(at, parts)))

    def _revision_items(
        self, line: Line, limit: int | None, until: str | None, *, oldest_first: bool
    ) -> Iterator[Item]:
        first = topic_keys.revisions_of(line.id)
        last = first + topic_keys.AFTER_ALL
        if until is not None:
            last = topic_keys.revisions_until(line.id, datetime.fromisoformat(until))
        values = {
            ":pk": text(topic_keys.topic_partition(line.topic_id)),
            ":first": text(first),
            ":last": text(last),
        }
        condition = "pk = :pk AND sk BETWEEN :first AND :last"
        return self.query(condition, values, limit=limit, backwards=not oldest_first)
