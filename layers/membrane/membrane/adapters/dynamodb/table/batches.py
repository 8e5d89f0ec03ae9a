"""Reads of items by their keys: one, or many at once."""

from collections.abc import Mapping, Sequence
from typing import Any

from membrane.adapters.dynamodb.table.attributes import Client, Item, Value
from membrane.adapters.dynamodb.table.failures import translated

MAX_KEYS = 100
"""Items that BatchGetItem takes at most (AWS, `BatchGetItem`)."""


def item_at(client: Client, table: str, key: Mapping[str, Value]) -> Item | None:
    """One strongly consistent GetItem; raises ResourceExhausted and Unavailable."""
    with translated():
        return client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")


def items_at(
    client: Client,
    table: str,
    keys: Sequence[Mapping[str, Value]],
    *,
    consistent: bool,
    attributes: Sequence[str] = (),
) -> list[Item]:
    """The items that there are, in no order; whole, or those of their attributes.

    One BatchGetItem for 100 keys or 16 MB. No key may come twice.
    Raises ResourceExhausted and Unavailable.
    """
    found: list[Item] = []
    for start in range(0, len(keys), MAX_KEYS):
        asked = {"Keys": keys[start : start + MAX_KEYS], "ConsistentRead": consistent}
        pending: Any = {table: asked | projection(attributes)}
        while pending:  # each reply has one item at least: where none can be read, it is a failure
            with translated():
                reply = client.batch_get_item(RequestItems=pending)
            found += reply["Responses"].get(table, [])
            pending = reply.get("UnprocessedKeys")
    return found


def projection(attributes: Sequence[str]) -> dict[str, Any]:
    """What a request names to be told these attributes alone, whatever words DynamoDB reserves."""
    if not attributes:
        return {}
    names = {f"#{position}": name for position, name in enumerate(attributes)}
    return {"ProjectionExpression": ", ".join(names), "ExpressionAttributeNames": names}
