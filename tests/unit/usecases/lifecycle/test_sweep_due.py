"""The sweep: it prunes what is due, clears away what nobody can restore, and touches no more."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain, repeat
from typing import Any

import pytest

from membrane.adapters.dynamodb.indexes.orders import DynamoDue
from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.stored import AnyRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.table.items import LostRace
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.sweep_due import PATIENCE, SweepResult, sweep_due
from membrane.usecases.ports.indexes import Due
from membrane.wiring.world import World
from tests.builders.records import ingest
from tests.builders.requests import call, event, full_record, observation, written
from tests.fakes.chat_models import Metrics, Reports
from tests.fakes.clock import MORNING, BackOff, FakeClock, StandIn
from tests.worlds.memory import make_world
from tests.worlds.memory_table import Over, TableRecords

HOUR_S, DAY_S = 3_600, 86_400
CURVES = {"steps": ((0.0, 1.0), (1.0, 0.5), (4.0, 0.0)), "level": ((0.0, 1.0), (1.0, 0.5))}
POLICY = PolicyDefaults(custom_curves=CURVES)


@dataclass(slots=True)
class Ailing(TableRecords):
    """Records of which each load of some fails, with one failure after the other."""

    failures: dict[str, list[Exception]] = field(default_factory=dict)
    rivals: dict[str, Callable[[], object]] = field(default_factory=dict)
    """By record id what another writer does once the record was read."""

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        """See DynamoRecords."""
        if self.failures.get(record_id):
            raise self.failures[record_id].pop(0)
        found = self.store.load(record_id, whole=whole)
        rival = self.rivals.pop(record_id, None)
        if rival is not None:
            rival()
        return found


@dataclass(frozen=True, slots=True)
class Scene:
    """A store, the services over it, and what operators are told."""

    clock: FakeClock
    records: Ailing
    back_off: BackOff
    reports: Reports
    metrics: Metrics
    services: World

    def made(
        self,
        record_id: str = "faded",
        *,
        decay: dict[str, Any] | None = None,
        **lifecycle: Any,
    ) -> str:
        """A skill with a half-life of an hour, unless it says otherwise."""
        profile = {"half_life_seconds": HOUR_S, **(decay or {})}
        return self.kept(full_record(id=record_id, lifecycle={"decay": profile, **lifecycle}))

    def kept(self, asked: IngestRecord) -> str:
        return written(ingest_record(asked, call(asked), self.services)).id

    def sweep(self) -> SweepResult:
        """With all the time there is."""
        return sweep_due(self.services, lambda: False)

    def held(self, record_id: str) -> AnyRecord:
        found = self.records.load(record_id)
        assert found is not None
        return found

    def is_pruned(self, record_id: str = "faded") -> bool:
        return self.held(record_id).tombstone is not None


def world_of(policy: PolicyDefaults = POLICY, now: datetime = MORNING) -> Scene:
    """An empty store."""
    clock, back_off, reports, metrics = FakeClock(now), BackOff(), Reports(), Metrics()
    records = Ailing(clock, policy)
    services = make_world(
        records=records,
        now=clock,
        back_off=back_off,
        report=reports,
        measure=metrics,
        policy=policy,
    )
    return Scene(clock, records, back_off, reports, metrics, services)


@pytest.fixture
def world() -> Scene:
    """An empty store, this morning."""
    return world_of()


# --- What may come between ----------------------------------------------------------------------


def test_what_another_sweep_puts_off_meanwhile_is_not_pruned(world: Scene) -> None:
    world.made()
    world.clock.advance(hours=10)
    (due,) = world.services.due.due(0, 10**12)
    world.records.rivals["faded"] = lambda: world.services.due.put_off(due, due.due_s + HOUR_S)

    swept = world.sweep()

    assert not world.is_pruned()
    assert (swept.by_type("pruned"), swept.faults) == ({}, ())
    world.clock.advance(hours=1)
    assert world.sweep().by_type("pruned") == {"competence": 1}


# --- What operators are told --------------------------------------------------------------------


def test_counts_are_by_type_and_told_as_metrics(world: Scene) -> None:
    for number in range(2):
        world.made(f"skill-{number}")
    for asked in (event(ref="1"), event(ref="2"), event(ref="3"), observation()):
        ingest(asked, call(asked), world.services)
    world.clock.advance(hours=10)
    first = world.sweep()
    world.metrics.told.clear()
    world.made("late")
    world.clock.advance(days=31)

    second = world.sweep()

    assert first.by_type("pruned") == {"competence": 2, "episodic": 3}
    assert first.by_type("forgotten") == {}
    assert second.by_type("pruned") == {"competence": 1}
    assert second.by_type("forgotten") == {"competence": 2, "episodic": 3}
    assert world.metrics.told == [
        ("Pruned", 1, {"type": "competence"}),
        ("Forgotten", 2, {"type": "competence"}),
        ("Forgotten", 3, {"type": "episodic"}),
        ("OldestDueAge", 0.0, {}),
    ]


def test_where_nothing_is_due_the_metric_of_the_oldest_is_told_all_the_same(world: Scene) -> None:
    world.sweep()

    assert world.metrics.told == [("OldestDueAge", 0.0, {})]


# --- What goes wrong ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shards(StandIn):
    """A DynamoDue of several shards, each of a store of its own."""

    parts: Sequence[DynamoDue]

    @property
    def shards(self) -> int:
        """See DynamoDue."""
        return len(self.parts)

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """See DynamoDue."""
        yield from self.parts[shard].due(0, by_s)

    def put_off(self, due: Due, until_s: int | None) -> None:
        """See DynamoDue."""
        for part in self.parts:
            part.put_off(due, until_s)


@dataclass(slots=True)
class Unreadable(Over):
    """A shard whose index does not answer."""

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """See DynamoDue."""
        raise Unavailable(f"{shard} {by_s}")


@dataclass(slots=True)
class Only(Over):
    """A shard of one record."""

    record_id: str = ""

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """See DynamoDue."""
        found = self.inner.due(shard, by_s)
        yield from (due for due in found if due.record_id == self.record_id)


def test_an_item_on_which_the_store_stays_busy_is_put_off_and_a_failing_shard_ends_alone(
    world: Scene,
) -> None:
    for name in ("left", "middle", "right"):
        world.made(name)
    world.clock.advance(hours=10)
    before = world.held("middle")
    busy = ResourceExhausted("busy")
    world.records.failures["middle"] = [busy] * PATIENCE
    shards = Shards(
        [
            Only(world.services.due, record_id="left"),
            Only(world.services.due, record_id="middle"),
            Unreadable(world.services.due),
            Only(world.services.due, record_id="right"),
        ]
    )

    swept = sweep_due(world.services.but(due=shards), lambda: False)

    assert swept.by_type("pruned") == {"competence": 2}
    assert [type(failure) for failure in swept.failures] == [Unavailable]
    assert swept.faults == (busy,)
    assert world.held("middle") == before
    assert world.records.due["middle"] > epoch_seconds(world.clock.now)
    assert world.back_off.tries == list(range(PATIENCE - 1))
    assert ("Pruned", 2, {"type": "competence"}) in world.metrics.told


class Defective(Over):
    """A shard whose index cannot be made sense of."""

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """See DynamoDue."""
        raise ValueError(f"{shard} {by_s}")


def test_a_shard_that_fails_by_a_defect_hides_nothing_of_what_others_did(world: Scene) -> None:
    world.made("sound")
    world.clock.advance(hours=10)
    shards = Shards([Defective(world.services.due), Only(world.services.due, record_id="sound")])

    swept = sweep_due(world.services.but(due=shards), lambda: False)

    assert [type(failure) for failure in swept.failures] == [ValueError]
    assert ("Pruned", 1, {"type": "competence"}) in world.metrics.told


def test_what_a_busy_store_leaves_when_time_is_up_is_counted_as_waiting(world: Scene) -> None:
    world.made()
    world.clock.advance(hours=11)
    world.records.failures["faded"] = [ResourceExhausted("busy")] * PATIENCE
    looks = chain([False], repeat(object()))

    swept = sweep_due(world.services, lambda: bool(next(looks)))

    assert [type(failure) for failure in swept.failures] == [ResourceExhausted]
    assert world.records.due["faded"] <= epoch_seconds(world.clock.now)
    ((metric, age_s, _),) = world.metrics.told
    assert metric == "OldestDueAge"
    assert age_s == pytest.approx(11 * HOUR_S - 35_877, abs=1.0)


@pytest.mark.parametrize("items", range(5))
def test_a_sweep_that_runs_out_of_time_leaves_the_rest_and_tells_how_long_it_has_waited(
    world: Scene, items: int
) -> None:
    for number in range(5):
        world.made(f"record-{number}")
        world.clock.advance(seconds=60)
    world.clock.advance(hours=11)
    looks = iter([False] * items + [True] * 5)

    swept = sweep_due(world.services, lambda: next(looks))

    pruned = [name for name in sorted(world.records.places) if world.is_pruned(name)]
    assert pruned == [f"record-{number}" for number in range(items)], "the longest waiting first"
    assert swept.oldest_left is not None
    assert swept.oldest_left.record_id == f"record-{items}"
    age_s = epoch_seconds(world.clock.now) - swept.oldest_left.due_s
    assert age_s == pytest.approx(11 * HOUR_S + (5 - items) * 60 - 35_877, abs=1.0)
    assert world.metrics.told[-1] == ("OldestDueAge", age_s, {})


def test_of_several_shards_the_one_that_waits_longest_is_told(world: Scene) -> None:
    for name in ("first", "second"):
        world.made(name)
        world.clock.advance(seconds=60)
    world.clock.advance(hours=11)
    shards = Shards([Only(world.services.due, record_id=name) for name in ("second", "first")])

    swept = sweep_due(world.services.but(due=shards), lambda: True)

    assert swept.oldest_left is not None
    assert swept.oldest_left.record_id == "first"


def test_what_is_lost_to_another_writer_is_no_fault(world: Scene) -> None:
    world.made()
    world.clock.advance(hours=10)
    world.records.failures["faded"] = [LostRace()]

    swept = world.sweep()

    assert (swept.faults, swept.failures) == ((), ())
    assert world.sweep().by_type("pruned") == {"competence": 1}


# --- When a setting has changed -----------------------------------------------------------------


def with_threshold(world: Scene, threshold: float) -> World:
    """As after a deployment with another threshold; records stand in the index as before."""
    return world.services.but(policy=replace(POLICY, prune_threshold=threshold))


def test_a_lower_threshold_puts_off_what_has_not_faded_to_it_yet(world: Scene) -> None:
    world.made()
    world.clock.advance(hours=10)
    services = with_threshold(world, 0.0001)
    before = world.held("faded")

    swept = sweep_due(services, lambda: False)

    assert swept.by_type("pruned") == {}
    assert world.held("faded") == before
    due_s = world.records.due["faded"]
    assert due_s - epoch_seconds(MORNING) == pytest.approx(47_836, abs=1.0)

    world.clock.advance(hours=3.28)
    assert sweep_due(services, lambda: False).outcomes == {}
    world.clock.advance(hours=0.01)
    assert sweep_due(services, lambda: False).by_type("pruned") == {"competence": 1}
    assert world.held("faded").trail[-1].rationale == "auto-pruned: salience fell to 0.0001"


def test_a_threshold_below_its_floor_takes_a_record_out_of_the_index(world: Scene) -> None:
    world.made(decay={"min_salience": 0.0005})
    world.clock.advance(hours=10)

    sweep_due(with_threshold(world, 0.0001), lambda: False)

    assert world.records.due == {}
    assert not world.is_pruned()


def test_a_higher_threshold_prunes_what_was_written_before_when_it_was_due_anyway(
    world: Scene,
) -> None:
    world.made()
    services = with_threshold(world, 0.1)
    world.clock.advance(seconds=35_876)
    sweep_due(services, lambda: False)
    assert not world.is_pruned()

    world.clock.advance(seconds=1)
    sweep_due(services, lambda: False)

    assert world.is_pruned()
    assert world.held("faded").trail[-1].rationale == "auto-pruned: salience fell to 0.1"


def test_a_curve_that_the_settings_lost_is_a_fault_and_not_a_deletion(world: Scene) -> None:
    world.made(decay={"curve": "custom", "custom_curve": "steps"})
    world.clock.advance(hours=5)
    services = world.services.but(policy=PolicyDefaults())

    swept = sweep_due(services, lambda: False)

    assert [type(fault) for fault in swept.faults] == [KeyError]
    assert not world.is_pruned()
