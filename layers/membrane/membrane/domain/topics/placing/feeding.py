"""Which records feed topics: facts whose provenance begins with an observation."""

from membrane.domain.language.timestamps import is_before
from membrane.domain.language.vocabulary import ProvenanceKind
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.states import is_retracted
from membrane.domain.topics.placing.observations import Observed


def observed_in(record: MemoryRecord) -> Observed | None:
    """What the record tells topics; None where it was not observed, or is retracted."""
    payload = record.payload
    if (
        not isinstance(payload, SemanticPayload)
        or is_retracted(payload)
        or not _was_observed(record)
    ):
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


def _was_observed(record: MemoryRecord) -> bool:
    """Whether the first thing that the record was made from is an observation."""
    sources = record.provenance.sources
    return bool(sources) and sources[0].kind is ProvenanceKind.OBSERVATION


def _since(record: MemoryRecord, payload: SemanticPayload) -> str:
    """Since when it is so; of what is said to begin later, since it was recorded."""
    told = payload.validity.start or record.provenance.sources[0].timestamp
    recorded = record.created_at
    return recorded if told is None or is_before(recorded, told) else told
