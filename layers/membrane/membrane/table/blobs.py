"""The bucket for what is too large for an item; texts as attributes or, if large, as blobs."""

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple, Protocol

from membrane.domain.language.json_text import Printable
from membrane.domain.language.values import LargeValue
from membrane.table.items import (
    WRITE_UNIT_BYTES,
    CorruptItem,
    Item,
    Value,
    binary,
    read_binary,
    size_of,
    text,
)
from membrane.table.keys import blob_name


class Blob(NamedTuple):
    """The name of a blob, `blobs/<record id>/<sha256>`, and the time of the last write."""

    name: str
    written_at: datetime

    @property
    def record_id(self) -> str:
        return self.name.split("/")[1]


class BlobStore(Protocol):
    """Documents too large for the table. May raise ResourceExhausted or Unavailable."""

    def write(self, name: str, content: bytes) -> None:
        """Write a blob; idempotent."""

    def get(self, name: str) -> bytes | None: ...

    def list_blobs(self, record_id: str | None = None) -> Iterator[Blob]:
        """Every blob, grouped by record; with `record_id` the blobs of one record."""

    def remove(self, name: str) -> None:
        """Remove a blob; an absent blob is no error.

        AWS keeps the content for the recovery period of the table, so that a restored table finds
        the blobs that its records name.
        """

    def erase(self, name: str) -> None:
        """Remove a blob for good, with the content of every earlier removal; repeatable."""

    def erase_removed(self, record_id: str) -> None:
        """Remove the content of a record's removed blobs for good; present blobs stay."""


MAX_INLINE_BYTES = 32 * 1024
"""A text that is larger when compressed goes to the bucket."""

VALUES = "values"
"""The attribute with the digests of large values in a document."""

SHA256_BYTES = 32

SHORT_TEXT_BYTES = 4_096
"""Bytes in the smaller window of `_compress`."""


@dataclass(slots=True)
class Packing:
    """An item under construction: texts become attributes or, if large, blobs to write first."""

    owner: str
    """The id in the names of the blobs."""
    item: dict[str, Value]
    max_inline: int = MAX_INLINE_BYTES
    """Bytes of a compressed text in the item; a larger text goes to the bucket."""
    blobs: dict[str, bytes] = field(default_factory=dict)

    def add(self, texts: Mapping[str, str]) -> None:
        """Add the texts as attributes, in the form that costs the fewest write units.

        A text that fits inline is compressed only to save a unit; small items stay readable.
        """
        inline: dict[str, bytes] = {}
        for name, content in texts.items():
            encoded = content.encode()
            if len(encoded) > self.max_inline:
                self.item[name] = self._large(zlib.compress(encoded))
            else:
                inline[name] = encoded
                self.item[name] = text(content)
        self._squeeze(inline)

    def _squeeze(self, inline: Mapping[str, bytes]) -> None:
        """Compress text after text, until the remaining texts cannot save a further unit."""
        size = size_of(self.item)
        units = units_in(size)
        left = sum(len(encoded) for encoded in inline.values())
        squeezed: dict[str, Value] = {}
        for name, encoded in inline.items():
            if units_in(size - left) == units:
                return
            compressed = _compress(encoded)
            squeezed[name] = binary(compressed)
            size += len(compressed) - len(encoded)
            left -= len(encoded)
            if units_in(size) < units:
                units = units_in(size)
                self.item.update(squeezed)

    def _large(self, compressed: bytes) -> Value:
        if len(compressed) <= self.max_inline:
            return binary(compressed)
        sha256 = hashlib.sha256(compressed).hexdigest()
        self.blobs[blob_name(self.owner, sha256)] = compressed
        return {"M": {"sha256": text(sha256)}}


def blob_of_text(item: Item, name: str, record_id: str) -> str | None:
    """The blob that holds the text of an attribute; None for a text inside the item."""
    match item.get(name):
        case {"M": {"sha256": {"S": str(sha256)}}}:
            return blob_name(record_id, sha256)
        case _:
            return None


def blob_names_in(items: Iterable[Item], owner: str) -> frozenset[str]:
    """The names of the blobs that items refer to: large texts, and the digests in `values`."""
    named: set[str] = set()
    for item in items:
        texts = (blob_of_text(item, name, owner) for name in item)
        named.update(blob for blob in texts if blob is not None)
        joined = read_binary(item, VALUES) if VALUES in item else b""
        for start in range(0, len(joined), SHA256_BYTES):
            named.add(blob_name(owner, joined[start : start + SHA256_BYTES].hex()))
    return frozenset(named)


def digests_of(large: Iterable[Printable]) -> Value:
    """The SHA-256 of every value in the bucket, 32 bytes each, joined; for `values`."""
    digests = {value.sha256 for value in large if isinstance(value, LargeValue)}
    return binary(b"".join(bytes.fromhex(digest) for digest in sorted(digests)))


def unpack(item: Item, name: str, record_id: str, blobs: BlobStore) -> str:
    """The text of an attribute; raises CorruptItem for a damaged text or an absent blob."""
    match item.get(name):
        case {"M": {"sha256": {"S": str(sha256)}}}:
            found = blobs.get(blob_name(record_id, sha256))
            if found is None or hashlib.sha256(found).hexdigest() != sha256:
                raise CorruptItem(item, f"the blob of {name} is absent or altered")
            return _decompress(item, name, found)
        case _:
            return text_in(item, name)


def text_in(item: Item, name: str) -> str:
    """The text of an attribute that no blob holds; raises CorruptItem."""
    match item.get(name):
        case {"S": str(content)}:
            return content
        case {"B": bytes(compressed)}:
            return _decompress(item, name, compressed)
        case _:
            raise CorruptItem(item, f"{name} is absent or of an unknown form")


def _compress(encoded: bytes) -> bytes:
    """The text in zlib's format; a short text without the 256 KB of state for long texts."""
    if len(encoded) > SHORT_TEXT_BYTES:
        return zlib.compress(encoded)
    deflate = zlib.compressobj(wbits=12, memLevel=5)
    return deflate.compress(encoded) + deflate.flush()


def _decompress(item: Item, name: str, compressed: bytes) -> str:
    try:
        return zlib.decompress(compressed).decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise CorruptItem(item, f"{name} cannot be decompressed") from error


def units_in(size: int) -> int:
    """The write units of an item of `size` bytes."""
    return -(-size // WRITE_UNIT_BYTES)
