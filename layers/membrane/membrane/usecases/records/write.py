"""Write records once per idempotency key: create, change, answer a repeat; make tombstones."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import Aborted, AlreadyExists, TooManyProfiles
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.lifecycle.changes import with_erased_trail
from membrane.domain.lifecycle.pruning import Retention
from membrane.domain.records import sizes
from membrane.domain.records.learning_mark import first_mark
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import ERASED, AnyRecord, RemovedRecord, StoredRecord, Tombstone
from membrane.domain.salience.function import Anchor
from membrane.table.items import IdTaken, KeyUsed, LostRace
from membrane.usecases.machinery import visibility
from membrane.usecases.machinery.calls import Attempts, Call, Gone, Result, Written, until_won
from membrane.usecases.ports import records
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
    changed: Sequence[records.Change] = (),
    targets: Sequence[StoredRecord] = (),
    heads: Sequence[records.Head] = (),
    names: "Sequence[NameChange]" = (),
    receipt: records.Receipt | None = None,
    claimed: records.Claimed = records.NOTHING_CLAIMED,
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
            receipts=records.NO_RECEIPTS if receipt is None else {new.id: receipt},
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
    """The record as stored, without the large values, whose JSON texts follow; raises TooLarge."""
    values: dict[LargeValue, bytes] = {}
    if (
        sizes.most_bytes(record) >= LARGE_VALUE_BYTES
    ):  # nearly every record fits a reply without a check
        record, values = sizes.split_large_values(record)
        sizes.require_returnable(record)
    born_s = epoch_seconds(born)
    anchor = Anchor(salience=record.salience, at_s=born_s, born_s=born_s)
    mark = first_mark(record.payload)
    return StoredRecord(record, anchor, 1, call.fingerprint, learning=mark), values


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
    return _replay(holder, None if used is None else used.fingerprint, call, world)


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
    return _replay(holder, marked, call, world)


def _replay(holder: AnyRecord, marked: bytes | None, call: Call, world: World) -> Result:
    if call.fingerprint != (holder.fingerprint if marked is None else marked):
        raise AlreadyExists(REUSED)
    visible = visibility.require_visible(holder, call.principal)
    return result_of(visible, world.now(), world, replayed=True)


def result_of(held: AnyRecord, now: datetime, world: World, *, replayed: bool = False) -> Result:
    """The record with the salience at `now`; for a tombstone the time of deletion."""
    if held.tombstone is not None:
        deleted_at = rfc3339(from_epoch_seconds(held.tombstone.deleted_at_s))
        return Gone(held.id, deleted_at, replayed)
    record = held.as_of(epoch_seconds(now), world.policy.custom_curves)
    return Written(record, held.version, replayed)


class Step(NamedTuple):
    """The next version of a record, and everything else in the transaction."""

    after: AnyRecord
    also: Sequence[records.Change] = ()
    """Further records that change."""
    targets: Sequence[StoredRecord] = ()
    """The targets of new relations."""
    heads: Sequence[records.Head] = ()
    names: "Sequence[NameChange]" = ()
    spending: records.Spending | None = None


Decide = Callable[[StoredRecord, Making], StoredRecord | Step]
"""Returns the next version of a record; raises DomainError to refuse the change."""

DecideAny = Callable[[AnyRecord, Making], AnyRecord | Step | None]
"""Like `Decide`, for a record that may be deleted; None if nothing has to change."""

Finish = Callable[[AnyRecord, World], AnyRecord]
"""Finishes an interrupted attempt; raises LostRace against a concurrent writer."""


def change(
    record_id: str, decide: Decide, call: Call, world: World, *, missing: str = visibility.NOT_FOUND
) -> Result:
    """Write the version that `decide` makes from the newest version; a repeat changes nothing.

    Raises NotFound with the text `missing`; PermissionDenied; AlreadyExists for a key reused with
    a different request; TooLarge for a record above the size of a reply; Aborted; the errors of
    `decide`.
    """

    def decide_alive(held: AnyRecord, making: Making) -> StoredRecord | Step:
        return decide(visibility.require_alive(held, missing=missing), making)

    return change_any(record_id, decide_alive, call, world, missing=missing)


def change_any(
    record_id: str,
    decide: DecideAny,
    call: Call,
    world: World,
    *,
    missing: str = visibility.NOT_FOUND,
    finish: Finish = lambda held, _world: held,
) -> Result:
    """Like `change`, also for deleted records; `finish` completes changes of several writes."""
    attempts = Attempts()

    def attempt() -> Result:
        held = visibility.load_visible(record_id, call.principal, world, missing=missing)
        is_own = attempts.were_written(held, world)
        if is_own or _is_repeat(held, call):
            return result_of(finish(held, world), world.now(), world, replayed=not is_own)
        call.principal.require_write(held.scope, held.sensitivity)
        making = call.making(held.id, world.now(), world)
        decided = decide(held, making)
        if decided is None:
            return result_of(held, making.now, world)
        step = decided if isinstance(decided, Step) else Step(decided)
        step = step._replace(after=step.after.with_operation(call.operation))
        attempts.note(step.after)
        _write(held, step, world)
        return result_of(step.after, making.now, world)

    try:
        return until_won(attempt, world)
    except Aborted:
        held = visibility.load_visible(record_id, call.principal, world, missing=missing)
        if not attempts.were_written(held, world):
            raise
        return result_of(held, world.now(), world)


def _is_repeat(held: AnyRecord, call: Call) -> bool:
    operation = call.operation
    if operation is None:
        return False
    done = next((op for op in held.operations if op.identity == operation.identity), None)
    if done is not None and done.fingerprint != operation.fingerprint:
        raise AlreadyExists(REUSED)
    return done is not None


def _write(before: AnyRecord, step: Step, world: World) -> None:
    """Raises TooLarge for a record above the size of a reply; a removal is never refused."""
    after, also, targets, heads, names, spending = step
    if isinstance(after, RemovedRecord):
        world.records.forget(before, after)
        return
    if isinstance(before, StoredRecord):
        sizes.require_still_returnable(before.record, after.record)
    if also or targets or heads or names or spending is not None:
        world.records.replace_all(
            [(before, after), *also], targets=targets, heads=heads, names=names, spending=spending
        )
    else:
        world.records.replace(before, after)


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
