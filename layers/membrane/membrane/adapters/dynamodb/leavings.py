"""What lies beside a record's own item: edges, older audit entries, blobs; and taking it away.

Every step may be repeated: what is killed on its way is done again from its beginning.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.attributes import (
    BORN,
    KEY_ATTRIBUTES,
    Item,
    Value,
    number,
    read_number,
)
from membrane.adapters.dynamodb.edge_items import inverse_key
from membrane.adapters.dynamodb.record_items import (
    Origin,
    blobs_named,
    older_entries,
    spilled_item,
)
from membrane.adapters.dynamodb.table_keys import position_of, record_id_of
from membrane.adapters.dynamodb.writes import MAX_TOGETHER, Write, commit, lost
from membrane.domain.stored import Remains
from membrane.usecases.ports import BlobStore

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

_THERE = "attribute_exists(pk)"
_AS_READ = "attribute_not_exists(pk) OR born = :born"


@dataclass(frozen=True, slots=True)
class Leavings:
    """Over one table, with large texts in `blobs`."""

    client: "DynamoDBClient"
    table: str
    blobs: BlobStore

    def are_none(self, origin: Origin) -> bool:
        """Whether the record was its own item and nothing else."""
        record_id = record_id_of(origin.item)
        return not origin.beside and not blobs_named([origin.item], record_id)

    def clear(self, remains: Remains, origin: Origin, own: Item) -> None:
        """Keep the audit alone, in the words that the remains have, until the tombstone expires.

        `own` is the record's item as it stands now.
        """
        kept = list(self._older_entries(remains, origin))
        self._commit([Write("Put", lost, _THERE, item=item) for item in kept])
        self._delete(remains.id, [each.item for each in origin.beside if not each.entries])
        self._remove_blobs(remains.id, but=blobs_named([own, *kept], remains.id))

    def remove(self, record_id: str, origin: Origin) -> None:
        """Remove the items beside the record's own.

        Not the blobs: the id may be another record's by now, which might name them. What none
        names is removed by the job for that.
        """
        self._delete(record_id, [each.item for each in origin.beside])

    def _older_entries(self, remains: Remains, origin: Origin) -> Iterator[Mapping[str, Value]]:
        """Their items anew, to expire with the tombstone; large ones have their blobs written."""
        for position, beside in older_entries(origin):
            entries = remains.trail[position : position + beside.entries]
            packing = spilled_item(remains, position_of(beside.item), entries)
            packing.item["expires_at"] = number(remains.tombstone.expires_at_s)
            for name, content in packing.blobs.items():
                self.blobs.put(name, content)
            yield packing.item

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

    def _remove_blobs(self, record_id: str, but: Iterable[str]) -> None:
        kept = frozenset(but)
        for blob in list(self.blobs.listed(record_id)):
            if blob.name not in kept:
                self.blobs.remove(blob.name)
