"""Read the history of a record page by page: its versions, or its audit trail; gated by trust."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.hash_chain import FIRST
from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.records.audit import first_broken, without_text
from membrane.domain.records.limits import MAX_REPLY_BYTES, reply_bytes
from membrane.domain.records.records import AuditEntry, as_json
from membrane.domain.records.requests import ReadAudit, ReadVersions
from membrane.domain.records.stored import Held, Remains
from membrane.domain.records.versions import Version, versions_of
from membrane.domain.tokens.cursors import position_in
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.visibility import load_alive, load_visible, require_trust
from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.domain.records.replies import RecordVersion

MAX_PAGE = 1_000
"""Audit entries of one page, whatever limit was asked for."""

MAX_VERIFIED = 50_000
"""Audit entries that one request verifies: 20 MB, read 1 MB at a time."""

_ROOM = MAX_REPLY_BYTES - 1_024
"""Bytes for the versions or entries of a reply."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Versions of a record as a reply shows them, the oldest first."""

    versions: "Sequence[RecordVersion]"
    next_cursor: str | None


def read_versions(request: ReadVersions, call: Call, services: Services) -> Versions:
    """The next versions, as many as were asked for and a reply carries.

    A version that may not be seen says no more than when it held, and the next one neither what it
    changed nor why: either may tell what was before. Raises NotFound, PermissionDenied where only
    the request's own trust excludes the record, and InvalidArgument for a cursor that is not ours.
    """
    begin = position_in(request.cursor)
    stored = load_alive(request.id, call.principal, services, whole=True)
    require_trust(stored, call.principal, request.trust)
    trust = call.principal.trust.narrowed(request.trust)
    every = versions_of(stored)
    wanted = islice(_told(every, trust), begin, begin + request.limit if request.limit else None)
    page = list(_fitting(wanted, request.id))
    end = begin + len(page)
    return Versions(page, str(end) if end < len(every) else None)


def _told(versions: Sequence[Version], trust: Trust) -> "Iterator[RecordVersion]":
    """What is different, and why, is told where both states may be seen."""
    was_seen = True
    for version in versions:
        entry, is_seen = version.entry, trust.allows(version.scope, version.sensitivity)
        told: RecordVersion = {"number": version.number, "valid_from": version.valid_from}
        if version.valid_to is not None:
            told["valid_to"] = version.valid_to
        if is_seen:
            told["action"] = entry.action
            told["actor"], told["principal"] = entry.actor, entry.principal
        else:
            told["withheld"] = True
        if is_seen and was_seen:
            told["rationale"] = entry.rationale
            told["changes"] = [change.as_json() for change in version.changes]
        yield told
        was_seen = is_seen


def _fitting(versions: "Iterator[RecordVersion]", record_id: str) -> "Iterator[RecordVersion]":
    """As many as a reply carries; the first one in any case, in short form if it is too large."""
    room = _ROOM
    for position, version in enumerate(versions):
        size = reply_bytes(version)
        if size > room and position:
            return
        yield version if size <= room else _short(version, size, record_id)
        room -= size


def _short(version: "RecordVersion", size: int, record_id: str) -> "RecordVersion":
    """When the version held and who made it, with its size and the record as it was then."""
    link = f"/v1/records/{record_id}?as_of={version['valid_from']}"
    short: RecordVersion = {**version, "size": size, "link": link}
    short.pop("rationale", None)
    short.pop("changes", None)
    return short


Placed = tuple[int, AuditEntry]
"""An audit entry with its position in the trail."""


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether audit entries follow from each other, and how many were looked at."""

    broken_at: int | None
    """The position of the first entry that is missing or not intact."""
    entries: int


@dataclass(frozen=True, slots=True)
class Trail:
    """A page of an audit trail, the oldest entry first."""

    entries: Sequence[AuditEntry]
    count: int
    """Of the whole trail."""
    deleted_at: str | None
    next_cursor: str | None
    verification: Verification | None


def read_audit(request: ReadAudit, call: Call, services: Services) -> Trail:
    """A page of the trail of a record, which may be deleted.

    On the first page `verify` verifies the whole trail, as far as MAX_VERIFIED; on a later page
    that page with the entry before it. Raises NotFound, PermissionDenied where only the request's
    own trust excludes the record, and InvalidArgument for a cursor that is not ours.
    """
    begin = position_in(request.cursor)
    held = load_visible(request.id, call.principal, services)
    require_trust(held, call.principal, request.trust)
    end = min(held.written_entries, begin + min(request.limit or MAX_PAGE, MAX_PAGE))
    found = list(_shown(held, begin, end, services))
    is_cut = bool(found) and len(found) < end - begin and found[-1][0] < end - 1
    further = found[-1][0] + 1 if is_cut else end
    grave = held.tombstone
    return Trail(
        entries=[entry for _, entry in found],
        count=held.written_entries,
        deleted_at=None if grave is None else rfc3339(from_epoch_seconds(grave.deleted_at_s)),
        next_cursor=str(further) if further < held.written_entries else None,
        verification=_verification(held, begin, further, services) if request.verify else None,
    )


def _shown(held: Held, begin: int, end: int, services: Services) -> Iterator[Placed]:
    """Audit entries of these positions, as many as a reply carries; the first one in any case.

    Without the texts that are being erased.
    """
    is_erased = isinstance(held, Remains) and held.tombstone.is_erased
    newest = held.written_entries - 1
    room = _ROOM
    for number, (position, entry) in enumerate(services.records.entries(held, begin, end)):
        shown = without_text(entry) if is_erased and position < newest else entry
        room -= reply_bytes(as_json(shown))
        if room < 0 and number:
            return
        yield position, shown


def _verification(held: Held, begin: int, end: int, services: Services) -> Verification:
    """Of the whole trail where the page is its first one, else of the page."""
    if not begin:
        end = min(held.written_entries, MAX_VERIFIED)
    before, entries = _before(held, begin, services), services.records.entries(held, begin, end)
    follows = FIRST if before is None else before.hash
    broken = first_broken(
        held.id, (entry for _, entry in entries), max(0, end - begin), follows=follows
    )
    return Verification(None if broken is None else begin + broken, max(0, end - begin))


def _before(held: Held, begin: int, services: Services) -> AuditEntry | None:
    found = services.records.entries(held, begin - 1, begin) if begin else iter(())
    return next((entry for _, entry in found), None)
