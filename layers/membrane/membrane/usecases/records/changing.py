"""Changing a record: gated, idempotent, one conditional write (design 4.4, 4.5, 6)."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from membrane.domain.ingest.builder import Making
from membrane.domain.language.errors import Aborted, AlreadyExists
from membrane.domain.records.limits import require_still_returnable
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.usecases.machinery.attempts import Attempts
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.machinery.visibility import NOT_FOUND, load_visible, require_alive
from membrane.usecases.ports.records import Change, Head
from membrane.usecases.ports.services import Services
from membrane.usecases.records.creating import REUSED, outcome, replay


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

DecideOfAny = Callable[[AnyRecord, Making], AnyRecord | Step | None]
"""The same for a record that may be deleted; None where it is already as it shall be."""

GoOn = Callable[[AnyRecord, Services], AnyRecord]
"""Finishes what an attempt began and did not end; raises LostRace where another writer is at it."""


def _nothing_to_finish(held: AnyRecord, _services: Services) -> AnyRecord:
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

    def of_the_living(held: AnyRecord, making: Making) -> StoredRecord | Step:
        return decide(require_alive(held, missing=missing), making)

    return change_any(record_id, of_the_living, call, services, missing=missing)


def change_any(
    record_id: str,
    decide: DecideOfAny,
    call: Call,
    services: Services,
    *,
    missing: str = NOT_FOUND,
    go_on: GoOn = _nothing_to_finish,
) -> Result:
    """As `change`, also of a deleted record, and where one write may not be all of it."""
    attempts = Attempts()

    def attempt() -> Result:
        held = load_visible(record_id, call.principal, services, missing=missing)
        if attempts.were_written(held, services):
            return outcome(go_on(held, services), services.now(), services)
        if _was_done(held, call):
            return replay(go_on(held, services), services)
        call.principal.require_write(held.scope, held.sensitivity)
        making = call.making(held.id, services.now(), services)
        decided = decide(held, making)
        if decided is None:
            return outcome(held, making.now, services)
        step = decided if isinstance(decided, Step) else None
        after = (decided.after if isinstance(decided, Step) else decided).with_operation(
            call.operation
        )
        _require_returnable(held, after)
        attempts.note(after)
        _write(held, after, step, services)
        return outcome(after, making.now, services)

    try:
        return until_won(attempt, services)
    except Aborted:
        held = load_visible(record_id, call.principal, services, missing=missing)
        if not attempts.were_written(held, services):
            raise
        return outcome(held, services.now(), services)


def _require_returnable(before: AnyRecord, after: AnyRecord) -> None:
    """Raises TooLarge for a record that outgrows a reply; deleting is never refused."""
    if isinstance(before, StoredRecord) and isinstance(after, StoredRecord):
        require_still_returnable(before.record, after.record)


def _write(before: AnyRecord, after: AnyRecord, step: Step | None, services: Services) -> None:
    if isinstance(after, RemovedRecord):
        services.records.forget(before, after)
    elif step is not None:
        services.records.replace_all(
            [(before, after), *step.also], targets=step.targets, heads=step.heads
        )
    else:
        services.records.replace(before, after)


def _was_done(held: AnyRecord, call: Call) -> bool:
    asked = call.operation
    if asked is None:
        return False
    done = next((op for op in held.operations if op.identity == asked.identity), None)
    if done is not None and done.fingerprint != asked.fingerprint:
        raise AlreadyExists(REUSED)
    return done is not None
