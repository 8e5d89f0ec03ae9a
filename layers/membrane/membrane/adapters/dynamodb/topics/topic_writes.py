"""Write topics: a change is written as a whole or not at all, if possible in one transaction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.records.drafts import Draft
from membrane.adapters.dynamodb.records.writes import FREE, put_head
from membrane.adapters.dynamodb.search.markers import STALE, WRITTEN, marker
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.long_changes import LongChanges, fits
from membrane.adapters.dynamodb.topics.pending_items import (
    UNMARKED,
    BlockedByChange,
    blocked_by_change,
)
from membrane.adapters.dynamodb.topics.revision_items import (
    archive_blob,
    archive_item,
    archive_of,
    departed_key,
    revision_item,
    revision_key,
)
from membrane.adapters.dynamodb.topics.topic_documents import EVENTS, blobs_of
from membrane.adapters.dynamodb.topics.topic_items import rewritten_events, topic_item
from membrane.adapters.dynamodb.topics.topic_side_items import (
    access_item,
    edge_items,
    receipt_item,
    statement_writes,
)
from membrane.adapters.dynamodb.topics.topic_table import of_item, put_new, put_next
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.standing import index_version
from membrane.domain.topics.access import Access
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.searched import changes_search, loses_vector
from membrane.domain.topics.topic import Archive, Edge, Line, Topic, key_of
from membrane.domain.topics.withdrawing import Departure
from membrane.table.items import Value, number
from membrane.table.keys import TOPICS, blob_name
from membrane.table.writes import LostRace, Write, lost_race
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.topics import ReceiptTaken, TopicChange, TopicIdTaken, TopicReceipt


@dataclass(frozen=True, slots=True)
class TopicWrites(LongChanges):
    """The part of DynamoTopics that writes topics."""

    def commit(self, change: TopicChange) -> None:
        """Write the whole change, or nothing visible.

        A change too large for one transaction first puts revisions and edges marked with the token;
        the final conditional write of the topics makes the marked items visible. Raises LostRace if
        a topic or a head is no longer as read; TopicIdTaken; ReceiptTaken. One transaction; for a
        larger change, several transactions as in LongChanges.
        """
        for before, after in change.topics:
            if before is None:
                self.register(after.scope)
        own = self._own_writes(change)
        revisions = [revision_item(line, each) for line, each in change.revisions]
        edges = _items_of_edges(change.edges)
        values = {blob_name(of.record_id, of.sha256): text for of, text in change.values.items()}
        self._put_blobs([own.blobs, *(each.blobs for each in revisions), values])
        new_items = [each.item for each in revisions]
        together = [*own.writes, *(Write("Put", lost_race, item=item) for item in new_items)]
        together += [Write("Put", blocked_by_change, UNMARKED, item=item) for item in edges]
        try:
            if fits(together):
                self.commit_all(*together)
            else:
                self.carry_out(change.token, own.writes, new_items, edges)
        except BlockedByChange as error:
            self.settle(error.token)
            raise LostRace from error

    def keep_access(self, topic_id: str, before: Access, after: Access) -> None:
        """Replace `before`; raises LostRace if `before` is no longer the newest version.

        A conditional put.
        """
        packing = access_item(topic_id, after, before.version + 1)
        self._put_blobs([packing.blobs])
        self.commit_all(put_next(packing.item, before.version))

    def archive(self, line: Line, revisions: Sequence[Revision]) -> Archive:
        """Copy revisions into the bucket; a change that names the archive deletes the originals.

        A PutObject; the item that names the archive is written with the head.
        """
        newest_first = sorted(revisions, key=lambda each: each.place, reverse=True)
        archive, content = archive_of(newest_first)
        self.blobs.write(archive_blob(line, archive), content)
        return archive

    def rewrite_events(self, topic_id: str, events: Mapping[int, TopicEvent]) -> None:
        """Replace events outside the topic item, by position in the trail; idempotent.

        A new event equals the replaced event, apart from the erased text. A Query, and a PutItem
        for every item that holds a rewritten event.
        """
        for item in self.items_of_topic(topic_id, topic_keys.AUDIT) if events else ():
            packing = rewritten_events(item, events, self.blobs)
            if packing is None:
                continue
            self._put_blobs([packing.blobs])
            self.commit_all(Write("Put", lost_race, item=packing.item, **of_item(item)))
            for blob in blobs_of(item, [EVENTS]):
                if blob not in packing.blobs:
                    self.blobs.erase(blob)

    def _own_writes(self, change: TopicChange) -> Draft:
        """The writes that make a change count: receipt, heads of topics and titles, removals."""
        draft = Draft()
        if change.receipt is not None:
            self._add_receipt(draft, change.receipt)
        for before, after in change.topics:
            head, events = topic_item(after)
            if changes_search(before, after, change.edges):
                head.item[STALE] = WRITTEN
            if before is not None and loses_vector(before, after):
                version = index_version(after.base.born_s, after.version)
                draft.writes.append(marker(after.id, version, self.now(), TOPICS))
            draft.blobs.update(head.blobs)
            draft.writes.append(
                put_new(head.item, lambda _: TopicIdTaken())
                if before is None
                else put_next(head.item, before.version)
            )
            if events is not None:
                draft.add(events)
        draft.writes.extend([put_head(head) for head in change.heads])
        for line, revision in change.removed:
            draft.writes.append(Write("Delete", lost_race, key=revision_key(line, revision)))
        draft.writes.extend(
            Write("Put", lost_race, item=item) for item in _items_of_archives(change)
        )
        for departure in change.departed:
            draft.writes.extend(_departure(departure))
        draft.writes.extend(statement_writes(change.statements))
        return draft

    def _add_receipt(self, draft: Draft, receipt: TopicReceipt) -> None:
        expires_at_s = int(epoch_seconds(self.now() + self.retention.tombstone))
        packing = receipt_item(receipt, expires_at_s)
        draft.blobs.update(packing.blobs)
        values = {":now": number(int(epoch_seconds(self.now())))}
        draft.writes.append(
            Write("Put", lambda _: ReceiptTaken(), FREE, item=packing.item, values=values)
        )

    def _put_blobs(self, several: Iterable[Mapping[str, bytes]]) -> None:
        """Put blobs before items: an item never names an absent blob."""
        blobs = {name: content for blobs in several for name, content in blobs.items()}
        list(side_by_side(lambda blob: self.blobs.write(*blob), list(blobs.items())))


def _departure(departure: Departure) -> Iterator[Write]:
    yield Write("Delete", lost_race, key=departed_key(departure))
    if departure.rewritten is not None:
        item = archive_item(departure.line, departure.rewritten, departure.rest)
        yield Write("Put", lost_race, item=item)


def _items_of_archives(change: TopicChange) -> Iterator[dict[str, Value]]:
    """The items of new archives, with the revisions that moved from the table."""
    if not change.removed:
        return
    before = {each for topic, _ in change.topics if topic for each in _archives_of(topic)}
    for line, archive in (new for _, topic in change.topics for new in _archives_of(topic)):
        taken = [each for of, each in change.removed if key_of(of) == key_of(line)]
        if taken and (line, archive) not in before:
            yield archive_item(line, archive, taken)


def _archives_of(topic: Topic) -> Iterator[tuple[Line, Archive]]:
    """Every archive with its line, reduced to topic and id."""
    for field in topic.fields.values():
        for line in field.lines:
            yield from ((Line(line.topic_id, line.id), archive) for archive in line.archives)


def _items_of_edges(edges: Sequence[Edge]) -> list[dict[str, Value]]:
    """The items of every edge; the last mention of an edge wins."""
    last = {(each.from_id, each.to_id, each.kind): each for each in edges}
    return [item for each in last.values() for item in edge_items(each)]
