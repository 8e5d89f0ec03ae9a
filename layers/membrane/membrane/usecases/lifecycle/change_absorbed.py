"""Delete, erase and restore the entities that an entity has absorbed.

Every absorbed entity changes in a write of its own, before the absorbing entity does. A call that
breaks off leaves the absorbing entity in place, so a repeat of the call finds the rest.
"""

from collections.abc import Callable
from contextlib import suppress

from membrane.domain.entities.merging import is_absorbed_by, versions_without
from membrane.domain.ingest.builder import Making, Why
from membrane.domain.language.errors import FailedPrecondition, NotFound, PermissionDenied
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.changes import restored_version
from membrane.domain.lifecycle.endings import deleted_version, erased_record, require_restorable
from membrane.domain.records.states import successor_of
from membrane.domain.records.stored import AnyRecord, StoredRecord, Tombstone
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.records.absorbed_entities import (
    absorbed_by,
    absorbing_entities,
    absorbing_entity,
)
from membrane.usecases.records.changing import Step, change_any
from membrane.usecases.records.tombstones import erasure_tombstone
from membrane.usecases.revision.moved_names import names_after_erasure

PART_OF = "part of entity {id}"


def delete_absorbed(
    absorbing: AnyRecord, tombstone: Tombstone, why: Why, call: Call, world: World
) -> None:
    """Delete the absorbed entities, with the tombstone of the absorbing entity."""

    def delete(absorbed: StoredRecord, making: Making) -> AnyRecord | None:
        if absorbed.tombstone is not None:
            return None
        return deleted_version(absorbed, tombstone, _why(absorbing, why), making)

    _change_absorbed(absorbing, delete, call, world)


def erase_absorbed(absorbing: AnyRecord, why: Why, call: Call, world: World) -> None:
    """Erase the absorbed entities, living or deleted."""

    def erase(absorbed: StoredRecord, making: Making) -> AnyRecord | None:
        tombstone = erasure_tombstone(absorbed, making.now, world.retention)
        return erased_record(absorbed, tombstone, _why(absorbing, why), making)

    _change_absorbed(absorbing, erase, call, world)


def restore_absorbed(
    absorbing: AnyRecord, why: Why, call: Call, world: World, *, by_default: bool = False
) -> None:
    """Restore the deleted ones of the absorbed entities, as parts of the absorbing entity."""

    def restore(absorbed: StoredRecord, making: Making) -> AnyRecord | None:
        with suppress(FailedPrecondition):  # not deleted
            deleted = require_restorable(absorbed, epoch_seconds(making.now))
            reason = _why(absorbing, why)
            return restored_version(deleted, reason, making, world.policy, by_default=by_default)
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

    def release(held: AnyRecord, making: Making) -> Step | None:
        if not isinstance(held, StoredRecord) or not is_absorbed_by(held, absorbed):
            return None
        chain = [held, *absorbing_entities(held, world)]

        def making_of(stored: StoredRecord) -> Making:
            return making if stored is held else call.making(stored.id, making.now, world)

        first, *others = versions_without(absorbed, chain, why, making_of)
        names = names_after_erasure(absorbed, [first, *others], world)
        return Step(first, also=[*zip(chain[1:], others, strict=True)], names=names)

    change_any(nearest.id, release, beside, world)


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

        with suppress(NotFound, PermissionDenied):
            change_any(each.id, decide, beside, world)
