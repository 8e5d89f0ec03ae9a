"""The index of threads: which search entries stand just before and just after another."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from membrane.adapters.dynamodb.search.entry_items import ATTRIBUTES, is_entry
from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import Item, read_text, text
from membrane.adapters.dynamodb.table.batches import items_at
from membrane.adapters.dynamodb.table.failures import translated
from membrane.domain.search.entries import Entry
from membrane.domain.search.threads import NEIGHBOURS
from membrane.usecases.machinery.side_by_side import side_by_side

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

INDEX = "thread"

Side = Literal["<", ">"]
"""Before, and after."""


@dataclass(frozen=True, slots=True)
class ThreadIndex:
    """Neighbours of entries, over one table."""

    client: "DynamoDBClient"
    table: str

    def beside(self, entries: Sequence[Entry]) -> list[Item]:
        """The items next to these entries, once each and none of the entries' own.

        Two Queries for an entry that has a thread, and a BatchGetItem for all that they name.
        """
        sides: list[tuple[Entry, Side]] = [
            (entry, side) for entry in entries if entry.thread for side in ("<", ">")
        ]
        if not sides:
            return []
        pages = side_by_side(lambda side: self._next(*side), sides)
        named = {_place(key): key for page in pages for key in page}
        for entry in entries:
            named.pop((entry.scope, entry.record_id), None)
        keys = [{"pk": key["pk"], "sk": key["sk"]} for key in named.values()]
        found = items_at(self.client, self.table, keys, consistent=False, attributes=ATTRIBUTES)
        return [item for item in found if is_entry(item)]

    def _next(self, entry: Entry, side: Side) -> Sequence[Item]:
        """What stands just on that side of the entry's place, which need not be taken."""
        with translated():
            return self.client.query(
                TableName=self.table,
                IndexName=INDEX,
                ConsistentRead=False,
                KeyConditionExpression=f"thread_pk = :thread AND thread_sk {side} :place",
                ExpressionAttributeValues={
                    ":thread": text(table_keys.thread_partition(entry.thread)),
                    ":place": text(table_keys.thread_place(entry.order, entry.record_id)),
                },
                ScanIndexForward=side == ">",
                Limit=NEIGHBOURS,
            )["Items"]


def _place(key: Item) -> tuple[str, str]:
    return table_keys.scope_of_entry(key), read_text(key, "sk")
