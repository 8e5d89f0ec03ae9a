"""The only codec between records and the items of their own.

A record's own item holds attributes that are filtered or updated in place, and JSON texts:
`document` (payload, provenance, tags, interpretation), `lifecycle`, `relations` if there are any,
`audit` (the newest entries) and, once the content has changed, `history` (the newest changes).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

from membrane.adapters.dynamodb.indexes.learning import LOOKUPS, made_keys, waiting_keys
from membrane.adapters.dynamodb.records import beside
from membrane.domain.language.json_text import JsonObject, Printable, compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.lifecycle import pruning
from membrane.domain.records.form import State, removed_record, stored_record, stored_state
from membrane.domain.records.history import Delta
from membrane.domain.records.learning_mark import LOOKUP_BYTES
from membrane.domain.records.records import AuditEntry, MemoryRecord, as_json
from membrane.domain.records.standing import natural_key
from membrane.domain.records.stored import (
    FINGERPRINT_BYTES,
    IDENTITY_BYTES,
    AnyRecord,
    StoredRecord,
    removal_by,
)
from membrane.domain.salience.function import PRUNE_THRESHOLD, Curves, decay_class
from membrane.table import keys as table_keys
from membrane.table.blobs import VALUES, BlobStore, digests_of, unpack
from membrane.table.entity import Log, Origin, is_of
from membrane.table.items import (
    CorruptItem,
    Item,
    Value,
    binary,
    number,
    parse_text,
    raising_corrupt_item,
    read_binary,
    read_instant,
    read_integer,
    read_number,
    read_text,
    read_word,
    text,
)

_IN_DOCUMENT = frozenset({"tags", "provenance", "payload", "interpretation"})


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
    with raising_corrupt_item(item):
        return [Delta.of_json(each) for each in listed]


AUDIT = Log("audit", "entries", _entries_text, _entries_in, is_counted=True)
HISTORY = Log("history", "deltas", _deltas_text, _deltas_in)
"""The changes of content, from which earlier versions are made."""


# --- the state beside the document ----------------------------------------------------------------


def credit_in(item: Item, name: str) -> JsonObject:
    return parse_text(item, name, read_text(item, name), dict)


def _facts_in(item: Item, name: str) -> list[Any]:
    ids = parse_text(item, name, read_text(item, name), list)
    if not all(isinstance(each, str) for each in ids):
        raise CorruptItem(item, f"{name} is not a list of ids")
    return ids


def _joined_in(octets: int, item: Item, name: str) -> list[bytes]:
    """The parts of a binary; raises CorruptItem for a part that is cut off."""
    joined = read_binary(item, name)
    if len(joined) % octets:
        raise CorruptItem(item, f"{name} is cut off")
    return [joined[start : start + octets] for start in range(0, len(joined), octets)]


def _json(value: Any) -> Value:
    return text(compact_json(value))


def _join(parts: Sequence[bytes]) -> Value:
    return binary(b"".join(parts))


_Codec = tuple[str, Callable[[Any], Value], Callable[[Item, str], Any]]

_STATE: Mapping[str, _Codec] = {
    "version": ("version", number, read_integer),
    "born_s": ("created_at", number, read_number),
    "anchored_at_s": ("anchored_at", number, read_number),
    "initial_salience": ("initial_salience", number, read_number),  # not in former releases
    "fingerprint": ("fingerprint", binary, read_binary),
    "operations": (
        "operations",
        _join,
        partial(_joined_in, IDENTITY_BYTES + FINGERPRINT_BYTES),
    ),
    "awaits": ("awaits", text, read_text),
    "trace_id": ("trace_id", text, read_text),
    "lookups": (LOOKUPS, _join, partial(_joined_in, LOOKUP_BYTES)),
    "credit": ("credit", _json, credit_in),
    "facts": ("facts", _json, _facts_in),
}
_TOMBSTONE: Mapping[str, _Codec] = {
    "deleted_at_s": ("deleted_at", number, read_number),
    "reason": ("deleted_reason", text, read_text),
    "due_s": ("due_sk", number, read_integer),
    "expires_at_s": ("expires_at", number, read_integer),
    "erasure": ("erasure", text, read_text),
}
"""The attributes of the parts of a state, with the codec of each."""


def _state_in(own: Item) -> State:
    """The state of a record's own item; raises CorruptItem."""
    state = _parts_in(own, _STATE)
    return state | {"tombstone": _parts_in(own, _TOMBSTONE)} if "deleted_at" in own else state


def _parts_in(own: Item, codecs: Mapping[str, _Codec]) -> State:
    return {part: read(own, name) for part, (name, _, read) in codecs.items() if name in own}


def _state_attributes(held: AnyRecord) -> dict[str, Value]:
    """The attributes of the state, without the due instant; lists find removed ones."""
    state, item = stored_state(held), dict[str, Value]()
    for codecs, parts in ((_STATE, state), (_TOMBSTONE, state.get("tombstone", {}))):
        item |= {
            name: write(parts[part]) for part, (name, write, _) in codecs.items() if part in parts
        }
    item.pop("due_sk", None)
    removal = None if held.tombstone is None else removal_by(held.tombstone)
    if held.tombstone is not None and removal is not None:
        item["rank_pk"] = text(table_keys.removed_partition(held.scope, removal))
        item["rank_sk"] = number(held.tombstone.deleted_at_s)
    return item


def scope_in(own: Item) -> str:
    """The scope of a record's own item; empty for an unscoped record."""
    return read_text(own, "scope") if "scope" in own else ""


# --- records --------------------------------------------------------------------------------------


class Shards(NamedTuple):
    """The number of partitions of each index; may only grow."""

    rank: int = 1
    due: int = 16


@dataclass(frozen=True, slots=True)
class Codec:
    """Encode and decode records, under one set of settings."""

    shards: Shards
    curves: Curves
    blobs: BlobStore
    prune_threshold: float = PRUNE_THRESHOLD
    retracted: timedelta = pruning.RETRACTED_PERIOD
    """The time for which a retracted record is kept."""

    def encode(self, held: AnyRecord) -> tuple[dict[str, Value], dict[str, str]]:
        """The attributes of the record's own item, and the texts, without the logs."""
        item: dict[str, Value] = {
            **table_keys.own_key(held.id),
            "type": text(held.type),
            "sensitivity": text(held.sensitivity),
            **_state_attributes(held),
        }
        if held.scope:
            item["scope"] = text(held.scope)
        if held.tombstone is not None:
            item |= self._due_key(held.id, held.tombstone.due_s)
        return item, self._content(held, item) if isinstance(held, StoredRecord) else {}

    def _content(self, stored: StoredRecord, item: dict[str, Value]) -> dict[str, str]:
        """The part of a record that a tombstone lacks: attributes added to the item, and texts."""
        record = stored.record
        item |= {
            "salience": number(stored.anchor.salience),
            "deletion_policy": text(record.lifecycle.deletion_policy),
            # A short name: an event of 1,000 bytes has four bytes left in the write unit.
            "conf": number(record.confidence),
        }
        performance = pruning.performance_of(record.payload)
        if performance is not None:
            item["performance"] = number(performance)
        natural = natural_key(record.scope, record.payload)
        if natural is not None:  # stays until the document goes: a prune saves a write unit
            item["natural_pk"] = binary(natural)
            item["natural_sk"] = number(stored.anchor.born_s)
        if stored.tombstone is None:
            item |= self._index_keys(stored) | waiting_keys(stored) | made_keys(stored)
        large: list[Printable] = []
        document = compact_json(as_json(record, only=_IN_DOCUMENT), large)
        if large:
            item[VALUES] = digests_of(large)
        texts = {"document": document, "lifecycle": compact_json(as_json(record.lifecycle))}
        if record.relations:
            texts[beside.RELATIONS] = beside.relations_text(record.relations)
        return texts

    def decode(self, items: Sequence[Item], *, whole: bool = True) -> AnyRecord | None:
        """The record from the items of the partition; None without the record's own item.

        With `whole`, the items are the partition up to the own item, and the history is complete;
        without `whole`, the history has the newest changes only. Raises CorruptItem for a damaged
        item. A gap in the history would make every earlier state wrong.
        """
        own = next((item for item in items if item.get("sk") == text(table_keys.RECORD)), None)
        if own is None or beside.is_receipt(own):
            return None
        record_id = table_keys.record_id_of(own)
        resident = AUDIT.entries_in(own, AUDIT.name, record_id, self.blobs)
        trail = (*self._older(items, AUDIT, own), *resident)
        if not trail:
            raise CorruptItem(own, "the audit trail is empty")
        residents = {AUDIT.name: len(resident)}
        count, state = read_integer(own, "audit_count"), _state_in(own)
        if "document" not in own:
            identity = {
                "id": record_id,
                "type": read_word(own, "type", MemoryType),
                "scope": scope_in(own),
                "sensitivity": read_word(own, "sensitivity", Sensitivity),
            }
            origin = Origin(own, residents)
            with raising_corrupt_item(own):
                return removed_record(identity, state, trail, audit_count=count, origin=origin)
        deltas = []
        if HISTORY.name in own:
            deltas = HISTORY.entries_in(own, HISTORY.name, record_id, self.blobs)
        residents[HISTORY.name] = len(deltas)
        former = [*self._older(items, HISTORY, own)] if whole else []
        if whole and len(former) != HISTORY.count_beside(own):
            raise CorruptItem(own, "the history has a gap")
        record, origin = self._record(own, record_id, trail), Origin(own, residents)
        with raising_corrupt_item(own):
            return stored_record(
                record, state, audit_count=count, history=(*former, *deltas), origin=origin
            )

    def _older(self, items: Sequence[Item], log: Log, own: Item) -> Iterator[Any]:
        born_s, record_id = read_number(own, "created_at"), table_keys.record_id_of(own)
        for item in items:
            if is_of(item, log, born_s):
                yield from log.entries_in(item, log.beside, record_id, self.blobs)

    def _record(self, own: Item, record_id: str, trail: Sequence[AuditEntry]) -> MemoryRecord:
        document = self._object(own, "document", record_id)
        relations = beside.relations_in(own, record_id, self.blobs)
        with raising_corrupt_item(own):
            return MemoryRecord.model_validate(
                {
                    **document,
                    "id": record_id,
                    "type": read_text(own, "type"),
                    "sensitivity": read_text(own, "sensitivity"),
                    "salience": read_number(own, "salience"),
                    "confidence": read_number(own, "conf"),
                    "scope": scope_in(own),
                    "created_at": rfc3339(read_instant(own, "created_at")),
                    "updated_at": trail[-1].timestamp,
                    "lifecycle": self._object(own, "lifecycle", record_id),
                    "relations": relations,
                    "audit_log": tuple(trail),
                },
                context=record_id,
            )

    def _object(self, item: Item, name: str, record_id: str) -> JsonObject:
        return parse_text(item, name, unpack(item, name, record_id, self.blobs), dict)

    def _index_keys(self, stored: StoredRecord) -> dict[str, Value]:
        record, lifecycle = stored.record, stored.record.lifecycle
        shard = table_keys.shard_of(record.id, self.shards.rank)
        partition = table_keys.rank_partition(
            record.scope, record.type, decay_class(lifecycle), shard
        )
        keys: dict[str, Value] = {
            "rank_pk": text(partition),
            "rank_sk": number(pruning.rank_in_class(stored)),
        }
        return keys | self._due_key(record.id, self.due_s(stored))

    def due_s(self, stored: StoredRecord) -> int | None:
        """The instant from which the sweep may take a record that was not deleted; None = never."""
        return pruning.due_of(stored, self.curves, self.prune_threshold, self.retracted)

    def _due_key(self, record_id: str, due_s: int | None) -> dict[str, Value]:
        if due_s is None:
            return {}
        shard = table_keys.shard_of(record_id, self.shards.due)
        return {"due_pk": text(table_keys.due_partition(shard)), "due_sk": number(due_s)}


def is_single_item(own: Item) -> bool:
    """Whether the own item is the whole record: no audit entry or change in other items."""
    return not AUDIT.count_beside(own) and not HISTORY.count_beside(own)
