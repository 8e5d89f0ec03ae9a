"""Anchors in DynamoDB: a partition with an item for each anchor, kept for good."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from membrane.adapters.dynamodb.documents.items import LIST, document_in
from membrane.adapters.dynamodb.documents.lists import ENDING, chunk_in, ending_in
from membrane.adapters.dynamodb.indexes.names import writes_of
from membrane.adapters.dynamodb.records.beside import edge_item, put_head, version_check
from membrane.adapters.dynamodb.records.items import Codec, is_single_item
from membrane.adapters.dynamodb.topics.topic_items import topic_in
from membrane.domain.documents.items import Chunk
from membrane.domain.documents.leaves import leaf_of_part
from membrane.domain.documents.model import Document, Ending
from membrane.domain.documents.places import Place
from membrane.domain.integrity.anchors import SignedAnchor
from membrane.domain.integrity.leaves import Leaf, leaf_of_record
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.records.stored import StoredRecord
from membrane.domain.topics.form import leaf_of_topic
from membrane.table import keys as table_keys
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import OverTable, items_at, place_of, projection, scan_page
from membrane.table.index import REMOVED, make_stale
from membrane.table.items import (
    KEY_ATTRIBUTES,
    Checkpoint,
    CorruptItem,
    Item,
    LostRace,
    Value,
    Write,
    lost_race,
    parse_text,
    place_in,
    read_text,
    text,
)
from membrane.table.progress import progress_at, put_progress
from membrane.table.walk import IS_OWN, OWN, ItemKind, kind_of, name_of
from membrane.usecases.ports.records import Head, NameChange
from membrane.usecases.ports.walks import LeafPage, SourcePage, StoredAnchor, WrongInverse

ANCHORS = "anchors"
"""The partition of all anchors; the sort key of an anchor is the instant."""

_PROGRESS = table_keys.primary_key(table_keys.SETTINGS, "anchor")

_WALKED = (
    f"({IS_OWN}) OR begins_with(pk, :documents)"
    " OR (begins_with(pk, :document) AND (begins_with(sk, :list) OR begins_with(sk, :ending)))"
)
"""The filter of a walk over records, topics, documents and what lies beside documents."""

_WALKED_VALUES: Mapping[str, Value] = {
    **OWN,
    ":documents": text(table_keys.DOCUMENTS),
    ":document": text(table_keys.DOCUMENT),
    ":list": text(LIST),
    ":ending": text(ENDING),
}

_OF_DOCUMENTS = (*KEY_ATTRIBUTES, "expires_at", *"abcdeghilnprstuvwxz")
"""The attributes of documents; an item of a record or topic has the key alone of them."""

_NO_PLACE = Place("", (), "")
"""Of a chunk: its item has the id of the place alone."""

_LABELS = ("scope", "sensitivity")
"""What the edge of a relation repeats of the source, and a reclassification changes."""


@dataclass(frozen=True, slots=True)
class DynamoIntegrity(OverTable):
    """Verification and anchors over a table. May raise ResourceExhausted or Unavailable."""

    codec: Codec
    blobs: BlobStore

    def leaves(self, after: str | None) -> LeafPage:
        """The page after `after`, eventually consistent.

        A walk visits every record, topic and document that exists throughout the walk; each leaf is
        of one instant. A Scan of a megabyte, eventually consistent at half the price. A late read
        returns an earlier state of the item. The chain of the earlier state is the beginning of the
        present chain, so a leaf of the earlier state holds as well.
        """
        items, following = self._scan(after, ConsistentRead=False)
        leaves: list[Leaf] = []
        record_ids: list[str] = []
        damaged: list[str] = []
        for item in items:
            try:
                match kind_of(item):
                    case ItemKind.RECORD if "document" in item and not is_single_item(item):
                        record_ids.append(name_of(item))  # a tombstone's leaf needs its item alone
                    case ItemKind.RECORD | ItemKind.TOPIC:
                        leaves.append(self._leaf_of(item))
                    case ItemKind.DOCUMENTS | ItemKind.DOCUMENT:
                        place_id, part = _part_of_document(item)
                        if not isinstance(part, Ending):
                            leaves.append(leaf_of_part(place_id, part))
                    case _:
                        damaged.append(place_of(item))
            except (CorruptItem, ValueError):
                damaged.append(place_of(item))
        return LeafPage(leaves, record_ids, damaged, following)

    def sources(self, after: str | None) -> SourcePage:
        """The page after `after`, with what is deleted. A Scan of a megabyte."""
        shown = projection(_OF_DOCUMENTS)
        items, following = self._scan(after, ConsistentRead=True, **shown)
        page = SourcePage([], [], [], [], following)
        for item in items:
            match kind_of(item):
                case ItemKind.RECORD:
                    page.record_ids.append(name_of(item))
                case ItemKind.TOPIC:
                    page.topic_ids.append(name_of(item))
                case None:
                    page.unreadable.append((place_of(item), "a stray item"))
                case _:
                    try:
                        page.of_documents.append(_part_of_document(item))
                    except CorruptItem as error:
                        page.unreadable.append((place_of(item), type(error).__name__))
        return page

    def wrong_inverses(self, records: Sequence[StoredRecord]) -> Sequence[WrongInverse]:
        """Relations whose inverse is absent or outdated. A BatchGetItem for 100."""
        expected = {
            place_in(edge): (stored, each, _labels_of(edge))
            for stored in records
            for each in stored.record.relations
            for edge in (edge_item(stored, each),)
        }
        keys = [table_keys.primary_key(*ends) for ends in expected]
        names = (*KEY_ATTRIBUTES, *_LABELS)
        found = items_at(self.client, self.table, keys, consistent=True, attributes=names)
        present = {place_in(item): _labels_of(item) for item in found}
        return [
            WrongInverse(stored, relation, is_absent=ends not in present)
            for ends, (stored, relation, labels) in expected.items()
            if present.get(ends) != labels
        ]

    def lacking_vectors(self, record_ids: Sequence[str]) -> Sequence[str]:
        """The ids without a vector, which no marker is. A BatchGetItem for 100 ids."""
        keys = [table_keys.vector_key(each) for each in record_ids]
        names = (*KEY_ATTRIBUTES, REMOVED)
        found = items_at(self.client, self.table, keys, consistent=True, attributes=names)
        present = {table_keys.source_of_vector(item) for item in found if REMOVED not in item}
        return [each for each in record_ids if each not in present]

    def put_inverse(self, wrong: WrongInverse) -> bool:
        """Put the inverse that the source demands; lost if it has come or gone."""
        edge = edge_item(wrong.source, wrong.relation)
        condition = "attribute_not_exists(pk)" if wrong.is_absent else "attribute_exists(pk)"
        put = Write("Put", lost_race, condition, item=edge)
        return self._repair(put, version_check(wrong.source))

    def put_names(self, stored: StoredRecord, names: Sequence[NameChange]) -> bool:
        """Write names that lead to the record; see `_repair`."""
        return self._repair(*writes_of(names), version_check(stored))

    def make_stale(self, record_id: str, since: str) -> bool:
        """Flag a live record so that the stream handler makes a new vector."""
        return make_stale(self, table_keys.own_key(record_id), since)

    def put_head(self, head: Head) -> bool:
        """Put a head over the version that the head has; see `_repair`."""
        return self._repair(put_head(head))

    def _repair(self, *writes: Write) -> bool:
        """Whether the writes came first; another writer takes care of the rest itself."""
        try:
            self.commit_all(*writes)
        except LostRace:
            return False
        return True

    def newest_anchors(self, count: int | None = None) -> Sequence[StoredAnchor]:
        """The newest anchors, or all, newest first. A Query of so many items, or a megabyte."""
        of_anchors = {":pk": text(ANCHORS)}
        found = self.query("pk = :pk", of_anchors, limit=count, backwards=True)
        return [_anchor_in(item) for item in islice(found, count)]

    def keep_anchor(self, signed: SignedAnchor) -> None:
        """Put an anchor; raises LostRace if an anchor of the same instant says something else.

        A put, on condition that the place is free or has an equal anchor.
        """
        said = text(signed.anchor.content.decode())
        item: dict[str, Value] = {
            **table_keys.primary_key(ANCHORS, signed.anchor.instant),
            "content": said,
            "signed": text(compact_json(signed.as_json())),
        }
        condition = "attribute_not_exists(pk) OR content = :content"
        put = Write("Put", lost_race, condition, item=item, values={":content": said})
        self.commit_all(put)

    def progress(self) -> Checkpoint | None:
        """The progress of the newest walk; None before the first."""
        return progress_at(self.client, self.table, _PROGRESS)

    def keep_progress(self, progress: JsonObject, before: Checkpoint | None) -> Checkpoint:
        """Replace `before`; raises LostRace if the stored progress has changed since."""
        return put_progress(self.client, self.table, _PROGRESS, progress, before)

    def _scan(self, after: str | None, **wanted: Any) -> tuple[Sequence[Item], str | None]:
        return scan_page(
            self.client,
            self.table,
            after,
            FilterExpression=_WALKED,
            ExpressionAttributeValues=_WALKED_VALUES,
            **wanted,
        )

    def _leaf_of(self, item: Item) -> Leaf:
        if kind_of(item) is ItemKind.TOPIC:
            return leaf_of_topic(topic_in(item, self.blobs))
        held = self.codec.decode([item])
        if held is None:
            raise CorruptItem(item, "not a record")
        return leaf_of_record(held)


def _part_of_document(item: Item) -> tuple[str, Document | Chunk | Ending]:
    """The id of the place, and the part; raises CorruptItem."""
    if kind_of(item) is ItemKind.DOCUMENTS:
        document = document_in(item)
        return document.place.id, document
    is_ending = read_text(item, "sk").startswith(ENDING)
    return name_of(item), ending_in(item) if is_ending else chunk_in(item, _NO_PLACE)


def _labels_of(edge: Mapping[str, Value]) -> Mapping[str, Value]:
    return {name: edge[name] for name in _LABELS if name in edge}


def _anchor_in(item: Item) -> StoredAnchor:
    instant = read_text(item, "sk")
    try:
        signed = SignedAnchor.of_json(parse_text(item, "signed", read_text(item, "signed"), dict))
    except (CorruptItem, KeyError, TypeError, ValueError):
        return StoredAnchor(instant, None)
    return StoredAnchor(instant, signed if signed.anchor.instant == instant else None)
