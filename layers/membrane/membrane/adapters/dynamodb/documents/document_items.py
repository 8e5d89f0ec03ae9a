"""The head item of a document: `to_item` and `from_item`."""

from collections.abc import Iterator
from math import ceil

from membrane.adapters.dynamodb.documents.document_keys import (
    CREATED,
    EMBEDDER,
    EXPIRES,
    HALF_LIFE,
    HASH,
    INDEX,
    PASSAGES,
    PERIOD,
    REFRESHED,
    REMOVED,
    SENSITIVITY,
    SHOWN_FROM,
    VERSIONS,
    head_key,
    head_names,
    place_of_head,
)
from membrane.adapters.dynamodb.documents.version_texts import (
    versions_in,
    versions_text,
    with_text,
)
from membrane.domain.documents.model import Document
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.table.items import (
    CorruptItem,
    Item,
    Value,
    binary,
    number,
    parse_text,
    read_binary,
    read_integer,
    read_number,
    read_text,
    read_word,
    text,
)


def to_item(document: Document) -> dict[str, Value]:
    place = document.place
    item: dict[str, Value] = {
        **head_key(place),
        **head_names(place),
        HASH: hash_value(document.current.entry.hash),
        SENSITIVITY: text(document.sensitivity),
        CREATED: text(document.created_at),
        REFRESHED: number(document.refreshed_at_s),
        **_optional(document),
        **expiry(document.expires_at_s),
    }
    return with_text(item, VERSIONS, versions_text(document.versions))


def from_item(item: Item) -> Document:
    """Raises CorruptItem for a damaged item."""
    place = place_of_head(item)
    versions = versions_in(item, place.id)
    if read_binary(item, HASH).hex() != versions[-1].entry.hash:
        raise CorruptItem(item, f"{HASH} is not of the newest version")
    return Document(
        place,
        versions,
        read_word(item, SENSITIVITY, Sensitivity),
        read_text(item, CREATED),
        shown_from=read_integer(item, SHOWN_FROM) if SHOWN_FROM in item else 1,
        ttl_s=_number_or_none(item, PERIOD),
        half_life_s=_number_or_none(item, HALF_LIFE),
        refreshed_at_s=read_number(item, REFRESHED),
        removed_at_s=_number_or_none(item, REMOVED),
        index=tuple(parse_text(item, INDEX, read_text(item, INDEX), list)) if INDEX in item else (),
        passages=tuple(_passages_in(item)) if PASSAGES in item else (),
        embedder=read_text(item, EMBEDDER) if EMBEDDER in item else "",
    )


def hash_value(hexadecimal: str) -> Value:
    return binary(bytes.fromhex(hexadecimal))


def expiry(instant_s: float | None) -> dict[str, Value]:
    """The attribute of TTL, which removes the item after the whole second."""
    return {} if instant_s is None else {EXPIRES: number(ceil(instant_s))}


def _optional(document: Document) -> dict[str, Value]:
    item: dict[str, Value] = {}
    for name, period in (
        (PERIOD, document.ttl_s),
        (HALF_LIFE, document.half_life_s),
        (REMOVED, document.removed_at_s),
    ):
        if period is not None:
            item[name] = number(period)
    if document.shown_from > 1:
        item[SHOWN_FROM] = number(document.shown_from)
    if document.index:
        item[INDEX] = text(compact_json(document.index))
    if document.embedder:
        item[EMBEDDER] = text(document.embedder)
    if document.passages:
        packed = enumerate(document.passages)
        item[PASSAGES] = {"M": {str(position): binary(each) for position, each in packed}}
    return item


def _number_or_none(item: Item, name: str) -> float | None:
    return read_number(item, name) if name in item else None


def _passages_in(item: Item) -> Iterator[bytes]:
    match item[PASSAGES]:
        case {"M": dict(packed)} if packed.keys() == {str(at) for at in range(len(packed))}:
            for position in range(len(packed)):
                yield _components_in(item, packed[str(position)])
        case _:
            raise CorruptItem(item, f"{PASSAGES} is not a map of positions")


def _components_in(item: Item, packed: object) -> bytes:
    match packed:
        case {"B": bytes(components)}:
            return components
        case _:
            raise CorruptItem(item, "a passage is not of type B")
