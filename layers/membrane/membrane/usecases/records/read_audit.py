"""Read the audit trail of a record page by page, verified on request, gated by trust."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from membrane.domain.language.hash_chain import FIRST
from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.records.audit import first_broken, without_text
from membrane.domain.records.limits import MAX_REPLY_BYTES, reply_bytes
from membrane.domain.records.records import AuditEntry, as_json
from membrane.domain.records.requests import ReadAudit
from membrane.domain.records.stored import Held, Remains
from membrane.domain.tokens.cursors import position_in
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.visibility import load_visible, require_trust
from membrane.usecases.ports.services import Services

MAX_PAGE = 1_000
"""Audit entries of one page, whatever limit was asked for."""

MAX_VERIFIED = 50_000
"""Audit entries that one request verifies: 20 MB, read 1 MB at a time."""

BESIDE_BYTES = 1_024
"""Room for what a reply holds beside its entries."""

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
    found = list(_fitting(_readable(held, begin, end, services)))
    is_cut = bool(found) and len(found) < end - begin and found[-1][0] < end - 1
    further = found[-1][0] + 1 if is_cut else end
    return Trail(
        entries=[entry for _, entry in found],
        count=held.written_entries,
        deleted_at=_deleted_at(held),
        next_cursor=str(further) if further < held.written_entries else None,
        verification=_verification(held, begin, further, services) if request.verify else None,
    )


def _deleted_at(held: Held) -> str | None:
    grave = held.tombstone
    return None if grave is None else rfc3339(from_epoch_seconds(grave.deleted_at_s))


def _readable(held: Held, begin: int, end: int, services: Services) -> Iterator[Placed]:
    """Audit entries of these positions, without the texts that are being erased."""
    is_erased = isinstance(held, Remains) and held.tombstone.is_erased
    newest = held.written_entries - 1
    for position, entry in services.records.entries(held, begin, end):
        yield position, without_text(entry) if is_erased and position < newest else entry


def _fitting(several: Iterable[Placed]) -> Iterator[Placed]:
    room = MAX_REPLY_BYTES - BESIDE_BYTES
    for number, (position, entry) in enumerate(several):
        room -= reply_bytes(as_json(entry))
        if room < 0 and number:
            return
        yield position, entry


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
