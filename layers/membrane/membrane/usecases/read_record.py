"""Read one record by id, or its audit trail, gated by trust."""

from dataclasses import dataclass

from membrane.domain import audit
from membrane.domain.endings import erased_trail
from membrane.domain.records import AuditEntry, MemoryRecord
from membrane.domain.requests.reads import ReadAudit, RetrieveById
from membrane.domain.stored import Held, Remains
from membrane.domain.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.usecases.calls import Call
from membrane.usecases.ports.services import Services
from membrane.usecases.visibility import load_visible, require_alive, require_trust


@dataclass(frozen=True, slots=True)
class Trail:
    """An audit trail, also of a deleted record; `broken_at` is the first entry that is not intact.

    `verified` is None where verification was not asked for.
    """

    entries: tuple[AuditEntry, ...]
    deleted_at: str | None
    verified: bool | None = None
    broken_at: int | None = None


def retrieve_by_id(request: RetrieveById, call: Call, services: Services) -> MemoryRecord:
    """The record as of now.

    Raises NotFound where it is absent, deleted or beyond the principal's rights, and
    PermissionDenied where only the request's own trust excludes it.
    """
    stored = require_alive(load_visible(request.id, call.principal, services))
    require_trust(stored, call.principal, request.trust)
    return stored.as_of(epoch_seconds(services.now()), services.policy.custom_curves)


def read_audit(request: ReadAudit, call: Call, services: Services) -> Trail:
    """The whole trail, verified on request; raises as `retrieve_by_id`, but for deletion."""
    held = load_visible(request.id, call.principal, services)
    require_trust(held, call.principal, request.trust)
    entries = _readable(held).trail
    grave = held.tombstone
    deleted_at = None if grave is None else rfc3339(from_epoch_seconds(grave.deleted_at_s))
    if not request.verify:
        return Trail(entries, deleted_at)
    broken_at = audit.first_broken(held.id, entries, held.written_entries)
    return Trail(entries, deleted_at, verified=broken_at is None, broken_at=broken_at)


def _readable(held: Held) -> Held:
    """Without the texts that are being erased."""
    if isinstance(held, Remains) and held.tombstone.is_erased:
        return erased_trail(held)
    return held
