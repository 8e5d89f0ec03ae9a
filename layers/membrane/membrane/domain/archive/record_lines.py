"""The codec between records and lines of an export.

A line has the record as the API shows it, with the whole audit trail and all relations. The
salience is the value at `state.anchored_at_s`. Beside the record the line has the state that the
API does not show, the history of the content, and the values that are stored in the bucket.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import Field, StringConstraints

from membrane.domain.archive.lines import LineKind
from membrane.domain.language import fields
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import MAX_RECORD_DEPTH, JsonObject, parse_json
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.language.values import LargeValue, references_in
from membrane.domain.records import learning_mark
from membrane.domain.records.form import removed_record, stored_record, stored_state
from membrane.domain.records.history import (
    KEPT_IN_AUDIT,
    Delta,
    content_before,
    content_of,
)
from membrane.domain.records.records import AuditEntry, MemoryRecord, as_json, first_broken
from membrane.domain.records.stored import (
    FINGERPRINT_BYTES,
    IDENTITY_BYTES,
    MAX_OPERATIONS,
    AnyRecord,
    RemovedRecord,
    StoredRecord,
)
from membrane.domain.records.usefulness import MAX_GIVERS

MAX_REASON_CHARACTERS = 1_000
MAX_AUDIT_ENTRIES = 1_000_000
MAX_FACTS = 10_000
MAX_SECONDS = 253_402_300_799
"""The last second of the year 9999."""


def hex_of(octets: int, *, or_empty: bool = False) -> StringConstraints:
    digits = f"[0-9a-f]{{{2 * octets}}}"
    return StringConstraints(pattern=rf"^({digits})?$" if or_empty else rf"^{digits}$")


def list_of(most: int, least: int = 0) -> Any:
    """A list of JSON that is read as a tuple."""
    return Field(strict=False, min_length=least, max_length=most)


Seconds = Annotated[float, Field(ge=-MAX_SECONDS, le=MAX_SECONDS)]
WholeSeconds = Annotated[int, Field(ge=0, le=MAX_SECONDS)]
Version = Annotated[int, Field(ge=1, le=2**53)]
Digest = Annotated[str, hex_of(32)]
ShortId = Annotated[str, Field(max_length=fields.MAX_ID_CHARACTERS)]
Giver = Annotated[str, hex_of(6, or_empty=True)]
Credit = Annotated[float, Field(ge=0)]
OperationText = Annotated[str, hex_of(IDENTITY_BYTES + FINGERPRINT_BYTES)]
LookupText = Annotated[str, hex_of(learning_mark.LOOKUP_BYTES)]


class TombstoneState(fields.Part):
    """The fields of `Tombstone`."""

    deleted_at_s: Seconds
    reason: Annotated[str, Field(max_length=MAX_REASON_CHARACTERS)]
    due_s: WholeSeconds | None = None
    expires_at_s: WholeSeconds
    erasure: ShortId = ""


class CreditState(fields.Part):
    """The fields of `CreditLedger.as_json`."""

    s: Credit
    f: Credit
    n: Annotated[fields.Count, Field(ge=1)]
    at: fields.Timestamp
    by: Giver
    day: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    given: Annotated[dict[Giver, Credit], Field(max_length=MAX_GIVERS)]


class State(fields.Part):
    """The state, with or without content, that the API does not show; see `stored_state`."""

    version: Version
    born_s: Seconds
    fingerprint: Annotated[str, hex_of(32, or_empty=True)] = ""
    operations: Annotated[tuple[OperationText, ...], list_of(MAX_OPERATIONS)] = ()
    """The latest operations: 12 bytes of the identity and 4 bytes of the fingerprint, in hex."""


class RecordState(State):
    anchored_at_s: Seconds
    """The instant at which the salience was exact."""
    initial_salience: fields.Salience
    tombstone: TombstoneState | None = None
    awaits: Annotated[learning_mark.Stage, Field(strict=False)] | None = None
    trace_id: ShortId = ""
    lookups: Annotated[tuple[LookupText, ...], list_of(learning_mark.MAX_LOOKUPS)] = ()
    credit: CreditState | None = None


class RemovedState(State):
    tombstone: TombstoneState
    facts: Annotated[tuple[fields.RecordId, ...], list_of(MAX_FACTS)] = ()


class RecordLine(fields.Part):
    """A record with content."""

    kind: str
    record: MemoryRecord
    state: RecordState
    history: Annotated[tuple[dict[str, Any], ...], list_of(MAX_AUDIT_ENTRIES)] = ()
    """The changes of the content, oldest first."""
    values: dict[Digest, str] = Field(default_factory=dict)
    """The JSON texts of the values in the bucket, by SHA-256."""


class TombstoneLine(fields.Part):
    """A deleted record without content."""

    kind: str
    id: fields.RecordId
    type: fields.MemoryTypeWord
    scope: fields.Scope = ""
    sensitivity: fields.SensitivityWord
    audit_log: Annotated[tuple[AuditEntry, ...], list_of(MAX_AUDIT_ENTRIES, least=1)]
    state: RemovedState


_IDENTITY = ("id", "type", "sensitivity", "scope")


class ArchivedRecord(NamedTuple):
    """A record of an export, with the JSON texts of the values in the bucket."""

    held: AnyRecord
    values: Mapping[LargeValue, bytes]


def large_values_of(held: AnyRecord) -> tuple[LargeValue, ...]:
    """The values in the bucket that a record refers to."""
    if not isinstance(held, StoredRecord):
        return ()
    found = references_in(held.record.payload)
    return tuple(each for each in dict.fromkeys(found) if isinstance(each, LargeValue))


def record_line(archived: ArchivedRecord) -> JsonObject:
    """The line of a record or tombstone that was loaded whole."""
    held, values = archived
    state = {name: _in_hex(each) for name, each in stored_state(held).items()}
    if isinstance(held, RemovedRecord):
        identity = {name: getattr(held, name) for name in _IDENTITY if getattr(held, name)}
        trail = [as_json(each) for each in held.trail]
        return {"kind": LineKind.TOMBSTONE, **identity, "audit_log": trail, "state": state}
    counted = held.record.model_copy(update={"audit_count": held.written_entries})
    line: JsonObject = {"kind": LineKind.RECORD, "record": as_json(counted), "state": state}
    if held.history:
        line["history"] = [delta.as_json() for delta in held.history]
    if values:
        line["values"] = {large.sha256: text.decode() for large, text in values.items()}
    return line


def record_of_line(line: JsonObject) -> ArchivedRecord:
    """The inverse of `record_line`; raises InvalidArgument, also for a broken audit trail."""
    if line.get("kind") == LineKind.TOMBSTONE:
        return ArchivedRecord(_removed_record(validate(TombstoneLine, line)), {})
    shown = line.get("record")
    record_id = shown.get("id") if isinstance(shown, dict) else None
    if not isinstance(record_id, str) or fields.RECORD_ID.fullmatch(record_id) is None:
        raise InvalidArgument("the record needs an id of the permitted form")
    given = validate(RecordLine, _with_tuples(line), record_id=record_id)
    stored = _stored_record(given)
    _require_history(stored)
    return ArchivedRecord(stored, dict(_values(given)))


def _with_tuples(line: JsonObject) -> JsonObject:
    """The line with tuples in place of the two lists that a stored record keeps as tuples."""
    record = line["record"]
    lists = {
        name: tuple(record[name])
        for name in ("relations", "audit_log")
        if isinstance(record.get(name), list)
    }
    return line | {"record": record | lists}


def _stored_record(given: RecordLine) -> StoredRecord:
    record, state = given.record, given.state
    _require_trail(record.id, record.audit_log, record.audit_count)
    if record.updated_at != record.audit_log[-1].timestamp:
        raise InvalidArgument("updated_at must be the time of the last audit entry")
    if record.created_at != rfc3339(from_epoch_seconds(state.born_s)):
        raise InvalidArgument("created_at must be the instant of state.born_s")
    if record.payload.kind != record.type:
        raise InvalidArgument("the payload must be of the record's type")
    require_scope(record.scope)
    if any(fields.RECORD_ID.fullmatch(each.target_id) is None for each in record.relations):
        raise InvalidArgument("relations lead to an id that is not of the permitted form")
    if state.tombstone is not None:
        _require_due(state.tombstone)
    return stored_record(
        record.model_copy(update={"audit_count": 0}),
        _state_of(state),
        audit_count=record.audit_count,
        history=tuple(_deltas(given, len(record.audit_log))),
    )


def _require_due(tombstone: TombstoneState) -> None:
    """Raises InvalidArgument for content that no sweep would remove."""
    due_s = tombstone.due_s
    if due_s is None or not tombstone.deleted_at_s <= due_s <= tombstone.expires_at_s:
        raise InvalidArgument("a deleted record with content needs due_s, before expires_at_s")
    if tombstone.erasure:
        raise InvalidArgument("an erased record has no content")


class _Scoped(fields.Part):
    scope: fields.Scope


def require_scope(scope: str) -> None:
    """Check a scope as a request does: what is stored is not checked again."""
    validate(_Scoped, {"scope": scope})


def _removed_record(given: TombstoneLine) -> RemovedRecord:
    trail = given.audit_log
    _require_trail(given.id, trail, len(trail))
    identity = {name: getattr(given, name) for name in _IDENTITY}
    return removed_record(identity, _state_of(given.state), trail, audit_count=len(trail))


def _require_trail(record_id: str, trail: tuple[AuditEntry, ...], written: int) -> None:
    broken = first_broken(record_id, trail, written) if trail else 0
    if broken is not None:
        raise InvalidArgument(f"the audit trail is broken at entry {broken}")


def _require_history(stored: StoredRecord) -> None:
    """Rebuild every earlier content, newest first; raises InvalidArgument for a useless delta."""
    content, record = content_of(stored.record), as_json(stored.record)
    try:
        for delta in reversed(stored.history):
            content = content_before(content, delta)
            MemoryRecord.model_validate(
                {
                    **{name: record[name] for name in ("id", "type", "salience")},
                    "created_at": stored.record.created_at,
                    "updated_at": stored.record.updated_at,
                    **content,
                    "lifecycle": {
                        **content["lifecycle"],
                        KEPT_IN_AUDIT: stored.record.lifecycle.last_reinforced_at,
                    },
                    "relations": tuple(content.get("relations", ())),
                    "audit_log": stored.trail,
                },
                context=stored.id,
            )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InvalidArgument("the history does not fit the record") from error


def _deltas(given: RecordLine, entries: int) -> Iterator[Delta]:
    before = 0
    for each in given.history:
        try:
            delta = Delta.of_json(each)
        except (KeyError, TypeError) as error:
            raise InvalidArgument("a change of the history is malformed") from error
        if each != delta.as_json():
            raise InvalidArgument("a change of the history has an unknown field")
        if type(delta.entry) is not int or not before < delta.entry < entries:
            raise InvalidArgument("a change of the history names no later audit entry")
        before = delta.entry
        yield delta


def _values(given: RecordLine) -> Iterator[tuple[LargeValue, bytes]]:
    named = {
        each.sha256: each
        for each in references_in(given.record.payload)
        if isinstance(each, LargeValue)
    }
    if named.keys() != given.values.keys():
        raise InvalidArgument("values must have exactly the values that the record refers to")
    for sha256, large in named.items():
        text = given.values[sha256].encode()
        require_value(large, text, MAX_RECORD_DEPTH)
        yield large, text


def require_value(large: LargeValue, text: bytes, levels: int) -> None:
    """Raises InvalidArgument if the text is not the JSON text of the value."""
    if len(text) != large.size or hashlib.sha256(text).hexdigest() != large.sha256:
        raise InvalidArgument("a value does not match its size and digest")
    parse_json(text, levels)


def _state_of(given: State) -> JsonObject:
    state = given.model_dump(exclude_defaults=True)
    octets = {name: state[name] for name in ("operations", "lookups") if name in state}
    state |= {name: [*map(bytes.fromhex, each)] for name, each in octets.items()}
    return state | {"fingerprint": bytes.fromhex(given.fingerprint)}


def _in_hex(value: Any) -> Any:
    match value:
        case bytes():
            return value.hex()
        case list():
            return [*map(_in_hex, value)]
        case _:
            return value
