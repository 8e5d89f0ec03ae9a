"""The request of the metrics, and the snapshot that answers."""

from dataclasses import asdict, dataclass, field
from typing import Annotated, Literal, get_args

from pydantic import Field
from typing_extensions import TypedDict

from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import Count, Fraction, NotNegative, Timestamp
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.replies import with_shape
from membrane.domain.language.requests import FromQuery, RequestPart
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.metrics.sums import Sums, Trails


class GetMetrics(RequestPart):
    """Count the records of the requested scopes, and their salience as of now."""

    trust: FromQuery[TrustInput] = Field(default_factory=TrustInput)
    """Scopes and highest sensitivity of the records to count; unscoped records are always included.
    Without scopes: the scopes of the key, at most 50; all scopes together need `admin` over all
    scopes."""


Range = Literal["0.0-0.2", "0.2-0.4", "0.4-0.6", "0.6-0.8", "0.8-1.0"]
"""A range of salience with the lower bound and without the upper; the last has all above, too."""

RANGES: tuple[Range, ...] = get_args(Range)

Sampled = Literal[
    "total_audit_entries",
    "retrieval_usefulness",
    "revision_rate",
    "competence_success_rate",
    "plan_reuse_frequency",
]
"""A field that one record may move by any amount: an estimate of the field has no error bound."""


class ErrorBounds(TypedDict, total=False):
    """By how much an estimated field may be off, by more with a chance of 1 in 100."""

    total_records: Count
    """The error bound of `total_records`."""
    records_by_type: dict[MemoryType, Count]
    """The error bound of each number of `records_by_type`."""
    pinned_records: Count
    """The error bound of `pinned_records`."""
    avg_confidence: Fraction
    """The error bound of `avg_confidence`."""
    avg_salience: NotNegative
    """The error bound of `avg_salience`."""
    salience_distribution: dict[Range, Count]
    """The error bound of each number of `salience_distribution`."""
    active_records: Count
    """The error bound of `active_records`."""
    memory_growth_rate: Fraction
    """The error bound of `memory_growth_rate`."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The metrics of all visible records at one instant.

    A field that neither `error_bounds` nor `sampled` names is exact, to one part in 1e9.
    """

    collected_at: Timestamp
    """The instant of the metrics."""
    total_records: Count = 0
    """The number of records."""
    records_by_type: dict[MemoryType, Count] = field(default_factory=dict)
    """The number of records of each type; types without records are left out."""
    avg_salience: NotNegative = 0.0
    """The mean salience as of `collected_at`."""
    avg_confidence: Fraction = 0.0
    """The mean confidence."""
    salience_distribution: Annotated[dict[Range, Count], Field(min_length=len(RANGES))] = field(
        default_factory=lambda: dict.fromkeys(RANGES, 0)
    )
    """The number of records in each range of salience as of `collected_at`; the last range has
    all above 1, too."""
    active_records: Count = 0
    """The number of records with a salience above 0."""
    pinned_records: Count = 0
    """The number of pinned records."""
    total_audit_entries: Count = 0
    """The number of audit entries."""
    memory_growth_rate: Fraction = 0.0
    """The share of records made within the last day."""
    retrieval_usefulness: Fraction = 0.0
    """The share of reinforcements among all audit entries."""
    competence_success_rate: Fraction = 0.0
    """The mean success rate of skills."""
    plan_reuse_frequency: NotNegative = 0.0
    """The mean number of executions of a plan."""
    revision_rate: Fraction = 0.0
    """The share of revisions among all audit entries."""
    error_bounds: ErrorBounds = field(default_factory=ErrorBounds)
    """The error bound of each estimated field, where a bound can be given."""
    sampled: dict[Sampled, Count] = field(default_factory=dict)
    """By estimated field without an error bound, the number of records of the sample. A field
    absent here and in `error_bounds` is exact."""

    @property
    def body(self) -> "Metrics":
        return {"snapshot": asdict(self)}


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


def _error_bounds(sums: Sums, bounds: Bounds) -> ErrorBounds:
    if not bounds.count:
        return {}
    count = bounds.count if bounds.of_totals else min(bounds.count, sums.records)
    mean = min(bounds.mean, 1.0)
    found: ErrorBounds = {
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


def _sample_sizes(sums: Sums, trails: Trails) -> dict[Sampled, int]:
    performances: dict[MemoryType, Sampled] = {
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


class Metrics(TypedDict):
    """The metrics of the visible records."""

    snapshot: Annotated[JsonObject, with_shape(Snapshot)]
    """The numbers as of one instant."""
