"""Change the scope, sensitivity or tags of a record, or undo a retraction."""

from functools import partial

from membrane.domain.entities.merging import require_not_absorbed
from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import FailedPrecondition, TooManyProfiles
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.standing import is_retracted, successor_of
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.classification import (
    reclassified_version,
    require_any_change,
    require_raised,
    require_vacant,
)
from membrane.domain.revision.requests import Reclassify
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.world import World
from membrane.usecases.records.successors import absorbed_by, absorbing_entity
from membrane.usecases.records.write import Step, change
from membrane.usecases.revision.claimed_names import move_names
from membrane.usecases.revision.heads import claim_head


def reclassify_record(request: Reclassify, call: Call, world: World) -> Result:
    """Reclassify a record within the rights of the caller, or undo the retraction.

    The names of an entity move along to the scope and sensitivity, or come back with a retraction
    undone; see `move_names`.

    Undoing a retraction removes a maximum age in the past; if the remaining profile needs one decay
    class too many, the record gets the default profile of the type. Raises the errors of `change`;
    InvalidArgument for an empty request; FailedPrecondition for undoing a retraction if the record
    is not retracted, was replaced, or conflicts with an active fact, and for another scope or
    sensitivity of an entity that was absorbed or has absorbed others.
    """
    require_any_change(request)
    is_admin = Permission.ADMIN in call.principal.permissions

    def reclassify(stored: StoredRecord, making: Making, *, by_default: bool = False) -> Step:
        require_raised(stored.sensitivity, request.sensitivity, is_admin=is_admin)
        if request.retracted is not None:
            successor = successor_of(stored.record.payload)
            require_vacant(stored, None if successor is None else world.records.load(successor))
        why = call.why(request)
        after = reclassified_version(stored, request, why, making, by_default=by_default)
        call.principal.require_write(after.scope, after.sensitivity)
        if (after.scope, after.sensitivity) != (stored.scope, stored.sensitivity):
            _require_unmerged(stored, world)
        names = move_names(stored, after, world)
        if not _appears(stored, after):
            return Step(after, names=names)
        heads = claim_head(after.record, call.principal, world)
        return Step(after, heads=heads, names=names)

    try:
        return change(request.id, reclassify, call, world)
    except TooManyProfiles:
        if request.retracted is None:
            raise
        return change(request.id, partial(reclassify, by_default=True), call, world)


def _require_unmerged(stored: StoredRecord, world: World) -> None:
    """Raises FailedPrecondition for a merged entity: all have one scope and sensitivity."""
    require_not_absorbed(absorbing_entity(stored, world), stored.id)
    if absorbed_by(stored, world):
        raise FailedPrecondition(f"entity {stored.id} has absorbed entities: split them off first")


def _appears(before: StoredRecord, after: StoredRecord) -> bool:
    """Whether the record becomes active in a scope, or visible at a lower sensitivity."""
    if is_retracted(after.record.payload):
        return False
    return (
        is_retracted(before.record.payload)
        or after.scope != before.scope
        or after.sensitivity.level < before.sensitivity.level
    )
