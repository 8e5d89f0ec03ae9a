"""Tombstones: what is set in a record's place, and for how long; ending what was begun."""

import math
from dataclasses import replace
from datetime import datetime

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.lifecycle.endings import with_erased_trail
from membrane.domain.lifecycle.retention import Retention
from membrane.domain.records.stored import ERASED, AnyRecord, RemovedRecord, Tombstone
from membrane.usecases.ports.services import Services


def tombstone(
    memory_type: MemoryType, now: datetime, reason: str, retention: Retention
) -> Tombstone:
    """A tombstone set now, with the ends of its two periods rounded up to whole seconds."""
    return Tombstone(
        deleted_at_s=epoch_seconds(now),
        reason=reason,
        due_s=math.ceil(epoch_seconds(now + retention.restore)),
        expires_at_s=math.ceil(epoch_seconds(now + retention.tombstone_of(memory_type))),
    )


def erasing(held: AnyRecord, now: datetime, retention: Retention) -> Tombstone:
    """The tombstone of what is erased now, due at once; a standing one keeps its expiry."""
    standing = held.tombstone or tombstone(held.type, now, ERASED, retention)
    return standing._replace(reason=ERASED, due_s=math.ceil(epoch_seconds(now)))


def go_on_clearing(held: AnyRecord, services: Services) -> AnyRecord:
    """Remove what was to go with a tombstone's content, and has not yet; raises LostRace."""
    if not isinstance(held, RemovedRecord) or held.tombstone.due_s is None:
        return held
    after = replace(held, version=held.version + 1)
    after = with_erased_trail(after) if held.tombstone.is_erased else after
    services.records.forget(held, after)
    return after.without_due_time()
