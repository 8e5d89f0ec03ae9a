"""Reading documents of items that may not be ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from membrane.adapters.dynamodb.table.attributes import CorruptItem, Item
from membrane.adapters.dynamodb.table.texts import named


@contextmanager
def shaped(item: Item) -> Iterator[None]:
    """Let a document that is not of the shape that was expected name the item it came from."""
    try:
        with named(item):
            yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        reason = f"not of the shape that was expected ({type(error).__name__})"
        raise CorruptItem(item, reason) from error
