"""Topics in DynamoDB: every access pattern one method, every write conditional."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice

from membrane.adapters.dynamodb.records.beside import put_head
from membrane.adapters.dynamodb.topics import topic_items
from membrane.adapters.dynamodb.topics.revisions import (
    TopicRevisions,
    archive_items,
    removals,
    revision_item,
)
from membrane.adapters.dynamodb.topics.topic_scopes import TopicScopes
from membrane.domain.access.trust import Trust
from membrane.domain.language.json_text import compact_json, digest
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics import form
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.salience import Access
from membrane.domain.topics.topic import Edge, Topic
from membrane.table.blobs import BlobStore, Packing, unpack
from membrane.table.entity import Change
from membrane.table.index import DUE, NATURAL, RANK, touch
from membrane.table.items import (
    KEY_ATTRIBUTES,
    CorruptItem,
    Item,
    Value,
    Write,
    as_read,
    binary,
    key_in,
    lost_race,
    number,
    put_next,
    raising_corrupt_item,
    read_binary,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.table.keys import blob_name
from membrane.table.long import See, new_part, next_part
from membrane.usecases.machinery.calls import side_by_side
from membrane.usecases.ports.topics import ReceiptTaken, TopicChange, TopicPlace

ACCESS, RECEIPT = "access", "receipt"

_EDGE_TEXTS = ("from_id", "to_id", "kind", "created_at", "principal")
_ACCESS = ("topic", "fields", "trail", "messages", "given")


@dataclass(frozen=True, slots=True)
class SmallItems(topic_items.TopicKind):
    """The part of DynamoTopics about edges, reads and receipts."""

    def edges(self, topic_ids: Sequence[str], limit: int) -> Sequence[Edge]:
        """At most `limit` edges per topic and direction, removed ones too. Two Queries a topic."""
        sides = [
            (topic_id, side)
            for topic_id in dict.fromkeys(topic_ids)
            for side in (topic_items.OUTGOING, topic_items.INCOMING)
        ]

        def read(see: See) -> list[Edge]:
            def of_side(side: tuple[str, str]) -> list[Edge]:
                found = see(self.items_of_topic(*side, limit))
                return list(map(edge_in, islice(found, limit)))

            return list(chain.from_iterable(side_by_side(of_side, sides)))

        return list(dict.fromkeys(self.long.read_whole(read)))

    def find_edge(self, from_id: str, to_id: str, kind: str) -> Edge | None:
        """One strongly consistent GetItem."""
        key = edge_keys(from_id, to_id, kind)[0]
        found = self.long.read_whole(lambda see: [*map(edge_in, see(self.items_at([key])))])
        return found[0] if found else None

    def forget_edges(self, topic_id: str) -> None:
        """Remove the edges of the topic, and the inverses in the partitions of other topics.

        Two Queries a megabyte, and a transaction for each 24 edges.
        """
        items = [
            item
            for side in (topic_items.OUTGOING, topic_items.INCOMING)
            for item in self.settled_items(topic_id, side)
        ]
        edges = map(edge_in, items)
        self.delete(
            [key for each in edges for key in edge_keys(each.from_id, each.to_id, each.kind)]
        )

    def accesses(self, topic_ids: Sequence[str]) -> Mapping[str, Access]:
        """The salience that reading added, by id of a read topic. A BatchGetItem for 100 ids."""
        items = self.items_at(
            [topic_items.topic_key(each, ACCESS) for each in dict.fromkeys(topic_ids)]
        )
        return {topic_items.topic_id_of(item): access_in(item, self.blobs) for item in items}

    def keep_access(self, topic_id: str, before: Access, after: Access) -> None:
        """Replace `before`; raises LostRace if `before` is not the newest version."""
        packing = access_item(topic_id, after, before.version + 1)
        self.put_blobs(packing.blobs)
        self.commit_all(put_next(packing.item, before.version))

    def find_receipt(self, identity: bytes) -> form.TopicReceipt | None:
        """One strongly consistent GetItem."""
        key = topic_items.topic_key(identity.hex(), RECEIPT)
        item = self.lasting_item_at(key, epoch_seconds(self.now()))
        return None if item is None else receipt_in(identity, item, self.blobs)


# --- edges: an item in the partition of either end -----------------------------------------------


def edge_items(edge: Edge) -> list[dict[str, Value]]:
    found = {name: text(getattr(edge, name)) for name in _EDGE_TEXTS}
    if edge.removed_at is not None:
        found["removed_at"] = text(edge.removed_at)
    if edge.earlier:
        found["earlier"] = text(" ".join(instant for period in edge.earlier for instant in period))
    return [key | found for key in edge_keys(edge.from_id, edge.to_id, edge.kind)]


def edge_keys(from_id: str, to_id: str, kind: str) -> list[dict[str, Value]]:
    """The keys of the two items of an edge, the source's first."""
    return [
        topic_items.topic_key(from_id, f"{topic_items.OUTGOING}{digest(kind, to_id).hex()[:32]}"),
        topic_items.topic_key(to_id, f"{topic_items.INCOMING}{digest(kind, from_id).hex()[:32]}"),
    ]


def edge_in(item: Item) -> Edge:
    """The edge of an item; raises CorruptItem for a damaged item."""
    return Edge(
        **{name: read_text(item, name) for name in _EDGE_TEXTS},
        removed_at=read_text(item, "removed_at") if "removed_at" in item else None,
        earlier=_periods(item) if "earlier" in item else (),
    )


def _periods(item: Item) -> tuple[tuple[str, str], ...]:
    instants = read_text(item, "earlier").split(" ")
    try:
        return tuple(zip(instants[::2], instants[1::2], strict=True))
    except ValueError as error:
        raise CorruptItem(item, "a period of the edge has no end") from error


# --- reads ---------------------------------------------------------------------------------------


def access_item(topic_id: str, access: Access, version: int) -> Packing:
    """The item beside a topic's head, of the given version."""
    key = topic_items.topic_key(topic_id, ACCESS)
    packing = Packing(form.owner_of_values(topic_id), key | {"version": number(version)})
    packing.add(
        {topic_items.DOCUMENT: compact_json({name: getattr(access, name) for name in _ACCESS})}
    )
    return packing


def access_in(item: Item, blobs: BlobStore) -> Access:
    """The access to a topic; raises CorruptItem for a damaged item."""
    document = topic_items.json_in(item, topic_items.DOCUMENT, blobs, dict)
    version = read_integer(item, "version")
    with raising_corrupt_item(item):
        return form.validate_as(Access, document | {"version": version})


# --- receipts: the replies to requests under an idempotency key ----------------------------------

REPLY = "reply"


def receipt_item(receipt: form.TopicReceipt, expires_at_s: int) -> Packing:
    """The item of a receipt, with the expiry in seconds since 1970."""
    item: dict[str, Value] = topic_items.topic_key(receipt.identity.hex(), RECEIPT) | {
        "fingerprint": binary(receipt.fingerprint),
        "expires_at": number(expires_at_s),
    }
    packing = Packing(form.owner_of_values(receipt.identity.hex()), item)
    packing.add({REPLY: compact_json(form.receipt_json(receipt))})
    return packing


def receipt_in(identity: bytes, item: Item, blobs: BlobStore) -> form.TopicReceipt:
    """The receipt of an item; raises CorruptItem for a damaged item."""
    shown = topic_items.json_in(item, REPLY, blobs, dict)
    parts = read_binary(item, "fingerprint"), read_integer(item, "expires_at")
    with raising_corrupt_item(item):
        return form.receipt_of_json(shown, identity, *parts)


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
        items = self.items_at([topic_items.topic_key(each) for each in dict.fromkeys(topic_ids)])
        if trust is not None:
            items = [item for item in items if topic_items.may_be_shown(item, trust)]
        return {
            topic_items.topic_id_of(item): topic
            for item in items
            if (topic := self._topic(item)) is not None
        }

    def _topic(self, item: Item) -> Topic | None:
        """The topic of a head; reads again if a concurrent change removed a blob."""
        with suppress(CorruptItem):
            return topic_items.topic_in(item, self.blobs)
        newest = self.item_at(key_in(item))
        return None if newest is None else topic_items.topic_in(newest, self.blobs)

    def events(self, topic: Topic) -> Sequence[TopicEvent]:
        """The whole audit trail, oldest first. One Query if events have left the head."""
        older = topic.events - len(topic.trail)
        return [
            *(each for _, each in self.log_entries(topic, topic_items.EVENTS, 0, older)),
            *topic.trail,
        ]

    def rewrite_events(self, topic: Topic, change: Callable[[TopicEvent], TopicEvent]) -> None:
        """Replace the events that have left the head; idempotent.

        A new event equals the replaced event, apart from the erased text. A Query, and a PutItem
        for every item with a changed event; raises LostRace, as two erasures may erase texts of
        one item.
        """
        older = topic.events - len(topic.trail)
        for item in (
            self.between(topic_items.topic_partition(topic.id), *topic_items.EVENTS.span(0, older))
            if older
            else ()
        ):
            content = unpack(item, topic_items.EVENTS.beside, self.owner_of(topic), self.blobs)
            events = topic_items.EVENTS.unpack(item, topic_items.EVENTS.beside, content)
            after = [*map(change, events)]
            if after == events:
                continue
            packing = self.item_beside(
                topic, topic_items.EVENTS, topic_items.EVENTS.position_of(item), after
            )
            self.put_blobs(packing.blobs)
            unchanged = as_read(item, sorted(item.keys() - {*KEY_ATTRIBUTES}))
            self.commit_all(Write("Put", lost_race, item=packing.item, **unchanged))
            for blob in topic_items.blobs_of(item) - packing.blobs.keys():
                self.blobs.erase(blob)

    def blob_names(self, topic_id: str) -> frozenset[str]:
        """One Query a megabyte, of the whole partition."""
        return frozenset().union(*map(topic_items.blobs_of, self.items_of_topic(topic_id)))

    def list_topics(
        self, scope: str, limit: int, after: TopicPlace | None = None
    ) -> Sequence[TopicPlace]:
        """The next topics of a scope, the highest rank first, without merged and deleted topics.

        Eventually consistent: load a listed topic before use. A Query of the rank index a megabyte.
        """
        partition, start = text(topic_items.rank_partition(scope)), None
        if after is not None:
            place = RANK.entry(partition, number(after.rank))
            start = topic_items.topic_key(after.topic_id) | place
        found = RANK.read(self, partition, limit, after=start)
        return [
            TopicPlace(topic_items.topic_id_of(item), read_number(item, "rank_sk"))
            for item in found
        ]

    def ids_by_title(self, title_key: bytes, limit: int) -> Sequence[str]:
        """Ids of topics that have or had the title in a scope and kind, the newest first.

        Without merged and deleted topics. Eventually consistent. A Query of the natural index a
        megabyte.
        """
        found = NATURAL.read(self, binary(title_key), limit)
        return [topic_items.topic_id_of(item) for item in found]

    def due(self, by_s: float, limit: int) -> Sequence[tuple[str, float]]:
        """Ids of topics due for a step of the ladder, with due instants. A Query a megabyte."""
        partition, until = text(topic_items.TOPICS_DUE), number(by_s)
        found = DUE.read(self, partition, limit, until=until, backwards=False)
        return [(topic_items.topic_id_of(item), read_number(item, "due_sk")) for item in found]

    def put_off(self, topic_id: str, version: int, until_s: float | None) -> None:
        """Move or remove the due instant, unless the version differs. An UpdateItem."""
        keys, version_is = topic_items.due_keys(until_s), {":version": number(version)}
        gone = () if keys else ("due_pk", "due_sk")
        touch(
            self,
            topic_items.topic_key(topic_id),
            "version = :version",
            version_is,
            sets=keys,
            removes=gone,
        )
