"""The snapshot of the metrics."""

from dataclasses import dataclass, field
from typing import Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.metrics.sums import Sums, Trails

RANGES = ("0.0-0.2", "0.2-0.4", "0.4-0.6", "0.6-0.8", "0.8-1.0")
"""Each with its lower bound and without its upper one; the last has all above, too."""

SAMPLED = (
    "total_audit_entries",
    "retrieval_usefulness",
    "revision_rate",
    "competence_success_rate",
    "plan_reuse_frequency",
)
"""Fields that one record may move by any amount: no bound can be given where they are estimated."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Of all records counted at an instant.

    A field that neither `error_bounds` nor `sampled` names is exact, to one part in 1e9.
    """

    collected_at: str
    total_records: int = 0
    records_by_type: dict[str, int] = field(default_factory=dict)
    avg_salience: float = 0.0
    avg_confidence: float = 0.0
    salience_distribution: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RANGES, 0))
    active_records: int = 0
    pinned_records: int = 0
    total_audit_entries: int = 0
    memory_growth_rate: float = 0.0
    retrieval_usefulness: float = 0.0
    competence_success_rate: float = 0.0
    plan_reuse_frequency: float = 0.0
    revision_rate: float = 0.0
    error_bounds: JsonObject = field(default_factory=dict)
    """By field by how much it may be off, by more with a chance of 1 in 100."""
    sampled: dict[str, int] = field(default_factory=dict)
    """By field from how many records it was estimated, where no bound can be given."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """By how much estimates may be off; 0 where nothing was estimated."""

    count: int = 0
    """Any number of records."""
    mean: float = 0.0
    """The mean of what lies between 0 and 1."""
    of_totals: bool = False


def snapshot_of(sums: Sums, trails: Trails, bounds: Bounds, collected_at: str) -> Snapshot:
    records = sums.records
    if not records:
        return Snapshot(collected_at, error_bounds=_error_bounds(sums, bounds))
    *reaching, active, born = sums.counts.counts
    most, least = [records, *reaching], [*reaching, 0]
    return Snapshot(
        collected_at=collected_at,
        total_records=records,
        records_by_type={each: sums.types[each] for each in MemoryType if sums.types[each]},
        avg_salience=sums.salience / records,
        avg_confidence=min(1.0, sums.confidence / records),
        salience_distribution={
            name: more - less for name, more, less in zip(RANGES, most, least, strict=True)
        },
        active_records=active,
        pinned_records=sums.pinned,
        total_audit_entries=round(records * trails.entries / trails.draws) if trails.draws else 0,
        memory_growth_rate=born / records,
        retrieval_usefulness=trails.share(trails.reinforcements),
        competence_success_rate=sums.mean_performance(MemoryType.COMPETENCE),
        plan_reuse_frequency=sums.mean_performance(MemoryType.PLAN_GRAPH),
        revision_rate=trails.share(trails.revisions),
        error_bounds=_error_bounds(sums, bounds),
        sampled=_sample_sizes(sums, trails),
    )


def _error_bounds(sums: Sums, bounds: Bounds) -> JsonObject:
    if not bounds.count:
        return {}
    count = bounds.count if bounds.of_totals else min(bounds.count, sums.records)
    mean = min(bounds.mean, 1.0)
    found: dict[str, Any] = {
        "avg_salience": sums.highest * mean,
        "avg_confidence": mean,
        "salience_distribution": dict.fromkeys(RANGES, count),
        "active_records": count,
        "memory_growth_rate": mean,
    }
    if bounds.of_totals:
        types = [each for each in MemoryType if sums.types[each]]
        found |= {
            "total_records": count,
            "records_by_type": dict.fromkeys(types, count),
            "pinned_records": count,
        }
    return found


def _sample_sizes(sums: Sums, trails: Trails) -> dict[str, int]:
    performances = {
        MemoryType.COMPETENCE: "competence_success_rate",
        MemoryType.PLAN_GRAPH: "plan_reuse_frequency",
    }
    found = {name: sums.read for each, name in performances.items() if each in sums.estimated}
    some = trails.records < sums.records
    if some:
        found["total_audit_entries"] = trails.records
    if some or not trails.is_whole:
        found |= dict.fromkeys(("retrieval_usefulness", "revision_rate"), trails.records)
    return found
