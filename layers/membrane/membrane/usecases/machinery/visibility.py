"""Reading a record as a principal: what may not be seen answers as absent."""

from typing import TYPE_CHECKING, Protocol, TypeVar

from membrane.domain.access.trust import Principal
from membrane.domain.language.errors import NotFound, PermissionDenied
from membrane.domain.language.fields import MAX_ID_CHARACTERS, RECORD_ID
from membrane.domain.records.stored import Held, Remains, StoredRecord
from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.domain.access.requests import TrustInput
    from membrane.domain.language.vocabulary import Sensitivity

There = TypeVar("There", bound=Held)


class Classified(Protocol):
    """A record, tombstone or topic: whatever has a scope and a sensitivity."""

    @property
    def scope(self) -> str: ...
    @property
    def sensitivity(self) -> "Sensitivity": ...


NOT_FOUND = "record not found"
DENIED = "access denied by trust context"


def missing_of(operation: str, called: str, record_id: str) -> str:
    """The peer's words where a revision's record is absent; of an id what could be one."""
    return f"{operation}: get {called} {record_id[:MAX_ID_CHARACTERS]}: {NOT_FOUND}"


def load_visible(
    record_id: str,
    principal: Principal,
    services: Services,
    *,
    missing: str = NOT_FOUND,
    whole: bool = False,
) -> Held:
    """The record or its tombstone; raises NotFound where it is absent or may not be seen.

    `whole` loads its trail and history from the first entry on.
    """
    is_id = RECORD_ID.fullmatch(record_id)
    held = services.records.load(record_id, whole=whole) if is_id else None
    return require_visible(held, principal, missing=missing)


def load_alive(
    record_id: str,
    principal: Principal,
    services: Services,
    *,
    missing: str = NOT_FOUND,
    whole: bool = False,
) -> StoredRecord:
    """As `load_visible`; raises NotFound for a tombstone, too."""
    held = load_visible(record_id, principal, services, missing=missing, whole=whole)
    return require_alive(held, missing=missing)


def require_visible(
    there: There | None, principal: Principal, *, missing: str = NOT_FOUND
) -> There:
    """Raises NotFound where nothing is there, or what is there may not be seen."""
    if there is None or not principal.trust.allows(there.scope, there.sensitivity):
        raise NotFound(missing)
    return there


def require_trust(held: Classified, principal: Principal, asked: "TrustInput") -> None:
    """Raises PermissionDenied where the request's own trust excludes what is there."""
    if not principal.trust.narrow_to(asked).allows(held.scope, held.sensitivity):
        raise PermissionDenied(DENIED)


def require_alive(held: Held, *, missing: str = NOT_FOUND) -> StoredRecord:
    """Raises NotFound for a tombstone."""
    if isinstance(held, Remains) or held.tombstone is not None:
        raise NotFound(missing)
    return held
