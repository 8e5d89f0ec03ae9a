"""The two logs of a record as items: the audit, and the history of the content.

The newest entries of a log are in the record's own item, older entries in items of their own.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.history import Delta
from membrane.domain.records.records import AuditEntry, as_json
from membrane.domain.records.stored import AnyRecord, AuditSummary, RemovedRecord, StoredRecord
from membrane.table import keys as table_keys
from membrane.table.blobs import BlobStore, Packing, blob_of_text, unpack
from membrane.table.items import (
    BORN,
    KEY_ATTRIBUTES,
    CorruptItem,
    Item,
    number,
    parse_text,
    raising_corrupt_item,
    read_integer,
    read_number,
    read_text,
    read_word,
)

MAX_RESIDENT_ENTRIES = MAX_RESIDENT_DELTAS = 16
"""Audit entries, and changes of content, that a record's own item holds at most."""

SPILL = 8
"""Entries that move out at a time, into an item of their own."""

AUDIT, OLDER_AUDIT = "audit", "entries"
"""The attributes of the audit: in the record's own item, and in the items of older entries."""

HISTORY, OLDER_HISTORY = "history", "deltas"
"""The attributes of the history: in the record's own item, and in the items of older changes."""

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
    """A record's own item as read, and the split of the two logs."""

    item: Item
    resident: int
    """Audit entries in the own item: the newest."""
    spilled: int
    """Audit entries in items of their own."""
    history_resident: int = 0
    """Changes of content in the own item: the newest."""
    history_spilled: int = 0
    """Changes of content in items of their own."""


def entries_text(entries: Sequence[AuditEntry]) -> str:
    return compact_json([as_json(entry) for entry in entries])


def deltas_text(deltas: Sequence[Delta]) -> str:
    return compact_json([delta.as_json() for delta in deltas])


def entries_in(item: Item, name: str, record_id: str, blobs: BlobStore) -> list[AuditEntry]:
    """The audit entries of an attribute; raises CorruptItem for a damaged text."""
    listed = parse_text(item, name, unpack(item, name, record_id, blobs), list)
    with raising_corrupt_item(item):
        return [AuditEntry.model_validate(entry) for entry in listed]


def audited_in(own: Item, blobs: BlobStore) -> AuditSummary:
    """The audit of a record's own item; entries in the bucket are not read."""
    record_id = table_keys.record_id_of(own)
    inside = blob_of_text(own, AUDIT, record_id) is None
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
    """The whole history; the items of older changes come in the order of the sort keys.

    Raises CorruptItem for a damaged or absent item: a gap would make every earlier state wrong. The
    check also catches a spill between the reads of the items.
    """
    spilled = list(
        chain.from_iterable(_deltas_in(item, OLDER_HISTORY, record_id, blobs) for item in older)
    )
    if len(spilled) != spilled_deltas(own):
        raise CorruptItem(own, "the history has a gap")
    return (*spilled, *resident_deltas(own, record_id, blobs))


def resident_deltas(own: Item, record_id: str, blobs: BlobStore) -> tuple[Delta, ...]:
    """The newest changes of content, from the record's own item."""
    return tuple(_deltas_in(own, HISTORY, record_id, blobs)) if HISTORY in own else ()


def spilled_deltas(own: Item) -> int:
    return read_integer(own, "history_spilled") if "history_spilled" in own else 0


def older_entries_item(held: AnyRecord, position: int, entries: Sequence[AuditEntry]) -> Packing:
    """The item for audit entries that leave the own item; the first entry has `position`."""
    place = table_keys.audit_entries(position)
    return _log_item(held, place, OLDER_AUDIT, entries_text(entries))


def deltas_item(stored: StoredRecord, position: int, deltas: Sequence[Delta]) -> Packing:
    """The item for changes of content that leave the own item; the first change has `position`."""
    place = table_keys.history_deltas(position)
    return _log_item(stored, place, OLDER_HISTORY, deltas_text(deltas))


def sort_keys_of(begin: int, end: int) -> tuple[str, str]:
    """The sort keys between which the spilled audit entries of the positions are.

    An item of SPILL entries may begin before `begin`.
    """
    first = table_keys.audit_entries(max(0, begin - SPILL + 1))
    return first, table_keys.audit_entries(end - 1)


def belongs_to_record(item: Item, kind: str, born: float) -> bool:
    """Whether the item is of a kind and belongs to the record created at `born`.

    False for an item that TTL left of an earlier record of the same id.
    """
    return read_text(item, "sk").startswith(kind) and read_number(item, BORN) == born


def _deltas_in(item: Item, name: str, record_id: str, blobs: BlobStore) -> list[Delta]:
    listed = parse_text(item, name, unpack(item, name, record_id, blobs), list)
    try:
        return [Delta.of_json(each) for each in listed]
    except (KeyError, TypeError) as error:
        raise CorruptItem(item, f"{name} is not a history of ours") from error


def _log_item(held: AnyRecord, place: str, name: str, content: str) -> Packing:
    """A log item; the log item of a tombstone expires with the tombstone."""
    item = table_keys.primary_key(table_keys.record_partition(held.id), place)
    item[BORN] = number(held.born_s)
    if isinstance(held, RemovedRecord):
        item["expires_at"] = number(held.tombstone.expires_at_s)
    packing = Packing(held.id, item)
    packing.add({name: content})
    return packing
