"""Ingest: a report becomes a record, or an outcome completes one (seed 000)."""

from dataclasses import replace

from membrane.domain.access.trust import Principal
from membrane.domain.ingest import policy
from membrane.domain.ingest.builder import Making, build_record, with_outcome
from membrane.domain.ingest.candidates import MemoryCandidate, candidate_from, present
from membrane.domain.ingest.reports import IngestObservation, IngestOutcome, Report
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.values import references_in
from membrane.domain.language.vocabulary import ConflictPolicy, Permission
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import change
from membrane.usecases.records.creating import create, earlier, id_for
from membrane.usecases.records.uploads_claimed import NOTHING_CLAIMED, claimed

NO_TARGET = "ingestion: get target record for outcome: record not found"


def ingest(report: Report | IngestOutcome, call: Call, services: Services) -> Result:
    """Classify, check, build and write one report.

    Raises InvalidArgument, PermissionDenied, AlreadyExists; for an outcome also NotFound,
    FailedPrecondition (its target is not episodic) and Aborted; for an upload what `claimed` does.
    """
    now = services.now()
    candidate = candidate_from(report, rfc3339(now))
    policy.check(candidate)
    if isinstance(report, IngestOutcome):
        return _complete(candidate, report, call, services)
    making = call.making(id_for(call, services), now, services)
    given = policy.apply(candidate, report.sensitivity, services.policy, making.timestamp)
    scope = call.principal.scope_for_writing(report.scope)
    call.principal.require_write(scope, given.sensitivity)
    on_conflict = _on_conflict(report, call.principal, services.policy)
    whole, uploads = report, NOTHING_CLAIMED
    if references := references_in(report):
        done = earlier(making.record_id, call, services)
        if done is not None:
            return done
        whole, uploads = claimed(report, references, making.record_id, call, services)
        candidate = replace(candidate, report=whole)
    record = build_record(candidate, whole, given, scope, making)
    if on_conflict is not None:
        from membrane.usecases.revision.observe import (  # noqa: PLC0415 - few predicates need it
            Observation,
            observe,
        )

        return observe(
            Observation(record, report.source, on_conflict, making, uploads), call, services
        )
    return until_won(lambda: create(record, now, call, services, claimed=uploads), services)


def _on_conflict(
    report: Report, principal: Principal, defaults: PolicyDefaults
) -> ConflictPolicy | None:
    """What shall become of facts that conflict with it; None where nobody ever asks.

    Raises PermissionDenied for a word of its own from whoever may not revise.
    """
    if not isinstance(report, IngestObservation):
        return None
    usual = defaults.conflict_policy(report.predicate)
    asked = report.on_conflict or usual
    if asked is not usual:
        principal.require(Permission.REVISE)
    return None if asked is usual is ConflictPolicy.KEEP else asked


def _complete(
    candidate: MemoryCandidate, outcome: IngestOutcome, call: Call, services: Services
) -> Result:
    status = present(outcome.outcome_status)

    def completed(stored: StoredRecord, making: Making) -> StoredRecord:
        payload = stored.record.payload
        if not isinstance(payload, EpisodicPayload):
            raise FailedPrecondition(f"ingestion: target record {stored.id} is not episodic")
        return stored.changed(with_outcome(stored.record, payload, status, candidate, making))

    return change(outcome.target_record_id, completed, call, services, missing=NO_TARGET)
