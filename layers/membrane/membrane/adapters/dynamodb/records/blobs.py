"""Find the blobs of a record's items: large texts, and large values of documents."""

from collections.abc import Iterable, Iterator

from membrane.adapters.dynamodb.records import log_items
from membrane.adapters.dynamodb.records.edge_items import RELATIONS
from membrane.domain.language.json_text import Printable
from membrane.domain.language.values import LargeValue
from membrane.table.blobs import blob_of_text
from membrane.table.items import Item, Value, binary, read_binary
from membrane.table.keys import blob_name

PACKED = (
    "document",
    "lifecycle",
    RELATIONS,
    log_items.AUDIT,
    log_items.HISTORY,
    log_items.OLDER_AUDIT,
    log_items.OLDER_HISTORY,
)
"""The attributes that hold JSON texts."""

SHA256_BYTES = 32


def blob_names_in(items: Iterable[Item], record_id: str) -> frozenset[str]:
    named: set[str] = set()
    for item in items:
        texts = (blob_of_text(item, name, record_id) for name in PACKED)
        named.update(blob for blob in texts if blob is not None)
        named.update(blob_name(record_id, sha256) for sha256 in _digests_in(item))
    return frozenset(named)


def digests_of(large: Iterable[Printable]) -> Value:
    """The SHA-256 of every value in the bucket, 32 bytes each, joined."""
    digests = {value.sha256 for value in large if isinstance(value, LargeValue)}
    return binary(b"".join(bytes.fromhex(digest) for digest in sorted(digests)))


def _digests_in(item: Item) -> Iterator[str]:
    joined = read_binary(item, "values") if "values" in item else b""
    for start in range(0, len(joined), SHA256_BYTES):
        yield joined[start : start + SHA256_BYTES].hex()
