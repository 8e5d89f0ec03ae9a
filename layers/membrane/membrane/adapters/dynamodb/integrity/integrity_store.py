"""Anchors in DynamoDB: a partition with an item for each anchor, kept for good."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from membrane.adapters.dynamodb.indexes.names import writes_of
from membrane.adapters.dynamodb.records.edge_items import edge_item
from membrane.adapters.dynamodb.records.items import Codec, is_single_item
from membrane.adapters.dynamodb.records.writes import put_head, version_check
from membrane.adapters.dynamodb.topics.topic_items import topic_in
from membrane.domain.integrity.anchors import SignedAnchor
from membrane.domain.integrity.leaves import Leaf, leaf_of_record
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.records.stored import StoredRecord
from membrane.domain.topics.leaves import leaf_of_topic
from membrane.table import keys as table_keys
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import OverTable, items_at, place_of, scan_page
from membrane.table.items import (
    KEY_ATTRIBUTES,
    CorruptItem,
    Item,
    Value,
    parse_text,
    read_text,
    text,
)
from membrane.table.progress import progress_at, put_progress
from membrane.table.vectors import REMOVED, stale_flag
from membrane.table.writes import Checkpoint, Write, lost_race
from membrane.usecases.ports.records import Head, NameChange
from membrane.usecases.ports.walks import LeafPage, SourcePage, StoredAnchor, WrongInverse

ANCHORS = "anchors"
"""The partition of all anchors; the sort key of an anchor is the instant."""

_OF_ANCHORS = {":pk": text(ANCHORS)}

_PROGRESS = table_keys.primary_key(table_keys.SETTINGS, "anchor")

_SPACES = {each.own: each for each in (table_keys.RECORDS, table_keys.TOPICS)}

_LABELS = ("scope", "sensitivity")
"""What the edge of a relation repeats of the source, and a reclassification changes."""

_IS_OWN = "sk IN (:record, :topic) AND attribute_not_exists(receipt_for)"


@dataclass(frozen=True, slots=True)
class DynamoIntegrity(OverTable):
    """Verification and anchors over a table. May raise ResourceExhausted or Unavailable."""

    codec: Codec
    blobs: BlobStore

    def leaves(self, after: str | None) -> LeafPage:
        """The page after `after`, eventually consistent.

        A walk visits every record and topic that exists throughout the walk; each leaf is of one
        instant. A Scan of a megabyte, eventually consistent at half the price. A late read returns
        an earlier state of the item. The chain of the earlier state is the beginning of the present
        chain, so a leaf of the earlier state holds as well.
        """
        items, following = self._scan(after, {"ConsistentRead": False, "FilterExpression": _IS_OWN})
        leaves: list[Leaf] = []
        record_ids: list[str] = []
        damaged: list[str] = []
        for item in items:
            try:
                if _own_id(item) is None:
                    damaged.append(place_of(item))
                elif _needs_load(item):
                    record_ids.append(table_keys.record_id_of(item))
                else:
                    leaves.append(self._leaf_of(item))
            except (CorruptItem, ValueError):
                damaged.append(place_of(item))
        return LeafPage(leaves, record_ids, damaged, following)

    def sources(self, after: str | None) -> SourcePage:
        """The page after `after`, read consistently, deleted records and topics included.

        A strongly consistent Scan of a megabyte.
        """
        wanted = {
            "ConsistentRead": True,
            "FilterExpression": _IS_OWN,
            "ProjectionExpression": "pk, sk",
        }
        items, following = self._scan(after, wanted)
        by_kind: dict[str, list[str]] = {own: [] for own in _SPACES}
        strays: list[str] = []
        for item in items:
            own_id = _own_id(item)
            if own_id is None:
                strays.append(place_of(item))
            else:
                by_kind[read_text(item, "sk")].append(own_id)
        return SourcePage(
            by_kind[table_keys.RECORDS.own], by_kind[table_keys.TOPICS.own], strays, following
        )

    def wrong_inverses(self, records: Sequence[StoredRecord]) -> Sequence[WrongInverse]:
        """The relations of the records without an inverse, or with an outdated inverse.

        A strongly consistent BatchGetItem for 100 relations.
        """
        expected = {
            _ends_of(edge): (stored, each, _labels_of(edge))
            for stored in records
            for each in stored.record.relations
            for edge in (edge_item(stored, each),)
        }
        keys = [table_keys.primary_key(*ends) for ends in expected]
        names = (*KEY_ATTRIBUTES, *_LABELS)
        found = items_at(self.client, self.table, keys, consistent=True, attributes=names)
        present = {_ends_of(item): _labels_of(item) for item in found}
        return [
            WrongInverse(stored, relation, is_absent=ends not in present)
            for ends, (stored, relation, labels) in expected.items()
            if present.get(ends) != labels
        ]

    def put_inverse(self, wrong: WrongInverse) -> None:
        """Put the inverse of a relation as the source demands.

        Raises LostRace if the source has changed since, or if the inverse has come or gone. A put,
        on condition that the place is free or taken as read, and of the version.
        """
        edge = edge_item(wrong.source, wrong.relation)
        condition = "attribute_not_exists(pk)" if wrong.is_absent else "attribute_exists(pk)"
        put = Write("Put", lost_race, condition, item=edge)
        self.commit_all(put, version_check(wrong.source))

    def put_names(self, stored: StoredRecord, names: Sequence[NameChange]) -> None:
        """Write names that lead to the record.

        Raises LostRace if the record or the names have changed since. Updates of the names as read,
        on condition that the record has the version.
        """
        self.commit_all(*writes_of(names), version_check(stored))

    def lacking_vectors(self, record_ids: Sequence[str]) -> Sequence[str]:
        """The ids without a vector; a marker of a removed vector is no vector.

        A strongly consistent BatchGetItem for 100 ids.
        """
        keys = [table_keys.vector_key(each) for each in record_ids]
        names = (*KEY_ATTRIBUTES, REMOVED)
        found = items_at(self.client, self.table, keys, consistent=True, attributes=names)
        present = {table_keys.source_of_vector(item) for item in found if REMOVED not in item}
        return [each for each in record_ids if each not in present]

    def make_stale(self, record_id: str, since: str) -> None:
        """Flag the record so that the stream handler makes a new vector.

        Raises LostRace if the record is no longer live. An update, on condition that the record is
        live.
        """
        self.commit_all(stale_flag(table_keys.own_key(record_id), since))

    def put_head(self, head: Head) -> None:
        """Put a head; raises LostRace if `version` is no longer the stored version.

        A put, on condition of the version.
        """
        self.commit_all(put_head(head))

    def anchors(self) -> Sequence[StoredAnchor]:
        """Every anchor, the oldest first, read consistently. A Query a megabyte."""
        return [_anchor_in(item) for item in self.query("pk = :pk", _OF_ANCHORS)]

    def newest_anchors(self, count: int) -> Sequence[StoredAnchor]:
        """The newest anchors, the newest first, read consistently. A Query of so many items."""
        found = self.query("pk = :pk", _OF_ANCHORS, limit=count, backwards=True)
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

    def _scan(
        self, after: str | None, wanted: Mapping[str, Any]
    ) -> tuple[Sequence[Item], str | None]:
        """The items of a page, and the start of the next page."""
        own = {
            ":record": text(table_keys.RECORDS.own),
            ":topic": text(table_keys.TOPICS.own),
        }
        return scan_page(self.client, self.table, after, ExpressionAttributeValues=own, **wanted)

    def _leaf_of(self, item: Item) -> Leaf:
        if read_text(item, "sk") == table_keys.TOPICS.own:
            return leaf_of_topic(topic_in(item, self.blobs))
        held = self.codec.decode([item])
        if held is None:
            raise CorruptItem(item, "not a record")
        return leaf_of_record(held)


def _needs_load(item: Item) -> bool:
    """Whether the leaf needs items beside the own item; a tombstone's leaf needs none."""
    is_record = read_text(item, "sk") == table_keys.RECORD
    return is_record and "document" in item and not is_single_item(item)


def _ends_of(item: Item) -> tuple[str, str]:
    return read_text(item, "pk"), read_text(item, "sk")


def _labels_of(edge: Mapping[str, Value]) -> Mapping[str, Value]:
    return {name: edge[name] for name in _LABELS if name in edge}


def _own_id(item: Item) -> str | None:
    """The id of a record or topic; None for an item outside the partition of one."""
    space = _SPACES[read_text(item, "sk")]
    partition = read_text(item, "pk")
    return partition.removeprefix(space.sources) if partition.startswith(space.sources) else None


def _anchor_in(item: Item) -> StoredAnchor:
    instant = read_text(item, "sk")
    try:
        signed = SignedAnchor.of_json(parse_text(item, "signed", read_text(item, "signed"), dict))
    except (CorruptItem, KeyError, TypeError, ValueError):
        return StoredAnchor(instant, None)
    return StoredAnchor(instant, signed if signed.anchor.instant == instant else None)
