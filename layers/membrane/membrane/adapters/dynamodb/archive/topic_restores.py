"""Write the topics of an export into empty places."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from membrane.adapters.dynamodb.topics import revisions
from membrane.adapters.dynamodb.topics.topic_items import TopicKind, topic_in, topic_key
from membrane.adapters.dynamodb.topics.topic_scopes import action_items
from membrane.adapters.dynamodb.topics.topic_store import access_item, edge_items
from membrane.domain.archive.side_lines import ActionLine
from membrane.domain.archive.topic_lines import ArchivedLine, ArchivedTopic
from membrane.domain.language.json_text import canonical_json
from membrane.domain.topics.topic import Line, Topic
from membrane.domain.topics.versions import is_found
from membrane.table.blobs import Packing
from membrane.table.dynamo import items_at
from membrane.table.entity import Change, Draft
from membrane.table.index import ScopeRegistry
from membrane.table.items import (
    Item,
    LostRace,
    key_in,
    parse_text,
    place_in,
    put_new,
    read_text,
)
from membrane.table.keys import TOPICS, blob_name
from membrane.usecases.ports.topics import TopicIdTaken
from membrane.usecases.ports.walks import DifferentItem

TOGETHER = 24
"""Items of one transaction; a revision has at most 32 KB beside the blob."""


@dataclass(frozen=True, slots=True)
class DynamoTopicRestores(TopicKind):
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
        if self.item_at(topic_key(topic.id)) is not None:
            raise TopicIdTaken
        values = archived.values
        draft = Draft(blobs={blob_name(of.record_id, of.sha256): values[of] for of in values})
        self.add(draft, Change(None, topic))
        for line in archived.lines:
            written = Line(*line.key)
            items = [revisions.revision_item(written, each) for each in line.revisions]
            self._require_no_other_history(topic, line, {place_in(each.item) for each in items})
            archives = (revisions.archive_item(written, several) for _, several in line.archives)
            for packing in (*items, *archives):
                draft.add(packing)
        for item in chain.from_iterable(map(edge_items, archived.edges)):
            draft.add(Packing(topic.id, item))
        if archived.access is not None:
            draft.add(access_item(topic.id, archived.access, archived.access.version))
        head, *side = draft.writes
        missing = self._missing([each.item for each in side])
        self.put_blobs(draft.blobs)
        for start in range(0, len(missing), TOGETHER):
            self.commit_all(*map(put_new, missing[start : start + TOGETHER]))
        if is_found(topic):
            registry = ScopeRegistry(self.client, self.table, TOPICS)
            registry.register(topic.scope, topic.sensitivity)
        self.carry_out(Draft([head], changes=draft.changes))

    def restore_action(self, line: ActionLine) -> bool:
        """Append to the log; False if present. Raises DifferentItem, LostRace."""
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
        self, topic: Topic, line: ArchivedLine, places: set[tuple[str, str]]
    ) -> None:
        """Raises DifferentItem if the line has a revision that the topic of the export lacks.

        The line of a different, present topic must have every revision already. Archives differ
        between a topic and the alias that shares the line: a head names those of its own.
        """
        topic_id, line_id = line.key
        found = {
            place_in(item)
            for item in self.items_of_topic(topic_id, revisions.revisions_of(line_id))
        }
        if found - places:
            raise DifferentItem
        if topic_id != topic.id and places - found:
            holder = self.item_at(topic_key(topic_id))
            if holder is not None and line.key in topic_in(holder, self.blobs).lines:
                raise DifferentItem

    def _missing(self, items: Sequence[Item]) -> list[Item]:
        """The items that an interrupted restore has not written; raises DifferentItem."""
        wanted = {place_in(each): each for each in items}
        keys = [key_in(each) for each in wanted.values()]
        for item in items_at(self.client, self.table, keys, consistent=True):
            if dict(wanted.pop(place_in(item))) != dict(item):
                raise DifferentItem
        return [*wanted.values()]
