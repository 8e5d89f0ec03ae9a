"""The natural key of a record: the digest by which a record is found without its id."""

from membrane.domain.language.digests import digest
from membrane.domain.language.names import folded_name
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.payloads import (
    CompetencePayload,
    EntityPayload,
    EpisodicPayload,
    Payload,
    PlanGraphPayload,
    SemanticPayload,
    WorkingPayload,
)


def natural_key(scope: str, payload: Payload) -> bytes | None:
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
    return digest(scope, MemoryType.EPISODIC, ref)


def fact_key(scope: str, subject: str, predicate: str) -> bytes:
    """The key of the facts with the subject and predicate in any spelling."""
    return digest(scope, MemoryType.SEMANTIC, folded_name(subject), folded_name(predicate))


def thread_key(scope: str, thread_id: str) -> bytes:
    return digest(scope, MemoryType.WORKING, thread_id)


def _parts(payload: Payload) -> tuple[str, ...] | None:
    match payload:
        case EpisodicPayload():
            return (payload.timeline[0].ref,) if payload.timeline else None
        case SemanticPayload():
            return folded_name(payload.subject), folded_name(payload.predicate)
        case WorkingPayload():
            return (payload.thread_id,)
        case CompetencePayload():
            return (payload.skill_name,)
        case PlanGraphPayload():
            return (payload.plan_id,)
        case EntityPayload():
            return (payload.canonical_name,)
