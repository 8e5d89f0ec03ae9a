"""The codec between how topics were read and items."""

from dataclasses import asdict
from functools import cache

from pydantic import TypeAdapter

from membrane.adapters.dynamodb.table.attributes import Item, number, read_integer
from membrane.adapters.dynamodb.table.documents import Packing, unpack
from membrane.adapters.dynamodb.table.texts import parsed
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.shapes import shaped
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.domain.topics.access import Access, Given
from membrane.domain.topics.large_values import owner_of_values
from membrane.usecases.ports.bucket import BlobStore

DOCUMENT = "document"


def access_item(topic_id: str, access: Access, version: int) -> Packing:
    """The item beside a topic's head, of that version."""
    key = topic_keys.topic_key(topic_id, topic_keys.ACCESS)
    packing = Packing(owner_of_values(topic_id), key | {"version": number(version)})
    document = {
        "topic": access.topic,
        "fields": {name: asdict(each) for name, each in access.fields.items()},
        "trail": access.trail,
        "messages": access.messages,
        "given": {alias: _given(each) for alias, each in access.given.items()},
    }
    packing.add({DOCUMENT: compact_json(document)})
    return packing


def access_in(item: Item, blobs: BlobStore) -> Access:
    """How a topic was read; raises CorruptItem where the item is none of ours."""
    owner = owner_of_values(topic_keys.topic_id_of(item))
    document = parsed(item, DOCUMENT, unpack(item, DOCUMENT, owner, blobs), dict)
    version = read_integer(item, "version")
    with shaped(item):
        return _accesses().validate_python(document | {"version": version})


def _given(given: Given) -> JsonObject:
    fields = {name: asdict(each) for name, each in given.fields.items()}
    return {"topic": asdict(given.topic), "fields": fields}


@cache
def _accesses() -> TypeAdapter[Access]:
    return TypeAdapter(Access)
