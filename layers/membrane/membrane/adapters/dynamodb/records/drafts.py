"""Collect the writes for the next versions of records into one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from membrane.adapters.dynamodb.indexes.decay_classes import ClassRegistry
from membrane.adapters.dynamodb.indexes.learning import lookup_changes
from membrane.adapters.dynamodb.records.blobs import blob_names_in
from membrane.adapters.dynamodb.records.edge_items import edge_changes, edges_left, outdated_edges
from membrane.adapters.dynamodb.records.items import Codec
from membrane.adapters.dynamodb.records.log_items import (
    MAX_RESIDENT_DELTAS,
    MAX_RESIDENT_ENTRIES,
    SPILL,
    Origin,
    deltas_item,
    older_entries_item,
)
from membrane.adapters.dynamodb.records.writes import put_head, unchanged_check, update_of
from membrane.adapters.dynamodb.search.markers import STALE, WRITTEN, marker, removal, succession
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.history import Delta
from membrane.domain.records.records import MemoryRecord, Relation
from membrane.domain.records.standing import (
    index_version,
    loses_vector,
    may_be_outlived,
    needs_vector,
    outlived_by,
)
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord, erases_past
from membrane.domain.salience.function import decay_class
from membrane.table.blobs import Packing
from membrane.table.items import Item, read_number
from membrane.table.writes import MAX_TOGETHER, Write, lost_race
from membrane.usecases.ports.records import Head

PER_CHANGE = 4
"""Writes of one change among several at most: own item, vector, edge, decay class."""

_RANKED = ("salience", "anchored_at", "deletion_policy", "conf")
"""Attributes in the rank index, none with content, that a tombstone without document lacks."""

SPILLED_ITEMS = 2
"""Additional items of a change that spills entries and changes; postponed if there is no room."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A transaction under construction: the writes, and the blobs to put before the writes."""

    writes: list[Write] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    registered: list[MemoryRecord] = field(default_factory=list)
    """Records whose decay classes are to be registered: one write a scope, however many records."""
    outdated: list[tuple[StoredRecord, Relation]] = field(default_factory=list)
    """Edges to put again, in the transaction as far as there is room, the rest behind."""
    behind: list[Write] = field(default_factory=list)
    """Writes after the transaction, each without harm if it is refused or lost."""

    def add(self, packing: Packing) -> None:
        """Put an item that no other writer puts."""
        self.blobs.update(packing.blobs)
        self.writes.append(Write("Put", lost_race, item=packing.item))


class Drafting(NamedTuple):
    """Add the changes of existing records to drafts."""

    codec: Codec
    classes: ClassRegistry
    now: datetime

    def add_changes(
        self,
        draft: Draft,
        changed: Sequence[tuple[AnyRecord, AnyRecord]],
        targets: Sequence[StoredRecord],
        heads: Sequence[Head],
    ) -> None:
        """Add changes, checks of targets and heads; a changed target needs no separate check."""
        touched = {after.id for _, after in changed}
        unchanged = [target for target in targets if target.id not in touched]
        draft.writes.extend(map(unchanged_check, unchanged))
        draft.writes.extend([put_head(head) for head in heads])
        for left, (before, after) in zip(range(len(changed), 0, -1), changed, strict=True):
            room = MAX_TOGETHER - len(draft.writes) - left * PER_CHANGE
            self.add_next_version(draft, before, after, spills=room >= SPILLED_ITEMS)

    def add_next_version(
        self,
        draft: Draft,
        before: AnyRecord,
        after: AnyRecord,
        *,
        due_by_s: int | None = None,
        spills: bool = True,
    ) -> None:
        """Add the next version of a record; entries that no longer fit the own item spill."""
        origin = origin_of(before)
        resident = after.trail[len(before.trail) - origin.resident :]
        spill = SPILL if spills and len(resident) > MAX_RESIDENT_ENTRIES else 0
        deltas = _resident_deltas(before, after)
        leaving = SPILL if spills and len(deltas) > MAX_RESIDENT_DELTAS else 0
        history_spilled = 0 if erases_past(before, after) else origin.history_spilled
        packing = self.codec.encode(
            after,
            resident[spill:],
            origin.spilled + spill,
            deltas[leaving:],
            history_spilled + leaving,
        )
        if isinstance(after, RemovedRecord) and after.tombstone.due_s is not None:
            packing.item.update(edges_left(before, origin.item))
        packing.item.update(_ranked_as_before(origin.item, packing.item))
        is_mistimed = self._is_mistimed(before, packing.item)
        version = index_version(after.born_s, after.version)
        is_expiring = due_by_s is not None and not may_be_outlived(before, origin.spilled)
        is_lost = loses_vector(before, after, epoch_seconds(self.now))
        is_ended = is_lost and not is_expiring
        if is_lost and is_expiring:
            draft.behind.append(removal(after.id, version))
        successor_id = outlived_by(after) if is_ended else None
        if successor_id or needs_vector(before, after, is_mistimed=is_mistimed):
            packing.item[STALE] = WRITTEN
        draft.writes.append(update_of(origin.item, packing.item, before.version, due_by_s))
        if is_ended:
            draft.writes.append(
                succession(after.id, successor_id, version, self.now)
                if successor_id
                else marker(after.id, version, self.now)
            )
        there = blob_names_in([origin.item], after.id)
        draft.blobs.update(
            {name: content for name, content in packing.blobs.items() if name not in there}
        )
        if spill:
            draft.add(older_entries_item(after, origin.spilled, resident[:spill]))
        if isinstance(before, StoredRecord) and isinstance(after, StoredRecord):
            draft.writes.extend(lookup_changes(before, after))
            if leaving:
                draft.add(deltas_item(after, history_spilled, deltas[:leaving]))
            draft.writes.extend(edge_changes(after, before.record.relations))
            draft.outdated.extend((after, each) for each in outdated_edges(after, before))
            if _rank_place(after) not in (None, _rank_place(before)):
                self.register(draft, [after.record])

    def _is_mistimed(self, before: AnyRecord, after: Item) -> bool:
        """Whether the TTL of the vector may differ from the entry in the due index.

        TTL follows the due instant by the settings of today. The due index may hold an instant by
        earlier settings, or a later instant to which the sweep postponed the record. See
        `needs_vector`.
        """
        there = origin_of(before).item
        if "due_sk" not in there:
            return "due_sk" in after
        now_s = epoch_seconds(self.now)
        if read_number(there, "due_sk") <= now_s:
            return True
        due_s = self.codec.due_s(before) if isinstance(before, StoredRecord) else None
        return due_s is not None and due_s <= now_s

    def register(self, draft: Draft, records: Sequence[MemoryRecord]) -> None:
        """Let the draft register the decay classes of records that get entries under them."""
        draft.registered.extend(records)


def origin_of(before: AnyRecord) -> Origin:
    """The items that the store read the record from."""
    if not isinstance(before.origin, Origin):
        raise TypeError("the record to replace was not loaded from this store")
    return before.origin


def _ranked_as_before(before: Item, after: Item) -> Item:
    """The attributes that keep the row of a forgotten record in the rank index as the row is."""
    is_same_row = "deleted_at" in before and "rank_pk" in after
    if not is_same_row or before["rank_pk"] != after["rank_pk"]:
        return {}
    return {name: before[name] for name in _RANKED if name in before and name not in after}


def _resident_deltas(before: AnyRecord, after: AnyRecord) -> Sequence[Delta]:
    """The changes of content in the record's own item, with the new change."""
    if not isinstance(before, StoredRecord) or not isinstance(after, StoredRecord):
        return ()
    if erases_past(before, after):
        return after.history
    return after.history[len(before.history) - origin_of(before).history_resident :]


def _rank_place(stored: StoredRecord) -> tuple[str, str] | None:
    if stored.tombstone is not None:
        return None
    return stored.scope, decay_class(stored.record.lifecycle)
