"""Remove what lies beside a record's own item: edges at targets, older audit entries, history.

Every step may be repeated: a killed run starts again from the beginning.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.records.edge_items import (
    keys_of_edges,
    put_of_edge,
    removal_of_edge,
)
from membrane.adapters.dynamodb.records.log_items import (
    OLDER_AUDIT,
    belongs_to_record,
    entries_in,
    older_entries_item,
)
from membrane.adapters.dynamodb.records.writes import version_check
from membrane.domain.records.audit import without_text
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.table.blobs import BlobStore
from membrane.table.dynamo import OverTable, commit
from membrane.table.items import BORN, KEY_ATTRIBUTES, Client, Item, number, read_number, read_text
from membrane.table.keys import AUDIT, HISTORY, position_of
from membrane.table.writes import MAX_TOGETHER, LostRace, Write, lost_race

_EXISTS = "attribute_exists(pk)"
_SAME_RECORD = "attribute_not_exists(pk) OR born = :born"


@dataclass(frozen=True, slots=True)
class SideItems(OverTable):
    """Over one table, with large texts in `blobs`."""

    blobs: BlobStore

    def clear(
        self, before: AnyRecord, own: Item, removed: RemovedRecord, beside: Sequence[Item]
    ) -> None:
        """Keep only the audit until the tombstone expires; for an erased record without texts.

        `own` is the own item of `before`, the version before the removal; `beside` are the other
        items of the record's partition.
        """
        audit = [item for item in beside if belongs_to_record(item, AUDIT, removed.born_s)]
        self._commit(list(self._kept_audit(removed, audit)))
        self._delete([item for item in beside if item not in audit])
        self._delete_edges(before, own)

    def remove(self, held: AnyRecord, own: Item, beside: Sequence[Item]) -> None:
        """Remove all items except the record's own, and no item of a younger record of the same id.

        A younger record may appear between the reads of the own item and of `beside`. The blobs
        become orphans for the job that collects blobs: the younger record may be writing a blob of
        the same content.
        """
        self._delete([item for item in beside if read_number(item, BORN) <= held.born_s])
        self._delete_edges(held, own)

    def removals_of_history(self, beside: Sequence[Item], room: int) -> Sequence[Write]:
        """The removals of the spilled changes of content, for a transaction with `room` for them.

        The oldest changes that find no room are removed now: earlier contents cannot be read until
        the transaction.
        """
        spilled = [item for item in beside if read_text(item, "sk").startswith(HISTORY)]
        at_once = len(spilled) - min(room, len(spilled))
        self._delete(spilled[:at_once])
        return [_removal_of(item) for item in spilled[at_once:]]

    def _kept_audit(self, removed: RemovedRecord, audit: Sequence[Item]) -> Iterator[Write]:
        """Let the items of older entries expire with the tombstone.

        Texts are written again only to erase them: a late writer must not bring a text back.
        """
        for item in audit:
            if removed.tombstone.is_erased:
                entries = entries_in(item, OLDER_AUDIT, removed.id, self.blobs)
                erased = [*map(without_text, entries)]
                packing = older_entries_item(removed, position_of(item), erased)
                for name, content in packing.blobs.items():
                    self.blobs.write(name, content)
                yield Write("Put", lost_race, _EXISTS, item=packing.item)
            else:
                yield _until(removed.tombstone.expires_at_s, item)

    def _delete(self, items: Sequence[Item]) -> None:
        self._commit([_removal_of(item) for item in items])

    def _delete_edges(self, held: AnyRecord, own: Item) -> None:
        """Delete the record's edges in the partitions of the targets."""
        keys = keys_of_edges(held, own)
        self._commit([removal_of_edge(key, held.born_s) for key in keys])

    def _commit(self, writes: Sequence[Write]) -> None:
        for start in range(0, len(writes), MAX_TOGETHER):
            self.commit_all(*writes[start : start + MAX_TOGETHER])


def _removal_of(item: Item) -> Write:
    key = {name: item[name] for name in KEY_ATTRIBUTES}
    values = {":born": number(read_number(item, BORN))}
    return Write("Delete", lost_race, _SAME_RECORD, key=key, values=values)


def _until(expires_at_s: int, item: Item) -> Write:
    return Write(
        "Update",
        lost_race,
        _EXISTS,
        key={name: item[name] for name in KEY_ATTRIBUTES},
        update="SET expires_at = :end",
        values={":end": number(expires_at_s)},
    )


EDGES = MAX_TOGETHER - 1
"""Edges of one transaction beside the check of the source."""


def put_late_edges(
    client: Client,
    table: str,
    source: StoredRecord,
    relations: Sequence[Relation],
    load: Callable[[str], AnyRecord | None],
) -> None:
    """Put the edges in transactions that check the version of the source.

    A version of a concurrent writer takes the place of `source` for the edges that are left, unless
    the version has a different scope or sensitivity: then that writer has put every edge. A killed
    run leaves edges of the former scope and sensitivity for the verification to repair.
    """
    held, left = source, list(relations)
    while left:
        puts = [put_of_edge(held, each) for each in left[:EDGES]]
        try:
            commit(client, table, [version_check(held), *puts])
        except LostRace:
            newest = load(held.id)
            if not isinstance(newest, StoredRecord) or not _is_classified_like(newest, held):
                return
            held, left = newest, [each for each in left if each in newest.record.relations]
        else:
            left = left[EDGES:]


def _is_classified_like(newest: StoredRecord, held: StoredRecord) -> bool:
    """Whether the newest record is the same record, with the same scope and sensitivity."""
    is_same = newest.born_s == held.born_s
    return is_same and (newest.scope, newest.sensitivity) == (held.scope, held.sensitivity)
