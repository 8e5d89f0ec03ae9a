"""Reading a record as a principal: what may not be seen answers as absent."""

from typing import TYPE_CHECKING

from membrane.domain.errors import NotFound, PermissionDenied
from membrane.domain.fields import RECORD_ID
from membrane.domain.stored import Held, Remains, StoredRecord
from membrane.domain.trust import Principal
from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.domain.requests.reads import TrustInput

NOT_FOUND = "record not found"
DENIED = "access denied by trust context"


def load_visible(
    record_id: str, principal: Principal, services: Services, *, missing: str = NOT_FOUND
) -> Held:
    """The record or its tombstone; raises NotFound where it is absent or may not be seen."""
    held = services.records.load(record_id) if RECORD_ID.fullmatch(record_id) else None
    if held is None or not principal.trust.allows(held.scope, held.sensitivity):
        raise NotFound(missing)
    return held


def require_trust(held: Held, principal: Principal, asked: "TrustInput") -> None:
    """Raises PermissionDenied where the trust that the request asks for excludes the record."""
    if not principal.trust.narrowed(asked).allows(held.scope, held.sensitivity):
        raise PermissionDenied(DENIED)


def require_alive(held: Held, *, missing: str = NOT_FOUND) -> StoredRecord:
    """The record; raises NotFound for a tombstone."""
    if isinstance(held, Remains) or held.tombstone is not None:
        raise NotFound(missing)
    return held
