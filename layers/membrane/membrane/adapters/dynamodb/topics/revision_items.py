"""The codec between revisions and items, and between archives of revisions and blobs.

A value is stored under `value`, a value in the bucket under `large`: no value of a caller can pose
as a reference into the bucket.
"""

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.topic_documents import (
    DOCUMENT,
    json_in,
    requiring_shape,
    validate_as,
)
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.large_values import owner_of_values
from membrane.domain.topics.revisions import Revision, set_fields
from membrane.domain.topics.topic import Archive, Line
from membrane.domain.topics.withdrawing import Departure
from membrane.table.blobs import BlobStore, Packing
from membrane.table.items import CorruptItem, Item, Value, parse_text, read_text, text
from membrane.table.keys import blob_name


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
        return validate_as(Revision, revision_fields(document))


def revision_json(revision: Revision) -> JsonObject:
    """The revision as JSON, without fields that have the default."""
    shown = set_fields(revision)
    value = revision.value
    if not isinstance(value, LargeValue):
        return shown | {"value": value}
    return shown | {"large": {"of": value.record_id, "sha256": value.sha256, "size": value.size}}


def revision_fields(document: Any) -> JsonObject:
    """The inverse of `revision_json`, before validation; raises KeyError and TypeError."""
    others = {name: each for name, each in document.items() if name not in ("value", "large")}
    if "large" not in document:
        return others | {"value": document["value"]}
    large = document["large"]
    return others | {"value": LargeValue(large["of"], large["sha256"], large["size"])}


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
        return [validate_as(Revision, revision_fields(each)) for each in listed]


def evidence_in(item: Item, blobs: BlobStore) -> Iterator[str]:
    """The records that the revisions of an item came from, or of the archive that the item names.

    Raises CorruptItem for an absent blob.
    """
    place = read_text(item, "sk")
    if not place.startswith(topic_keys.ARCHIVE):
        revisions = [revision_in(item, blobs)]
    else:
        line_id, sha256 = place.removeprefix(topic_keys.ARCHIVE).split("#")
        line = Line(topic_keys.topic_id_of(item), line_id)
        revisions = archived_in(line, Archive(sha256, 0, "", ""), blobs)
    return (each.evidence for each in revisions if each.evidence)


def departed_blobs(departure: Departure) -> Iterator[str]:
    """The blobs that held a departing revision: a large value, and the archive."""
    value = departure.revision.value
    if isinstance(value, LargeValue):
        yield blob_name(value.record_id, value.sha256)
    if departure.archive is not None:
        yield archive_blob(departure.line, departure.archive)


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
