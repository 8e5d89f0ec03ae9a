"""Whether a fact still counts: where it stands after revisions, and when it holds."""

from membrane.domain.payloads import Payload, SemanticPayload, Validity
from membrane.domain.timestamps import NOT_GIVEN, is_before
from membrane.domain.vocabulary import RevisionStatus


def holds_at(payload: Payload, now: str) -> bool:
    """Whether a fact's window is open, from its start on and before its end; true of all else.

    Of whatever mode it is, as long as it has a start or an end.
    """
    return not isinstance(payload, SemanticPayload) or _is_open(payload.validity, now)


def is_retracted(payload: Payload) -> bool:
    """Whether it is a fact that was taken back."""
    return _status(payload) is RevisionStatus.RETRACTED


def is_contested(payload: Payload) -> bool:
    """Whether it is a fact that something speaks against."""
    return _status(payload) is RevisionStatus.CONTESTED


def _status(payload: Payload) -> RevisionStatus | None:
    match payload:
        case SemanticPayload(revision=revision) if revision is not None:
            return revision.status
        case _:
            return None


def _is_open(validity: Validity, now: str) -> bool:
    start, end = _given(validity.start), _given(validity.end)
    has_begun = start is None or not is_before(now, start)
    return has_begun and (end is None or is_before(now, end))


def _given(timestamp: str | None) -> str | None:
    return None if timestamp == NOT_GIVEN else timestamp
