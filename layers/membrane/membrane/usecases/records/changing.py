"""Changing a record: gated, idempotent, one conditional write (design 4.4, 4.5, 6)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import Aborted, AlreadyExists
from membrane.domain.records.limits import require_still_returnable
from membrane.domain.records.stored import Held, Remains, StoredRecord
from membrane.usecases.machinery.attempts import Attempts
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.machinery.visibility import NOT_FOUND, load_visible, require_alive
from membrane.usecases.ports.records import Change, Head
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import REUSED, replay, result_of


class Step(NamedTuple):
    """The next version of a record, and what else must be written with it or not at all."""

    after: StoredRecord
    also: Sequence[Change] = ()
    """Other records that change."""
    targets: Sequence[StoredRecord] = ()
    """Those of new relations."""
    heads: Sequence[Head] = ()


Decide = Callable[[StoredRecord, Making], StoredRecord | Step]
"""The next version of a record; raises a DomainError where there must not be one."""

DecideAny = Callable[[Held, Making], Held | Step | None]
"""The same for a record that may be deleted; None where it is already as it shall be."""

Finish = Callable[[Held, Services], Held]
"""Finishes what an attempt began and did not end; raises LostRace where another writer is at it."""


def _nothing_to_finish(held: Held, _services: Services) -> Held:
    return held


def change(
    record_id: str,
    decide: Decide,
    call: Call,
    services: Services,
    *,
    missing: str = NOT_FOUND,
) -> Result:
    """Write the version that `decide` makes of the newest one; a repeated call changes nothing.

    Raises NotFound (with the words `missing`), PermissionDenied, AlreadyExists for a key reused
    with another request, TooLarge for a record that no reply could carry, Aborted, and as `decide`.
    """

    def decide_alive(held: Held, making: Making) -> StoredRecord | Step:
        return decide(require_alive(held, missing=missing), making)

    return change_any(record_id, decide_alive, call, services, missing=missing)


def change_any(
    record_id: str,
    decide: DecideAny,
    call: Call,
    services: Services,
    *,
    missing: str = NOT_FOUND,
    finish: Finish = _nothing_to_finish,
) -> Result:
    """As `change`, also of a deleted record, and where one write may not be all of it."""
    attempts = Attempts()

    def attempt() -> Result:
        held = load_visible(record_id, call.principal, services, missing=missing)
        if attempts.were_written(held, services):
            return result_of(finish(held, services), services.now(), services)
        if _is_repeat(held, call):
            return replay(finish(held, services), services)
        call.principal.require_write(held.scope, held.sensitivity)
        making = call.making(held.id, services.now(), services)
        decided = decide(held, making)
        if decided is None:
            return result_of(held, making.now, services)
        step = decided if isinstance(decided, Step) else None
        after = (decided.after if isinstance(decided, Step) else decided).remembering(
            call.operation
        )
        _require_returnable(held, after)
        attempts.note(after)
        _write(held, after, step, services)
        return result_of(after, making.now, services)

    try:
        return until_won(attempt, services)
    except Aborted:
        held = load_visible(record_id, call.principal, services, missing=missing)
        if not attempts.were_written(held, services):
            raise
        return result_of(held, services.now(), services)


def _require_returnable(before: Held, after: Held) -> None:
    """Raises TooLarge for a record that outgrows a reply; deleting is never refused."""
    if isinstance(before, StoredRecord) and isinstance(after, StoredRecord):
        require_still_returnable(before.record, after.record)


def _write(before: Held, after: Held, step: Step | None, services: Services) -> None:
    if isinstance(after, Remains):
        services.records.forget(before, after)
    elif step is not None:
        services.records.replace_all(
            [(before, after), *step.also], targets=step.targets, heads=step.heads
        )
    else:
        services.records.replace(before, after)


def _is_repeat(held: Held, call: Call) -> bool:
    operation = call.operation
    if operation is None:
        return False
    done = next((op for op in held.operations if op.identity == operation.identity), None)
    if done is not None and done.fingerprint != operation.fingerprint:
        raise AlreadyExists(REUSED)
    return done is not None
