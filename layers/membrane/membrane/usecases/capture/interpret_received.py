"""Interpret a capture that a queue delivered, and decide how long a failed try waits."""

from datetime import datetime
from typing import NamedTuple

from membrane.domain.capture.failures import failure_of
from membrane.domain.capture.waits import PATIENCE, SPREAD_S, wait_after, wait_for_tokens
from membrane.domain.language.errors import ScopeFenced
from membrane.domain.models.failures import BusyModel, OutOfTokens
from membrane.usecases.capture.interpret_capture import CaptureSteps, Outcome, interpret_capture
from membrane.usecases.capture.linkable_records import is_alive
from membrane.usecases.capture.note_failure import note_failure
from membrane.usecases.ports.services_capture import InterpretingServices

COPY_DELAY_S = 900
"""The delay of a copy, the longest that SQS knows."""


class Received(NamedTuple):
    """A message with a capture, as delivered."""

    record_id: str
    version: int
    receipt: str
    tries: int
    """The deliveries of the message so far, this one among them."""


def interpret_received(
    received: Received, steps: CaptureSteps, services: InterpretingServices
) -> Outcome:
    """Interpret the capture; an error leaves the message in the queue, for a next try.

    After the last try, the queue moves the message to the dead letters, and the capture says so.
    A capture that lacks tokens never gets there before PATIENCE: a copy replaces the message, with
    the tries counted anew. Raises the errors of `interpret_capture`.
    """
    try:
        return interpret_capture(received.record_id, received.version, steps, services)
    except ScopeFenced:  # the message is dropped
        raise
    except OutOfTokens as stop:
        if received.tries < services.most_tries:
            wait_s = wait_for_tokens(services.now(), services.draw(SPREAD_S))
            services.hold_back(received.receipt, wait_s)
            raise
        if not _is_copied(received, services):
            note_failure(received.record_id, failure_of(stop), services)
            raise
        return Outcome.POSTPONED
    except Exception as error:
        if received.tries < services.most_tries:
            asked_s = error.retry_after_s if isinstance(error, BusyModel) else 0
            services.hold_back(received.receipt, wait_after(received.tries, asked_s))
        else:
            note_failure(received.record_id, failure_of(error), services)
        raise


def _is_copied(received: Received, services: InterpretingServices) -> bool:
    """Whether a copy of the message was sent; not for a capture older than PATIENCE."""
    send, held = services.send_to_interpreter, services.records.load(received.record_id)
    if send is None or not is_alive(held):
        return False
    if services.now() - datetime.fromisoformat(held.record.created_at) > PATIENCE:
        return False
    send(received.record_id, received.version, COPY_DELAY_S)
    return True
