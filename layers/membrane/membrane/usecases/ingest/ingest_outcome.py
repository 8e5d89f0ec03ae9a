"""Ingest the outcome of an episode, which completes the episode's record."""

from dataclasses import replace

from membrane.domain.ingest import policy
from membrane.domain.ingest.builder import Making, with_outcome
from membrane.domain.ingest.candidates import candidate_from, require_present
from membrane.domain.ingest.reports import IngestOutcome
from membrane.domain.language.errors import FailedPrecondition, PermissionDenied
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.records.learning_mark import Stage, is_step
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.predicates import DERIVED_COMPETENCE
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.ingest.credit import credit_for
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.records import Change
from membrane.usecases.ports.world import World
from membrane.usecases.records.changing import Step, change

NO_TARGET = "ingestion: get target record for outcome: record not found"


def ingest_outcome(outcome: IngestOutcome, call: Call, world: World) -> Result:
    """Note the outcome in the target record, and in the trace that the target is a step of.

    The records that the outcome rests on get credit in the same transaction. Raises the errors of
    `change` and `credit_for`, and FailedPrecondition for a target that is not episodic.
    """
    outcome = outcome.by(call.principal.actor_id)
    candidate = candidate_from(outcome, rfc3339(world.now()))
    policy.check(candidate)
    status = require_present(outcome.outcome_status)

    def complete(stored: StoredRecord, making: Making) -> StoredRecord | Step:
        after = with_result(stored, making)
        trace = _trace_of(stored, call, world)
        of_trace = [] if trace is None else [trace_with_result(trace)]
        if not outcome.receipt_id and not outcome.used_ids:
            return Step(after, also=of_trace) if of_trace else after
        credit = credit_for(outcome, stored, call, world)
        changes = [each for each in credit.changes if trace is None or each[0].id != trace.id]
        return Step(after, also=[*of_trace, *changes], spending=credit.spending)

    def trace_with_result(trace: StoredRecord) -> Change:
        """The trace is of the same task as the outcome, so it gets no credit of the task."""
        return trace, with_result(trace, call.making(trace.id, world.now(), world))

    def with_result(stored: StoredRecord, making: Making) -> StoredRecord:
        payload = stored.record.payload
        if not isinstance(payload, EpisodicPayload):
            raise FailedPrecondition(f"ingestion: target record {stored.id} is not episodic")
        record = with_outcome(
            stored.record, payload, status, candidate, making, reason=outcome.reason
        )
        return _waiting_again(stored.next_version(record))

    return change(outcome.target_record_id, complete, call, world, missing=NO_TARGET)


def _trace_of(step: StoredRecord, call: Call, world: World) -> StoredRecord | None:
    """The living trace that the step is part of, if the caller may change the trace."""
    if not step.learning.trace_id:
        return None
    held = world.records.load(step.learning.trace_id)
    if not isinstance(held, StoredRecord) or held.tombstone is not None:
        return None
    try:
        call.principal.require_write(held.scope, held.sensitivity)
    except PermissionDenied:
        return None
    return held


def _waiting_again(after: StoredRecord) -> StoredRecord:
    """The episode, waiting again where the outcome makes it evidence.

    That is a trace from which no skill was learned yet, and a single step that came to nothing.
    """
    mark, payload = after.learning, after.record.payload
    relations = after.record.relations
    if mark.awaits is not None or mark.trace_id:
        return after
    if is_step(payload):
        return replace(after, learning=replace(mark, awaits=Stage.STEP))
    is_learned = any(each.predicate == DERIVED_COMPETENCE for each in relations)
    if not mark.lookups or is_learned:
        return after
    return replace(after, learning=replace(mark, awaits=Stage.TRACE))
