"""Fences: while an erasure has a fence around a scope, a writer is refused; its certificate."""

from dataclasses import dataclass, field

import pytest

from membrane.adapters.dynamodb.erasure.erasure_store import DynamoErasures
from membrane.adapters.dynamodb.erasure.fences import FENCE_PERIOD_S, DynamoFences
from membrane.domain.language.errors import ScopeFenced
from membrane.table.items import LostRace
from tests.worlds.metering import meter
from tests.worlds.stores import Store


@dataclass(slots=True)
class Stopwatch:
    """Stands still until a test moves it."""

    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


@dataclass(frozen=True, slots=True)
class World:
    """The fences of one execution environment, and of another with the same table."""

    fences: DynamoFences
    elsewhere: DynamoFences
    stopwatch: Stopwatch = field(default_factory=Stopwatch)


@pytest.fixture
def world(table: Store) -> World:
    for number in (1, 2):
        begin(table, f"erasure-{number}")
    stopwatch = Stopwatch()
    return World(of_table(table, stopwatch), of_table(table, stopwatch), stopwatch)


def begin(table: Store, erasure_id: str, *, is_open: bool = True) -> None:
    """An erasure under way, or a finished erasure."""
    erasures = DynamoErasures(table.client, table.table, table.blobs, table.clock)
    erasures.keep({"id": erasure_id}, None, is_open=is_open)


def of_table(table: Store, stopwatch: Stopwatch) -> DynamoFences:
    return DynamoFences(table.client, table.table, stopwatch)


@pytest.mark.parametrize("scope", ["team", "user:ada#1", ""])
def test_a_fenced_scope_takes_no_writes_and_every_other_scope_does(
    world: World, scope: str
) -> None:
    world.fences.put(scope, "erasure-1")

    with pytest.raises(ScopeFenced, match="erasure-1"):
        world.fences.require_open({"elsewhere", scope})
    world.fences.require_open({"elsewhere", "teams", "user:ada"})


def test_a_fence_that_is_put_twice_is_removed_at_once(world: World) -> None:
    world.fences.put("team", "erasure-1")
    world.fences.put("team", "erasure-1")

    world.fences.remove("erasure-1")
    world.fences.remove("erasure-1")

    world.fences.require_open({"team"})


def test_the_fence_of_one_erasure_stays_when_another_of_the_same_scope_ends(world: World) -> None:
    world.fences.put("team", "erasure-1")
    world.fences.put("team", "erasure-2")

    world.fences.remove("erasure-1")

    with pytest.raises(ScopeFenced, match="erasure-2"):
        world.fences.require_open({"team"})


def test_a_late_run_puts_no_fence_for_a_finished_erasure(table: Store) -> None:
    begin(table, "erasure-1", is_open=False)
    fences = of_table(table, Stopwatch())

    with pytest.raises(LostRace):
        fences.put("team", "erasure-1")

    fences.require_open({"team"})


def test_another_writer_sees_a_new_fence_after_the_period_at_the_latest(world: World) -> None:
    world.elsewhere.require_open({"team"})
    world.fences.put("team", "erasure-1")

    world.stopwatch.now_s += FENCE_PERIOD_S + 0.1

    with pytest.raises(ScopeFenced):
        world.elsewhere.require_open({"team"})


def test_writers_look_at_the_fences_once_in_a_period(table: Store) -> None:
    stopwatch = Stopwatch()
    fences, spent = of_table(table, stopwatch), meter(table.client)

    for now_s in (0.0, 1.0, FENCE_PERIOD_S, FENCE_PERIOD_S + 0.1, 2 * FENCE_PERIOD_S):
        stopwatch.now_s = now_s
        fences.require_open({"team"})

    assert (spent.requests, spent.write_units) == (2, 0)


def test_a_certificate_that_is_there_stays(table: Store) -> None:
    erasures = DynamoErasures(table.client, table.table, table.blobs, lambda: table.clock.now)
    first, second = {"certificate": "first"}, {"certificate": "second"}

    for each in (first, second):
        erasures.keep_certificate("erasure", each)

    assert erasures.certificate("erasure") == first
