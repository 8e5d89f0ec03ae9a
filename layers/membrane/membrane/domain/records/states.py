"""The revision states of a record, and the changes allowed in each state.

    active -> contested                 contest
    contested -> active                 resolve with keep
    active, contested -> retracted      retract, or replacement by a newer record
    retracted -> active                 reclassify, unless a successor still exists

A retracted record can be read. Until it is active again, no other revision is allowed.
"""

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.records.payloads import EpisodicPayload, Payload, RevisionState
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord


def state_of(payload: Payload) -> RevisionState:
    """The revision state in a payload; the empty state for an episode, which is never revised."""
    if isinstance(payload, EpisodicPayload) or payload.revision is None:
        return RevisionState()
    return payload.revision


def is_retracted(payload: Payload) -> bool:
    """Whether the record was retracted, or replaced by a newer record."""
    return state_of(payload).status is RevisionStatus.RETRACTED


def is_contested(payload: Payload) -> bool:
    return state_of(payload).status is RevisionStatus.CONTESTED


def successor_of(payload: Payload) -> str | None:
    """The id of the record that superseded the record of `payload`."""
    return state_of(payload).superseded_by or None


def with_state(payload: Payload, state: RevisionState | None) -> Payload:
    """The payload with a revision state; an episode unchanged, because episodes have no state."""
    if isinstance(payload, EpisodicPayload):
        return payload
    return payload.model_copy(update={"revision": state})


def in_state(record: MemoryRecord, state: RevisionState) -> MemoryRecord:
    return record.model_copy(update={"payload": with_state(record.payload, state)})


def require_revisable(stored: StoredRecord, operation: str = "") -> None:
    """Raises FailedPrecondition for an episode and for a retracted record."""
    prefix = f"{operation}: " if operation else ""
    if isinstance(stored.record.payload, EpisodicPayload):
        raise FailedPrecondition(
            f"{prefix}episodic memory is immutable and cannot be revised: record {stored.id}"
        )
    require_not_retracted(stored, prefix)


def require_not_retracted(stored: StoredRecord, prefix: str = "") -> None:
    """Raises FailedPrecondition for a retracted record."""
    if is_retracted(stored.record.payload):
        raise FailedPrecondition(f"{prefix}record {stored.id} is retracted")
