"""Scan the whole table page by page; the place of an item, as text, is where a page ends."""

import json
from collections.abc import Sequence
from typing import Any

from membrane.adapters.dynamodb.table.attributes import Client, Item, Value, read_text
from membrane.adapters.dynamodb.table.failures import translating_errors
from membrane.adapters.dynamodb.table.keys import primary_key
from membrane.domain.language.json_text import compact_json


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
