"""Change a record: check access, decide, write, once per idempotency key; make tombstones."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import Aborted, AlreadyExists
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.lifecycle.endings import with_erased_trail
from membrane.domain.lifecycle.pruning import Retention
from membrane.domain.records.sizes import require_still_returnable
from membrane.domain.records.stored import ERASED, AnyRecord, RemovedRecord, StoredRecord, Tombstone
from membrane.usecases.machinery.calls import Attempts, Call, Result, until_won
from membrane.usecases.machinery.visibility import NOT_FOUND, load_visible, require_alive
from membrane.usecases.ports.records import Change, Head, Spending
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import REUSED, replay, result_of

if TYPE_CHECKING:
    from membrane.usecases.ports.records import NameChange


class Step(NamedTuple):
    """The next version of a record, and everything else in the transaction."""

    after: StoredRecord
    also: Sequence[Change] = ()
    """Further records that change."""
    targets: Sequence[StoredRecord] = ()
    """The targets of new relations."""
    heads: Sequence[Head] = ()
    names: "Sequence[NameChange]" = ()
    spending: Spending | None = None


Decide = Callable[[StoredRecord, Making], StoredRecord | Step]
"""Returns the next version of a record; raises DomainError to refuse the change."""

DecideAny = Callable[[AnyRecord, Making], AnyRecord | Step | None]
"""Like `Decide`, for a record that may be deleted; None if nothing has to change."""

Finish = Callable[[AnyRecord, World], AnyRecord]
"""Finishes an interrupted attempt; raises LostRace against a concurrent writer."""


def _nothing_to_finish(held: AnyRecord, _world: World) -> AnyRecord:
    return held


def change(
    record_id: str,
    decide: Decide,
    call: Call,
    world: World,
    *,
    missing: str = NOT_FOUND,
) -> Result:
    """Write the version that `decide` makes from the newest version; a repeat changes nothing.

    Raises NotFound with the text `missing`; PermissionDenied; AlreadyExists for a key reused with
    a different request; TooLarge for a record above the size of a reply; Aborted; the errors of
    `decide`.
    """

    def decide_alive(held: AnyRecord, making: Making) -> StoredRecord | Step:
        return decide(require_alive(held, missing=missing), making)

    return change_any(record_id, decide_alive, call, world, missing=missing)


def change_any(
    record_id: str,
    decide: DecideAny,
    call: Call,
    world: World,
    *,
    missing: str = NOT_FOUND,
    finish: Finish = _nothing_to_finish,
) -> Result:
    """Like `change`, also for deleted records; `finish` completes changes of several writes."""
    attempts = Attempts()

    def attempt() -> Result:
        held = load_visible(record_id, call.principal, world, missing=missing)
        if attempts.were_written(held, world):
            return result_of(finish(held, world), world.now(), world)
        if _is_repeat(held, call):
            return replay(finish(held, world), world)
        call.principal.require_write(held.scope, held.sensitivity)
        making = call.making(held.id, world.now(), world)
        decided = decide(held, making)
        if decided is None:
            return result_of(held, making.now, world)
        step = decided if isinstance(decided, Step) else None
        after = (decided.after if isinstance(decided, Step) else decided).with_operation(
            call.operation
        )
        _require_returnable(held, after)
        attempts.note(after)
        _write(held, after, step, world)
        return result_of(after, making.now, world)

    try:
        return until_won(attempt, world)
    except Aborted:
        held = load_visible(record_id, call.principal, world, missing=missing)
        if not attempts.were_written(held, world):
            raise
        return result_of(held, world.now(), world)


def _require_returnable(before: AnyRecord, after: AnyRecord) -> None:
    """Raise TooLarge for a record above the size of a reply; deleting is never refused."""
    if isinstance(before, StoredRecord) and isinstance(after, StoredRecord):
        require_still_returnable(before.record, after.record)


def _write(before: AnyRecord, after: AnyRecord, step: Step | None, world: World) -> None:
    if isinstance(after, RemovedRecord):
        world.records.forget(before, after)
    elif step is not None:
        world.records.replace_all(
            [(before, after), *step.also],
            targets=step.targets,
            heads=step.heads,
            names=step.names,
            spending=step.spending,
        )
    else:
        world.records.replace(before, after)


def _is_repeat(held: AnyRecord, call: Call) -> bool:
    operation = call.operation
    if operation is None:
        return False
    done = next((op for op in held.operations if op.identity == operation.identity), None)
    if done is not None and done.fingerprint != operation.fingerprint:
        raise AlreadyExists(REUSED)
    return done is not None


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
