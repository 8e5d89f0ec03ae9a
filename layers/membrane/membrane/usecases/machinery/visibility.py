"""Read a record as a principal: hidden answers as absent."""

from typing import TYPE_CHECKING, Protocol, TypeVar

from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import NotFound, PermissionDenied
from membrane.domain.language.fields import MAX_ID_CHARACTERS, RECORD_ID
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.domain.access.requests import TrustInput
    from membrane.domain.language.vocabulary import Sensitivity


AnyHeld = TypeVar("AnyHeld", bound=AnyRecord)


class Classified(Protocol):
    """A record, tombstone or topic: anything with a scope and a sensitivity."""

    @property
    def scope(self) -> str: ...
    @property
    def sensitivity(self) -> "Sensitivity": ...


NOT_FOUND = "record not found"
DENIED = "access denied by trust context"


def missing_of(operation: str, called: str, record_id: str) -> str:
    """The error text of a revision for an absent record, as in Membrane; long ids are cut."""
    return f"{operation}: get {called} {record_id[:MAX_ID_CHARACTERS]}: {NOT_FOUND}"


def load_visible(
    record_id: str,
    principal: Principal,
    world: World,
    *,
    missing: str = NOT_FOUND,
    whole: bool = False,
) -> AnyRecord:
    """The record or the tombstone; raises NotFound for an absent or hidden record.

    `whole` loads the audit trail and the history from the first entry on.
    """
    is_id = RECORD_ID.fullmatch(record_id)
    held = world.records.load(record_id, whole=whole) if is_id else None
    return require_visible(held, principal, missing=missing)


def load_alive(
    record_id: str,
    principal: Principal,
    world: World,
    *,
    missing: str = NOT_FOUND,
    whole: bool = False,
) -> StoredRecord:
    """Like `load_visible`; raises NotFound also for a tombstone."""
    held = load_visible(record_id, principal, world, missing=missing, whole=whole)
    return require_alive(held, missing=missing)


def require_visible(
    held: AnyHeld | None, principal: Principal, *, missing: str = NOT_FOUND
) -> AnyHeld:
    """The record, tombstone or topic; raises NotFound if absent or hidden."""
    if held is None or not principal.trust.allows(held.scope, held.sensitivity):
        raise NotFound(missing)
    return held


def require_trust(held: Classified, principal: Principal, asked: "TrustInput") -> None:
    """Raise PermissionDenied if the trust of the request excludes the record."""
    if not principal.trust.narrow_to(asked).allows(held.scope, held.sensitivity):
        raise PermissionDenied(DENIED)


def require_alive(held: AnyRecord, *, missing: str = NOT_FOUND) -> StoredRecord:
    """The live record; raises NotFound for a tombstone."""
    if isinstance(held, RemovedRecord) or held.tombstone is not None:
        raise NotFound(missing)
    return held
