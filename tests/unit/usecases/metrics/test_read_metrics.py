"""The metrics: every field by its formula, as of now, and no more than may be seen."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.access.trust import principal_of
from membrane.domain.language.errors import DomainError, InvalidArgument, PermissionDenied
from membrane.domain.lifecycle.requests import DeleteRecord, Penalize, Pin, Reinforce, RestoreRecord
from membrane.domain.metrics.estimates import RANGES
from membrane.usecases.metrics.read_metrics import MAX_PAGES
from tests.builders.requests import ALPHA, OWNER, change
from tests.fakes.metrics import FakeCounters
from tests.worlds.counted_records import Directly, World, require_right

EMPTY = dict.fromkeys(RANGES, 0)

DECAYS = st.sampled_from(
    [
        {},
        {"half_life_seconds": 7},
        {"half_life_seconds": 500_000},
        {"half_life_seconds": 3_600, "min_salience": 0.3},
        {"half_life_seconds": 3_600, "max_age_seconds": 9_000},
        {"curve": "linear", "half_life_seconds": 4_000},
        {"curve": "custom", "custom_curve": "steps", "half_life_seconds": 5_000},
    ]
)
INGESTS = st.tuples(
    st.just("ingest"),
    st.fixed_dictionaries(
        {
            "memory_type": st.sampled_from(["episodic", "semantic", "competence", "plan_graph"]),
            "salience": st.sampled_from([0.0, 0.2, 0.5, 1.0]) | st.floats(0, 1.5),
            "confidence": st.floats(0, 1),
            "decay": DECAYS,
            "pinned": st.booleans(),
            "scope": st.sampled_from(["team", "other", ""]),
            "sensitivity": st.sampled_from(["public", "low", "high"]),
        }
    ),
)
CHANGES = st.tuples(
    st.sampled_from([Reinforce, Penalize, Pin, DeleteRecord, RestoreRecord]), st.integers(0, 20)
)
PAUSES = st.tuples(st.just("wait"), st.integers(0, 100_000) | st.sampled_from([1, 86_400]))
COUNTS = st.tuples(st.just("count"), st.integers(0, 20))
STEPS = st.lists(INGESTS | CHANGES | PAUSES | COUNTS, max_size=25)


def act(world: World, step: tuple[Any, Any]) -> None:
    """One thing that happens; what is refused changes nothing."""
    match step:
        case "ingest", fields:
            world.ingest(**fields)
        case "wait", seconds:
            world.clock.advance(seconds=seconds)
        case "count", position:
            named = list(world.records.places)
            if named:
                world.count(named[position % len(named)])
        case asked, position:
            named = list(world.records.places)
            if named:
                _try(world, asked, named[position % len(named)])


def _try(world: World, asked: Any, record_id: str) -> None:
    amount = {"amount": 0.1} if asked is Penalize else {}
    with suppress(DomainError):  # one that is deleted cannot be reinforced, and so on
        change(asked(id=record_id, **amount), world.services)


@given(STEPS, st.sampled_from([0, 60, 5_000, 90_000, 3_000_000]), st.sampled_from([1, 2, 1_000]))
def test_the_snapshot_is_what_the_records_tell_within_its_bounds_at_any_later_instant(
    steps: list[tuple[Any, Any]], later_s: int, at_a_time: int
) -> None:
    world = World.new(counters=FakeCounters(at_a_time=at_a_time))
    for step in steps:
        act(world, step)
    world.count()

    world.clock.advance(seconds=later_s)

    require_right(world.measure(), Directly.of(world))


def test_of_nothing_all_is_zero() -> None:
    snapshot = World.new().measure()

    assert snapshot.collected_at == "2026-03-01T09:00:00.25Z"
    assert (snapshot.total_records, snapshot.records_by_type) == (0, {})
    assert snapshot.salience_distribution == EMPTY
    assert (snapshot.avg_salience, snapshot.retrieval_usefulness, snapshot.error_bounds) == (
        0,
        0,
        {},
    )


def test_salience_is_that_of_now_without_a_record_being_touched() -> None:
    world = World.new()
    world.ingest(decay={"half_life_seconds": 3_600})
    world.count()

    world.clock.advance(seconds=7_200)

    snapshot = world.measure()
    assert snapshot.avg_salience == pytest.approx(0.25, rel=1e-9)
    assert snapshot.salience_distribution == {**EMPTY, "0.2-0.4": 1}
    assert snapshot.error_bounds == {}


def test_what_was_reinforced_revised_and_rated_is_counted_by_its_formula() -> None:
    world = World.new()
    skill = world.ingest("competence")
    world.ingest("plan_graph", pinned=True)
    change(Reinforce(id=skill.id), world.services)
    world.count()

    snapshot = world.measure()

    assert snapshot.records_by_type == {"competence": 1, "plan_graph": 1}
    assert (snapshot.total_audit_entries, snapshot.pinned_records) == (3, 1)
    assert snapshot.retrieval_usefulness == pytest.approx(1 / 3)
    assert snapshot.competence_success_rate == pytest.approx(0.3)
    assert snapshot.plan_reuse_frequency == 5
    assert snapshot.memory_growth_rate == 1


def test_nothing_above_the_ceiling_or_outside_the_scopes_is_counted() -> None:
    world = World.new()
    for scope in ("project:alpha", "shared", "project:beta", ""):
        for sensitivity in ("low", "hyper"):
            world.ingest(scope=scope, sensitivity=sensitivity)
    world.count()

    totals = [
        world.measure(OWNER).total_records,
        world.measure(OWNER, max_sensitivity="low").total_records,
        world.measure(OWNER, scopes=["shared"]).total_records,
        world.measure(ALPHA).total_records,
        world.measure(ALPHA, scopes=["shared", "project:beta"]).total_records,
    ]

    assert totals == [8, 4, 4, 3, 2]


def test_what_is_hidden_changes_no_number() -> None:
    world = World.new()
    world.ingest(scope="shared", salience=0.3)
    world.count()
    before = world.measure(ALPHA)

    world.ingest("competence", scope="shared", sensitivity="hyper", decay={"half_life_seconds": 5})
    world.ingest("semantic", scope="project:beta", pinned=True)
    world.count()

    assert world.measure(ALPHA) == before


def test_all_scopes_together_are_for_who_may_administer() -> None:
    world = World.new()
    reader = principal_of("reader", ["read"], ["*"], "hyper")

    with pytest.raises(InvalidArgument, match=r"\?scope=name"):
        world.measure(reader)

    assert world.measure(reader, scopes=["team"]).total_records == 0


def test_the_scopes_of_a_key_are_for_who_may_read() -> None:
    keeper = principal_of("keeper", ["admin"], ["team"], "hyper")

    with pytest.raises(PermissionDenied):
        World.new().measure(keeper)


def test_too_many_scopes_must_be_named() -> None:
    many = principal_of("many", ["read"], [f"scope-{number}" for number in range(51)], "low")

    with pytest.raises(InvalidArgument, match="50 scopes"):
        World.new().measure(many)


def test_what_has_long_faded_is_not_gone_through_and_goes_into_the_bounds() -> None:
    world = World.new(counters=FakeCounters(at_a_time=8))
    for _ in range(12 * MAX_PAGES):
        world.ingest(decay={"half_life_seconds": 60})
        world.clock.advance(seconds=60)
    world.count()

    world.clock.advance(days=30)
    snapshot = world.measure()

    require_right(snapshot, Directly.of(world))
    assert snapshot.error_bounds["active_records"] > 0
    assert snapshot.error_bounds["avg_salience"] < 0.0005


@pytest.mark.parametrize(
    ("at_a_time", "decay"),
    [
        (8, {"half_life_seconds": 864_000, "max_age_seconds": 864_000}),
        (2, {"half_life_seconds": 864_000, "curve": "linear"}),
        (1, {"half_life_seconds": 864_000}),
    ],
)
def test_what_has_not_faded_and_is_not_gone_through_goes_into_the_bounds(
    at_a_time: int, decay: dict[str, Any]
) -> None:
    world = World.new(counters=FakeCounters(at_a_time=at_a_time))
    for number in range(60):
        world.ingest(decay=decay, salience=1.25 if number == 7 else 0.9)
        world.clock.advance(seconds=14_400)
    world.count()

    snapshot = world.measure()

    require_right(snapshot, Directly.of(world))
    assert snapshot.error_bounds["active_records"] > 0
    assert snapshot.error_bounds["avg_salience"] < 2


def test_counters_that_are_replaced_meanwhile_are_read_again() -> None:
    class Replaced(FakeCounters):
        def pages(self, generation: int, scope: str | None) -> Any:
            if generation == 1:
                self.switch(self.build(self.kept_generations))
                self.cells = {(2, place): cells for (_, place), cells in self.cells.items()}
            return FakeCounters.pages(self, generation, scope)

    world = World.new(counters=Replaced())
    world.ingest()
    world.count()

    assert world.measure().total_records == 1
