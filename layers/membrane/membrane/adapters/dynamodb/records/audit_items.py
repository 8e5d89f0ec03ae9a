"""Audit entries as items: the newest in the record's own, older ones in items of their own."""

from collections.abc import Sequence

from membrane.adapters.dynamodb.table import keys as table_keys
from membrane.adapters.dynamodb.table.attributes import (
    BORN,
    KEY_ATTRIBUTES,
    Item,
    Value,
    number,
    read_integer,
    read_text,
    read_word,
    text,
)
from membrane.adapters.dynamodb.table.documents import Packing, blob_named, unpack
from membrane.adapters.dynamodb.table.texts import named, parsed
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.records import AuditEntry, as_json
from membrane.domain.records.stored import Audited, Held, Remains
from membrane.usecases.ports.bucket import BlobStore

MAX_RESIDENT_ENTRIES = 16
"""Audit entries that a record's own item holds at most (design 6)."""

SPILL = 8
"""Entries that move out at a time, into an item of their own."""

RESIDENT, SPILLED = "audit", "entries"
"""The attributes that hold them: in the record's own item, and in those of older ones."""


def entries_text(entries: Sequence[AuditEntry]) -> str:
    """Audit entries as JSON."""
    return compact_json([as_json(entry) for entry in entries])


def entries_in(item: Item, name: str, record_id: str, blobs: BlobStore) -> list[AuditEntry]:
    """The audit entries of an attribute; raises CorruptItem where it is none of ours."""
    listed = parsed(item, name, unpack(item, name, record_id, blobs), list)
    with named(item):
        return [AuditEntry.model_validate(entry) for entry in listed]


AUDITED = (
    *KEY_ATTRIBUTES,
    "scope",
    "sensitivity",
    "deleted_at",
    "receipt_for",
    "audit_count",
    RESIDENT,
)
"""The attributes of a record's own item that `audited_in` reads."""


def audited_in(own: Item, blobs: BlobStore) -> Audited:
    """Of a record's own item; what lies in the bucket is not read."""
    record_id = table_keys.record_id_of(own)
    inside = blob_named(own, RESIDENT, record_id) is None
    entries = entries_in(own, RESIDENT, record_id, blobs) if inside else []
    return Audited(
        record_id,
        read_text(own, "scope") if "scope" in own else "",
        read_word(own, "sensitivity", Sensitivity),
        read_integer(own, "audit_count"),
        [entry.action for entry in entries],
    )


def spilled_item(stored: Held, position: int, entries: Sequence[AuditEntry]) -> Packing:
    """Audit entries that leave the record's own item, the first of them at `position`.

    Those of remains expire with their tombstone.
    """
    item: dict[str, Value] = {
        "pk": text(table_keys.record_partition(stored.id)),
        "sk": text(table_keys.audit_entries(position)),
        BORN: number(stored.born_s),
    }
    if isinstance(stored, Remains):
        item["expires_at"] = number(stored.tombstone.expires_at_s)
    packing = Packing(stored.id, item)
    packing.add({SPILLED: entries_text(entries)})
    return packing


def places_of(begin: int, end: int) -> tuple[str, str]:
    """The sort keys between which the entries of these positions lie, once they have spilled.

    An item of SPILL entries may begin before the first position asked for.
    """
    first = table_keys.audit_entries(max(0, begin - SPILL + 1))
    return first, table_keys.audit_entries(end - 1)
