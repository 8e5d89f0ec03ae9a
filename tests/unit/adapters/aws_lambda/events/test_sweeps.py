"""The scheduled sweep goes on in a run of its own where time ran out, and fails where it must."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.jobs import (
    MAX_SWEEP_HOPS,
    SHARD,
    SWEEP_HOP,
    TOGETHER_S,
    sweep,
)
from membrane.adapters.aws_lambda.events.runs import RESERVE_MS
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.lifecycle.sweep_due import PATIENCE
from membrane.wiring.world import World
from tests.builders.records import ingest
from tests.builders.requests import call, event, written
from tests.fakes.chat_models import Later, Metrics, Reports
from tests.fakes.clock import FakeClock
from tests.worlds.importing import Context as AnyContext
from tests.worlds.memory import make_world
from tests.worlds.memory_table import Over, TableRecords

DECAY = "arn:aws:lambda:us-east-1:123456789012:function:decay:live"
SCHEDULED = {
    "version": "0",
    "id": "e-1",
    "detail-type": "Scheduled Event",
    "source": "aws.scheduler",
    "detail": "{}",
}
PLENTY_MS = 900_000
Context = partial(AnyContext, invoked_function_arn=DECAY)
ONE = [PLENTY_MS, PLENTY_MS, 0]
"""The looks of a scheduled run that has the time for one record."""
NEXT = {SHARD: 0, SWEEP_HOP: 1}
"""The event of a run that goes on with a shard."""


@dataclass(slots=True)
class Ailing(Over):
    """Records that cannot be read while a failure is left."""

    failures: list[Exception] = field(default_factory=list)

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        """See DynamoRecords."""
        if self.failures:
            raise self.failures.pop(0)
        held: AnyRecord | None = self.inner.load(record_id, whole=whole)
        return held


@dataclass(slots=True)
class Scene:
    """A store and the function that sweeps it."""

    clock: FakeClock = field(default_factory=FakeClock)
    later: Later = field(default_factory=Later)
    metrics: Metrics = field(default_factory=Metrics)
    reports: Reports = field(default_factory=Reports)
    records: Ailing = field(init=False)
    services: World = field(init=False)

    def __post_init__(self) -> None:
        table = TableRecords(self.clock)
        self.records = Ailing(table)
        usual = make_world(
            records=table,
            now=self.clock,
            invoke_later=self.later,
            measure=self.metrics,
            report=self.reports,
        )
        self.services = usual.but(records=self.records)

    def faded(self, events: int) -> list[str]:
        """Ids of so many events that are due, the longest waiting first."""
        made = []
        for number in range(events):
            asked = event(ref=f"build:{number}")
            made.append(written(ingest(asked, call(asked), self.services)).id)
            self.clock.advance(seconds=1)
        self.clock.advance(hours=10)
        return made

    def run(self, event: Any = None, context: AnyContext | None = None) -> dict[str, Any]:
        given = SCHEDULED if event is None else event
        return sweep(given, context or Context(), self.services)

    def pruned(self) -> set[str]:
        return {each.id for each in self.records.places.values() if each.tombstone is not None}


@pytest.fixture
def world() -> Scene:
    """An empty store."""
    return Scene()


def test_a_sweep_begins_nothing_more_when_less_than_20_seconds_remain(world: Scene) -> None:
    made = world.faded(3)
    assert RESERVE_MS == 20_000

    reply = world.run(NEXT, Context([PLENTY_MS, RESERVE_MS, RESERVE_MS - 1]))

    assert world.pruned() == set(made[:2])
    assert (reply["pruned"], reply["left"]) == ({"episodic": 2}, True)


def test_a_scheduled_run_leaves_a_shard_that_takes_more_than_a_minute_to_a_run_of_its_own(
    world: Scene,
) -> None:
    made = world.faded(3)
    in_time_ms = PLENTY_MS - 1_000 * TOGETHER_S

    reply = world.run(SCHEDULED, Context([PLENTY_MS, PLENTY_MS, in_time_ms, in_time_ms - 1]))

    assert reply["left"] is True
    assert world.pruned() == set(made[:2])
    assert world.later.asked == [(DECAY, NEXT)]


def test_a_sweep_that_runs_out_of_time_starts_its_own_function_again_for_the_rest(
    world: Scene,
) -> None:
    made = world.faded(3)

    reply = world.run(SCHEDULED, Context([*ONE]))

    assert world.later.asked == [(DECAY, NEXT)]
    metric, age_s, _ = world.metrics.told[-1]
    assert (metric, age_s) == ("OldestDueAge", reply["oldest_due_age_seconds"])
    assert age_s == pytest.approx(36_002 - 35_877, abs=1.1)
    ((_, rest),) = world.later.asked
    assert world.run(rest)["pruned"] == {"episodic": 2}
    assert world.pruned() == set(made)
    assert len(world.later.asked) == 1


def test_handing_over_has_an_end_and_the_next_scheduled_run_begins_anew(world: Scene) -> None:
    world.faded(MAX_SWEEP_HOPS + 3)
    event: dict[str, Any] = dict(SCHEDULED)
    for hop in range(1, MAX_SWEEP_HOPS + 1):
        world.run(event, Context([*ONE] if hop == 1 else ONE[1:]))
        event = world.later.asked[-1][1]
        assert event == {SHARD: 0, SWEEP_HOP: hop}

    reply = world.run(event, Context(ONE[1:]))

    assert len(world.later.asked) == MAX_SWEEP_HOPS
    assert reply["left"] is True
    assert len(world.pruned()) == MAX_SWEEP_HOPS + 1
    assert world.run(SCHEDULED, Context([*ONE]))["left"] is True
    assert world.later.asked[-1] == (DECAY, NEXT)


def test_a_hand_over_that_fails_reaches_the_caller_and_what_was_done_stays(world: Scene) -> None:
    world.faded(2)

    def throttled(name_or_arn: str, event: Any) -> None:
        raise ResourceExhausted(f"{name_or_arn} {event}")

    services = world.services.but(invoke_later=throttled)
    with pytest.raises(ResourceExhausted):
        sweep(SCHEDULED, Context([*ONE]), services)

    assert len(world.pruned()) == 1
    assert world.run()["pruned"] == {"episodic": 1}


def test_a_shard_that_fails_has_a_run_of_its_own_which_raises_the_failure(world: Scene) -> None:
    made = world.faded(2)
    world.records.failures = [Unavailable("no answer") for _ in range(2 * PATIENCE)]

    reply = world.run(SCHEDULED, Context([*ONE, 0]))

    assert (reply["left"], world.later.asked) == (True, [(DECAY, NEXT)])
    assert world.metrics.told[-1][0] == "OldestDueAge"
    assert world.metrics.told[-1][1] > 0
    with pytest.raises(Unavailable):
        world.run(NEXT, Context([PLENTY_MS, 0, 0]))
    assert len(world.later.asked) == 1
    world.records.failures = []
    assert world.run(NEXT)["pruned"] == {"episodic": 2}
    assert world.pruned() == set(made)


def test_a_record_that_fails_by_itself_is_counted_and_fails_no_run(world: Scene) -> None:
    world.faded(3)
    fault = ValueError("damaged")
    world.records.failures = [fault]

    reply = world.run()

    assert (reply["failed"], reply["pruned"], reply["left"]) == (1, {"episodic": 2}, False)
    assert world.reports.faults == [fault]
