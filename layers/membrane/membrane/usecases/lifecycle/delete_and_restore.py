"""Delete, erase or restore a record; deleting leaves a tombstone and the audit trail."""

from functools import partial

from membrane.domain.entities.merging import require_not_absorbed
from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import FailedPrecondition, TooManyProfiles
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import DeletionPolicy, Permission
from membrane.domain.lifecycle.changes import restored_version
from membrane.domain.lifecycle.endings import deleted_version, erased_record, require_restorable
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.records.stored import DELETED, AnyRecord, StoredRecord
from membrane.usecases.lifecycle.change_absorbed import (
    delete_absorbed,
    erase_absorbed,
    release_erased,
    restore_absorbed,
)
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.world import World
from membrane.usecases.records.absorbed_entities import absorbing_entity
from membrane.usecases.records.changing import Step, change, change_any
from membrane.usecases.records.tombstones import erasure_tombstone, finish_clearing, new_tombstone
from membrane.usecases.revision.claimed_names import claim_names
from membrane.usecases.revision.heads import claim_head
from membrane.usecases.revision.withdraw_evidence import withdraw_evidence


def delete_record(request: DeleteRecord, call: Call, world: World) -> Result:
    """Delete a record, with the permission `revise`, or erase a record, with `admin`.

    Facts derived from the record go first, unless other evidence is left. So do the entities that
    an entity has absorbed.
    Raises the errors of `change`, and FailedPrecondition for deleting a record with the deletion
    policy `never` and for an absorbed entity.
    """
    if request.erase:
        return _erase(request, call, world)
    call.principal.require(Permission.REVISE)

    def delete(stored: StoredRecord, making: Making) -> StoredRecord:
        if stored.record.lifecycle.deletion_policy is DeletionPolicy.NEVER:
            raise FailedPrecondition("the record's deletion policy is never")
        require_not_absorbed(absorbing_entity(stored, world), stored.id)
        why = call.why(request)
        withdraw_evidence(stored, why, call, world, erase=False)
        tombstone = new_tombstone(stored.type, making.now, DELETED, world.retention)
        delete_absorbed(stored, tombstone, why, call, world)
        return deleted_version(stored, tombstone, why, making)

    return change(request.id, delete, call, world)


def _erase(request: DeleteRecord, call: Call, world: World) -> Result:
    """Erase a live or deleted record; an erased record stays unchanged."""
    call.principal.require(Permission.ADMIN)

    def erase(held: AnyRecord, making: Making) -> AnyRecord | None:
        if held.tombstone is not None and held.tombstone.is_erased and held.tombstone.due_s is None:
            return None
        why = call.why(request)
        withdraw_evidence(held, why, call, world, erase=True)
        release_erased(held, why, call, world)
        erase_absorbed(held, why, call, world)
        tombstone = erasure_tombstone(held, making.now, world.retention)
        return erased_record(held, tombstone, why, making)

    return change_any(request.id, erase, call, world, finish=finish_clearing)


def restore_record(request: RestoreRecord, call: Call, world: World) -> Result:
    """Restore a deleted record with the salience of a new record.

    An entity comes back with the names, and with the entities that the entity has absorbed.
    A maximum age in the past is removed; if the remaining profile needs one decay class too many,
    the record gets the default profile of the type. Raises the errors of `change`, and
    FailedPrecondition if the record is not deleted, is erased, is deleted for too long, or
    conflicts with an active fact.
    """

    def restore(
        held: AnyRecord, making: Making, *, by_default: bool = False
    ) -> StoredRecord | Step:
        stored = require_restorable(held, epoch_seconds(making.now))
        why = call.why(request)
        restore_absorbed(stored, why, call, world, by_default=by_default)
        alive = restored_version(stored, why, making, world.policy, by_default=by_default)
        heads = claim_head(alive.record, call.principal, world)
        names = claim_names(alive.record, world)
        return Step(alive, heads=heads, names=names) if heads or names else alive

    try:
        return change_any(request.id, restore, call, world)
    except TooManyProfiles:
        return change_any(request.id, partial(restore, by_default=True), call, world)
