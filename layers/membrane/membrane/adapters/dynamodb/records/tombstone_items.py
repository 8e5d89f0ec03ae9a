"""The item of a deleted record: time and reason of the deletion, and remaining attributes."""

from membrane.adapters.dynamodb.records.idempotency_items import fingerprint_in, operations_in
from membrane.adapters.dynamodb.records.log_items import Origin
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.records import AuditEntry
from membrane.domain.records.stored import RemovedRecord, Tombstone, removal_by
from membrane.table.items import (
    CorruptItem,
    Item,
    Value,
    number,
    parse_text,
    read_integer,
    read_number,
    read_text,
    read_word,
    text,
)
from membrane.table.keys import removed_partition

FACTS = "facts"
"""The attribute of a tombstone with the ids of derived facts."""


def tombstone_attributes(tombstone: Tombstone) -> dict[str, Value]:
    """The attributes of a tombstone, without the due instant of the sweep."""
    attributes = {
        "deleted_at": number(tombstone.deleted_at_s),
        "deleted_reason": text(tombstone.reason),
        "expires_at": number(tombstone.expires_at_s),
    }
    return attributes | ({"erasure": text(tombstone.erasure)} if tombstone.erasure else {})


def facts_attribute(removed: RemovedRecord) -> dict[str, Value]:
    """The ids of the facts derived from a removed record; nothing for a record without facts."""
    return {FACTS: text(compact_json(removed.facts))} if removed.facts else {}


def place_of_removed(scope: str, tombstone: Tombstone) -> dict[str, Value]:
    """The keys in the rank index under which lists find a removed record; none if erased."""
    removal = removal_by(tombstone)
    if removal is None:
        return {}
    return {
        "rank_pk": text(removed_partition(scope, removal)),
        "rank_sk": number(tombstone.deleted_at_s),
    }


def tombstone_in(own: Item) -> Tombstone:
    return Tombstone(
        deleted_at_s=read_number(own, "deleted_at"),
        reason=read_text(own, "deleted_reason"),
        due_s=read_integer(own, "due_sk") if "due_sk" in own else None,
        expires_at_s=read_integer(own, "expires_at"),
        erasure=read_text(own, "erasure") if "erasure" in own else "",
    )


def removed_record_in(
    own: Item, record_id: str, trail: tuple[AuditEntry, ...], origin: Origin
) -> RemovedRecord:
    return RemovedRecord(
        id=record_id,
        type=read_word(own, "type", MemoryType),
        scope=read_text(own, "scope") if "scope" in own else "",
        sensitivity=read_word(own, "sensitivity", Sensitivity),
        born_s=read_number(own, "created_at"),
        trail=trail,
        tombstone=tombstone_in(own),
        version=read_integer(own, "version"),
        fingerprint=fingerprint_in(own),
        operations=operations_in(own),
        audit_count=read_integer(own, "audit_count"),
        facts=_facts_in(own),
        origin=origin,
    )


def _facts_in(own: Item) -> tuple[str, ...]:
    """Raises CorruptItem for a value that is not a list of texts."""
    ids = parse_text(own, FACTS, read_text(own, FACTS), list) if FACTS in own else []
    if not all(isinstance(each, str) for each in ids):
        raise CorruptItem(own, f"{FACTS} is not a list of ids")
    return tuple(ids)
