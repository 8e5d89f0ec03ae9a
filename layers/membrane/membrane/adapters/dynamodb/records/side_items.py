"""Remove the items and blobs beside a record's own item: edges, older audit entries, history.

Every step may be repeated: a killed run starts again from the beginning.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.records.edge_items import inverse_key
from membrane.adapters.dynamodb.records.log_items import (
    OLDER_AUDIT,
    belongs_to_record,
    entries_in,
    older_entries_item,
)
from membrane.adapters.dynamodb.table.attributes import (
    BORN,
    KEY_ATTRIBUTES,
    Client,
    Item,
    number,
    read_number,
)
from membrane.adapters.dynamodb.table.keys import AUDIT, position_of
from membrane.adapters.dynamodb.table.writes import MAX_TOGETHER, Write, commit, lost_race
from membrane.domain.records.audit import without_text
from membrane.domain.records.stored import AnyRecord, RemovedRecord
from membrane.usecases.ports.bucket import BlobStore

_EXISTS = "attribute_exists(pk)"
_SAME_RECORD = "attribute_not_exists(pk) OR born = :born"


@dataclass(frozen=True, slots=True)
class SideItems:
    """Over one table, with large texts in `blobs`."""

    client: Client
    table: str
    blobs: BlobStore

    def clear(self, removed: RemovedRecord, beside: Sequence[Item]) -> None:
        """Keep only the audit until the tombstone expires; for an erased record without texts.

        `beside` are the items of the record's partition without the own item.
        """
        audit = [item for item in beside if belongs_to_record(item, AUDIT, removed.born_s)]
        self._commit(list(self._kept_audit(removed, audit)))
        self._delete(removed.id, [item for item in beside if item not in audit])

    def remove(self, held: AnyRecord, beside: Sequence[Item]) -> None:
        """Remove all items except the record's own, and no item of a younger record of the same id.

        A younger record may appear between the reads of the own item and of `beside`. The blobs
        become orphans for the job that collects blobs: the younger record may be writing a blob of
        the same content.
        """
        self._delete(held.id, [item for item in beside if read_number(item, BORN) <= held.born_s])

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

    def _delete(self, record_id: str, items: Sequence[Item]) -> None:
        """Delete edges together with their inverses in the partitions of the targets."""
        writes = []
        for item in items:
            keys = [{name: item[name] for name in KEY_ATTRIBUTES}]
            if "target_id" in item:
                keys.append(inverse_key(item, record_id))
            born = number(read_number(item, BORN))
            writes += [
                Write("Delete", lost_race, _SAME_RECORD, key=key, values={":born": born})
                for key in keys
            ]
        self._commit(writes)

    def _commit(self, writes: Sequence[Write]) -> None:
        for start in range(0, len(writes), MAX_TOGETHER):
            commit(self.client, self.table, writes[start : start + MAX_TOGETHER])


def _until(expires_at_s: int, item: Item) -> Write:
    return Write(
        "Update",
        lost_race,
        _EXISTS,
        key={name: item[name] for name in KEY_ATTRIBUTES},
        update="SET expires_at = :end",
        values={":end": number(expires_at_s)},
    )
