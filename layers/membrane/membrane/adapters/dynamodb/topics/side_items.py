"""The codecs of the items beside the heads of topics: edges, reads, receipts and revisions."""

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence

from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.topic_items import (
    DOCUMENT,
    REPLY,
    json_in,
    requiring_shape,
)
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.access import Access
from membrane.domain.topics.form import revision_json, revision_of_json, validate_as
from membrane.domain.topics.large_values import (
    owner_of_values,
    places_of_large_values,
    with_large_values,
)
from membrane.domain.topics.revisions import Revision
from membrane.domain.topics.topic import Archive, Edge, Line
from membrane.domain.topics.withdrawing import Departure
from membrane.table.blobs import BlobStore, Packing
from membrane.table.items import (
    CorruptItem,
    Item,
    Value,
    binary,
    number,
    parse_text,
    read_binary,
    read_integer,
    read_text,
    text,
)
from membrane.table.keys import blob_name
from membrane.usecases.ports.topics import TopicReceipt

_EDGE_TEXTS = ("from_id", "to_id", "kind", "created_at", "principal")
_ACCESS = ("topic", "fields", "trail", "messages", "given")

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
        topic_keys.topic_key(from_id, topic_keys.outgoing(to_id, kind)),
        topic_keys.topic_key(to_id, topic_keys.incoming(from_id, kind)),
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
    key = topic_keys.topic_key(topic_id, topic_keys.ACCESS)
    packing = Packing(owner_of_values(topic_id), key | {"version": number(version)})
    packing.add({DOCUMENT: compact_json({name: getattr(access, name) for name in _ACCESS})})
    return packing


def access_in(item: Item, blobs: BlobStore) -> Access:
    """The access to a topic; raises CorruptItem for a damaged item."""
    document = json_in(item, DOCUMENT, blobs, dict)
    version = read_integer(item, "version")
    with requiring_shape(item):
        return validate_as(Access, document | {"version": version})


# --- receipts: the replies to requests under an idempotency key ----------------------------------


def receipt_item(receipt: TopicReceipt, expires_at_s: int) -> Packing:
    """The item of a receipt, with the expiry in seconds since 1970.

    Large values in a reply are named by path: no value of a caller can pose as a large value.
    """
    item: dict[str, Value] = topic_keys.receipt_key(receipt.identity) | {
        "fingerprint": binary(receipt.fingerprint),
        "expires_at": number(expires_at_s),
    }
    packing = Packing(owner_of_values(receipt.identity.hex()), item)
    large = places_of_large_values(receipt.reply)
    reply = {"body": receipt.reply, "large": large, "topics": list(receipt.topic_ids)}
    packing.add({REPLY: compact_json(reply)})
    return packing


def receipt_in(identity: bytes, item: Item, blobs: BlobStore) -> TopicReceipt:
    """The receipt of an item; raises CorruptItem for a damaged item."""
    reply = json_in(item, REPLY, blobs, dict)
    fingerprint = read_binary(item, "fingerprint")
    with requiring_shape(item):
        body = with_large_values(reply["body"], reply["large"])
        return TopicReceipt(identity, fingerprint, tuple(reply["topics"]), body)


# --- revisions, and archives of revisions -------------------------------------------------------


def revision_item(line: Line, revision: Revision) -> Packing:
    """The item of a revision, in the partition of the line's topic."""
    item = revision_key(line, revision) | _blobs_attribute(_large_in([revision]))
    packing = Packing(owner_of_values(line.topic_id), item)
    packing.add({DOCUMENT: compact_json(revision_json(revision))})
    return packing


def revision_key(line: Line, revision: Revision) -> dict[str, Value]:
    return topic_keys.topic_key(line.topic_id, topic_keys.revision_place(line.id, revision))


def revision_in(item: Item, blobs: BlobStore) -> Revision:
    """The revision of an item; raises CorruptItem for a damaged item."""
    document = json_in(item, DOCUMENT, blobs, dict)
    with requiring_shape(item):
        return revision_of_json(document)


def archive_of(revisions: Sequence[Revision]) -> tuple[Archive, bytes]:
    """The archive of revisions, which come newest first, and the archive's content."""
    content = zlib.compress(compact_json([revision_json(each) for each in revisions]).encode())
    oldest, newest = revisions[-1].valid_from, revisions[0].valid_from
    sha256 = hashlib.sha256(content).hexdigest()
    return Archive(sha256, len(revisions), oldest, newest), content


def archive_blob(line: Line, archive: Archive) -> str:
    """The name of an archive in the bucket."""
    return blob_name(owner_of_values(line.topic_id), archive.sha256)


def archive_item(line: Line, archive: Archive, revisions: Sequence[Revision]) -> dict[str, Value]:
    """The item that names an archive and the large values, whichever topic has the line by now."""
    return _archive_key(line, archive) | _blobs_attribute({archive.sha256, *_large_in(revisions)})


def archived_in(line: Line, archive: Archive, blobs: BlobStore) -> list[Revision]:
    """The revisions of an archive, newest first; raises CorruptItem for a damaged archive."""
    item = _archive_key(line, archive)
    content = blobs.get(archive_blob(line, archive))
    if content is None or hashlib.sha256(content).hexdigest() != archive.sha256:
        raise CorruptItem(item, "the archive is absent or altered")
    listed = parse_text(item, "archive", zlib.decompress(content).decode(), list)
    with requiring_shape(item):
        return [*map(revision_of_json, listed)]


def departed_key(departure: Departure) -> dict[str, Value]:
    """The key of the item that goes with a departing revision: the revision's or archive's."""
    if departure.archive is None:
        return revision_key(departure.line, departure.revision)
    return _archive_key(departure.line, departure.archive)


def blob_names_in(item: Item) -> Iterator[str]:
    """The names of the archives and large values that an item of a topic's partition refers to."""
    named = read_text(item, "blobs") if "blobs" in item else ""
    for sha256 in named.split():
        yield blob_name(owner_of_values(topic_keys.topic_id_of(item)), sha256)


def _archive_key(line: Line, archive: Archive) -> dict[str, Value]:
    return topic_keys.topic_key(line.topic_id, topic_keys.archive_place(line.id, archive.sha256))


def _blobs_attribute(blobs: set[str]) -> dict[str, Value]:
    return {"blobs": text(" ".join(sorted(blobs)))} if blobs else {}


def _large_in(revisions: Iterable[Revision]) -> set[str]:
    return {each.value.sha256 for each in revisions if isinstance(each.value, LargeValue)}
