"""Note on a capture that no model could interpret the capture."""

from functools import partial

from membrane.domain.access.principals import INTERPRETER
from membrane.domain.capture.additions import with_failure
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import NotFound
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.interpretation import InterpretationFailure, InterpretationStatus
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.capture.interpreting_call import interpreting_call, is_interpreted
from membrane.usecases.capture.linkable_records import is_alive
from membrane.usecases.machinery.calls import Written
from membrane.usecases.ports.services_capture import InterpretingServices
from membrane.usecases.records.changing import change_any

FAILED = "FailedInterpretations"
"""The metric of captures that no model could interpret, by reason."""


def note_failure(
    record_id: str, reason: InterpretationFailure, services: InterpretingServices
) -> None:
    """Set the status `failed` with the reason, unless the capture is interpreted or gone by now.

    A later success replaces the status. Raises Aborted; ResourceExhausted; Unavailable.
    """
    held = services.records.load(record_id)
    if not is_alive(held):
        return
    call = interpreting_call(held)._replace(key=None)  # no mark: a repeat may interpret the capture
    try:
        result = change_any(record_id, partial(_failed_version, reason), call, services)
    except NotFound:  # removed since
        return
    if isinstance(result, Written) and _has_failed(result):
        services.measure(FAILED, 1, "Count", reason=reason)


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


def _has_failed(written: Written) -> bool:
    interpretation = written.record.interpretation
    return interpretation is not None and interpretation.status is InterpretationStatus.FAILED
