"""Which records feed topics: facts that were observed, as each was reported."""

from membrane.domain.language.timestamps import is_before
from membrane.domain.language.vocabulary import AuditAction, CandidateKind, ProvenanceKind
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted
from membrane.domain.topics.placing.observations import Observed

_INGESTED = f"Ingested {CandidateKind.OBSERVATION} from "
"""In the audit of what was made of a report; see `membrane.domain.ingest.builder`."""


def observed_in(record: MemoryRecord) -> Observed | None:
    """What topics are to be told of it; None of a record that was not observed, or is retracted."""
    payload = record.payload
    if not isinstance(payload, SemanticPayload) or is_retracted(payload) or not _was_seen(record):
        return None
    return Observed(
        subject=payload.subject,
        predicate=payload.predicate,
        object=payload.object,
        scope=record.scope,
        sensitivity=record.sensitivity,
        record_id=record.id,
        observed_at=_since(record, payload),
    )


def _was_seen(record: MemoryRecord) -> bool:
    """Whether it was made by an observation, also by one that took the place of another fact."""
    sources, trail = record.provenance.sources, record.audit_log
    if not sources or sources[0].kind is not ProvenanceKind.OBSERVATION:
        return False
    is_told = bool(trail) and trail[0].action is AuditAction.CREATE
    return not is_told or _INGESTED in trail[0].rationale


def _since(record: MemoryRecord, payload: SemanticPayload) -> str:
    """Since when it is so; of what is said to begin later, since it was recorded."""
    told = payload.validity.start or record.provenance.sources[0].timestamp
    recorded = record.created_at
    return recorded if told is None or is_before(recorded, told) else told
