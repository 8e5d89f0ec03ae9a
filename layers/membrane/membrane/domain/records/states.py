"""Where a record stands after revisions, and what may still become of it (spec 12, weakness 20).

    active <-> contested        contested by something; resolved by keeping it
    active, contested -> retracted      taken back, or replaced by another record
    retracted -> active         where nothing replaced it

A retracted record is kept for reading. It is revised no further until it is taken up again.
"""

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.records.payloads import EpisodicPayload, Payload, RevisionState
from membrane.domain.records.stored import StoredRecord


def state_of(payload: Payload) -> RevisionState:
    """Where the record of that payload stands; an episode is never revised."""
    if isinstance(payload, EpisodicPayload) or payload.revision is None:
        return RevisionState()
    return payload.revision


def is_retracted(payload: Payload) -> bool:
    """Whether it was taken back, or replaced."""
    return state_of(payload).status is RevisionStatus.RETRACTED


def is_contested(payload: Payload) -> bool:
    """Whether something speaks against it."""
    return state_of(payload).status is RevisionStatus.CONTESTED


def successor_of(payload: Payload) -> str | None:
    """The id of the record that replaced it."""
    return state_of(payload).superseded_by or None


def without_state(payload: Payload) -> Payload:
    """What a caller sends of a state is not its own to say."""
    return _with(payload, None)


def with_state(payload: Payload, state: RevisionState) -> Payload:
    """The payload of a record that stands there now."""
    return _with(payload, state)


def require_revisable(stored: StoredRecord, operation: str = "") -> None:
    """Raises FailedPrecondition for an episode, and for a record that was retracted."""
    prefix = f"{operation}: " if operation else ""
    if isinstance(stored.record.payload, EpisodicPayload):
        raise FailedPrecondition(
            f"{prefix}episodic memory is immutable and cannot be revised: record {stored.id}"
        )
    if is_retracted(stored.record.payload):
        raise FailedPrecondition(f"{prefix}record {stored.id} is retracted")


def require_standing(stored: StoredRecord) -> None:
    """Raises FailedPrecondition for a record that was retracted: its salience is not to move."""
    if is_retracted(stored.record.payload):
        raise FailedPrecondition(f"record {stored.id} is retracted")


def _with(payload: Payload, state: RevisionState | None) -> Payload:
    if isinstance(payload, EpisodicPayload):
        return payload
    return payload.model_copy(update={"revision": state})
