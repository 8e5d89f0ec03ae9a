"""The standing of a record: revision state, validity of a fact, natural key, and search.

    active -> contested                 contest
    contested -> active                 resolve with keep
    active, contested -> retracted      retract, or replacement by a newer record
    retracted -> active                 reclassify, unless a successor still exists

A retracted record can be read. Until it is active again, no other revision is allowed. The natural
key is the digest by which a record is found without its id.
"""

from typing import Any, NamedTuple, TypeGuard

from membrane.domain.language import vocabulary
from membrane.domain.language.errors import FailedPrecondition, InvalidArgument, Violation
from membrane.domain.language.json_text import digest
from membrane.domain.language.names import folded_name
from membrane.domain.language.timestamps import NOT_GIVEN, is_before, seconds_of
from membrane.domain.records import payloads
from membrane.domain.records.evidence import linked_entity_ids
from membrane.domain.records.interpretation import names_in
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord, StoredRecord, is_alive


def state_of(payload: payloads.Payload) -> payloads.RevisionState:
    """The revision state in a payload; the empty state for an episode, which is never revised."""
    if isinstance(payload, payloads.EpisodicPayload) or payload.revision is None:
        return payloads.RevisionState()
    return payload.revision


def is_retracted(payload: payloads.Payload) -> bool:
    """Whether the record was retracted, or replaced by a newer record."""
    return state_of(payload).status is vocabulary.RevisionStatus.RETRACTED


def is_contested(payload: payloads.Payload) -> bool:
    return state_of(payload).status is vocabulary.RevisionStatus.CONTESTED


def successor_of(payload: payloads.Payload) -> str | None:
    """The id of the record that superseded the record of `payload`."""
    return state_of(payload).superseded_by or None


def with_state(payload: payloads.Payload, state: payloads.RevisionState | None) -> payloads.Payload:
    """The payload with a revision state; an episode unchanged, because episodes have no state."""
    if isinstance(payload, payloads.EpisodicPayload):
        return payload
    return payload.model_copy(update={"revision": state})


def in_state(record: MemoryRecord, state: payloads.RevisionState) -> MemoryRecord:
    return record.model_copy(update={"payload": with_state(record.payload, state)})


def require_revisable(stored: StoredRecord, operation: str = "") -> None:
    """Raises FailedPrecondition for an episode and for a retracted record."""
    prefix = f"{operation}: " if operation else ""
    if isinstance(stored.record.payload, payloads.EpisodicPayload):
        raise FailedPrecondition(
            f"{prefix}episodic memory is immutable and cannot be revised: record {stored.id}"
        )
    require_not_retracted(stored, prefix)


def require_not_retracted(stored: StoredRecord, prefix: str = "") -> None:
    """Raises FailedPrecondition for a retracted record."""
    if is_retracted(stored.record.payload):
        raise FailedPrecondition(f"{prefix}record {stored.id} is retracted")


class Window(NamedTuple):
    """The time from `start` (inclusive) to `end` (exclusive); None means open on that side."""

    start: str | None
    end: str | None

    def is_open(self, now: str) -> bool:
        has_begun = self.start is None or not is_before(now, self.start)
        return has_begun and (self.end is None or is_before(now, self.end))

    def overlaps(self, other: "Window") -> bool:
        return _starts_before_end_of(self, other) and _starts_before_end_of(other, self)

    def covers(self, other: "Window") -> bool:
        from_then_on = self.start is None or (
            other.start is not None and not is_before(other.start, self.start)
        )
        until_then = self.end is None or (
            other.end is not None and not is_before(self.end, other.end)
        )
        return from_then_on and until_then


def window_of(validity: payloads.Validity) -> Window:
    """The window of a validity of any mode."""
    return Window(given_timestamp(validity.start), given_timestamp(validity.end))


def holds_at(payload: payloads.Payload, now: str) -> bool:
    """Whether the window of a fact is open, in any mode; true for payloads other than facts."""
    return not isinstance(payload, payloads.SemanticPayload) or window_of(payload.validity).is_open(
        now
    )


def require_window(payload: payloads.Payload) -> None:
    """Raises InvalidArgument for a fact whose window does not end after its start."""
    if not isinstance(payload, payloads.SemanticPayload):
        return
    start, end = window_of(payload.validity)
    if start is not None and end is not None and not is_before(start, end):
        message = "validation error for validity: end must be after start"
        raise InvalidArgument(message, [Violation("end", "must be after start")])


def given_timestamp(timestamp: str | None) -> str | None:
    return None if timestamp == NOT_GIVEN else timestamp


def _starts_before_end_of(one: Window, other: Window) -> bool:
    return one.start is None or other.end is None or is_before(one.start, other.end)


_NOT_SEARCHED = frozenset({"evidence", "metrics", "performance", "revision", "revision_policy"})
"""Fields of payloads that search ignores."""

MAX_VERSIONS = 1_000_000

_MOVE_DUE_ON = frozenset({vocabulary.AuditAction.CREATE, vocabulary.AuditAction.REINFORCE})
"""Actions that never make a record due earlier."""


def index_version(born_s: float, version: int) -> int:
    """A number that grows with each version, also if a later record or topic takes the same id."""
    return round(born_s * 1_000) * MAX_VERSIONS + version


def is_found(held: object) -> TypeGuard[StoredRecord]:
    """Whether search finds the record: neither deleted nor retracted."""
    return is_alive(held) and not is_retracted(held.record.payload)


def needs_vector(before: AnyRecord, after: AnyRecord, *, is_mistimed: bool) -> bool:
    """Whether a change leaves a record that search finds and that needs a new vector.

    `is_mistimed`: TTL will never remove the vector of a prunable record, or has already removed
    the vector.
    """
    if not is_found(after):
        return False
    return is_mistimed or not is_found(before) or _search_content(before) != _search_content(after)


def loses_vector(before: AnyRecord, after: AnyRecord, now_s: float) -> bool:
    """Whether a change ends the vector: search no longer finds the record, or it was erased.

    A record that was pruned before its erasure may have a vector that waits for TTL.
    """
    if is_found(after):
        return False
    if after.tombstone is not None and may_have_outlived_vector(before, now_s):
        return True
    return is_found(before) or (_is_erased(after) and not _is_erased(before))


def outlived_by(held: AnyRecord) -> str | None:
    """The id of the successor whose vector ends the vector of a superseded record.

    Until then the vector stays, so that a search finds the successor by the superseded record.
    """
    if not is_alive(held) or not is_retracted(held.record.payload):
        return None
    return successor_of(held.record.payload)


def may_have_outlived_vector(held: AnyRecord, now_s: float) -> bool:
    """Whether the record was superseded so lately that its vector may not have expired."""
    if outlived_by(held) is None or not isinstance(held, StoredRecord):
        return False
    since = state_of(held.record.payload).since
    return (
        since is not None and seconds_of(since) > now_s - vocabulary.MARKER_PERIOD.total_seconds()
    )


def may_be_outlived(pruned: AnyRecord, unseen: int) -> bool:
    """Whether the vector of a record that the sweep prunes may expire too late by itself.

    A penalty or a shorter half-life makes the record due earlier, while the vector keeps the old
    instant. `unseen` is the number of older audit entries that were not loaded.
    """
    return unseen > 0 or any(entry.action not in _MOVE_DUE_ON for entry in pruned.trail)


def _search_content(stored: StoredRecord) -> tuple[Any, ...]:
    record = stored.record
    content = {name: value for name, value in record.payload if name not in _NOT_SEARCHED}
    first_source = record.provenance.sources[:1]
    classification = record.type, record.scope, record.sensitivity, record.tags
    read = record.interpretation
    interpreted = [] if read is None else [*filter(None, [read.summary, *names_in(read)])]
    return *classification, first_source, content, interpreted, linked_entity_ids(record.relations)


def _is_erased(held: AnyRecord) -> bool:
    return held.tombstone is not None and held.tombstone.is_erased


def natural_key(scope: str, payload: payloads.Payload) -> bytes | None:
    """SHA-256 over scope, type and the fields below; None for an episode without events.

        episodic                   ref of the first event
        semantic                   subject and predicate, folded
        working                    thread id
        competence, entity         name
        plan_graph                 plan id

    A digest, because a DynamoDB key has at most 2,048 bytes and a text may be longer.
    """
    parts = _parts(payload)
    return None if parts is None else digest(scope, payload.kind, *parts)


def event_key(scope: str, ref: str) -> bytes:
    """The key of the episodes whose first event has the ref."""
    return digest(scope, vocabulary.MemoryType.EPISODIC, ref)


def fact_key(scope: str, subject: str, predicate: str) -> bytes:
    """The key of the facts with the subject and predicate in any spelling."""
    return digest(
        scope, vocabulary.MemoryType.SEMANTIC, folded_name(subject), folded_name(predicate)
    )


def thread_key(scope: str, thread_id: str) -> bytes:
    return digest(scope, vocabulary.MemoryType.WORKING, thread_id)


def _parts(payload: payloads.Payload) -> tuple[str, ...] | None:
    match payload:
        case payloads.EpisodicPayload():
            return (payload.timeline[0].ref,) if payload.timeline else None
        case payloads.SemanticPayload():
            return folded_name(payload.subject), folded_name(payload.predicate)
        case payloads.WorkingPayload():
            return (payload.thread_id,)
        case payloads.CompetencePayload():
            return (payload.skill_name,)
        case payloads.PlanGraphPayload():
            return (payload.plan_id,)
        case payloads.EntityPayload():
            return (payload.canonical_name,)
