"""What a record's own item says beside its document: end, idempotency, credit, and two logs."""

from collections.abc import Mapping, Sequence

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.history import Delta
from membrane.domain.records.records import AuditEntry, as_json
from membrane.domain.records.stored import (
    FINGERPRINT_BYTES,
    IDENTITY_BYTES,
    AnyRecord,
    AuditSummary,
    CreditSummary,
    Operation,
    RemovedRecord,
    StoredRecord,
    Tombstone,
    removal_by,
)
from membrane.domain.records.usefulness import CreditLedger
from membrane.table import keys as table_keys
from membrane.table.blobs import BlobStore, blob_of_text
from membrane.table.entity import Log
from membrane.table.items import (
    KEY_ATTRIBUTES,
    CorruptItem,
    Item,
    Value,
    binary,
    number,
    parse_text,
    raising_corrupt_item,
    read_binary,
    read_integer,
    read_number,
    read_text,
    read_word,
    text,
)

_SUMMARIZED = (*KEY_ATTRIBUTES, "scope", "sensitivity", "deleted_at")
_OPERATION_BYTES = IDENTITY_BYTES + FINGERPRINT_BYTES

FACTS = "facts"
"""The attribute of a tombstone with the ids of derived facts."""

CREDIT = "credit"


# --- logs -----------------------------------------------------------------------------------------


def _entries_text(entries: Sequence[AuditEntry]) -> str:
    return compact_json([as_json(entry) for entry in entries])


def _entries_in(item: Item, name: str, content: str) -> list[AuditEntry]:
    listed = parse_text(item, name, content, list)
    with raising_corrupt_item(item):
        return [AuditEntry.model_validate(entry) for entry in listed]


def _deltas_text(deltas: Sequence[Delta]) -> str:
    return compact_json([delta.as_json() for delta in deltas])


def _deltas_in(item: Item, name: str, content: str) -> list[Delta]:
    listed = parse_text(item, name, content, list)
    try:
        return [Delta.of_json(each) for each in listed]
    except (KeyError, TypeError) as error:
        raise CorruptItem(item, f"{name} is not a history of ours") from error


AUDIT = Log("audit", "entries", _entries_text, _entries_in, is_counted=True)
HISTORY = Log("history", "deltas", _deltas_text, _deltas_in)
"""The changes of content, from which earlier versions are made."""

AUDITED = (*_SUMMARIZED, "receipt_for", "audit_count", AUDIT.name)
"""The attributes of a record's own item that `audited_in` reads."""


def audited_in(own: Item, blobs: BlobStore) -> AuditSummary:
    """The audit of a record's own item; entries in the bucket are not read."""
    record_id = table_keys.record_id_of(own)
    entries = []
    if blob_of_text(own, AUDIT.name, record_id) is None:
        entries = AUDIT.entries_in(own, AUDIT.name, record_id, blobs)
    return AuditSummary(
        record_id,
        scope_in(own),
        read_word(own, "sensitivity", Sensitivity),
        read_integer(own, "audit_count"),
        [entry.action for entry in entries],
    )


# --- the end of a record --------------------------------------------------------------------------


def tombstone_attributes(held: AnyRecord) -> dict[str, Value]:
    """The attributes of a tombstone, without the due instant of the sweep; none for the living.

    Keys in the rank index let lists find a removed record that was not erased.
    """
    tombstone = held.tombstone
    if tombstone is None:
        return {}
    attributes = {
        "deleted_at": number(tombstone.deleted_at_s),
        "deleted_reason": text(tombstone.reason),
        "expires_at": number(tombstone.expires_at_s),
    }
    if tombstone.erasure:
        attributes["erasure"] = text(tombstone.erasure)
    removal = removal_by(tombstone)
    if removal is not None:
        attributes["rank_pk"] = text(table_keys.removed_partition(held.scope, removal))
        attributes["rank_sk"] = number(tombstone.deleted_at_s)
    if isinstance(held, RemovedRecord) and held.facts:
        attributes[FACTS] = text(compact_json(held.facts))
    return attributes


def tombstone_in(own: Item) -> Tombstone:
    return Tombstone(
        deleted_at_s=read_number(own, "deleted_at"),
        reason=read_text(own, "deleted_reason"),
        due_s=read_integer(own, "due_sk") if "due_sk" in own else None,
        expires_at_s=read_integer(own, "expires_at"),
        erasure=read_text(own, "erasure") if "erasure" in own else "",
    )


def facts_in(own: Item) -> tuple[str, ...]:
    """Raises CorruptItem for a value that is not a list of texts."""
    ids = parse_text(own, FACTS, read_text(own, FACTS), list) if FACTS in own else []
    if not all(isinstance(each, str) for each in ids):
        raise CorruptItem(own, f"{FACTS} is not a list of ids")
    return tuple(ids)


# --- idempotency ----------------------------------------------------------------------------------


def idempotency_attributes(held: AnyRecord) -> dict[str, Value]:
    """The attributes that name the request that created the record and the latest operations."""
    found: dict[str, Value] = {}
    if held.fingerprint:
        found["fingerprint"] = binary(held.fingerprint)
    if held.operations:
        joined = b"".join(done.identity + done.fingerprint for done in held.operations)
        found["operations"] = binary(joined)
    return found


def fingerprint_in(own: Item) -> bytes:
    """The fingerprint of the request that created the record; empty without an idempotency key."""
    return read_binary(own, "fingerprint") if "fingerprint" in own else b""


def operations_in(own: Item) -> tuple[Operation, ...]:
    """The latest operations, newest last; raises CorruptItem for a damaged attribute."""
    if "operations" not in own:
        return ()
    joined = read_binary(own, "operations")
    if len(joined) % _OPERATION_BYTES:
        raise CorruptItem(own, "operations is cut off")
    return tuple(
        Operation(joined[start : start + IDENTITY_BYTES], joined[start + IDENTITY_BYTES : end])
        for start in range(0, len(joined), _OPERATION_BYTES)
        for end in (start + _OPERATION_BYTES,)
    )


# --- credit ---------------------------------------------------------------------------------------

CREDITED = (*_SUMMARIZED, CREDIT)
"""The attributes of a record's own item that `credited_in` reads."""


def credit_attribute(stored: StoredRecord) -> Mapping[str, Value]:
    """The attribute; none for a record without credit."""
    return {} if stored.credit is None else {CREDIT: text(compact_json(stored.credit.as_json()))}


def credit_in(own: Item) -> CreditLedger | None:
    """The credit of a record; raises CorruptItem for a damaged attribute."""
    if CREDIT not in own:
        return None
    fields = parse_text(own, CREDIT, read_text(own, CREDIT), dict)
    try:
        return CreditLedger.of_json(fields)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CorruptItem(own, "credit is not a ledger of ours") from error


def credited_in(own: Item) -> CreditSummary:
    """The summary of an item with credit."""
    return CreditSummary(
        table_keys.record_id_of(own),
        scope_in(own),
        read_word(own, "sensitivity", Sensitivity),
        credit_in(own) or CreditLedger(),
    )


def scope_in(own: Item) -> str:
    """The scope of a record's own item; empty for an unscoped record."""
    return read_text(own, "scope") if "scope" in own else ""
