"""The new record of a revision: what it takes from the records that it comes from (spec 5.2)."""

from collections.abc import Sequence

from membrane.domain.ingest.builder import DEFAULT_RELATION_WEIGHT, Making, Why, next_entry
from membrane.domain.language.errors import InvalidArgument, PermissionDenied
from membrane.domain.language.vocabulary import (
    AuditAction,
    MemoryType,
    ProvenanceKind,
    RevisionStatus,
    Sensitivity,
)
from membrane.domain.records.payloads import RevisionState, SemanticPayload
from membrane.domain.records.predicates import DERIVED_FROM, SUPERSEDES
from membrane.domain.records.records import MemoryRecord, ProvenanceSource, Relation
from membrane.domain.records.states import with_state
from membrane.domain.records.stored import StoredRecord

MAX_SOURCES = 22
"""Of one merge: it is one transaction, with four actions to a source.

The source itself, the end of its vector, and an edge in both directions.
"""


def successor(record: MemoryRecord, old: StoredRecord, why: Why, making: Making) -> MemoryRecord:
    """The record in the place of the old one, which is evidence for it."""
    evidence = ProvenanceSource(
        kind=ProvenanceKind.EVENT, ref=old.id, created_by=why.actor, timestamp=making.timestamp
    )
    provenance = record.provenance.model_copy(
        update={"sources": (*record.provenance.sources, evidence)}
    )
    state = RevisionState(supersedes=old.id, status=RevisionStatus.ACTIVE, since=making.timestamp)
    record = record.model_copy(
        update={"provenance": provenance, "payload": with_state(record.payload, state)}
    )
    deed = Why(why.actor, why.after(f"supersedes {old.id}"))
    return _made(record, SUPERSEDES, [old.id], deed, making)


def variant(record: MemoryRecord, source: StoredRecord, why: Why, making: Making) -> MemoryRecord:
    """The record beside the one that it varies."""
    deed = Why(why.actor, why.after(f"forked from {source.id}"))
    return _made(record, DERIVED_FROM, [source.id], deed, making)


def union(
    record: MemoryRecord, sources: Sequence[StoredRecord], why: Why, making: Making
) -> MemoryRecord:
    """The record in the place of several."""
    ids = [source.id for source in sources]
    deed = Why(why.actor, why.after(f"merged from [{' '.join(ids)}]"))
    return _made(record, DERIVED_FROM, ids, deed, making)


def require_evidence(record: MemoryRecord, operation: str) -> None:
    """Raises InvalidArgument for a fact that says nothing of where it comes from."""
    match record.payload:
        case SemanticPayload(evidence=()) if not record.provenance.sources:
            raise InvalidArgument(
                f"{operation}: semantic revision requires evidence: record {record.id} "
                "has no evidence references or provenance sources"
            )
        case _:
            return


def require_type(new: MemoryType, old: MemoryType | None, operation: str) -> None:
    """Raises InvalidArgument for an episode, and where `old` is given, for any other type."""
    if new is MemoryType.EPISODIC:
        raise InvalidArgument(f"{operation}: an episodic record is not made by revision")
    if old is not None and new is not old:
        raise InvalidArgument(f"{operation}: the new record must be of the type {old}")


def scope_among(sources: Sequence[StoredRecord], asked: str | None, *, is_admin: bool) -> str:
    """The scope of what comes from the sources: theirs (design 4.5).

    Raises PermissionDenied where it would leave their scope, which an administrator may, and
    InvalidArgument where sources of several scopes leave it open.
    """
    scopes = {source.scope for source in sources}
    if is_admin and asked is not None:
        return asked
    if is_admin and len(scopes) > 1:
        raise InvalidArgument("the sources are of several scopes: name the new record's scope")
    if len(scopes) > 1 or (asked or "") not in ("", *scopes):
        raise PermissionDenied("a revision stays in the scope of its sources")
    return scopes.pop()


def sensitivity_among(
    sources: Sequence[StoredRecord], asked: Sensitivity, *, is_admin: bool
) -> Sensitivity:
    """No lower than that of any source, unless an administrator asks for it (design 4.5)."""
    if is_admin:
        return asked
    return max((asked, *(source.sensitivity for source in sources)), key=lambda each: each.level)


def _made(
    record: MemoryRecord,
    predicate: str,
    target_ids: Sequence[str],
    deed: Why,
    making: Making,
) -> MemoryRecord:
    """Its own relations come behind those that the revision gives it, none of them twice."""
    relations = {
        (predicate, target_id): Relation(
            predicate=predicate,
            target_id=target_id,
            weight=DEFAULT_RELATION_WEIGHT,
            created_at=making.timestamp,
        )
        for target_id in target_ids
    }
    for given in record.relations:
        relations.setdefault((given.predicate, given.target_id), given)
    entry = next_entry(
        (), AuditAction.CREATE, actor=deed.actor, rationale=deed.rationale, making=making
    )
    return record.model_copy(update={"relations": tuple(relations.values()), "audit_log": (entry,)})
