"""Stored items: JSON in as few bytes as reading allows, with vectors apart from the rest.

A parsed vector of 640 numbers takes 150 KB, its JSON 8 KB, the compressed JSON 2 KB.
"""

import json
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from membrane_local.memory.attributes import Item, Value, item_bytes

_COMPRESSED_FROM = 1_024
"""Characters of JSON; a shorter text hardly shrinks."""


@dataclass(frozen=True, slots=True)
class Image:
    """The state of an item at a moment."""

    text: bytes
    vectors: tuple[tuple[str, bytes], ...]
    """The attributes with vectors."""
    size: int
    """In bytes, as DynamoDB counts."""

    @classmethod
    def of(cls, item: Item, apart: Collection[str]) -> "Image":
        vectors = tuple((name, _pack(item[name])) for name in apart if name in item)
        rest = {name: value for name, value in item.items() if name not in apart}
        return cls(_pack(rest), vectors, item_bytes(item))

    def item(self) -> Item:
        return {**self.rest(), **{name: _unpack(packed) for name, packed in self.vectors}}

    def rest(self) -> Item:
        found: Item = _unpack(self.text)
        return found

    def vector(self, name: str) -> Value | None:
        return next((_unpack(packed) for each, packed in self.vectors if each == name), None)


def _pack(value: Any) -> bytes:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
    return zlib.compress(text, level=1) if len(text) >= _COMPRESSED_FROM else text


def _unpack(packed: bytes) -> Any:
    """The value; JSON begins with a brace, zlib's data does not."""
    return json.loads(packed if packed.startswith(b"{") else zlib.decompress(packed))
