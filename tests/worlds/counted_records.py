"""A world whose records are counted, and the metrics as a direct computation has them (spec 8)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from membrane.domain.access.trust import Principal
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.violations import validated
from membrane.domain.metrics.estimates import RANGES
from membrane.domain.metrics.requests import GetMetrics
from membrane.domain.metrics.snapshot import Snapshot
from membrane.domain.records.payloads import CompetencePayload, PlanGraphPayload
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.metrics.count_records import Counted, count_records
from membrane.usecases.metrics.read_metrics import read_metrics
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.indexing.batch import Changed
from tests.builders.requests import OWNER, call, full_record, written
from tests.fakes.clock import FakeClock
from tests.fakes.entries import SetAsides
from tests.fakes.metrics import FakeCounters
from tests.fakes.operators import Metrics, Reports
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_reading_services

CURVES = {"steps": ((0.0, 1.0), (1.0, 0.5), (2.0, 0.5), (4.0, 0.0))}
POLICY = PolicyDefaults(custom_curves=CURVES)
REVISIONS = ("revise", "fork", "merge")

PAYLOADS: dict[str, dict[str, Any]] = {
    "episodic": {"kind": "episodic", "timeline": []},
    "semantic": {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": "tea",
        "validity": {"mode": "global"},
    },
    "competence": {
        "kind": "competence",
        "skill_name": "deploy",
        "triggers": [],
        "recipe": [],
        "performance": {"success_rate": 0.3},
    },
    "plan_graph": {
        "kind": "plan_graph",
        "plan_id": "plan",
        "version": "1",
        "nodes": [],
        "edges": [],
        "metrics": {"execution_count": 5},
    },
}


@dataclass(frozen=True, slots=True)
class World:
    """Records, what they are counted as, and services over them."""

    clock: FakeClock
    records: FakeRecords
    counters: FakeCounters
    services: ReadingServices
    reports: Reports
    metrics: Metrics
    set_aside: SetAsides

    @classmethod
    def new(
        cls,
        records: Callable[..., FakeRecords] = FakeRecords,
        counters: FakeCounters | None = None,
    ) -> "World":
        """With nothing in it."""
        clock, reports, metrics, set_aside = FakeClock(), Reports(), Metrics(), SetAsides()
        stored, counted = records(clock, POLICY), counters or FakeCounters()
        services = make_reading_services(
            now=clock,
            records=stored,
            counters=counted,
            policy=POLICY,
            report=reports,
            measure=metrics,
            set_aside=set_aside,
        )
        return cls(clock, stored, counted, services, reports, metrics, set_aside)

    def ingest(self, memory_type: str = "episodic", **fields: Any) -> MemoryRecord:
        """A new record, not counted yet; `decay` and `pinned` go into its lifecycle."""
        lifecycle = {name: fields.pop(name) for name in ("decay", "pinned") if name in fields}
        asked = full_record(
            type=memory_type,
            payload=PAYLOADS[memory_type],
            lifecycle=lifecycle,
            **{"scope": "team", **fields},
        )
        return written(ingest_record(asked, call(asked), self.services))

    def count(self, *record_ids: str, anew: bool = False) -> Counted:
        """Count these, or all, as they are now."""
        named = record_ids or tuple(self.records.places)
        return count_records([Changed(each, ()) for each in named], self.services, anew=anew)

    def measure(self, principal: Principal = OWNER, **trust: Any) -> Snapshot:
        """The metrics as the principal sees them."""
        request = validated(GetMetrics, {"trust": trust})
        return read_metrics(request, call(request, principal), self.services)

    def live(self) -> list[StoredRecord]:
        """All records that are not deleted."""
        every = self.records.places.values()
        return [each for each in every if isinstance(each, StoredRecord) and each.tombstone is None]


@dataclass(frozen=True, slots=True)
class Directly:
    """What the records themselves tell."""

    records: list[StoredRecord]
    now_s: float
    saliences: list[float] = field(init=False)

    def __post_init__(self) -> None:
        now = [each.as_of(self.now_s, CURVES).salience for each in self.records]
        object.__setattr__(self, "saliences", now)

    @classmethod
    def of(cls, world: World) -> "Directly":
        """Of all live records."""
        return cls(world.live(), epoch_seconds(world.clock.now))

    def distribution(self) -> dict[str, int]:
        """By range."""
        where = [sum(value >= limit for limit in (0.2, 0.4, 0.6, 0.8)) for value in self.saliences]
        return {name: where.count(level) for level, name in enumerate(RANGES)}

    def types(self) -> dict[str, int]:
        """By type."""
        every = [each.type for each in self.records]
        return {each: every.count(each) for each in every}

    def entries(self) -> list[AuditEntry]:
        """All audit entries."""
        return [entry for each in self.records for entry in each.trail]

    def share(self, *actions: str) -> float:
        """Of all audit entries."""
        entries = self.entries()
        return _mean([entry.action in actions for entry in entries])

    def mean_salience(self) -> float:
        return _mean(self.saliences)

    def mean_confidence(self) -> float:
        return _mean([each.record.confidence for each in self.records])

    def success(self) -> float:
        return _mean(
            [
                each.record.payload.performance.success_rate
                for each in self.records
                if isinstance(each.record.payload, CompetencePayload)
                and each.record.payload.performance is not None
            ]
        )

    def reuse(self) -> float:
        return _mean(
            [
                each.record.payload.metrics.execution_count
                for each in self.records
                if isinstance(each.record.payload, PlanGraphPayload)
                and each.record.payload.metrics is not None
            ]
        )

    def growth(self) -> float:
        return _mean([each.born_s > self.now_s - 86_400 for each in self.records])


def require_right(snapshot: Snapshot, directly: Directly) -> None:
    """Each field is within its bound of what the records themselves tell."""
    bounds = snapshot.error_bounds
    ranges = bounds.get("salience_distribution", {})
    assert snapshot.total_records == len(directly.records)
    assert snapshot.records_by_type == directly.types()
    _near(snapshot.avg_salience, directly.mean_salience(), bounds.get("avg_salience", 0))
    _near(snapshot.avg_confidence, directly.mean_confidence())
    for name, expected in directly.distribution().items():
        assert abs(snapshot.salience_distribution[name] - expected) <= ranges.get(name, 0)
    assert sum(snapshot.salience_distribution.values()) == len(directly.records)
    active = sum(value > 0 for value in directly.saliences)
    assert abs(snapshot.active_records - active) <= bounds.get("active_records", 0)
    assert snapshot.pinned_records == sum(each.record.lifecycle.pinned for each in directly.records)
    assert snapshot.total_audit_entries == len(directly.entries())
    growth_bound = bounds.get("memory_growth_rate", 0)
    _near(snapshot.memory_growth_rate, directly.growth(), growth_bound)
    _near(snapshot.retrieval_usefulness, directly.share("reinforce"))
    _near(snapshot.revision_rate, directly.share(*REVISIONS))
    _near(snapshot.competence_success_rate, directly.success())
    _near(snapshot.plan_reuse_frequency, directly.reuse())


def _near(found: float, expected: float, bound: float = 0.0) -> None:
    assert abs(found - expected) <= bound + 1e-9 * abs(expected) + 1e-12


def _mean(values: list[Any]) -> float:
    return fmean(values) if values else 0.0
