"""Make tombstones, and finish the removal of content behind a tombstone."""

import math
from dataclasses import replace
from datetime import datetime

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.lifecycle.endings import with_erased_trail
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.records.stored import ERASED, AnyRecord, RemovedRecord, Tombstone
from membrane.usecases.ports.world import World


def new_tombstone(
    memory_type: MemoryType, now: datetime, reason: str, retention: Retention
) -> Tombstone:
    """A new tombstone; the ends of both periods are rounded up to whole seconds."""
    return Tombstone(
        deleted_at_s=epoch_seconds(now),
        reason=reason,
        due_s=math.ceil(epoch_seconds(now + retention.restore)),
        expires_at_s=math.ceil(epoch_seconds(now + retention.tombstone_of(memory_type))),
    )


def erasure_tombstone(held: AnyRecord, now: datetime, retention: Retention) -> Tombstone:
    """The tombstone of a record erased now, due at once; an earlier tombstone keeps the expiry."""
    standing = held.tombstone or new_tombstone(held.type, now, ERASED, retention)
    return standing._replace(reason=ERASED, due_s=math.ceil(epoch_seconds(now)))


def finish_clearing(held: AnyRecord, world: World) -> AnyRecord:
    """Finish an interrupted removal of the content; raises LostRace."""
    if not isinstance(held, RemovedRecord) or held.tombstone.due_s is None:
        return held
    after = replace(held, version=held.version + 1)
    after = with_erased_trail(after) if held.tombstone.is_erased else after
    world.records.forget(held, after)
    return after.without_due_time()
