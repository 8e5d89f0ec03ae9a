"""Write the topics of an export into empty places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.long_changes import TopicTable
from membrane.adapters.dynamodb.topics.side_items import (
    access_item,
    archive_blob,
    archive_item,
    archive_of,
    edge_items,
    receipt_item,
    revision_item,
)
from membrane.adapters.dynamodb.topics.topic_items import topic_in, topic_item
from membrane.adapters.dynamodb.topics.topic_scopes import action_items
from membrane.domain.archive.topic_lines import ArchivedLine, ArchivedTopic, with_archive_names
from membrane.domain.archive.topic_side_lines import ActionLine
from membrane.domain.language.json_text import canonical_json
from membrane.domain.topics.searched import is_found
from membrane.domain.topics.topic import Line, Topic
from membrane.domain.topics.withdrawing import has_line
from membrane.table.blobs import Packing
from membrane.table.dynamo import items_at
from membrane.table.index import STALE, WRITTEN
from membrane.table.items import LostRace, Value, key_in, parse_text, place_in, put_new, read_text
from membrane.table.keys import TOPICS, blob_name
from membrane.table.registrations import ScopeRegistry
from membrane.usecases.ports.topics import TopicIdTaken, TopicReceipt
from membrane.usecases.ports.walks import DifferentItem

TOGETHER = 24
"""Items of one transaction; a revision has at most 32 KB beside the blob."""

Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class DynamoTopicRestores(TopicTable):
    """Restores of topics over one table, with large texts and values in `blobs`.

    Any method may raise ResourceExhausted or Unavailable.
    """

    def restore_topic(self, archived: ArchivedTopic) -> None:
        """Write a whole topic as it was; the topic is absent until the last write.

        Raises TopicIdTaken, LostRace, and DifferentItem if a line of revisions, an edge or the
        reads hold something else. Items beside the head in transactions, then the head alone. A
        GetItem of the head, and a Query of every line, first: a refused topic leaves nothing.
        """
        topic = archived.topic
        if self.item_at(topic_keys.topic_key(topic.id)) is not None:
            raise TopicIdTaken
        names: dict[tuple[tuple[str, str], str], str] = {}
        blobs = {blob_name(of.record_id, of.sha256): text for of, text in archived.values.items()}
        packings: list[Packing] = []
        for line in archived.lines:
            written = Line(*line.key)
            items = [revision_item(written, each) for each in line.revisions]
            for archive, revisions in line.archives:
                stored, content = archive_of(revisions)
                names[line.key, archive.sha256] = stored.sha256
                blobs[archive_blob(written, stored)] = content
                items.append(_plain(archive_item(written, stored, revisions)))
            self._require_no_other_history(topic, line, {place_in(each.item) for each in items})
            packings += items
        packings += [_plain(item) for edge in archived.edges for item in edge_items(edge)]
        if archived.access is not None:
            packings.append(access_item(topic.id, archived.access, archived.access.version))
        head, events = topic_item(with_archive_names(topic, names))
        packings += [] if events is None else [events]
        missing = self._missing(packings)
        for packing in (*missing, head):
            blobs |= packing.blobs
        for name, content in blobs.items():
            self.blobs.write(name, content)
        for start in range(0, len(missing), TOGETHER):
            self.commit_all(*(put_new(each.item) for each in missing[start : start + TOGETHER]))
        self.register(topic.scope)
        if is_found(topic):
            registry = ScopeRegistry(self.client, self.table, TOPICS)
            registry.register(topic.scope, topic.sensitivity)
        head.item[STALE] = WRITTEN
        self.commit_all(put_new(head.item, lambda _: TopicIdTaken()))

    def restore_receipt(self, receipt: TopicReceipt, expires_at_s: int) -> None:
        """Write a receipt; raises ReceiptTaken. One conditional PutItem."""
        packing = receipt_item(receipt, expires_at_s)
        for name, content in packing.blobs.items():
            self.blobs.write(name, content)
        self.commit_all(self.put_receipt(packing))

    def restore_action(self, line: ActionLine) -> bool:
        """Append to the log; False if the action is there already. Raises DifferentItem, LostRace.

        One transaction; two GetItems if the action is there.
        """
        by_time, by_id = action_items(line.scope, line.action, line.at, line.id)
        try:
            self.commit_all(put_new(by_id), put_new(by_time))
        except LostRace as error:
            if self.item_at(by_id) is None:
                raise
            there = self.item_at(key_in(by_time))
            if there is not None:
                kept = parse_text(there, "action", read_text(there, "action"), dict)
                if canonical_json(kept) == canonical_json(line.action):
                    return False
            raise DifferentItem from error
        return True

    def _require_no_other_history(
        self, topic: Topic, line: ArchivedLine, places: set[Place]
    ) -> None:
        """Raises DifferentItem if the line has a revision that the topic of the export lacks.

        The line of a different, present topic must have every revision already.
        """
        topic_id, line_id = line.key
        prefixes = (topic_keys.revisions_of(line_id), topic_keys.archive_place(line_id, ""))
        found = {
            place_in(item) for prefix in prefixes for item in self.items_of_topic(topic_id, prefix)
        }
        if found - places:
            raise DifferentItem
        if topic_id != topic.id and places - found:
            holder = self.item_at(topic_keys.topic_key(topic_id))
            if holder is not None and has_line(topic_in(holder, self.blobs), line.key):
                raise DifferentItem

    def _missing(self, packings: Sequence[Packing]) -> list[Packing]:
        """The items that an interrupted restore has not written; raises DifferentItem."""
        wanted = {place_in(each.item): each for each in packings}
        keys = [key_in(each.item) for each in wanted.values()]
        items = items_at(self.client, self.table, keys, consistent=True)
        found = {place_in(item): item for item in items}
        for place, item in found.items():
            if dict(wanted[place].item) != dict(item):
                raise DifferentItem
        return [each for place, each in wanted.items() if place not in found]


def _plain(item: Mapping[str, Value]) -> Packing:
    """An item without blobs."""
    return Packing("", dict(item))
