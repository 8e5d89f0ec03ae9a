"""Create a record exactly once per idempotency key."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from membrane.domain.language.errors import AlreadyExists, TooManyProfiles
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.records.learning_mark import first_mark
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.sizes import most_bytes, require_returnable, split_large_values
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.domain.salience.function import Anchor
from membrane.table.writes import IdTaken, KeyUsed, LostRace
from membrane.usecases.machinery.calls import Attempts, Call, Gone, Result, Written
from membrane.usecases.machinery.visibility import require_visible
from membrane.usecases.ports.records import (
    NO_RECEIPTS,
    NOTHING_CLAIMED,
    Change,
    Claimed,
    Head,
    Receipt,
)
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.usecases.ports.records import NameChange

REUSED = "the idempotency key, or the upload in its stead, was used before with another request"
SPENT = "the idempotency key was used before, and what it made is long gone"


def create(
    record: MemoryRecord,
    born: datetime,
    call: Call,
    world: World,
    *,
    changed: Sequence[Change] = (),
    targets: Sequence[StoredRecord] = (),
    heads: Sequence[Head] = (),
    names: "Sequence[NameChange]" = (),
    receipt: Receipt | None = None,
    claimed: Claimed = NOTHING_CLAIMED,
) -> Result:
    """Write a record created at `born`, or return the record of an earlier call under the key.

    The same transaction writes `changed`, `heads` and `names`. Raises AlreadyExists for a taken id
    or a key reused with a different request; TooLarge; LostRace if a relation target, a head, names
    or a changed record are no longer as read; TooManyProfiles; the errors of `require_claimable`.
    """
    new, values = first_version(record, born, call)
    values |= claimed.values
    try:
        world.records.create(
            new,
            changed=changed,
            targets=targets,
            heads=heads,
            names=names,
            receipts=NO_RECEIPTS if receipt is None else {new.id: receipt},
            uploads=claimed.uploads,
            values=values,
        )
    except TooManyProfiles as error:
        raise error.at("lifecycle.decay") from None
    except IdTaken as taken:
        return _earlier_result(new, taken.record_id, None, call, world)
    except KeyUsed as used:
        return _earlier_result(new, used.record_id, used.fingerprint, call, world)
    return Written(new.with_newest_entries(), new.version, values=values)


def first_version(
    record: MemoryRecord, born: datetime, call: Call
) -> tuple[StoredRecord, dict[LargeValue, bytes]]:
    """The record as stored, and the JSON texts of large values; raises TooLarge."""
    lean, values = _lean(record)
    born_s = epoch_seconds(born)
    anchor = Anchor(salience=lean.salience, at_s=born_s, born_s=born_s)
    stored = StoredRecord(
        lean,
        anchor,
        version=1,
        fingerprint=call.fingerprint,
        learning=first_mark(lean.payload),
    )
    return stored, values


def _lean(record: MemoryRecord) -> tuple[MemoryRecord, dict[LargeValue, bytes]]:
    """The record without large values, and the JSON texts of the values; raises TooLarge."""
    if most_bytes(record) < LARGE_VALUE_BYTES:  # nearly every record; fits a reply without a check
        return record, {}
    lean, values = split_large_values(record)
    require_returnable(lean)
    return lean, values


def earlier(record_id: str, call: Call, world: World) -> Result | None:
    """The result of an earlier call under the same key; None if no earlier call wrote a record.

    Raises AlreadyExists for a key reused with a different request.
    """
    keyed = call.keyed_id
    if keyed is None:
        return None
    used = world.records.receipt(keyed)
    holder = world.records.load(record_id if used is None else used.record_id)
    if holder is None or (used is None and holder.id != keyed):
        return None
    if call.fingerprint != (holder.fingerprint if used is None else used.fingerprint):
        raise AlreadyExists(REUSED)
    return replay(require_visible(holder, call.principal), world)


def replay(held: AnyRecord, world: World) -> Result:
    return result_of(held, world.now(), world, replayed=True)


def result_of(held: AnyRecord, now: datetime, world: World, *, replayed: bool = False) -> Result:
    """The record with the salience at `now`; for a tombstone the time of deletion."""
    if held.tombstone is not None:
        deleted_at = rfc3339(from_epoch_seconds(held.tombstone.deleted_at_s))
        return Gone(held.id, deleted_at, replayed)
    record = held.as_of(epoch_seconds(now), world.policy.custom_curves)
    return Written(record, held.version, replayed)


def _earlier_result(
    new: StoredRecord, record_id: str, marked: bytes | None, call: Call, world: World
) -> Result:
    """The record in the store: from this write, if the reply was lost, or from an earlier call.

    `marked` is the fingerprint in the receipt of the key; None without a receipt.
    """
    holder = world.records.load(record_id)
    if holder is None and marked is None:
        raise LostRace  # the tombstone under the id has expired since the write
    if holder is None:
        raise AlreadyExists(SPENT)
    attempts = Attempts()
    attempts.note_first(new.record)
    if attempts.were_written(holder, world):
        return result_of(holder, world.now(), world)
    if marked is None and record_id != call.keyed_id:
        raise AlreadyExists("record already exists")
    if call.fingerprint != (holder.fingerprint if marked is None else marked):
        raise AlreadyExists(REUSED)
    return replay(require_visible(holder, call.principal), world)
