"""What records state in topics, and how the text of a statement leaves table and bucket."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.table.documents import blob_named
from membrane.adapters.dynamodb.table.writes import Write, commit, lost
from membrane.adapters.dynamodb.topics import topic_items, topic_keys
from membrane.adapters.dynamodb.topics.revision_items import departed_blobs
from membrane.adapters.dynamodb.topics.statement_items import statement_in
from membrane.adapters.dynamodb.topics.topic_items import rewritten_events
from membrane.adapters.dynamodb.topics.topic_reads import TopicReads
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.large_values import owner_of_values
from membrane.domain.topics.placing.statements import Statement
from membrane.domain.topics.topic import Topic
from membrane.domain.topics.withdrawing import Departure


@dataclass(frozen=True, slots=True)
class TopicErasing(TopicReads):
    """The part of a TopicStore by which the statement of a record is withdrawn."""

    def statement(self, record_id: str) -> Statement | None:
        """One strongly consistent GetItem."""
        item = self.item_at(topic_keys.statement_key(record_id))
        return None if item is None else statement_in(item)

    def blobs_left(self, topics: Sequence[Topic], departure: Departure) -> frozenset[str]:
        """A strongly consistent BatchGetItem of the heads: their next versions have new blobs."""
        left = set(departed_blobs(departure))
        for item in self._items([topic.id for topic in topics], topic_keys.TOPIC):
            owner = owner_of_values(topic_keys.topic_id_of(item))
            texts = (blob_named(item, name, owner) for name in topic_items.HEAD_TEXTS)
            left.update(each for each in texts if each is not None)
        return frozenset(left)

    def rewrite_events(self, topic_id: str, events: Mapping[int, TopicEvent]) -> None:
        """One Query, and one PutItem for each item that has one of the events."""
        owner = owner_of_values(topic_id)
        for item in self._items_of(topic_id, topic_keys.AUDIT) if events else ():
            packing = rewritten_events(item, events, self.blobs)
            if packing is None:
                continue
            for name, content in packing.blobs.items():
                self.blobs.put(name, content)
            put = Write("Put", lost, "attribute_exists(pk)", item=packing.item)
            commit(self.client, self.table, [put])
            blob = blob_named(item, topic_items.EVENTS, owner)
            if blob is not None and blob not in packing.blobs:
                self.blobs.remove(blob)
