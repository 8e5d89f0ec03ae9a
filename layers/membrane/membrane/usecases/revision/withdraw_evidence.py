"""Withdraw a capture that goes as evidence of the facts that were derived from the capture.

Every fact changes in a write of its own, before the capture does. A call that breaks off leaves the
capture in place, so a repeat of the call finds the facts that are left.
"""

from contextlib import suppress

from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import NotFound, PermissionDenied
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.lifecycle.endings import erased_record, facts_of
from membrane.domain.records.evidence import evidence_of, grounds_of, without_evidence
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.states import is_retracted
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.domain.revision.next_versions import retracted_version
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import change_any
from membrane.usecases.records.tombstones import erasure_tombstone, finish_clearing

FEWER = "evidence withdrawn"
LAST = "last evidence withdrawn"


def withdraw_evidence(
    capture: AnyRecord, why: Why, call: Call, services: Services, *, erase: bool
) -> None:
    """Let each derived fact lose the capture as evidence; a fact without evidence goes, too.

    The fact is erased if `erase`, else retracted. A fact that the caller may not see or change
    stays as it is, because the capture's owner has no say there. Repeatable. Raises Aborted.
    """
    withdrawing = call._replace(key=None, fingerprint=b"")  # the key belongs to the capture

    def withdraw(held: AnyRecord, making: Making) -> AnyRecord | None:
        if isinstance(held, RemovedRecord):
            if erase:  # an earlier call may have broken off amid the erasure of the fact
                finish_clearing(held, services)
            return None
        return _next_version(held, capture.id, why, making, services, erase=erase)

    for fact_id in facts_of(capture):
        with suppress(NotFound, PermissionDenied):
            change_any(fact_id, withdraw, withdrawing, services)


def _next_version(
    fact: StoredRecord,
    capture_id: str,
    why: Why,
    making: Making,
    services: Services,
    *,
    erase: bool,
) -> AnyRecord | None:
    """The fact without the evidence; None if nothing has to change."""
    record = fact.record
    if not isinstance(record.payload, SemanticPayload) or capture_id not in evidence_of(record):
        return None
    gone = frozenset((capture_id,))
    is_last = grounds_of(record) <= gone
    if is_last and erase:
        tombstone = erasure_tombstone(fact, making.now, services.retention)
        return erased_record(fact, tombstone, why.after(LAST), making)
    if fact.tombstone is not None:
        return None
    if is_last:
        if is_retracted(record.payload):
            return None
        return retracted_version(fact, why.after(LAST), making, services.policy)
    left = without_evidence(record, gone)
    if left == record:
        return None
    return fact.next_version(with_entry(left, AuditAction.REVISE, why.after(FEWER), making))
