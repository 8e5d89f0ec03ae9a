"""Repair what follows from a record, unless the record or a writer is ahead of the verification."""

from collections.abc import Callable

from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.world import World


def is_unchanged(held: AnyRecord, world: World) -> bool:
    """Whether the record is as the walk has read it; what follows from a later change is right."""
    present = world.records.load(held.id)
    return isinstance(present, StoredRecord) and present.version == held.version


def write_repair(write: Callable[[], None]) -> bool:
    """Whether the repair was written; a writer that comes first takes care of the rest."""
    try:
        write()
    except LostRace:
        return False
    return True
