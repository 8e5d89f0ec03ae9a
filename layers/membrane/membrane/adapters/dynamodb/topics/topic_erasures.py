"""Remove what a topic wrote: revisions, edges and logged actions. Every step may be repeated."""

from collections.abc import Collection
from dataclasses import dataclass

from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.long_changes import (
    MARK,
    UNMARKED,
    BlockedByChange,
    LongChanges,
)
from membrane.adapters.dynamodb.topics.side_items import (
    blob_names_in,
    edge_in,
    edge_keys,
)
from membrane.adapters.dynamodb.topics.topic_items import ALL_TEXTS, blobs_of
from membrane.table.items import (
    Item,
    LostRace,
    Value,
    Write,
    key_in,
    parse_text,
    place_in,
    read_text,
    text,
)

TOGETHER = 48
"""Deletions of one transaction."""


@dataclass(frozen=True, slots=True)
class TopicErasures(LongChanges):
    """The part of DynamoTopics that erases."""

    def written_lines(self, topic_id: str) -> frozenset[str]:
        """The ids of the lines in the partition of the topic.

        Archived revisions count, and revisions of unfinished changes. One Query a megabyte of the
        whole partition.
        """
        lines = map(_line_of, self.items_of_topic(topic_id))
        return frozenset(each for each in lines if each is not None)

    def forget_lines(self, topic_id: str, line_ids: Collection[str]) -> None:
        """Remove all revisions of lines in the partition of the topic, with archives and values.

        A blob that the rest of the partition names stays. One Query a megabyte of the whole
        partition; blobs first, then items in transactions.
        """
        if not line_ids:
            return
        leaving: list[Item] = []
        blobs: set[str] = set()
        named: set[str] = set()
        for item in self._settled_items(topic_id):
            of_item = {*blobs_of(item, ALL_TEXTS), *blob_names_in(item)}
            if _line_of(item) in line_ids:
                leaving.append(item)
                blobs |= of_item
            else:
                named |= of_item
        for name in sorted(blobs - named):
            self.blobs.erase(name)
        self._delete([key_in(item) for item in leaving])

    def forget_edges(self, topic_id: str) -> None:
        """Remove the edges of the topic, and the inverses in the partitions of other topics.

        Two Queries a megabyte, and a transaction for each 24 edges.
        """
        keys = [
            key
            for side in (topic_keys.OUTGOING, topic_keys.INCOMING)
            for item in self._settled_items(topic_id, side)
            for edge in [edge_in(item)]
            for key in edge_keys(edge.from_id, edge.to_id, edge.kind)
        ]
        self._delete(keys)

    def forget_actions(self, scope: str, topic_ids: Collection[str]) -> None:
        """Remove the actions with the title of one of the topics from the log of the scope.

        A repeat of `log` with the same `action_id` appends nothing. One Query a megabyte of the
        scope's log; the items by id stay, and refuse a repeat.
        """
        values = {
            ":pk": text(topic_keys.log_partition(scope)),
            ":prefix": text(topic_keys.ACTION),
        }
        found = self.query("pk = :pk AND begins_with(sk, :prefix)", values)
        self._delete([key_in(item) for item in found if _topic_of_action(item) in topic_ids])

    def _settled_items(self, topic_id: str, prefix: str = "") -> list[Item]:
        """The items after every unfinished change that wrote one of the items is settled."""
        items = list(self.items_of_topic(topic_id, prefix))
        tokens = {read_text(item, MARK) for item in items if MARK in item}
        for token in sorted(tokens):
            self.settle(token)
        return list(self.items_of_topic(topic_id, prefix)) if tokens else items

    def _delete(self, keys: list[dict[str, Value]]) -> None:
        """Delete the items that exist; raises LostRace for an item of an unfinished change."""
        distinct = list({place_in(key): key for key in keys}.values())
        writes = [Write("Delete", BlockedByChange, UNMARKED, key=key) for key in distinct]
        try:
            for start in range(0, len(writes), TOGETHER):
                self.commit_all(*writes[start : start + TOGETHER])
        except BlockedByChange as error:
            self.settle(error.token)
            raise LostRace from error


def _line_of(item: Item) -> str | None:
    """The id of the line of a revision or archive; None for any other item."""
    place = read_text(item, "sk")
    for prefix in (topic_keys.REVISION, topic_keys.ARCHIVE):
        if place.startswith(prefix):
            return place.removeprefix(prefix).partition("#")[0]
    return None


def _topic_of_action(item: Item) -> str:
    """The topic whose title the action has: the first of the action's topics."""
    action = parse_text(item, "action", read_text(item, "action"), dict)
    return str(action["topics"][0])
