"""The JSON documents of topics' items, validated on reading: an item may be corrupt."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

from membrane.adapters.dynamodb.topics import topic_keys
from membrane.domain.topics.large_values import owner_of_values
from membrane.table.blobs import BlobStore, blob_of_text, unpack
from membrane.table.items import CorruptItem, Item, Parsed, parse_text, raising_corrupt_item

DOCUMENT, TRAIL, EVENTS, REPLY = "document", "trail", "events", "reply"
"""The attributes that hold JSON texts: of heads, of older audit events, of receipts."""

HEAD_TEXTS = (DOCUMENT, TRAIL)
ALL_TEXTS = (DOCUMENT, TRAIL, EVENTS, REPLY)

Checked = TypeVar("Checked")


def json_in(item: Item, name: str, blobs: BlobStore, expected: type[Parsed]) -> Parsed:
    """The JSON value of an attribute; raises CorruptItem."""
    owner = owner_of_values(topic_keys.topic_id_of(item))
    return parse_text(item, name, unpack(item, name, owner, blobs), expected)


def validate_as(kind: Callable[..., Checked], document: Any) -> Checked:
    """The document as a value of the type; raises ValidationError."""
    found: Checked = _adapter_of(kind).validate_python(document)
    return found


def blobs_of(item: Item, names: Iterable[str]) -> Iterator[str]:
    """The blobs that hold the item's JSON texts of the given names."""
    owner = owner_of_values(topic_keys.topic_id_of(item))
    for name in names:
        blob = blob_of_text(item, name, owner)
        if blob is not None:
            yield blob


@contextmanager
def requiring_shape(item: Item) -> Iterator[None]:
    """Raise CorruptItem for a document of an unexpected shape."""
    try:
        with raising_corrupt_item(item):
            yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        reason = f"not of the shape that was expected ({type(error).__name__})"
        raise CorruptItem(item, reason) from error


@cache
def _adapter_of(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
