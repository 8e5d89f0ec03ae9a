"""The small items of topics: edges, reads, and receipts of idempotency keys.

topic#<id>        out#<digest>   an edge, in the partition of the source
                  in#<digest>    the edge again, in the partition of the target
                  access         the reads
topic#<identity>  receipt        the reply to a request, in a partition of its own
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from membrane.adapters.dynamodb.topics.topic_items import (
    DOCUMENT,
    INCOMING,
    OUTGOING,
    TopicKind,
    json_in,
    topic_id_of,
    topic_key,
)
from membrane.domain.language.json_text import compact_json, digest
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.topics.form import (
    TopicReceipt,
    owner_of_values,
    receipt_json,
    receipt_of_json,
    validate_as,
)
from membrane.domain.topics.salience import Access
from membrane.domain.topics.topic import Edge
from membrane.table.blobs import BlobStore, Packing
from membrane.table.items import (
    CorruptItem,
    Item,
    Value,
    binary,
    number,
    put_next,
    raising_corrupt_item,
    read_binary,
    read_integer,
    read_text,
    text,
)
from membrane.table.long import See
from membrane.usecases.machinery.side_by_side import side_by_side

ACCESS, RECEIPT = "access", "receipt"

_EDGE_TEXTS = ("from_id", "to_id", "kind", "created_at", "principal")
_ACCESS = ("topic", "fields", "trail", "messages", "given")


@dataclass(frozen=True, slots=True)
class SmallItems(TopicKind):
    """The part of DynamoTopics about edges, reads and receipts."""

    def edges(self, topic_ids: Sequence[str], limit: int) -> Sequence[Edge]:
        """At most `limit` edges per topic and direction, distinct, removed edges included.

        Two Queries a topic, side by side.
        """
        sides = [
            (topic_id, side)
            for topic_id in dict.fromkeys(topic_ids)
            for side in (OUTGOING, INCOMING)
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
            item for side in (OUTGOING, INCOMING) for item in self.settled_items(topic_id, side)
        ]
        edges = map(edge_in, items)
        self.delete(
            [key for each in edges for key in edge_keys(each.from_id, each.to_id, each.kind)]
        )

    def accesses(self, topic_ids: Sequence[str]) -> Mapping[str, Access]:
        """The salience that reading added, by topic id; topics never read are left out.

        A strongly consistent BatchGetItem for 100 ids.
        """
        items = self.items_at([topic_key(each, ACCESS) for each in dict.fromkeys(topic_ids)])
        return {topic_id_of(item): access_in(item, self.blobs) for item in items}

    def keep_access(self, topic_id: str, before: Access, after: Access) -> None:
        """Replace `before`; raises LostRace if `before` is no longer the newest version.

        A conditional put.
        """
        packing = access_item(topic_id, after, before.version + 1)
        self.put_blobs(packing.blobs)
        self.commit_all(put_next(packing.item, before.version))

    def find_receipt(self, identity: bytes) -> TopicReceipt | None:
        """One strongly consistent GetItem."""
        key = topic_key(identity.hex(), RECEIPT)
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
        topic_key(from_id, f"{OUTGOING}{digest(kind, to_id).hex()[:32]}"),
        topic_key(to_id, f"{INCOMING}{digest(kind, from_id).hex()[:32]}"),
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
    key = topic_key(topic_id, ACCESS)
    packing = Packing(owner_of_values(topic_id), key | {"version": number(version)})
    packing.add({DOCUMENT: compact_json({name: getattr(access, name) for name in _ACCESS})})
    return packing


def access_in(item: Item, blobs: BlobStore) -> Access:
    """The access to a topic; raises CorruptItem for a damaged item."""
    document = json_in(item, DOCUMENT, blobs, dict)
    version = read_integer(item, "version")
    with raising_corrupt_item(item):
        return validate_as(Access, document | {"version": version})


# --- receipts: the replies to requests under an idempotency key ----------------------------------

REPLY = "reply"


def receipt_item(receipt: TopicReceipt, expires_at_s: int) -> Packing:
    """The item of a receipt, with the expiry in seconds since 1970."""
    item: dict[str, Value] = topic_key(receipt.identity.hex(), RECEIPT) | {
        "fingerprint": binary(receipt.fingerprint),
        "expires_at": number(expires_at_s),
    }
    packing = Packing(owner_of_values(receipt.identity.hex()), item)
    packing.add({REPLY: compact_json(receipt_json(receipt))})
    return packing


def receipt_in(identity: bytes, item: Item, blobs: BlobStore) -> TopicReceipt:
    """The receipt of an item; raises CorruptItem for a damaged item."""
    shown = json_in(item, REPLY, blobs, dict)
    parts = read_binary(item, "fingerprint"), read_integer(item, "expires_at")
    with raising_corrupt_item(item):
        return receipt_of_json(shown, identity, *parts)
