"""Reconciling: from wherever it is taken up, each record counts once and as it is now."""

from collections.abc import Callable, Iterator
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import Aborted
from membrane.domain.lifecycle.requests import DeleteRecord, Pin, Reinforce
from membrane.domain.metrics.tallies import Generations
from membrane.usecases.metrics.reconcile import DRIFT, Stage, reconcile
from tests.builders.requests import change
from tests.fakes.metrics import FakeCounters
from tests.worlds.counted_records import Directly, World, require_right


def never() -> bool:
    return False


def after(steps: int) -> Callable[[], bool]:
    """Time for so many steps."""
    left: Iterator[int] = count(steps, -1)
    return lambda: next(left) <= 0


def filled(records: int = 5, counters: FakeCounters | None = None) -> World:
    """A world with records in several scopes, all of them counted."""
    world = World.new(counters=counters)
    for number in range(records):
        world.ingest(scope=("team", "other", "")[number % 3])
    world.count()
    return world


def tamper(world: World, by: int = 1) -> None:
    """Let a counter have another number than it should."""
    cells = world.counters.cells[1, None]
    name = next(name for name in cells if name.startswith("total#"))
    amounts = dict(cells[name])
    amounts["low_records"] = amounts.get("low_records", 0) + by
    world.counters.cells[1, None] = {**cells, name: amounts}


def test_counters_that_are_right_have_no_drift_and_go_on_as_another_generation() -> None:
    world = filled()
    before = world.counters.cells[1, None]

    reconciled = reconcile(world.services, never)

    assert (reconciled.records, reconciled.drift, reconciled.is_done) == (5, 0, True)
    assert world.counters.generations().current == 2
    assert {generation for generation, _ in world.counters.cells} == {2}
    assert world.counters.cells[2, None] == before
    assert world.metrics.told == [(DRIFT, 0, {})]


def test_counters_that_are_wrong_are_told_of_and_made_right() -> None:
    world = filled()
    tamper(world, by=3)

    reconciled = reconcile(world.services, never)

    assert reconciled.drift == 3
    assert world.metrics.told == [(DRIFT, 3, {})]
    require_right(world.measure(), Directly.of(world))
    assert reconcile(world.services, never).drift == 0


def test_records_that_were_never_counted_are() -> None:
    world = World.new()
    world.ingest()

    reconciled = reconcile(world.services, never)

    assert (reconciled.records, reconciled.drift) == (1, 0)
    require_right(world.measure(), Directly.of(world))


def test_what_is_gone_without_a_trace_is_told_of_and_counts_no_more() -> None:
    world = filled()
    del world.records.places[next(iter(world.records.places))]

    reconciled = reconcile(world.services, never)

    assert reconciled.drift > 0
    assert world.measure().total_records == 4


def test_a_reconciliation_that_is_ended_goes_on_from_there() -> None:
    world = filled()

    first = reconcile(world.services, after(2))
    last = reconcile(world.services, never)

    assert first.stage is Stage.RECORDS
    assert 0 < first.records < last.records == 5


def test_readers_have_the_old_counters_until_the_new_ones_are_whole() -> None:
    world = filled()

    seen = []
    while not reconcile(world.services, after(1)).is_done:
        seen.append(world.measure().total_records)

    assert set(seen) == {5}


@given(
    st.lists(st.sampled_from(["ingest", "reinforce", "pin", "delete", "tell", "step"]), max_size=40)
)
def test_whoever_writes_meanwhile_all_is_right_in_the_end(acts: list[str]) -> None:
    world = filled()
    for position, what in enumerate(acts):
        _act(world, what, position)

    while not reconcile(world.services, after(3)).is_done:
        pass
    world.count()

    require_right(world.measure(), Directly.of(world))
    drifts = [value for metric, value, _ in world.metrics.told if metric == DRIFT]
    assert set(drifts) == {0}


def _act(world: World, what: str, position: int) -> None:
    live = world.live()
    match what:
        case "ingest":
            world.ingest()
        case "step":
            reconcile(world.services, after(1))
        case "tell":
            world.count()
        case change_name:
            asked = {"reinforce": Reinforce, "pin": Pin, "delete": DeleteRecord}[change_name]
            for each in live[position % 7 : position % 7 + 1]:
                change(asked(id=each.id), world.services)


@pytest.mark.parametrize("stage", [Stage.COMPARING, Stage.SWITCHING])
def test_a_late_one_does_not_let_be_read_what_another_one_has_half_built(stage: Stage) -> None:
    world = filled(counters=FakeCounters(at_a_time=1_000))
    until(world, stage)
    reached = world.counters.kept

    def another_one_comes_and_goes_and_a_third_begins() -> bool:
        if world.counters.kept == reached:
            until(world, Stage.DONE)
            reconcile(world.services, after(1))
        return False

    with pytest.raises(Aborted):
        reconcile(world.services, another_one_comes_and_goes_and_a_third_begins)

    assert world.counters.generations() == Generations(2, building=3)
    assert world.measure().total_records == 5
    assert world.metrics.told == [(DRIFT, 0, {})]


def until(world: World, stage: Stage) -> None:
    """Reconcile up to where that begins."""
    while reconcile(world.services, after(1)).stage is not stage:
        pass


@pytest.mark.parametrize("steps", range(12))
def test_two_at_once_are_one_too_many_and_what_they_did_is_no_loss(steps: int) -> None:
    world = filled()
    reconcile(world.services, after(steps))
    kept = world.counters.kept

    def a_rival_comes_first() -> bool:
        if world.counters.kept == kept:
            reconcile(world.services, never)
        return False

    with pytest.raises(Aborted):
        reconcile(world.services, a_rival_comes_first)

    reconcile(world.services, never)
    require_right(world.measure(), Directly.of(world))
