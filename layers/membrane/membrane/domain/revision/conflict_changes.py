"""Carries out the decisions of `conflict_decisions`: the next versions of the facts involved."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from membrane.domain.ingest.builder import CREATED_BY, Making, Why
from membrane.domain.lifecycle.changes import reinforced_version
from membrane.domain.records.evidence import with_evidence
from membrane.domain.records.payloads import ProvenanceRef
from membrane.domain.records.records import SUPERSEDES, MemoryRecord, Relation
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.next_versions import (
    contested_version,
    forked_version,
    superseded_version,
    superseding_version,
    with_relation,
)
from membrane.domain.revision.successors import sensitivity_among, successor, variant

AGAIN = "observed again"
OTHERWISE = "observed otherwise"
CROWDED = "many stood where one may"

VersionPair = tuple[StoredRecord, StoredRecord]
"""A record as read, and its next version."""


@dataclass(frozen=True, slots=True)
class ReportContext:
    """The source of the observed fact, and the contexts of the writes."""

    source: str
    making: Making
    """The context for the record of the observed fact."""
    making_of: Callable[[StoredRecord], Making]
    """The context for a change of a stored record."""


@dataclass(frozen=True, slots=True)
class Creation:
    """The record to create, and the stored records that change in the same write."""

    record: MemoryRecord
    changed: Sequence[VersionPair] = ()


def created_in_place_of(
    replaced: Sequence[StoredRecord], record: MemoryRecord, reporting: ReportContext
) -> Creation:
    """The observed fact supersedes the replaced facts, and is at least as sensitive as they are."""
    sensitive = _as_sensitive(record, replaced)
    made = successor(sensitive, replaced[0], _why_created(record), reporting.making)
    for each in replaced[1:]:
        made = with_relation(made, SUPERSEDES, each.id, reporting.making)
    return Creation(made, _superseded_versions(replaced, made, OTHERWISE, reporting))


def created_as_fork_of(
    source: StoredRecord, record: MemoryRecord, reporting: ReportContext
) -> Creation:
    """The observed fact is a variant of the source, and at least as sensitive."""
    sensitive = _as_sensitive(record, [source])
    made = variant(sensitive, source, _why_created(record), reporting.making)
    is_named = _may_name(source.record, made)
    why = Why(reporting.source, OTHERWISE)
    after = forked_version(source, made.id, why, reporting.making_of(source), is_named=is_named)
    return Creation(made, [(source, after)])


def created_against(
    rivals: Sequence[StoredRecord], record: MemoryRecord, reporting: ReportContext
) -> Creation:
    return Creation(
        record, [(each, _contested_version(each, record, reporting)) for each in rivals]
    )


def reinforced_in_place_of(
    replaced: Sequence[StoredRecord],
    known: StoredRecord,
    observed: MemoryRecord,
    evidence: ProvenanceRef | None,
    reporting: ReportContext,
) -> Sequence[VersionPair]:
    """The known fact, reinforced, supersedes the replaced facts; its own change comes first.

    The known fact gains the evidence, and the relations of the observed fact that it lacks.
    """
    why, making = Why(reporting.source, AGAIN), reporting.making_of(known)
    record = known.record if evidence is None else with_evidence(known.record, evidence)
    record = record.model_copy(
        update={"relations": (*record.relations, *lacking_relations(record, observed))}
    )
    stronger = reinforced_version(known, why, making, record=record)
    after = _superseding_version(stronger, replaced, AGAIN, reporting)
    return [(known, after), *_superseded_versions(replaced, known.record, AGAIN, reporting)]


def lacking_relations(known: MemoryRecord, observed: MemoryRecord) -> Sequence[Relation]:
    """The relations of the observed fact that the known fact lacks.

    The entity of a subject or object may be younger than the known fact.
    """
    there = {(each.predicate, each.target_id) for each in known.relations}
    return [each for each in observed.relations if (each.predicate, each.target_id) not in there]


def thinned_crowd(
    older: Sequence[StoredRecord], newest: StoredRecord, reporting: ReportContext
) -> Sequence[VersionPair]:
    """The newest of many rivals supersedes the older rivals; its own change comes first."""
    after = _superseding_version(newest, older, CROWDED, reporting)
    return [(newest, after), *_superseded_versions(older, newest.record, CROWDED, reporting)]


def _superseded_versions(
    several: Sequence[StoredRecord], by: MemoryRecord, rationale: str, reporting: ReportContext
) -> Sequence[VersionPair]:
    why = Why(reporting.source, rationale)
    changed: list[VersionPair] = []
    for each in several:
        making = reporting.making_of(each)
        is_named = _may_name(each.record, by)
        after = superseded_version(each, by.id, why, making, is_named=is_named)
        changed.append((each, after))
    return changed


def _superseding_version(
    newer: StoredRecord, several: Sequence[StoredRecord], rationale: str, reporting: ReportContext
) -> StoredRecord:
    why, making = Why(reporting.source, rationale), reporting.making_of(newer)
    for each in several:
        is_named = _may_name(newer.record, each.record)
        newer = superseding_version(newer, each.id, why, making, is_named=is_named)
    return newer


def _contested_version(
    rival: StoredRecord, by: MemoryRecord, reporting: ReportContext
) -> StoredRecord:
    change = f"contested by {by.id}" if _may_name(rival.record, by) else "contested"
    why = Why(reporting.source, OTHERWISE).after(change)
    return contested_version(rival, by.id, why, reporting.making_of(rival))


def _why_created(record: MemoryRecord) -> Why:
    return Why(CREATED_BY, record.audit_log[0].rationale)


def _may_name(record: MemoryRecord, other: MemoryRecord) -> bool:
    """Whether every reader of the record's audit is cleared for `other` too."""
    return other.sensitivity.level <= record.sensitivity.level


def _as_sensitive(record: MemoryRecord, sources: Sequence[StoredRecord]) -> MemoryRecord:
    """The record, at least as sensitive as each source, because a successor shows its sources."""
    sensitivity = sensitivity_among(sources, record.sensitivity, is_admin=False)
    return record.model_copy(update={"sensitivity": sensitivity})
