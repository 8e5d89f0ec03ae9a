"""What identifies a record to its users, beside its id: the key of the natural index."""

from membrane.domain.language.digests import digest
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
    """SHA-256 over scope, type and the type's own key; None for an episode without events.

    A digest, because keys are limited to 2,048 bytes and texts are not.
    An event is found by its ref, a fact by subject and predicate, a working state by its thread,
    a skill and an entity by name, a plan by its id.
    """
    parts = _parts(payload)
    return None if parts is None else digest(scope, payload.kind, *parts)


def fact_key(scope: str, subject: str, predicate: str) -> bytes:
    return digest(scope, MemoryType.SEMANTIC, subject, predicate)


def thread_key(scope: str, thread_id: str) -> bytes:
    return digest(scope, MemoryType.WORKING, thread_id)


def _parts(payload: Payload) -> tuple[str, ...] | None:
    match payload:
        case EpisodicPayload():
            return (payload.timeline[0].ref,) if payload.timeline else None
        case SemanticPayload():
            return (payload.subject, payload.predicate)
        case WorkingPayload():
            return (payload.thread_id,)
        case CompetencePayload():
            return (payload.skill_name,)
        case PlanGraphPayload():
            return (payload.plan_id,)
        case EntityPayload():
            return (payload.canonical_name,)
