"""Tombstones: what is set in a record's place, and for how long."""

import math
from dataclasses import replace
from datetime import datetime

from membrane.domain.stored import ERASED, Tombstone
from membrane.domain.timestamps import epoch_seconds
from membrane.usecases.ports import Retention


def tombstone(now: datetime, reason: str, retention: Retention) -> Tombstone:
    """A tombstone set now, with the ends of its two periods rounded up to whole seconds."""
    return Tombstone(
        deleted_at_s=epoch_seconds(now),
        reason=reason,
        due_s=math.ceil(epoch_seconds(now + retention.restore)),
        expires_at_s=math.ceil(epoch_seconds(now + retention.tombstone)),
    )


def erasing(grave: Tombstone | None, now: datetime, retention: Retention) -> Tombstone:
    """The tombstone of what is erased now; one that stands stays as long as it would have.

    It is due at once, for what a kill would leave.
    """
    standing = grave or tombstone(now, ERASED, retention)
    return replace(standing, reason=ERASED, due_s=math.ceil(epoch_seconds(now)))
