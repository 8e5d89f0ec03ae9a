"""Say on a capture that a model was to read the capture, and that every try failed."""

from membrane.domain.access.principals import INTERPRETER
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import NotFound
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.interpretation import InterpretationStatus
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.capture.interpreting_call import interpreting_call, is_interpreted
from membrane.usecases.capture.linkable_records import is_alive
from membrane.usecases.machinery.calls import Written
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import change_any

FAILED = "FailedInterpretations"
"""The metric of captures that were marked."""

WHY = "no try of the interpretation succeeded"


def mark_failed(record_id: str, services: Services) -> None:
    """Set the status `failed`; a later interpretation sets the status anew.

    Changes nothing if the capture is gone, interpreted, or marked. Raises Aborted.
    """
    held = services.records.load(record_id)
    if not is_alive(held) or not _is_waiting(held):
        return
    call = interpreting_call(held, key=f"{held.id}:failed:{held.version}")
    try:
        marked = change_any(record_id, _failed_version, call, services)
    except NotFound:  # the capture was deleted since
        return
    if isinstance(marked, Written) and marked.version > held.version:
        services.measure(FAILED, 1, "Count")


def _is_waiting(held: StoredRecord) -> bool:
    interpretation = held.record.interpretation
    is_marked = interpretation is None or interpretation.status is InterpretationStatus.FAILED
    return not is_marked and not is_interpreted(held)


def _failed_version(held: AnyRecord, making: Making) -> StoredRecord | None:
    if not is_alive(held) or not _is_waiting(held) or held.record.interpretation is None:
        return None
    status = {"status": InterpretationStatus.FAILED}
    interpretation = held.record.interpretation.model_copy(update=status)
    record = held.record.model_copy(update={"interpretation": interpretation})
    why = Why(INTERPRETER, WHY)
    return held.next_version(with_entry(record, AuditAction.REVISE, why, making))
