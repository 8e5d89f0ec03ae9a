"""Topics in DynamoDB: every access pattern one method, every write conditional.

A change is written as a whole or not at all, if possible in one transaction.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace as with_fields

from membrane.adapters.dynamodb.records.beside import put_head
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.long_changes import UNMARKED, BlockedByChange, fits
from membrane.adapters.dynamodb.topics.side_items import (
    access_item,
    archive_blob,
    archive_item,
    archive_of,
    departed_key,
    edge_items,
    receipt_item,
    revision_item,
    revision_key,
)
from membrane.adapters.dynamodb.topics.topic_erasures import TopicErasures
from membrane.adapters.dynamodb.topics.topic_items import (
    EVENTS,
    blobs_of,
    due_keys,
    rewritten_events,
    topic_item,
)
from membrane.adapters.dynamodb.topics.topic_reads import TopicReads
from membrane.adapters.dynamodb.topics.topic_scopes import TopicScopes
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.standing import index_version
from membrane.domain.topics.access import Access
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.searched import changes_search, loses_vector
from membrane.domain.topics.topic import Archive, Edge, Line, Topic, key_of
from membrane.table.entity import Draft
from membrane.table.index import DUE, NATURAL, RANK, STALE, WRITTEN, marker
from membrane.table.items import (
    KEY_ATTRIBUTES,
    LostRace,
    Value,
    Write,
    as_read,
    binary,
    lost_race,
    number,
    of_version,
    put_new,
    put_next,
    read_number,
    text,
)
from membrane.table.keys import TOPICS, blob_name
from membrane.usecases.machinery.side_by_side import side_by_side
from membrane.usecases.ports.topics import (
    TopicChange,
    TopicIdTaken,
    TopicPlace,
    TopicReceipt,
)


@dataclass(frozen=True, slots=True)
class DynamoTopics(TopicReads, TopicScopes, TopicErasures):
    """Topics over a table and a bucket; the methods here write, and read the indexes.

    Reads are strongly consistent unless the method says otherwise. No read returns a part of a
    change of several transactions before the change is complete. Any method may raise
    ResourceExhausted or Unavailable.
    """

    require_open: Callable[[Collection[str]], None] = lambda _scopes: None
    """Raises ScopeFenced for scopes that an erasure works on."""

    def without_fences(self) -> "DynamoTopics":
        """The store for the erasure itself."""
        return with_fields(self, require_open=lambda _scopes: None)

    def commit(self, change: TopicChange) -> None:
        """Write the whole change, or nothing visible.

        A change too large for one transaction first puts revisions and edges marked with the token;
        the final conditional write of the topics makes the marked items visible. Raises LostRace if
        a topic or a head is no longer as read; TopicIdTaken; ReceiptTaken. One transaction; for a
        larger change, several transactions as in LongChanges.
        """
        if change.topics and not change.departed:  # what takes a revision out for good passes
            self.require_open({after.scope for _, after in change.topics})
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
        together += [Write("Put", BlockedByChange, UNMARKED, item=item) for item in edges]
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
            unchanged = as_read(item, sorted(item.keys() - {*KEY_ATTRIBUTES}))
            self.commit_all(Write("Put", lost_race, item=packing.item, **unchanged))
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
            if changes_search(before, after):
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
        archives = [*_items_of_archives(change)]
        for departure in change.departed:
            draft.writes.append(Write("Delete", lost_race, key=departed_key(departure)))
            if departure.rewritten is not None:
                archives.append(archive_item(departure.line, departure.rewritten, departure.rest))
        draft.writes.extend(Write("Put", lost_race, item=item) for item in archives)
        return draft

    def _add_receipt(self, draft: Draft, receipt: TopicReceipt) -> None:
        expires_at_s = int(epoch_seconds(self.now() + self.retention.tombstone))
        packing = receipt_item(receipt, expires_at_s)
        draft.blobs.update(packing.blobs)
        draft.writes.append(self.put_receipt(packing))

    def _put_blobs(self, several: Iterable[Mapping[str, bytes]]) -> None:
        """Put blobs before items: an item never names an absent blob."""
        blobs = {name: content for blobs in several for name, content in blobs.items()}
        list(side_by_side(lambda blob: self.blobs.write(*blob), list(blobs.items())))

    def list_topics(
        self, scope: str, limit: int, after: TopicPlace | None = None
    ) -> Sequence[TopicPlace]:
        """The next topics of a scope, the highest rank first, without merged and deleted topics.

        Eventually consistent: load a listed topic before use. A Query of the rank index a megabyte.
        """
        partition, start = text(topic_keys.rank_partition(scope)), None
        if after is not None:
            place = RANK.entry(partition, number(after.rank))
            start = topic_keys.topic_key(after.topic_id) | place
        found = RANK.read(self, partition, limit, after=start)
        return [
            TopicPlace(topic_keys.topic_id_of(item), read_number(item, "rank_sk")) for item in found
        ]

    def ids_by_title(self, title_key: bytes, limit: int) -> Sequence[str]:
        """Ids of topics that have or had the title in a scope and kind, the newest first.

        Without merged and deleted topics. Eventually consistent. A Query of the natural index a
        megabyte.
        """
        found = NATURAL.read(self, binary(title_key), limit)
        return [topic_keys.topic_id_of(item) for item in found]

    def due(self, by_s: float, limit: int) -> Sequence[tuple[str, float]]:
        """Ids of topics due for a step of the ladder, with due instants; eventually consistent.

        A Query of the due index a megabyte.
        """
        partition, until = text(topic_keys.TOPICS_DUE), number(by_s)
        found = DUE.read(self, partition, limit, until=until, backwards=False)
        return [(topic_keys.topic_id_of(item), read_number(item, "due_sk")) for item in found]

    def put_off(self, topic_id: str, version: int, until_s: float | None) -> None:
        """Move the due instant, or remove it; do nothing if the topic has a different version.

        A conditional UpdateItem.
        """
        keys, unchanged = due_keys(until_s), of_version(version)
        update = "REMOVE due_pk, due_sk, stale"
        if keys:
            unchanged["values"] |= {":topics": keys["due_pk"], ":until": keys["due_sk"]}
            update = "SET due_pk = :topics, due_sk = :until REMOVE stale"
        key = topic_keys.topic_key(topic_id)
        with suppress(LostRace):
            self.commit_all(Write("Update", lost_race, key=key, update=update, **unchanged))


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
