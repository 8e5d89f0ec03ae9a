"""The new record of a revision, and the scope and sensitivity inherited from its sources."""

from collections.abc import Sequence

from membrane.domain.ingest.builder import (
    DEFAULT_RELATION_WEIGHT,
    Making,
    Why,
    next_entry,
    with_source,
)
from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from membrane.domain.language.vocabulary import (
    AuditAction,
    MemoryType,
    ProvenanceKind,
    RevisionStatus,
    Sensitivity,
)
from membrane.domain.records.payloads import ProvenanceRef, RevisionState, SemanticPayload
from membrane.domain.records.records import (
    DERIVED_FROM,
    SUPERSEDES,
    MemoryRecord,
    ProvenanceSource,
    Relation,
)
from membrane.domain.records.standing import in_state
from membrane.domain.records.stored import StoredRecord

MAX_SOURCES = 22
"""The most sources of a merge, which is a single DynamoDB transaction of at most 100 actions.

A source takes up to four actions: the record, the end of its vector, an edge, a decay profile.
"""


def successor(record: MemoryRecord, old: StoredRecord, why: Why, making: Making) -> MemoryRecord:
    """The record as successor of `old`, with evidence of its own, and `old` in the provenance."""
    record = _with_own_evidence(record, why, making)
    evidence = ProvenanceSource(
        kind=ProvenanceKind.EVENT, ref=old.id, created_by=why.actor, timestamp=making.timestamp
    )
    state = RevisionState(supersedes=old.id, status=RevisionStatus.ACTIVE, since=making.timestamp)
    record = in_state(with_source(record, evidence), state)
    return _linked_record(record, SUPERSEDES, [old.id], why.after(f"supersedes {old.id}"), making)


def _with_own_evidence(record: MemoryRecord, why: Why, making: Making) -> MemoryRecord:
    """The sources without time and reporter are of the revision; the first is a fact's evidence."""
    reported = {"created_by": why.actor, "timestamp": making.timestamp}
    sources = tuple(
        each if each.created_by or each.timestamp else each.model_copy(update=reported)
        for each in record.provenance.sources
    )
    provenance = record.provenance.model_copy(update={"sources": sources})
    record = record.model_copy(update={"provenance": provenance})
    payload = record.payload
    if not isinstance(payload, SemanticPayload) or payload.evidence or not sources:
        return record
    found = ProvenanceRef(
        source_type=sources[0].kind,
        source_id=sources[0].ref,
        timestamp=sources[0].timestamp or making.timestamp,
    )
    payload = payload.model_copy(update={"evidence": (found,)})
    return record.model_copy(update={"payload": payload})


def variant(record: MemoryRecord, source: StoredRecord, why: Why, making: Making) -> MemoryRecord:
    return _linked_record(
        record, DERIVED_FROM, [source.id], why.after(f"forked from {source.id}"), making
    )


def union(
    record: MemoryRecord, sources: Sequence[StoredRecord], why: Why, making: Making
) -> MemoryRecord:
    ids = [source.id for source in sources]
    return _linked_record(
        record, DERIVED_FROM, ids, why.after(f"merged from [{' '.join(ids)}]"), making
    )


def require_evidence(record: MemoryRecord, operation: str) -> None:
    """Raises InvalidArgument for a fact without evidence and without provenance sources."""
    payload = record.payload
    if not isinstance(payload, SemanticPayload) or payload.evidence or record.provenance.sources:
        return
    raise InvalidArgument(
        f"{operation}: semantic revision requires evidence: record {record.id} "
        "has no evidence references or provenance sources"
    )


def require_type(new: MemoryType, old: MemoryType | None, operation: str) -> None:
    """Raises InvalidArgument for an episode, and for a type different from `old`, if given."""
    if new is MemoryType.EPISODIC:
        raise InvalidArgument(f"{operation}: an episodic record is not made by revision")
    if old is not None and new is not old:
        raise InvalidArgument(f"{operation}: the new record must be of the type {old}")


def scope_among(sources: Sequence[StoredRecord], wanted: str | None, *, is_admin: bool) -> str:
    """The scope of a record made from the sources: the scope of the sources.

    An administrator may choose a different scope, and must choose if the sources are of several
    scopes, else InvalidArgument is raised. For anybody else, a different scope and sources of
    several scopes raise PermissionDenied.
    """
    scopes = {source.scope for source in sources}
    if is_admin and wanted is not None:
        return wanted
    if is_admin and len(scopes) > 1:
        raise InvalidArgument("the sources are of several scopes: name the new record's scope")
    if len(scopes) > 1 or (wanted or "") not in ("", *scopes):
        raise PermissionDenied("a revision stays in the scope of its sources")
    return scopes.pop()


def sensitivity_among(
    sources: Sequence[StoredRecord], wanted: Sensitivity, *, is_admin: bool
) -> Sensitivity:
    """The highest of `wanted` and the sources' sensitivities; for an administrator, `wanted`."""
    if is_admin:
        return wanted
    return max((wanted, *(source.sensitivity for source in sources)), key=lambda each: each.level)


def relation_to(target_id: str, predicate: str, making: Making) -> Relation:
    return Relation(
        predicate=predicate,
        target_id=target_id,
        weight=DEFAULT_RELATION_WEIGHT,
        created_at=making.timestamp,
    )


def _linked_record(
    record: MemoryRecord, predicate: str, target_ids: Sequence[str], why: Why, making: Making
) -> MemoryRecord:
    """The record with a relation to each target and its first audit entry.

    The relations of the revision come first, then the relations of `record`, without repeats.
    """
    made = [relation_to(target_id, predicate, making) for target_id in target_ids]
    relations: dict[tuple[str, str], Relation] = {}
    for each in (*made, *record.relations):
        relations.setdefault((each.predicate, each.target_id), each)
    entry = next_entry((), AuditAction.CREATE, why, making)
    return record.model_copy(update={"relations": tuple(relations.values()), "audit_log": (entry,)})
