"""Going through the whole table, source by source and entry by entry: for operators alone."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from membrane.adapters.dynamodb.records.receipts import is_receipt
from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import Item, Value, read_text, text
from membrane.adapters.dynamodb.table.failures import translated
from membrane.adapters.dynamodb.table.keys import RECORDS, SearchSpace
from membrane.adapters.dynamodb.table.progress import keep_at, kept_at
from membrane.domain.language.json_text import JsonObject
from membrane.usecases.ports.catalogue import EntryPlace, Kept, Page

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

ITEMS = 500
"""Of a page, at most: a step is as long as a page takes."""

BEFORE_ALL = "!"
"""Sorts before the place of any scope."""

_WANTED = "(sk = :own AND begins_with(pk, :sources)) OR begins_with(pk, :entries)"


@dataclass(frozen=True, slots=True)
class DynamoCatalogue:
    """The Catalogue over one table."""

    client: "DynamoDBClient"
    table: str
    space: SearchSpace = RECORDS

    def page(self, after: str | None) -> Page:
        """One Scan."""
        request: dict[str, Any] = {
            "TableName": self.table,
            "ConsistentRead": True,
            "Select": "SPECIFIC_ATTRIBUTES",  # a function's rights may be confined to them
            "Limit": ITEMS,
            "FilterExpression": f"({_WANTED}) AND attribute_not_exists(removed)",
            "ProjectionExpression": "pk, sk, #scope, receipt_for",
            "ExpressionAttributeNames": {"#scope": "scope"},
            "ExpressionAttributeValues": {
                ":own": text(self.space.own),
                ":sources": text(self.space.sources),
                ":entries": text(self.space.entries),
            },
        }
        with translated():
            page = self.client.scan(**request | _from(after))
        items = page["Items"]
        entries = [item for item in items if self._is_entry(item)]
        sources = [item for item in items if not self._is_entry(item) and not is_receipt(item)]
        return Page(
            [(self._id_of(item), _scope(item)) for item in sources],
            [_entry_place(item) for item in entries],
            _place(page.get("LastEvaluatedKey")),
        )

    def scope_after(self, scope: str | None) -> str | None:
        """One Query of the registry."""
        place = BEFORE_ALL if scope is None else table_keys.scope_place(scope)
        with translated():
            found = self.client.query(
                TableName=self.table,
                ConsistentRead=True,
                Limit=1,
                KeyConditionExpression="pk = :pk AND sk > :place",
                ExpressionAttributeValues={
                    ":pk": text(self.space.scopes),
                    ":place": text(place),
                },
            )["Items"]
        return table_keys.scope_at(read_text(found[0], "sk")) if found else None

    def progress(self) -> Kept | None:
        """One strongly consistent GetItem."""
        return kept_at(self.client, self.table, self._key)

    def keep(self, progress: JsonObject, before: Kept | None) -> Kept:
        """One conditional put."""
        return keep_at(self.client, self.table, self._key, progress, before)

    @property
    def _key(self) -> dict[str, Value]:
        return {"pk": text(table_keys.SETTINGS), "sk": text(self.space.reindexing)}

    def _is_entry(self, item: Item) -> bool:
        return read_text(item, "pk").startswith(self.space.entries)

    def _id_of(self, item: Item) -> str:
        return read_text(item, "pk").removeprefix(self.space.sources)


def _entry_place(item: Item) -> EntryPlace:
    scope, shard = table_keys.scope_of_entry(item), table_keys.shard_of_entry(item)
    return EntryPlace(read_text(item, "sk"), scope, shard)


def _scope(item: Item) -> str:
    return read_text(item, "scope") if "scope" in item else ""


def _place(key: Item | None) -> str | None:
    """A key of strings as text."""
    return None if key is None else json.dumps([read_text(key, "pk"), read_text(key, "sk")])


def _from(place: str | None) -> dict[str, Any]:
    if place is None:
        return {}
    partition, sort = json.loads(place)
    return {"ExclusiveStartKey": {"pk": text(partition), "sk": text(sort)}}
