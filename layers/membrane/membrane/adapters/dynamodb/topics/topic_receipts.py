"""The codec between receipts and items: what a request under an idempotency key was answered.

Large values in a reply are told by where they stand in it, so that no value that somebody sent can
pass for one.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from membrane.adapters.dynamodb.table.attributes import (
    Item,
    Value,
    binary,
    number,
    read_binary,
)
from membrane.adapters.dynamodb.table.documents import Packing, unpack
from membrane.adapters.dynamodb.table.texts import parsed
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.shapes import shaped
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.language.values import LargeValue
from membrane.domain.topics.large_values import owner_of_values
from membrane.usecases.ports.bucket import BlobStore
from membrane.usecases.ports.topics import TopicReceipt

REPLY = "reply"

Path = tuple[str | int, ...]


def receipt_item(receipt: TopicReceipt, expires_at_s: int) -> Packing:
    """The item of a receipt, to be removed then."""
    item: dict[str, Value] = topic_keys.receipt_key(receipt.identity) | {
        "fingerprint": binary(receipt.fingerprint),
        "expires_at": number(expires_at_s),
    }
    packing = Packing(owner_of_values(receipt.identity.hex()), item)
    large = [
        [list(path), each.record_id, each.sha256, each.size]
        for path, each in _large_in(receipt.reply, ())
    ]
    reply = {"body": receipt.reply, "large": large, "topics": list(receipt.topic_ids)}
    packing.add({REPLY: compact_json(reply)})
    return packing


def receipt_in(identity: bytes, item: Item, blobs: BlobStore) -> TopicReceipt:
    """The receipt of an item; raises CorruptItem where it is none of ours."""
    owner = owner_of_values(identity.hex())
    reply = parsed(item, REPLY, unpack(item, REPLY, owner, blobs), dict)
    fingerprint = read_binary(item, "fingerprint")
    with shaped(item):
        return TopicReceipt(identity, fingerprint, tuple(reply["topics"]), _with_large(reply))


def _large_in(value: Any, path: Path) -> Iterator[tuple[Path, LargeValue]]:
    match value:
        case LargeValue():
            yield path, value
        case dict():
            for name, each in value.items():
                yield from _large_in(each, (*path, name))
        case list() | tuple():
            for index, each in enumerate(value):
                yield from _large_in(each, (*path, index))
        case _:
            pass


def _with_large(reply: JsonObject) -> JsonObject:
    body: JsonObject = reply["body"]
    for path, owner, sha256, size in reply["large"]:
        _put(body, path, LargeValue(owner, sha256, size))
    return body


def _put(body: Any, path: Sequence[str | int], value: LargeValue) -> None:
    *way, last = path
    for step in way:
        body = body[step]
    body[last] = value
