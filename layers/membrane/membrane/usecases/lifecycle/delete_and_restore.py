"""Delete, erase or restore a record; deleting leaves a tombstone and the audit trail."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

from membrane.domain.entities.merging import is_absorbed_by, require_not_absorbed, versions_without
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language import errors
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import DeletionPolicy, Permission
from membrane.domain.lifecycle import changes
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.records.standing import successor_of
from membrane.domain.records.stored import DELETED, AnyRecord, StoredRecord, Tombstone
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.world import World
from membrane.usecases.records import write
from membrane.usecases.records.successors import absorbed_by, absorbing_entities, absorbing_entity
from membrane.usecases.revision.claimed_names import claim_names, names_after_erasure
from membrane.usecases.revision.heads import claim_head
from membrane.usecases.revision.withdraw_evidence import withdraw_evidence

PART_OF = "part of entity {id}"


def delete_absorbed(
    absorbing: AnyRecord, tombstone: Tombstone, why: Why, call: Call, world: World
) -> None:
    """Delete the absorbed entities, with the tombstone of the absorbing entity."""

    def delete(absorbed: StoredRecord, making: Making) -> AnyRecord | None:
        if absorbed.tombstone is not None:
            return None
        return changes.deleted_version(absorbed, tombstone, _why(absorbing, why), making)

    _change_absorbed(absorbing, delete, call, world)


def erase_absorbed(absorbing: AnyRecord, why: Why, call: Call, world: World) -> None:
    """Erase the absorbed entities, living or deleted."""

    def erase(absorbed: StoredRecord, making: Making) -> AnyRecord | None:
        tombstone = write.erasure_tombstone(absorbed, making.now, world.retention)
        return changes.erased_record(absorbed, tombstone, _why(absorbing, why), making)

    _change_absorbed(absorbing, erase, call, world)


def restore_absorbed(
    absorbing: AnyRecord, why: Why, call: Call, world: World, *, by_default: bool = False
) -> None:
    """Restore the deleted ones of the absorbed entities, as parts of the absorbing entity."""

    def restore(absorbed: StoredRecord, making: Making) -> AnyRecord | None:
        with suppress(errors.FailedPrecondition):  # not deleted
            deleted = changes.require_restorable(absorbed, epoch_seconds(making.now))
            reason = _why(absorbing, why)
            return changes.restored_version(deleted, reason, making, by_default=by_default)
        return None

    _change_absorbed(absorbing, restore, call, world)


def release_erased(absorbed: AnyRecord, why: Why, call: Call, world: World) -> None:
    """Take the names of an absorbed entity from the absorbing entities, before the erasure.

    Nothing changes for any other record. Raises NotFound, PermissionDenied and Aborted.
    """
    nearest = absorbing_entity(absorbed, world)
    if nearest is None or not isinstance(absorbed, StoredRecord):
        return
    beside = call._replace(key=None, fingerprint=b"")  # the key belongs to the erased entity

    def release(held: AnyRecord, making: Making) -> write.Step | None:
        if not isinstance(held, StoredRecord) or not is_absorbed_by(held, absorbed):
            return None
        chain = [held, *absorbing_entities(held, world)]

        def making_of(stored: StoredRecord) -> Making:
            return making if stored is held else call.making(stored.id, making.now, world)

        first, *others = versions_without(absorbed, chain, why, making_of)
        names = names_after_erasure(absorbed, [first, *others], world)
        return write.Step(first, also=[*zip(chain[1:], others, strict=True)], names=names)

    write.change_any(nearest.id, release, beside, world)


def _why(absorbing: AnyRecord, why: Why) -> Why:
    return why.after(PART_OF.format(id=absorbing.id))


def _change_absorbed(
    absorbing: AnyRecord,
    next_version: Callable[[StoredRecord, Making], AnyRecord | None],
    call: Call,
    world: World,
) -> None:
    """Change each absorbed entity, unless the entity was split off meanwhile.

    An erased entity names no absorbed entities any more, so the absorbed entities go first.
    An entity that the caller may not see or change stays as it is. Raises Aborted.
    """
    beside = call._replace(key=None, fingerprint=b"")  # the key belongs to the absorbing entity
    for each in reversed(absorbed_by(absorbing, world)):
        successor_id = successor_of(each.record.payload)

        def decide(
            held: AnyRecord, making: Making, successor_id: str | None = successor_id
        ) -> AnyRecord | None:
            if not isinstance(held, StoredRecord):
                return None
            is_absorbed = successor_of(held.record.payload) == successor_id
            return next_version(held, making) if is_absorbed else None

        with suppress(errors.NotFound, errors.PermissionDenied):
            write.change_any(each.id, decide, beside, world)


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
            raise errors.FailedPrecondition("the record's deletion policy is never")
        require_not_absorbed(absorbing_entity(stored, world), stored.id)
        why = call.why(request)
        withdraw_evidence(stored, why, call, world, erase=False)
        tombstone = write.new_tombstone(stored.type, making.now, DELETED, world.retention)
        delete_absorbed(stored, tombstone, why, call, world)
        return changes.deleted_version(stored, tombstone, why, making)

    return write.change(request.id, delete, call, world)


def _erase(request: DeleteRecord, call: Call, world: World) -> Result:
    call.principal.require(Permission.ADMIN)

    def erase(held: AnyRecord, making: Making) -> AnyRecord | None:
        if held.tombstone is not None and held.tombstone.is_erased and held.tombstone.due_s is None:
            return None
        why = call.why(request)
        withdraw_evidence(held, why, call, world, erase=True)
        release_erased(held, why, call, world)
        erase_absorbed(held, why, call, world)
        tombstone = write.erasure_tombstone(held, making.now, world.retention)
        return changes.erased_record(held, tombstone, why, making)

    return write.change_any(request.id, erase, call, world, finish=write.finish_clearing)


def restore_record(request: RestoreRecord, call: Call, world: World) -> Result:
    """Restore a deleted record with the salience of a new record.

    An entity comes back with the names, and with the entities that the entity has absorbed.
    A maximum age in the past is removed; if the remaining profile needs one decay class too many,
    the record gets the default profile of the type. Raises the errors of `change`, and
    FailedPrecondition if the record is not deleted, is erased, is deleted for too long, or
    conflicts with an active fact.
    """

    def restore(held: AnyRecord, making: Making, *, by_default: bool = False) -> write.Step:
        stored = changes.require_restorable(held, epoch_seconds(making.now))
        why = call.why(request)
        restore_absorbed(stored, why, call, world, by_default=by_default)
        alive = changes.restored_version(stored, why, making, by_default=by_default)
        heads = claim_head(alive.record, call.principal, world)
        names = claim_names(alive.record, world)
        return write.Step(alive, heads=heads, names=names)

    try:
        return write.change_any(request.id, restore, call, world)
    except errors.TooManyProfiles:
        return write.change_any(request.id, partial(restore, by_default=True), call, world)
