"""Read a record by id, now or as of an instant, its versions, or its audit trail page by page."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.cursors import position_in
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument
from membrane.domain.language.json_text import FIRST
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.language.values import MAX_REPLY_BYTES, reply_bytes
from membrane.domain.records.records import (
    AuditEntry,
    MemoryRecord,
    as_json,
    first_broken,
    without_text,
)
from membrane.domain.records.requests import ReadAudit, ReadVersions, RetrieveById
from membrane.domain.records.standing import successor_of
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.domain.records.versions import Version, as_of, require_past, versions_of
from membrane.usecases.machinery import visibility
from membrane.usecases.machinery.calls import Call, cursor_part
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.records.replies import AuditTrail, RecordReply, RecordVersion, VersionList


MAX_STEPS = 500
"""The most successors that one request follows."""


def read_record(request: RetrieveById, call: Call, world: World) -> "RecordReply":
    """The reply with the record; raises as `retrieve_by_id`."""
    return {"record": as_json(retrieve_by_id(request, call, world))}


def retrieve_by_id(request: RetrieveById, call: Call, world: World) -> MemoryRecord:
    """The record now, the record as of an instant, or the last of a chain of successors.

    Raises NotFound, and PermissionDenied if only the trust of the request excludes the record; both
    also for each successor and for the past state. InvalidArgument for a future instant, or for
    `as_of` with `resolve`; FailedPrecondition for more than MAX_STEPS successors.
    """
    if request.as_of is not None and request.resolve is not None:
        raise InvalidArgument("as_of and resolve do not go together")
    stored = _living(request.id, request, call, world)
    if request.as_of is not None:
        require_past(request.as_of, rfc3339(world.now()))
        then = visibility.require_visible(as_of(stored, request.as_of), call.principal)
        visibility.require_trust(then, call.principal, request.trust)
        instant_s = epoch_seconds(datetime.fromisoformat(request.as_of))
        return then.as_of(instant_s, world.policy.custom_curves)
    if request.resolve is not None:
        stored = _latest(stored, request, call, world)
    return stored.as_of(epoch_seconds(world.now()), world.policy.custom_curves)


def _living(record_id: str, request: RetrieveById, call: Call, world: World) -> StoredRecord:
    whole = request.as_of is not None
    stored = visibility.load_alive(record_id, call.principal, world, whole=whole)
    visibility.require_trust(stored, call.principal, request.trust)
    return stored


def _latest(stored: StoredRecord, request: RetrieveById, call: Call, world: World) -> StoredRecord:
    steps = 0
    while (successor := successor_of(stored.record.payload)) is not None:
        if steps == MAX_STEPS:
            raise FailedPrecondition(
                f"more than {MAX_STEPS} records follow: go on from record {stored.id}"
            )
        stored = _living(successor, request, call, world)
        steps += 1
    return stored


MAX_PAGE = 1_000
"""The most audit entries of a page, above any requested limit."""

MAX_VERIFIED = 50_000
"""The most audit entries that a request verifies: 20 MB, read in steps of 1 MB."""

_ROOM = MAX_REPLY_BYTES - 1_024
"""Bytes for the versions or entries in a reply."""


def read_versions(request: ReadVersions, call: Call, world: World) -> "VersionList":
    """The next versions, as many as requested and as a reply holds.

    A version hidden from the caller shows only the time of validity. The version after a hidden
    version shows neither changes nor rationale, since both may reveal the hidden content. Raises
    NotFound; PermissionDenied if only the trust of the request excludes the record;
    InvalidArgument for a foreign cursor.
    """
    begin = position_in(request.cursor)
    stored = visibility.load_alive(request.id, call.principal, world, whole=True)
    visibility.require_trust(stored, call.principal, request.trust)
    trust = call.principal.trust.narrow_to(request.trust)
    every = versions_of(stored)
    wanted = islice(
        _versions_as_json(every, trust), begin, begin + request.limit if request.limit else None
    )
    page = list(_fitting(wanted, request.id))
    end = begin + len(page)
    return {"versions": page, **cursor_part(str(end) if end < len(every) else None)}


def _versions_as_json(versions: Sequence[Version], trust: Trust) -> "Iterator[RecordVersion]":
    was_seen = True
    for version in versions:
        entry, is_seen = version.entry, trust.allows(version.scope, version.sensitivity)
        shown: RecordVersion = {"number": version.number, "valid_from": version.valid_from}
        if version.valid_to is not None:
            shown["valid_to"] = version.valid_to
        if is_seen:
            shown["action"] = entry.action
            shown["actor"], shown["principal"] = entry.actor, entry.principal
        else:
            shown["withheld"] = True
        if is_seen and was_seen:
            shown["rationale"] = entry.rationale
            shown["changes"] = [change.as_json() for change in version.changes]
        yield shown
        was_seen = is_seen


def _fitting(versions: "Iterator[RecordVersion]", record_id: str) -> "Iterator[RecordVersion]":
    """The versions that fit a reply; a first version above the limit comes in short form."""
    room = _ROOM
    for position, version in enumerate(versions):
        size = reply_bytes(version)
        if size > room and position:
            return
        yield version if size <= room else _short(version, size, record_id)
        room -= size


def _short(version: "RecordVersion", size: int, record_id: str) -> "RecordVersion":
    """The version without changes and rationale, with the size and a link to the past record."""
    link = f"/v1/records/{record_id}?as_of={version['valid_from']}"
    short: RecordVersion = {**version, "size": size, "link": link}
    short.pop("rationale", None)
    short.pop("changes", None)
    return short


def read_audit(request: ReadAudit, call: Call, world: World) -> "AuditTrail":
    """A page of the audit trail of a live or deleted record, the oldest entry first.

    On the first page `verify` checks the whole trail, up to MAX_VERIFIED entries; on a later page
    the page with the preceding entry. On every page `verify` compares with the newest anchor.
    Raises NotFound; PermissionDenied if only the trust of the request excludes the record;
    InvalidArgument for a foreign cursor.
    """
    begin = position_in(request.cursor)
    held = visibility.load_visible(request.id, call.principal, world)
    visibility.require_trust(held, call.principal, request.trust)
    end = min(held.written_entries, begin + min(request.limit or MAX_PAGE, MAX_PAGE))
    found = list(_readable_entries(held, begin, end, world))
    is_cut = bool(found) and len(found) < end - begin and found[-1][0] < end - 1
    further = found[-1][0] + 1 if is_cut else end
    deleted_s = None if held.tombstone is None else held.tombstone.deleted_at_s
    body: AuditTrail = {
        "audit_log": [as_json(entry) for _, entry in found],
        "audit_count": held.written_entries,
        "deleted_at": None if deleted_s is None else rfc3339(from_epoch_seconds(deleted_s)),
    }
    if further < held.written_entries:
        body["next_cursor"] = str(further)
    if request.verify:
        from membrane.usecases.records.anchored_head import (  # noqa: PLC0415 - few requests verify
            anchored_head,
        )

        broken, verified = _check_chain(held, begin, further, world)
        body["verified"], body["broken_at"] = broken is None, broken
        body["verified_entries"] = verified
        body["anchor"] = anchored_head(held, world)
    return body


def _readable_entries(
    held: AnyRecord, begin: int, end: int, world: World
) -> Iterator[tuple[int, AuditEntry]]:
    """The audit entries of a page that fit a reply, by position, at least the first entry.

    For an erased record, without free text: the erasure of stored texts may still be running.
    """
    is_erased = isinstance(held, RemovedRecord) and held.tombstone.is_erased
    newest = held.written_entries - 1
    room = _ROOM
    for number, (position, entry) in enumerate(world.records.entries(held, begin, end)):
        shown = without_text(entry) if is_erased and position < newest else entry
        room -= reply_bytes(as_json(shown))
        if room < 0 and number:
            return
        yield position, shown


def _check_chain(held: AnyRecord, begin: int, end: int, world: World) -> tuple[int | None, int]:
    """The position of the first entry that is missing or altered, and the number of entries read.

    Checks the hash chain of the whole trail from position 0, else of the page.
    """
    if not begin:
        end = min(held.written_entries, MAX_VERIFIED)
    records = world.records
    before = next(iter(records.entries(held, begin - 1, begin)), None) if begin else None
    entries = (entry for _, entry in records.entries(held, begin, end))
    count = max(0, end - begin)
    broken = first_broken(held.id, entries, count, follows=before[1].hash if before else FIRST)
    return None if broken is None else begin + broken, count
