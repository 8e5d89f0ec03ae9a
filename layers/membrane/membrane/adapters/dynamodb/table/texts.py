"""Parse the JSON texts of items that may be corrupt."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import ValidationError

from membrane.adapters.dynamodb.table.attributes import CorruptItem, Item

Parsed = TypeVar("Parsed", dict[str, Any], list[Any])


def parse_text(item: Item, name: str, content: str, expected: type[Parsed]) -> Parsed:
    """The JSON value of a text; raises CorruptItem for a value of a different type."""
    try:
        value = json.loads(content)
    except ValueError as error:
        raise CorruptItem(item, f"{name} is not JSON") from error
    if not isinstance(value, expected):
        raise CorruptItem(item, f"{name} is not the JSON that was expected")
    return value


@contextmanager
def raising_corrupt_item(item: Item) -> Iterator[None]:
    """Raise CorruptItem with the item's key for content that the models refuse."""
    try:
        yield
    except ValidationError as error:
        places = [".".join(map(str, finding["loc"])) for finding in error.errors()]
        raise CorruptItem(item, f"not a record of ours: {', '.join(places[:5])}") from error
