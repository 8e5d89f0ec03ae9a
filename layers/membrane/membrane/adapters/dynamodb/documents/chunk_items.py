"""The item of a chunk of a list."""

from typing import Any

from membrane.adapters.dynamodb.documents.document_items import expiry
from membrane.adapters.dynamodb.documents.document_keys import (
    APPENDED,
    AUTHOR,
    ENDS,
    EXPIRES,
    GENERATION,
    ITEMS,
    LIST,
    REVISION,
    SKIPPED,
    TAKEN,
    TAKEN_OFF,
    chunk_key,
    scope_attribute,
)
from membrane.adapters.dynamodb.documents.version_texts import text_in, with_text
from membrane.adapters.dynamodb.table.attributes import (
    CorruptItem,
    Item,
    Value,
    number,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.adapters.dynamodb.table.texts import parse_text
from membrane.domain.documents.items import Chunk
from membrane.domain.documents.places import Place
from membrane.domain.language.json_text import compact_json

OPTIONAL = (AUTHOR, ENDS, EXPIRES, SKIPPED)
"""Attributes that not every chunk has."""

FORMER = ("i", "f", TAKEN_OFF, "b")
"""Attributes of chunks by earlier versions, whose keyed appends and removals were noted in chunks:
every update removes them, and the removal of a list reaches the items that were taken off."""


def chunk_item(chunk: Chunk) -> dict[str, Value]:
    item: dict[str, Value] = {
        **chunk_key(chunk.place, chunk.start),
        **scope_attribute(chunk.place.scope),
        TAKEN: number(chunk.taken),
        APPENDED: text(chunk.at),
        GENERATION: text(chunk.generation),
        REVISION: number(chunk.revision),
    }
    if chunk.principal:
        item[AUTHOR] = text(chunk.principal)
    if chunk.expires_at_s is not None:
        item |= {ENDS: number(chunk.expires_at_s), **expiry(chunk.expires_at_s)}
    if chunk.skipped:
        item[SKIPPED] = number(chunk.skipped)
    return with_text(item, ITEMS, compact_json(chunk.items))


def chunk_in(item: Item, place: Place) -> Chunk:
    """Raises CorruptItem for a damaged item."""
    start = read_text(item, "sk").removeprefix(LIST)
    if not start.isdecimal():
        raise CorruptItem(item, "the sort key is no position")
    items: list[Any] = parse_text(item, ITEMS, text_in(item, ITEMS), list)
    return Chunk(
        place,
        int(start),
        read_integer(item, TAKEN),
        tuple(items),
        read_text(item, AUTHOR) if AUTHOR in item else "",
        read_text(item, APPENDED),
        read_text(item, GENERATION),
        read_integer(item, REVISION),
        expires_at_s=read_number(item, ENDS) if EXPIRES in item else None,
        skipped=read_integer(item, SKIPPED) if SKIPPED in item else 0,
    )
