"""Ingest the outcome of an episode, which completes the episode's record."""

from membrane.domain.ingest import policy
from membrane.domain.ingest.builder import Making, with_outcome
from membrane.domain.ingest.candidates import candidate_from, require_present
from membrane.domain.ingest.reports import IngestOutcome
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.records.payloads import EpisodicPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.machinery.calls import Call, Result
from membrane.usecases.ports.services import Services
from membrane.usecases.records.changing import change

NO_TARGET = "ingestion: get target record for outcome: record not found"


def ingest_outcome(outcome: IngestOutcome, call: Call, services: Services) -> Result:
    """Note the outcome in the target record.

    Raises the errors of `change`, and FailedPrecondition for a target that is not episodic.
    """
    candidate = candidate_from(outcome, rfc3339(services.now()))
    policy.check(candidate)
    status = require_present(outcome.outcome_status)

    def complete(stored: StoredRecord, making: Making) -> StoredRecord:
        payload = stored.record.payload
        if not isinstance(payload, EpisodicPayload):
            raise FailedPrecondition(f"ingestion: target record {stored.id} is not episodic")
        record = stored.record
        return stored.next_version(
            with_outcome(record, payload, status, candidate, making, reason=outcome.reason)
        )

    return change(outcome.target_record_id, complete, call, services, missing=NO_TARGET)
