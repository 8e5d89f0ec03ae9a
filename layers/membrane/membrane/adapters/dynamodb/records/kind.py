"""Records as entities: what the head holds, and what a change writes beside the head."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from membrane.adapters.dynamodb.indexes.decay_classes import ClassRegistry
from membrane.adapters.dynamodb.indexes.learning import lookup_changes, lookup_items
from membrane.adapters.dynamodb.records.beside import (
    LEFT,
    edge_changes,
    edges_left,
    outdated_edges,
    place_taken,
)
from membrane.adapters.dynamodb.records.items import AUDIT, HISTORY, Codec
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records import standing
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord, erases_past
from membrane.domain.salience.function import decay_class
from membrane.table import items
from membrane.table import keys as table_keys
from membrane.table.entity import Change, Draft, Entities, Log, Origin
from membrane.table.index import STALE, WRITTEN, marker, removal, succession

if TYPE_CHECKING:
    from membrane.usecases.ports.bucket import Links


_FREE_OF_EDGES = (
    "attribute_not_exists(pk) OR (expires_at <= :now AND attribute_not_exists(relations)"
    f" AND attribute_not_exists({LEFT}))"
)
"""FREE, and the expired tombstone has no edges in the partitions of targets."""

_RANKED = ("salience", "anchored_at", "deletion_policy", "conf")
"""Attributes in the rank index, none with content, that a tombstone without document lacks."""


class EdgesLeft(items.LostRace):
    """An expired tombstone stands at the place, and its edges must be removed before it goes."""

    def __init__(self, record_id: str) -> None:
        super().__init__(record_id)
        self.record_id = record_id


@dataclass(frozen=True, slots=True)
class RecordKind(Entities[AnyRecord]):
    """The part of DynamoRecords that says what a change of a record writes."""

    codec: Codec
    links: "Links"
    classes: ClassRegistry

    logs: ClassVar[Sequence[Log]] = (AUDIT, HISTORY)

    def encode(self, held: AnyRecord) -> tuple[dict[str, items.Value], dict[str, str]]:
        return self.codec.encode(held)

    def entries_of(self, held: AnyRecord, log: Log) -> Sequence[Any]:
        if log is AUDIT:
            return held.trail
        return held.history if isinstance(held, StoredRecord) else ()

    def origin_of(self, held: AnyRecord) -> Origin:
        if not isinstance(held.origin, Origin):
            raise TypeError("the record to replace was not loaded from this store")
        return held.origin

    def owner_of(self, held: AnyRecord) -> str:
        return held.id

    def beside(self, held: AnyRecord) -> dict[str, items.Value]:
        item = {
            "pk": items.text(table_keys.record_partition(held.id)),
            items.BORN: items.number(held.born_s),
        }
        if isinstance(held, RemovedRecord):
            item["expires_at"] = items.number(held.tombstone.expires_at_s)
        return item

    def keeps(self, change: Change[AnyRecord], log: Log) -> bool:
        """Whether earlier entries stay; the history goes with the content that it tells of."""
        before, after = change.before, change.after
        if before is None or log is AUDIT:
            return before is not None
        return isinstance(after, StoredRecord) and not erases_past(before, after)

    def refusal_of(self, held: AnyRecord) -> items.Refusal:
        return place_taken(held.id)

    def open_scopes(self, changes: Sequence[Change[AnyRecord]]) -> Collection[str]:
        return {each.after.scope for each in changes if is_living(each.after)}

    def put_new(self, item: Mapping[str, items.Value], refusal: items.Refusal) -> items.Write:
        """Put an item at a free place; EdgesLeft refuses an expired tombstone with edges."""

        def refusal_of(existing: items.Item) -> Exception:
            if items.is_expired(existing, epoch_seconds(self.now())):
                return EdgesLeft(table_keys.record_id_of(existing))
            return refusal(existing)

        values = {":now": items.number(self.now_s())}
        return items.Write("Put", refusal_of, _FREE_OF_EDGES, item=item, values=values)

    def add_beside(
        self, draft: Draft, change: Change[AnyRecord], head: dict[str, items.Value]
    ) -> None:
        """Add edges, look-ups, and the end of the vector; flag the head for a new vector."""
        before, after = change.before, change.after
        if before is None:
            self._add_beside_new(draft, after, head)
            return
        origin = self.origin_of(before)
        if isinstance(after, RemovedRecord) and after.tombstone.due_s is not None:
            head.update(edges_left(before, origin.item))
        head.update(_ranked_as_before(origin.item, head))
        self._add_vector(draft, before, after, change.due_by_s, head)
        if isinstance(before, StoredRecord) and isinstance(after, StoredRecord):
            draft.writes.extend(lookup_changes(before, after))
            draft.writes.extend(edge_changes(after, before.record.relations))
            draft.late.extend((after, each) for each in outdated_edges(after, before))

    def _add_beside_new(self, draft: Draft, new: AnyRecord, head: dict[str, items.Value]) -> None:
        if isinstance(new, StoredRecord):
            if standing.is_found(new):
                head[STALE] = WRITTEN
            draft.writes.extend(edge_changes(new))
            draft.writes.extend(
                items.Write("Put", items.lost_race, item=each) for each in lookup_items(new)
            )

    def _add_vector(
        self,
        draft: Draft,
        before: AnyRecord,
        after: AnyRecord,
        due_by_s: int | None,
        head: dict[str, items.Value],
    ) -> None:
        """Flag the head for a new vector; end a vector in the transaction, or behind a prune."""
        origin, version = (
            self.origin_of(before),
            standing.index_version(after.born_s, after.version),
        )
        is_lost = standing.loses_vector(before, after, epoch_seconds(self.now()))
        is_pruned = due_by_s is not None and not standing.may_be_outlived(
            before, AUDIT.count_beside(origin.item)
        )
        successor_id = standing.outlived_by(after) if is_lost and not is_pruned else None
        is_mistimed = self._is_mistimed(before, head)
        if successor_id or standing.needs_vector(before, after, is_mistimed=is_mistimed):
            head[STALE] = WRITTEN
        if is_lost and is_pruned:
            draft.behind.append(removal(after.id, version))
        elif successor_id:
            draft.writes.append(succession(after.id, successor_id, version, self.now()))
        elif is_lost:
            draft.writes.append(marker(after.id, version, self.now()))

    def _is_mistimed(self, before: AnyRecord, after: items.Item) -> bool:
        """Whether the TTL of the vector may differ from the entry in the due index.

        TTL follows the due instant by the settings of today. The due index may hold an instant by
        earlier settings, or a later instant to which the sweep postponed the record. See
        `needs_vector`.
        """
        there = self.origin_of(before).item
        if "due_sk" not in there:
            return "due_sk" in after
        if self.is_past(items.read_number(there, "due_sk")):
            return True
        due_s = self.codec.due_s(before) if isinstance(before, StoredRecord) else None
        return due_s is not None and self.is_past(due_s)


def is_living(held: AnyRecord) -> bool:
    return isinstance(held, StoredRecord) and held.tombstone is None


def takes_rank(change: Change[AnyRecord]) -> bool:
    """Whether the record gets an entry under a decay class that it had none under before."""
    before, after = change.before, change.after
    return _rank_place(after) not in (None, None if before is None else _rank_place(before))


def _rank_place(held: AnyRecord) -> tuple[str, str] | None:
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return None
    return held.scope, decay_class(held.record.lifecycle)


def _ranked_as_before(before: items.Item, after: items.Item) -> items.Item:
    """The attributes that keep the row of a forgotten record in the rank index as the row is."""
    is_same_row = "deleted_at" in before and "rank_pk" in after
    if not is_same_row or before["rank_pk"] != after["rank_pk"]:
        return {}
    return {name: before[name] for name in _RANKED if name in before and name not in after}
