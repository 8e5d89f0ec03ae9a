"""Reading a record as a principal: what may not be seen answers as absent."""

from membrane.domain.errors import NotFound, PermissionDenied
from membrane.domain.fields import RECORD_ID
from membrane.domain.requests import TrustInput
from membrane.domain.stored import StoredRecord
from membrane.domain.trust import Principal
from membrane.usecases.ports import Services

NOT_FOUND = "record not found"
DENIED = "access denied by trust context"


def load_visible(
    record_id: str, principal: Principal, services: Services, *, missing: str = NOT_FOUND
) -> StoredRecord:
    """The record or its tombstone; raises NotFound where it is absent or may not be seen."""
    stored = services.records.load(record_id) if RECORD_ID.fullmatch(record_id) else None
    if stored is None:
        raise NotFound(missing)
    record = stored.record
    if not principal.trust.allows(record.scope, record.sensitivity):
        raise NotFound(missing)
    return stored


def require_trust(stored: StoredRecord, principal: Principal, asked: TrustInput) -> None:
    """Raises PermissionDenied where the trust that the request asks for excludes the record."""
    trust = principal.trust.narrowed(asked)
    if not trust.allows(stored.record.scope, stored.record.sensitivity):
        raise PermissionDenied(DENIED)


def require_alive(stored: StoredRecord, *, missing: str = NOT_FOUND) -> None:
    """Raises NotFound for a tombstone."""
    if stored.tombstone is not None:
        raise NotFound(missing)
