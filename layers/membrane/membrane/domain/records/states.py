"""Where a record stands after revisions, and what may still become of it (spec 12, weakness 20).

    active <-> contested        contested by something; resolved by keeping it
    active, contested -> retracted      taken back, or replaced by another record
    retracted -> active         where nothing replaced it

A retracted record is kept for reading. It is revised no further until it is taken up again.
"""

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.records.payloads import EpisodicPayload, Payload, RevisionState
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord


def state_of(payload: Payload) -> RevisionState:
    """Where the record of that payload stands; an episode is never revised."""
    if isinstance(payload, EpisodicPayload) or payload.revision is None:
        return RevisionState()
    return payload.revision


def is_retracted(payload: Payload) -> bool:
    """Whether the record was taken back, or replaced."""
    return state_of(payload).status is RevisionStatus.RETRACTED


def is_contested(payload: Payload) -> bool:
    return state_of(payload).status is RevisionStatus.CONTESTED


def successor_of(payload: Payload) -> str | None:
    """The id of the record that replaced this one."""
    return state_of(payload).superseded_by or None


def with_state(payload: Payload, state: RevisionState | None) -> Payload:
    """The payload in that state; an episode has none."""
    if isinstance(payload, EpisodicPayload):
        return payload
    return payload.model_copy(update={"revision": state})


def in_state(record: MemoryRecord, state: RevisionState) -> MemoryRecord:
    return record.model_copy(update={"payload": with_state(record.payload, state)})


def require_revisable(stored: StoredRecord, operation: str = "") -> None:
    """Raises FailedPrecondition for an episode, and for a record that was retracted."""
    prefix = f"{operation}: " if operation else ""
    if isinstance(stored.record.payload, EpisodicPayload):
        raise FailedPrecondition(
            f"{prefix}episodic memory is immutable and cannot be revised: record {stored.id}"
        )
    require_not_retracted(stored, prefix)


def require_not_retracted(stored: StoredRecord, prefix: str = "") -> None:
    """Raises FailedPrecondition for a record that was retracted."""
    if is_retracted(stored.record.payload):
        raise FailedPrecondition(f"{prefix}record {stored.id} is retracted")
