"""Reads of items by key: a single item, or many at once."""

from collections.abc import Mapping, Sequence
from typing import Any

from membrane.adapters.dynamodb.table.attributes import Client, Item, Value
from membrane.adapters.dynamodb.table.failures import translating_errors

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
