"""Changing a record: gated, idempotent, one conditional write (design 4.4, 4.5, 6)."""

from collections.abc import Callable

from membrane.domain.builder import Making
from membrane.domain.errors import Aborted, AlreadyExists
from membrane.domain.stored import StoredRecord
from membrane.domain.timestamps import epoch_seconds
from membrane.usecases.calls import Call, Result, Written
from membrane.usecases.creating import REUSED, current, replay
from membrane.usecases.ports import Services
from membrane.usecases.racing import until_won
from membrane.usecases.visibility import NOT_FOUND, load_visible, require_alive

Decide = Callable[[StoredRecord, Making], StoredRecord]
"""The next version of a record; raises a DomainError where there must not be one."""


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
    with another request, Aborted, and what `decide` raises.
    """
    attempts: set[str] = set()

    def is_ours(stored: StoredRecord) -> bool:
        """Whether an attempt was written after all, and only its reply lost."""
        return any(entry.hash in attempts for entry in stored.trail)

    def attempt() -> Result:
        stored = load_visible(record_id, call.principal, services, missing=missing)
        if is_ours(stored):
            return Written(current(stored, services))
        if _was_done(stored, call):
            return replay(stored, services)
        require_alive(stored, missing=missing)
        call.principal.require_write(stored.record.scope, stored.record.sensitivity)
        making = call.making(stored.id, services.now(), services)
        after = decide(stored, making).remembering(call.operation)
        reply = Written(after.as_of(epoch_seconds(making.now), services.policy.custom_curves))
        attempts.add(after.trail[-1].hash)
        services.records.replace(stored, after)
        return reply

    try:
        return until_won(attempt, services)
    except Aborted:
        stored = load_visible(record_id, call.principal, services, missing=missing)
        if not is_ours(stored):
            raise
        return Written(current(stored, services))


def _was_done(stored: StoredRecord, call: Call) -> bool:
    asked = call.operation
    if asked is None:
        return False
    done = next((op for op in stored.operations if op.identity == asked.identity), None)
    if done is not None and done.fingerprint != asked.fingerprint:
        raise AlreadyExists(REUSED)
    return done is not None
