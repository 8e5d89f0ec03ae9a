"""Queries: a page, or every item over all pages; and the scan of the whole table, by pages."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from membrane.adapters.dynamodb.table.attributes import Client, Item, Query, Value, read_text
from membrane.adapters.dynamodb.table.failures import translating_errors
from membrane.adapters.dynamodb.table.keys import primary_key
from membrane.adapters.dynamodb.table.writes import Write, commit
from membrane.domain.language.json_text import compact_json


def page_of(client: Client, request: Query) -> tuple[Sequence[Item], Item | None]:
    """The items of one request, and the key behind which the next page begins; None = the end.

    Raises ResourceExhausted and Unavailable.
    """
    with translating_errors():
        page = client.query(**request)
    return page["Items"], page.get("LastEvaluatedKey")


def items_of(client: Client, request: Query, *, most_on_page: int | None = None) -> Iterator[Item]:
    """Every item of a Query, lazily, with one request a megabyte.

    With `most_on_page`, the `Limit` doubles from page to page up to the given number. Raises
    ResourceExhausted and Unavailable.
    """
    while True:
        items, last = page_of(client, request)
        yield from items
        if last is None:
            return
        request["ExclusiveStartKey"] = last
        if most_on_page is not None:
            request["Limit"] = min(2 * request["Limit"], most_on_page)


def scan_page(
    client: Client, table: str, after: str | None, **wanted: Any
) -> tuple[Sequence[Item], str | None]:
    """The items after a place, and the start of the next page; None after the last page.

    `wanted` has further parameters of Scan.
    """
    if after is not None:
        wanted["ExclusiveStartKey"] = key_at(after)
    with translating_errors():
        page = client.scan(TableName=table, **wanted)
    last = page.get("LastEvaluatedKey")
    return page["Items"], None if last is None else place_of(last)


def place_of(item: Item) -> str:
    """The key of the item as text; `key_at` is the inverse."""
    return compact_json([read_text(item, "pk"), read_text(item, "sk")])


def key_at(place: str) -> dict[str, Value]:
    return primary_key(*json.loads(place))


MAX_KEYS = 100
"""Items of a BatchGetItem at most (AWS, `BatchGetItem`)."""


def item_at(client: Client, table: str, key: Mapping[str, Value]) -> Item | None:
    """One strongly consistent GetItem; raises ResourceExhausted and Unavailable."""
    with translating_errors():
        return client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


def items_at(
    client: Client,
    table: str,
    keys: Sequence[Mapping[str, Value]],
    *,
    consistent: bool,
    attributes: Sequence[str] = (),
) -> list[Item]:
    """The existing items among the keys, unordered; whole, or only the named attributes.

    One BatchGetItem for 100 keys or 16 MB. A key must not repeat. Raises ResourceExhausted and
    Unavailable.
    """
    found: list[Item] = []
    for start in range(0, len(keys), MAX_KEYS):
        request = {"Keys": keys[start : start + MAX_KEYS], "ConsistentRead": consistent}
        pending: Any = {table: request | projection(attributes)}
        while pending:  # ends: DynamoDB answers at least one item or fails
            with translating_errors():
                reply = client.batch_get_item(RequestItems=pending)
            found += reply["Responses"].get(table, [])
            pending = reply.get("UnprocessedKeys")
    return found


def projection(attributes: Sequence[str]) -> dict[str, Any]:
    """The request parameters that select attributes, safe from DynamoDB's reserved words."""
    if not attributes:
        return {}
    names = {f"#{position}": name for position, name in enumerate(attributes)}
    return {"ProjectionExpression": ", ".join(names), "ExpressionAttributeNames": names}


@dataclass(frozen=True, slots=True)
class OverTable:
    """A store over one table."""

    client: Client
    table: str

    def item_at(self, key: Mapping[str, Value]) -> Item | None:
        """One strongly consistent GetItem; raises ResourceExhausted and Unavailable."""
        return item_at(self.client, self.table, key)

    def query(
        self,
        condition: str,
        values: Mapping[str, Value],
        *,
        index: str = "",
        eventually: bool = False,
        limit: int | None = None,
        most_on_page: int | None = None,
        after: Mapping[str, Value] | None = None,
        only: str = "",
        shown: str = "",
        backwards: bool = False,
    ) -> Iterator[Item]:
        """One Query a page of `limit` items or a megabyte; `most_on_page` as in `items_of`.

        Strongly consistent without an index, unless `eventually`. `only` is the filter expression,
        `shown` the projection, `after` the key to continue from.
        """
        request: Query = {
            "TableName": self.table,
            "ConsistentRead": not (index or eventually),
            "ScanIndexForward": not backwards,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": values,
        }
        if index:
            request["IndexName"] = index
        if limit is not None:
            request["Limit"] = limit
        if after is not None:
            request["ExclusiveStartKey"] = after
        if only:
            request["FilterExpression"] = only
        if shown:
            request["ProjectionExpression"] = shown
        return items_of(self.client, request, most_on_page=most_on_page)

    def commit_all(self, *writes: Write) -> None:
        """All of the writes or none; raises the errors of `commit`."""
        commit(self.client, self.table, writes)
