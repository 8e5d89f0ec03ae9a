"""Records that metrics are asked of, and the metrics as a direct computation has them."""

from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.metrics.snapshot import RANGES, GetMetrics, Range, Snapshot
from membrane.domain.records.payloads import CompetencePayload, PlanGraphPayload
from membrane.domain.records.records import AuditEntry, MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.surveying import SAMPLING, Sampling
from membrane.usecases.read_metrics import SEGMENTS, Segments, read_metrics
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call, full_record, written
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_world
from tests.worlds.memory_table import TableRecords

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
class Scene:
    """Records in memory, and services over them."""

    clock: FakeClock
    records: TableRecords
    services: World

    @classmethod
    def new(cls) -> "Scene":
        """With nothing in it."""
        clock = FakeClock()
        records = TableRecords(clock, POLICY)
        return cls(clock, records, make_world(now=clock, records=records, policy=POLICY))

    def ingest(self, memory_type: str = "episodic", **fields: Any) -> MemoryRecord:
        """A new record; `decay` and `pinned` go into its lifecycle."""
        lifecycle = {name: fields.pop(name) for name in ("decay", "pinned") if name in fields}
        asked = full_record(
            type=memory_type,
            payload=PAYLOADS[memory_type],
            lifecycle=lifecycle,
            **{"scope": "team", **fields},
        )
        return written(ingest_record(asked, call(asked), self.services))

    def measure(
        self,
        principal: Principal = OWNER,
        sampling: Sampling = SAMPLING,
        segments: Segments = SEGMENTS,
        **trust: Any,
    ) -> Snapshot:
        """The metrics as the principal sees them, counted anew."""
        request = validate(GetMetrics, {"trust": trust})
        self.services.snapshots.clear()
        return read_metrics(request, call(request, principal), self.services, sampling, segments)

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
    def of(cls, world: Scene) -> "Directly":
        """Of all live records."""
        return cls(world.live(), epoch_seconds(world.clock.now))

    def distribution(self) -> dict[Range, int]:
        """By range."""
        where = [sum(value >= limit for limit in (0.2, 0.4, 0.6, 0.8)) for value in self.saliences]
        return {name: where.count(level) for level, name in enumerate(RANGES)}

    def types(self) -> dict[MemoryType, int]:
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
    """Each field is what the records themselves tell, or within its bound of that."""
    bounds = snapshot.error_bounds
    by_type = bounds.get("records_by_type", {})
    ranges = bounds.get("salience_distribution", {})
    _near(snapshot.total_records, len(directly.records), bounds.get("total_records", 0))
    for each in snapshot.records_by_type.keys() | directly.types().keys():
        typed = snapshot.records_by_type.get(each, 0)
        _near(
            typed, directly.types().get(each, 0), by_type.get(each, bounds.get("total_records", 0))
        )
    _near(snapshot.avg_salience, directly.mean_salience(), bounds.get("avg_salience", 0))
    _near(snapshot.avg_confidence, directly.mean_confidence(), bounds.get("avg_confidence", 0))
    for span, expected in directly.distribution().items():
        _near(snapshot.salience_distribution[span], expected, ranges.get(span, 0))
    assert sum(snapshot.salience_distribution.values()) == snapshot.total_records
    active = sum(value > 0 for value in directly.saliences)
    _near(snapshot.active_records, active, bounds.get("active_records", 0))
    pinned = sum(each.record.lifecycle.pinned for each in directly.records)
    _near(snapshot.pinned_records, pinned, bounds.get("pinned_records", 0))
    _near(snapshot.memory_growth_rate, directly.growth(), bounds.get("memory_growth_rate", 0))
    unbounded = {
        "total_audit_entries": len(directly.entries()),
        "retrieval_usefulness": directly.share("reinforce"),
        "revision_rate": directly.share(*REVISIONS),
        "competence_success_rate": directly.success(),
        "plan_reuse_frequency": directly.reuse(),
    }
    for name, told in unbounded.items():
        if name not in snapshot.sampled:
            _near(getattr(snapshot, name), told)


def _near(found: float, expected: float, bound: float = 0.0) -> None:
    assert abs(found - expected) <= bound + 1e-9 * abs(expected) + 1e-12


def _mean(values: list[Any]) -> float:
    return fmean(values) if values else 0.0
