"""The item of a chunk of a list."""

from typing import Any

from membrane.adapters.dynamodb.documents.document_items import EXPIRES, expiry
from membrane.adapters.dynamodb.documents.document_keys import (
    LIST,
    chunk_key,
    scope_attribute,
)
from membrane.adapters.dynamodb.documents.version_texts import text_in, with_text
from membrane.adapters.dynamodb.table.attributes import (
    CorruptItem,
    Item,
    Value,
    binary,
    number,
    read_binary,
    read_integer,
    read_number,
    read_text,
    text,
)
from membrane.adapters.dynamodb.table.texts import parse_text
from membrane.domain.documents.items import Chunk
from membrane.domain.documents.places import Place
from membrane.domain.language.json_text import compact_json

REVISION = "r"
ITEMS = "d"
TAKEN_OFF = "o"
OPTIONAL = ("u", "i", "f", TAKEN_OFF, "b", "x", EXPIRES)
"""Attributes that not every chunk has."""

_ENDS = "x"
"""The exact instant behind EXPIRES."""


def chunk_item(chunk: Chunk) -> dict[str, Value]:
    item: dict[str, Value] = {
        **chunk_key(chunk.place, chunk.start),
        **scope_attribute(chunk.place.scope),
        "n": number(chunk.taken),
        "a": text(chunk.at),
        "g": text(chunk.generation),
        REVISION: number(chunk.revision),
    }
    if chunk.principal:
        item["u"] = text(chunk.principal)
    if chunk.identity:
        item |= {"i": binary(chunk.identity), "f": binary(chunk.fingerprint)}
    if chunk.taken_off_by:
        item["b"] = binary(chunk.taken_off_by)
    if chunk.taken_off:
        item[TAKEN_OFF] = text(compact_json(chunk.taken_off))
    if chunk.expires_at_s is not None:
        item |= {_ENDS: number(chunk.expires_at_s), **expiry(chunk.expires_at_s)}
    return with_text(item, ITEMS, compact_json(chunk.items))


def chunk_in(item: Item, place: Place) -> Chunk:
    """Raises CorruptItem for a damaged item."""
    start = read_text(item, "sk").removeprefix(LIST)
    if not start.isdecimal():
        raise CorruptItem(item, "the sort key is no position")
    items: list[Any] = parse_text(item, ITEMS, text_in(item, ITEMS), list)
    taken_off: list[Any] = []
    if TAKEN_OFF in item:
        taken_off = parse_text(item, TAKEN_OFF, read_text(item, TAKEN_OFF), list)
    return Chunk(
        place,
        int(start),
        read_integer(item, "n"),
        tuple(items),
        read_text(item, "u") if "u" in item else "",
        read_text(item, "a"),
        read_text(item, "g"),
        read_integer(item, REVISION),
        identity=read_binary(item, "i") if "i" in item else b"",
        fingerprint=read_binary(item, "f") if "f" in item else b"",
        taken_off=tuple(taken_off),
        taken_off_by=read_binary(item, "b") if "b" in item else b"",
        expires_at_s=read_number(item, _ENDS) if EXPIRES in item else None,
    )
