"""Topics in DynamoDB: every access pattern one method, every write conditional."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from membrane.adapters.dynamodb.records.beside import put_head
from membrane.adapters.dynamodb.topics.revisions import (
    TopicRevisions,
    archive_items,
    removals,
    revision_item,
)
from membrane.adapters.dynamodb.topics.small_items import SmallItems, edge_items, receipt_item
from membrane.adapters.dynamodb.topics.topic_items import (
    EVENTS,
    TOPICS_DUE,
    blobs_of,
    due_keys,
    may_be_shown,
    rank_partition,
    topic_id_of,
    topic_in,
    topic_key,
    topic_partition,
)
from membrane.adapters.dynamodb.topics.topic_scopes import TopicScopes
from membrane.domain.access.trust import Trust
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.topic import Topic
from membrane.table.blobs import unpack
from membrane.table.entity import Change
from membrane.table.index import DUE, NATURAL, RANK, touch
from membrane.table.items import (
    KEY_ATTRIBUTES,
    CorruptItem,
    Item,
    Write,
    as_read,
    binary,
    key_in,
    lost_race,
    number,
    read_number,
    text,
)
from membrane.table.keys import blob_name
from membrane.table.long import new_part, next_part
from membrane.usecases.ports.topics import ReceiptTaken, TopicChange, TopicPlace


@dataclass(frozen=True, slots=True)
class DynamoTopics(TopicRevisions, SmallItems, TopicScopes):
    """Topics over a table and a bucket.

    Reads are strongly consistent unless the method says otherwise. No read returns a part of a
    change of several transactions before the change is complete. Any method may raise
    ResourceExhausted or Unavailable.
    """

    def apply(self, change: TopicChange) -> None:
        """Write the whole change, or nothing visible; a departure of a revision passes fences.

        Raises LostRace if a topic or a head is no longer as read; TopicIdTaken; ReceiptTaken. One
        transaction; for a larger change, several transactions (see `table.long`).
        """
        blobs = {blob_name(of.record_id, of.sha256): text for of, text in change.values.items()}
        once = []
        if change.receipt is not None:
            usual_s = int(epoch_seconds(self.now() + self.retention.tombstone))
            receipt = receipt_item(change.receipt, change.receipt.expires_at_s or usual_s)
            once = [self.put_new(receipt.item, lambda _: ReceiptTaken())]
            blobs |= receipt.blobs
        revisions = [revision_item(*each) for each in change.revisions]
        archives = [*archive_items(change)]
        for each in (*revisions, *archives):
            blobs |= each.blobs
        edges = {(each.from_id, each.to_id, each.kind): each for each in change.edges}
        store = self.without_fences() if change.departed else self
        store.commit(
            [Change(*each) for each in change.topics],
            [
                *map(put_head, change.heads),
                *removals(change),
                *(Write("Put", lost_race, item=each.item) for each in archives),
            ],
            once=once,
            blobs=blobs,
            parts=[
                *(new_part(each.item) for each in revisions),
                *(next_part(item) for each in edges.values() for item in edge_items(each)),
            ],
            token=change.token,
        )

    def load(self, topic_id: str) -> Topic | None:
        """The topic of any status; aliases are not followed. One strongly consistent GetItem."""
        return self.load_all([topic_id]).get(topic_id)

    def load_all(self, topic_ids: Sequence[str], trust: Trust | None = None) -> Mapping[str, Topic]:
        """Existing topics of any status by id; an alias is returned as an alias.

        Topics outside `trust` are left out before the content is read, so the cost never tells a
        caller a hidden topic from an absent one. A strongly consistent BatchGetItem for 100 ids.
        """
        items = self.items_at([topic_key(each) for each in dict.fromkeys(topic_ids)])
        if trust is not None:
            items = [item for item in items if may_be_shown(item, trust)]
        return {
            topic_id_of(item): topic for item in items if (topic := self._topic(item)) is not None
        }

    def _topic(self, item: Item) -> Topic | None:
        """The topic of a head; reads again if a concurrent change removed a blob."""
        with suppress(CorruptItem):
            return topic_in(item, self.blobs)
        newest = self.item_at(key_in(item))
        return None if newest is None else topic_in(newest, self.blobs)

    def events(self, topic: Topic) -> Sequence[TopicEvent]:
        """The whole audit trail, the oldest event first.

        One Query if events have left the head; events added since the load are left out.
        """
        older = topic.events - len(topic.trail)
        return [*(each for _, each in self.log_entries(topic, EVENTS, 0, older)), *topic.trail]

    def rewrite_events(self, topic: Topic, change: Callable[[TopicEvent], TopicEvent]) -> None:
        """Replace the events that have left the head; idempotent.

        A new event equals the replaced event, apart from the erased text. A Query, and a PutItem
        for every item with a changed event; raises LostRace, as two erasures may erase texts of
        one item.
        """
        older = topic.events - len(topic.trail)
        for item in (
            self.between(topic_partition(topic.id), *EVENTS.span(0, older)) if older else ()
        ):
            content = unpack(item, EVENTS.beside, self.owner_of(topic), self.blobs)
            events = EVENTS.unpack(item, EVENTS.beside, content)
            after = [*map(change, events)]
            if after == events:
                continue
            packing = self.item_beside(topic, EVENTS, EVENTS.position_of(item), after)
            self.put_blobs(packing.blobs)
            unchanged = as_read(item, sorted(item.keys() - {*KEY_ATTRIBUTES}))
            self.commit_all(Write("Put", lost_race, item=packing.item, **unchanged))
            for blob in blobs_of(item) - packing.blobs.keys():
                self.blobs.erase(blob)

    def blob_names(self, topic_id: str) -> frozenset[str]:
        """One Query a megabyte, of the whole partition."""
        return frozenset().union(*map(blobs_of, self.items_of_topic(topic_id)))

    def list_topics(
        self, scope: str, limit: int, after: TopicPlace | None = None
    ) -> Sequence[TopicPlace]:
        """The next topics of a scope, the highest rank first, without merged and deleted topics.

        Eventually consistent: load a listed topic before use. A Query of the rank index a megabyte.
        """
        partition, start = text(rank_partition(scope)), None
        if after is not None:
            place = RANK.entry(partition, number(after.rank))
            start = topic_key(after.topic_id) | place
        found = RANK.read(self, partition, limit, after=start)
        return [TopicPlace(topic_id_of(item), read_number(item, "rank_sk")) for item in found]

    def ids_by_title(self, title_key: bytes, limit: int) -> Sequence[str]:
        """Ids of topics that have or had the title in a scope and kind, the newest first.

        Without merged and deleted topics. Eventually consistent. A Query of the natural index a
        megabyte.
        """
        found = NATURAL.read(self, binary(title_key), limit)
        return [topic_id_of(item) for item in found]

    def due(self, by_s: float, limit: int) -> Sequence[tuple[str, float]]:
        """Ids of topics due for a step of the ladder, with due instants; eventually consistent.

        A Query of the due index a megabyte.
        """
        partition, until = text(TOPICS_DUE), number(by_s)
        found = DUE.read(self, partition, limit, until=until, backwards=False)
        return [(topic_id_of(item), read_number(item, "due_sk")) for item in found]

    def put_off(self, topic_id: str, version: int, until_s: float | None) -> None:
        """Move the due instant, or remove it; do nothing if the topic has a different version.

        A conditional UpdateItem.
        """
        keys, version_is = due_keys(until_s), {":version": number(version)}
        gone = () if keys else ("due_pk", "due_sk")
        touch(self, topic_key(topic_id), "version = :version", version_is, sets=keys, removes=gone)
