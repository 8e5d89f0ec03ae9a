"""The two logs of a record as items: its audit, and the history of its content.

The newest entries of a log lie in the record's own item, older ones in items of their own.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import (
    BORN,
    KEY_ATTRIBUTES,
    CorruptItem,
    Item,
    number,
    read_integer,
    read_number,
    read_text,
    read_word,
)
from membrane.adapters.dynamodb.table.documents import Packing, blob_named, unpack
from membrane.adapters.dynamodb.table.texts import named, parsed
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.history import Delta
from membrane.domain.records.records import AuditEntry, as_json
from membrane.domain.records.stored import AnyRecord, AuditSummary, RemovedRecord, StoredRecord
from membrane.usecases.ports.bucket import BlobStore

MAX_RESIDENT_ENTRIES = MAX_RESIDENT_DELTAS = 16
"""Audit entries, and changes of content, that a record's own item holds at most (design 6)."""

SPILL = 8
"""Entries that move out at a time, into an item of their own."""

AUDIT, OLDER_AUDIT = "audit", "entries"
"""The attributes of the audit: in the record's own item, and in the items of older entries."""

HISTORY, OLDER_HISTORY = "history", "deltas"
"""The same of the history."""

AUDITED = (
    *KEY_ATTRIBUTES,
    "scope",
    "sensitivity",
    "deleted_at",
    "receipt_for",
    "audit_count",
    AUDIT,
)
"""The attributes of a record's own item that `audited_in` reads."""


class Origin(NamedTuple):
    """A record's own item as it was read, and where the entries of its logs lie."""

    item: Item
    resident: int
    """Audit entries in the item: the newest ones."""
    spilled: int
    """Audit entries in items of their own."""
    history_resident: int = 0
    """Changes of content in the item: the newest ones."""
    history_spilled: int = 0
    """Changes of content in items of their own."""


def entries_text(entries: Sequence[AuditEntry]) -> str:
    return compact_json([as_json(entry) for entry in entries])


def deltas_text(deltas: Sequence[Delta]) -> str:
    return compact_json([delta.as_json() for delta in deltas])


def entries_in(item: Item, name: str, record_id: str, blobs: BlobStore) -> list[AuditEntry]:
    """The audit entries of an attribute; raises CorruptItem where it is none of ours."""
    listed = parsed(item, name, unpack(item, name, record_id, blobs), list)
    with named(item):
        return [AuditEntry.model_validate(entry) for entry in listed]


def audited_in(own: Item, blobs: BlobStore) -> AuditSummary:
    """Of a record's own item; what lies in the bucket is not read."""
    record_id = table_keys.record_id_of(own)
    inside = blob_named(own, AUDIT, record_id) is None
    entries = entries_in(own, AUDIT, record_id, blobs) if inside else []
    return AuditSummary(
        record_id,
        read_text(own, "scope") if "scope" in own else "",
        read_word(own, "sensitivity", Sensitivity),
        read_integer(own, "audit_count"),
        [entry.action for entry in entries],
    )


def history_in(
    own: Item, older: Sequence[Item], record_id: str, blobs: BlobStore
) -> tuple[Delta, ...]:
    """The whole history; the items of older changes come in the order of their sort keys.

    Raises CorruptItem where one is none of ours, or is absent: without it every earlier state
    would be told wrongly. So one that spilled while the items were read is met, too.
    """
    spilled = list(
        chain.from_iterable(_deltas_in(item, OLDER_HISTORY, record_id, blobs) for item in older)
    )
    if len(spilled) != spilled_in(own):
        raise CorruptItem(own, "the history has a gap")
    return (*spilled, *resident_in(own, record_id, blobs))


def resident_in(own: Item, record_id: str, blobs: BlobStore) -> tuple[Delta, ...]:
    """The newest changes, which the record's own item tells of."""
    return tuple(_deltas_in(own, HISTORY, record_id, blobs)) if HISTORY in own else ()


def spilled_in(own: Item) -> int:
    return read_integer(own, "history_spilled") if "history_spilled" in own else 0


def spilled_item(held: AnyRecord, position: int, entries: Sequence[AuditEntry]) -> Packing:
    """Audit entries that leave the record's own item, the first of them at `position`."""
    place = table_keys.audit_entries(position)
    return _spilled(held, place, OLDER_AUDIT, entries_text(entries))


def deltas_item(stored: StoredRecord, position: int, deltas: Sequence[Delta]) -> Packing:
    """Changes of content that leave the record's own item, the first of them at `position`."""
    place = table_keys.history_deltas(position)
    return _spilled(stored, place, OLDER_HISTORY, deltas_text(deltas))


def places_of(begin: int, end: int) -> tuple[str, str]:
    """The sort keys between which audit entries of these positions lie, once they have spilled.

    An item of SPILL entries may begin before the first position asked for.
    """
    first = table_keys.audit_entries(max(0, begin - SPILL + 1))
    return first, table_keys.audit_entries(end - 1)


def is_ours(item: Item, kind: str, born: float) -> bool:
    """Whether the item is of a kind and belongs to the record born then.

    What TTL left of an earlier record of the same id does not.
    """
    return read_text(item, "sk").startswith(kind) and read_number(item, BORN) == born


def _deltas_in(item: Item, name: str, record_id: str, blobs: BlobStore) -> list[Delta]:
    listed = parsed(item, name, unpack(item, name, record_id, blobs), list)
    try:
        return [Delta.of_json(told) for told in listed]
    except (KeyError, TypeError) as error:
        raise CorruptItem(item, f"{name} is not a history of ours") from error


def _spilled(held: AnyRecord, place: str, name: str, content: str) -> Packing:
    """What leaves the item of remains expires with their tombstone."""
    item = table_keys.primary_key(table_keys.record_partition(held.id), place)
    item[BORN] = number(held.born_s)
    if isinstance(held, RemovedRecord):
        item["expires_at"] = number(held.tombstone.expires_at_s)
    packing = Packing(held.id, item)
    packing.add({name: content})
    return packing
