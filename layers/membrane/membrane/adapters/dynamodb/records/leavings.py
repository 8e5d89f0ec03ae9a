"""What lies beside a record's own item: edges, older audit entries, blobs; and taking it away.

Every step may be repeated: what is killed on its way is done again from its beginning.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from membrane.adapters.dynamodb.records.edge_items import inverse_key
from membrane.adapters.dynamodb.records.log_items import (
    OLDER_AUDIT,
    entries_in,
    is_ours,
    spilled_item,
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
from membrane.adapters.dynamodb.table.writes import MAX_TOGETHER, Write, commit, lost
from membrane.domain.records.audit import without_text
from membrane.domain.records.stored import AnyRecord, RemovedRecord
from membrane.usecases.ports.bucket import BlobStore

_THERE = "attribute_exists(pk)"
_AS_READ = "attribute_not_exists(pk) OR born = :born"


@dataclass(frozen=True, slots=True)
class Leavings:
    """Over one table, with large texts in `blobs`."""

    client: Client
    table: str
    blobs: BlobStore

    def clear(self, remains: RemovedRecord, beside: Sequence[Item]) -> None:
        """Keep the audit alone until the tombstone expires; of what is erased without its texts.

        `beside` are the items of the record's partition, without its own.
        """
        audit = [item for item in beside if is_ours(item, AUDIT, remains.born_s)]
        self._commit(list(self._kept(remains, audit)))
        self._delete(remains.id, [item for item in beside if item not in audit])

    def remove(self, held: AnyRecord, beside: Sequence[Item]) -> None:
        """Remove all but the record's own item, and nothing of a younger record of the same id.

        A younger record may have come after the own item was read and before `beside` was read.
        The record's blobs are orphans then, for the job that collects them: the younger record may
        be writing a blob of the same content.
        """
        self._delete(held.id, [item for item in beside if read_number(item, BORN) <= held.born_s])

    def _kept(self, remains: RemovedRecord, audit: Sequence[Item]) -> Iterator[Write]:
        """The older entries' items, to expire with the tombstone.

        Their texts are written anew only to erase them: who is late must not bring them back.
        """
        for item in audit:
            if remains.tombstone.is_erased:
                entries = entries_in(item, OLDER_AUDIT, remains.id, self.blobs)
                packing = spilled_item(remains, position_of(item), [*map(without_text, entries)])
                for name, content in packing.blobs.items():
                    self.blobs.put(name, content)
                yield Write("Put", lost, _THERE, item=packing.item)
            else:
                yield _until(remains.tombstone.expires_at_s, item)

    def _delete(self, record_id: str, items: Sequence[Item]) -> None:
        """Edges go with their inverses, which stand in the partitions of their targets."""
        writes = []
        for item in items:
            keys = [{name: item[name] for name in KEY_ATTRIBUTES}]
            if "target_id" in item:
                keys.append(inverse_key(item, record_id))
            born = number(read_number(item, BORN))
            writes += [
                Write("Delete", lost, _AS_READ, key=key, values={":born": born}) for key in keys
            ]
        self._commit(writes)

    def _commit(self, writes: Sequence[Write]) -> None:
        for start in range(0, len(writes), MAX_TOGETHER):
            commit(self.client, self.table, writes[start : start + MAX_TOGETHER])


def _until(expires_at_s: int, item: Item) -> Write:
    return Write(
        "Update",
        lost,
        _THERE,
        key={name: item[name] for name in KEY_ATTRIBUTES},
        update="SET expires_at = :end",
        values={":end": number(expires_at_s)},
    )
