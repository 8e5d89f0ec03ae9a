"""Writing topics: all of a change or nothing, in one transaction where it fits in one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.records.drafts import Draft
from membrane.adapters.dynamodb.records.writes import FREE, laid_down
from membrane.adapters.dynamodb.search.markers import STALE, WRITTEN, marker
from membrane.adapters.dynamodb.table.attributes import Value, number
from membrane.adapters.dynamodb.table.keys import TOPICS, blob_name
from membrane.adapters.dynamodb.table.writes import Write, lost
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.long_changes import LongChanges, fits
from membrane.adapters.dynamodb.topics.pending_items import UNMARKED, InTheWay, in_the_way
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
from membrane.adapters.dynamodb.topics.topic_table import put_new, put_next
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.searched import index_version
from membrane.domain.topics.access import Access
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.searched import changes_search, is_found
from membrane.domain.topics.topic import Archive, Edge, Line, Topic, key_of
from membrane.domain.topics.withdrawing import Departure
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.topics import ReceiptTaken, TopicChange, TopicIdTaken, TopicReceipt


@dataclass(frozen=True, slots=True)
class TopicWrites(LongChanges):
    """The part of a TopicStore that writes topics."""

    def commit(self, change: TopicChange) -> None:
        """One transaction; of what does not fit in one, as LongChanges says."""
        for before, after in change.topics:
            if before is None:
                self.register(after.scope)
        own = self._own(change)
        revisions = [revision_item(line, each) for line, each in change.revisions]
        edges = _items_of_edges(change.edges)
        values = {blob_name(of.record_id, of.sha256): text for of, text in change.values.items()}
        self._put_blobs([own.blobs, *(each.blobs for each in revisions), values])
        new_items = [each.item for each in revisions]
        together = [*own.writes, *(Write("Put", lost, item=item) for item in new_items)]
        together += [Write("Put", in_the_way, UNMARKED, item=item) for item in edges]
        try:
            if fits(together):
                self.commit_all(*together)
            else:
                self.carry_out(change.token, own.writes, new_items, edges)
        except InTheWay as error:
            self.settle(error.token)
            raise LostRace from error

    def keep_access(self, topic_id: str, before: Access, after: Access) -> None:
        """One conditional put."""
        packing = access_item(topic_id, after, before.version + 1)
        self._put_blobs([packing.blobs])
        self.commit_all(put_next(packing.item, before.version))

    def archive(self, line: Line, revisions: Sequence[Revision]) -> Archive:
        """One PutObject; what names it is written with the head that does."""
        newest_first = sorted(revisions, key=lambda each: each.place, reverse=True)
        archive, content = archive_of(newest_first)
        self.blobs.put(archive_blob(line, archive), content)
        return archive

    def rewrite_events(self, topic_id: str, events: Mapping[int, TopicEvent]) -> None:
        """One Query, and one PutItem for each item that has one of the events."""
        for item in self.items_of_topic(topic_id, topic_keys.AUDIT) if events else ():
            packing = rewritten_events(item, events, self.blobs)
            if packing is None:
                continue
            self._put_blobs([packing.blobs])
            self.commit_all(Write("Put", lost, "attribute_exists(pk)", item=packing.item))
            for blob in blobs_of(item, [EVENTS]):
                if blob not in packing.blobs:
                    self.blobs.remove(blob)

    def _own(self, change: TopicChange) -> Draft:
        """What makes a change count: its receipt, topics, titles, and what leaves the table."""
        draft = Draft()
        if change.receipt is not None:
            self._add_receipt(draft, change.receipt)
        for before, after in change.topics:
            head, events = topic_item(after)
            if changes_search(before, after, change.edges):
                head.item[STALE] = WRITTEN
            if before is not None and is_found(before) and not is_found(after):
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
        draft.writes.extend([laid_down(head) for head in change.heads])
        for line, revision in change.removed:
            draft.writes.append(Write("Delete", lost, key=revision_key(line, revision)))
        draft.writes.extend(Write("Put", lost, item=item) for item in _items_of_archives(change))
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
        """Blob first, item second: an item never names a blob that is not there."""
        blobs = {name: content for blobs in several for name, content in blobs.items()}
        list(side_by_side(lambda blob: self.blobs.put(*blob), list(blobs.items())))


def _departure(departure: Departure) -> Iterator[Write]:
    yield Write("Delete", lost, key=departed_key(departure))
    if departure.rewritten is not None:
        item = archive_item(departure.line, departure.rewritten, departure.rest)
        yield Write("Put", lost, item=item)


def _items_of_archives(change: TopicChange) -> Iterator[dict[str, Value]]:
    """Of each archive that took what the change removes."""
    if not change.removed:
        return
    before = {each for topic, _ in change.topics if topic for each in _archives_of(topic)}
    for line, archive in (new for _, topic in change.topics for new in _archives_of(topic)):
        taken = [each for of, each in change.removed if key_of(of) == key_of(line)]
        if taken and (line, archive) not in before:
            yield archive_item(line, archive, taken)


def _archives_of(topic: Topic) -> Iterator[tuple[Line, Archive]]:
    """Each with its line, of which no more is told than where it stands."""
    for field in topic.fields.values():
        for line in field.lines:
            yield from ((Line(line.topic_id, line.id), archive) for archive in line.archives)


def _items_of_edges(edges: Sequence[Edge]) -> list[dict[str, Value]]:
    """Of each edge the last that is told of it."""
    last = {(each.from_id, each.to_id, each.kind): each for each in edges}
    return [item for each in last.values() for item in edge_items(each)]
