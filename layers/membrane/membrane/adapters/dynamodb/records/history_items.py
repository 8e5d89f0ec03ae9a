"""Changes of content as items: the newest in the record's own, older ones in items of their own."""

from collections.abc import Sequence
from itertools import chain

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import (
    BORN,
    CorruptItem,
    Item,
    Value,
    number,
    read_integer,
    text,
)
from membrane.adapters.dynamodb.table.documents import Packing, unpack
from membrane.adapters.dynamodb.table.texts import parsed
from membrane.domain.language.json_text import compact_json
from membrane.domain.records.history import Delta
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ports.bucket import BlobStore

MAX_RESIDENT_DELTAS = 16
"""Changes of content that a record's own item tells of at most."""

RESIDENT, SPILLED = "history", "deltas"
"""The attributes that hold them: in the record's own item, and in those of older ones."""


def deltas_text(deltas: Sequence[Delta]) -> str:
    """Changes of content as JSON."""
    return compact_json([delta.as_json() for delta in deltas])


def deltas_item(stored: StoredRecord, position: int, deltas: Sequence[Delta]) -> Packing:
    """Changes of content that leave the record's own item, the first of them at `position`."""
    item: dict[str, Value] = {
        "pk": text(table_keys.record_partition(stored.id)),
        "sk": text(table_keys.history_deltas(position)),
        BORN: number(stored.born_s),
    }
    packing = Packing(stored.id, item)
    packing.add({SPILLED: deltas_text(deltas)})
    return packing


def spilled_in(own: Item) -> int:
    """How many changes lie in items of their own."""
    return read_integer(own, "history_spilled") if "history_spilled" in own else 0


def history_in(
    own: Item, older: Sequence[Item], record_id: str, blobs: BlobStore
) -> tuple[Delta, ...]:
    """The whole history; the items of older changes come in the order of their sort keys.

    Raises CorruptItem where one is none of ours, or is absent: without it every earlier state
    would be told wrongly. So one that spilled while the items were read is met, too.
    """
    spilled = list(
        chain.from_iterable(_deltas_in(item, SPILLED, record_id, blobs) for item in older)
    )
    if len(spilled) != spilled_in(own):
        raise CorruptItem(own, "the history has a gap")
    return (*spilled, *resident_in(own, record_id, blobs))


def resident_in(own: Item, record_id: str, blobs: BlobStore) -> tuple[Delta, ...]:
    """The newest changes, which the record's own item tells of."""
    return tuple(_deltas_in(own, RESIDENT, record_id, blobs)) if RESIDENT in own else ()


def _deltas_in(item: Item, name: str, record_id: str, blobs: BlobStore) -> list[Delta]:
    listed = parsed(item, name, unpack(item, name, record_id, blobs), list)
    try:
        return [Delta.of_json(told) for told in listed]
    except (KeyError, TypeError) as error:
        raise CorruptItem(item, f"{name} is not a history of ours") from error
