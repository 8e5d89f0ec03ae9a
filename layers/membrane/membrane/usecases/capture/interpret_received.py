"""Interpret a capture from a queue; a failed try waits, and the last failure is noted."""

from datetime import datetime
from functools import partial
from typing import NamedTuple

from membrane.domain.access.principals import INTERPRETER
from membrane.domain.capture.additions import (
    PATIENCE,
    SPREAD_S,
    failure_of,
    wait_after,
    wait_for_tokens,
    with_failure,
)
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import NotFound, ScopeFenced
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.models.failures import BusyModel, OutOfTokens
from membrane.domain.records.interpretation import InterpretationFailure, InterpretationStatus
from membrane.domain.records.standing import is_retracted
from membrane.domain.records.stored import AnyRecord, is_alive
from membrane.usecases.capture.interpret_capture import Outcome, interpret_capture
from membrane.usecases.capture.interpreting_call import interpreting_call, is_interpreted
from membrane.usecases.machinery.calls import Written
from membrane.usecases.ports.world import World
from membrane.usecases.records.write import change_any

COPY_DELAY_S = 900
"""The delay of a copy, the longest that SQS knows."""


FAILED = "FailedInterpretations"
"""The metric of captures that no model could interpret, by reason."""


class Received(NamedTuple):
    """A message with a capture, as delivered."""

    record_id: str
    version: int
    receipt: str
    tries: int
    """The deliveries of the message so far, this one among them."""


def interpret_received(received: Received, world: World) -> Outcome:
    """Interpret the capture; an error leaves the message in the queue, for a next try.

    After the last try, the queue moves the message to the dead letters, and the capture says so.
    A capture that lacks tokens never gets there before PATIENCE: a copy replaces the message, with
    the tries counted anew. Raises the errors of `interpret_capture`.
    """
    try:
        return interpret_capture(received.record_id, received.version, world)
    except ScopeFenced:  # the message is dropped
        raise
    except OutOfTokens as stop:
        if received.tries < world.most_tries:
            wait_s = wait_for_tokens(world.now(), world.draw(SPREAD_S))
            world.hold_back(received.receipt, wait_s)
            raise
        if not _is_copied(received, world):
            note_failure(received.record_id, failure_of(stop), world)
            raise
        return Outcome.POSTPONED
    except Exception as error:
        if received.tries < world.most_tries:
            asked_s = error.retry_after_s if isinstance(error, BusyModel) else 0
            world.hold_back(received.receipt, wait_after(received.tries, asked_s))
        else:
            note_failure(received.record_id, failure_of(error), world)
        raise


def _is_copied(received: Received, world: World) -> bool:
    """Whether a copy of the message was sent; not for a capture older than PATIENCE."""
    send, held = world.send_to_interpreter, world.records.load(received.record_id)
    if send is None or not is_alive(held):
        return False
    if world.now() - datetime.fromisoformat(held.record.created_at) > PATIENCE:
        return False
    send(received.record_id, received.version, COPY_DELAY_S)
    return True


def note_failure(record_id: str, reason: InterpretationFailure, world: World) -> None:
    """Set the status `failed` with the reason, unless the capture is interpreted or gone by now.

    A later success replaces the status. Raises Aborted; ResourceExhausted; Unavailable.
    """
    held = world.records.load(record_id)
    if not is_alive(held):
        return
    call = interpreting_call(held)._replace(key=None)  # no mark: a repeat may interpret the capture
    try:
        result = change_any(record_id, partial(_failed_version, reason), call, world)
    except NotFound:  # removed since
        return
    noted = result.record.interpretation if isinstance(result, Written) else None
    if noted is not None and noted.status is InterpretationStatus.FAILED:
        world.measure(FAILED, 1, "Count", reason=reason)


def _failed_version(
    reason: InterpretationFailure, newest: AnyRecord, making: Making
) -> AnyRecord | None:
    """The next version of the capture; None for a capture that nothing is noted on."""
    if not is_alive(newest) or is_retracted(newest.record.payload) or is_interpreted(newest):
        return None
    before = newest.record.interpretation
    if before is None or before.failure is reason:
        return None
    noted = newest.record.model_copy(update={"interpretation": with_failure(before, reason)})
    why = Why(INTERPRETER, f"not interpreted: {reason}")
    return newest.next_version(with_entry(noted, AuditAction.REVISE, why, making))
