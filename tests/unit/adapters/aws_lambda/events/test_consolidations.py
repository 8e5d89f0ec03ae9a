"""The events of the consolidation: a thread that has ended, all threads, and hand-overs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane.adapters.aws_lambda.events.jobs import MAX_CONSOLIDATION_HOPS, consolidate
from membrane.domain.language.errors import Unavailable
from membrane.domain.learning.policy import CONSOLIDATE
from membrane.domain.records.stored import StoredRecord
from membrane.wiring.world import World
from tests.builders.traces import add_release
from tests.fakes.chat_models import Later, Metrics, Reports
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_world
from tests.worlds.memory_table import Over, TableRecords

ARN = "arn:aws:lambda:us-east-1:123456789012:function:consolidate:live"
SCHEDULED: dict[str, Any] = {CONSOLIDATE: {}}
NOTHING = {
    "traces": 0,
    "skills": 0,
    "plans": 0,
    "grown": 0,
    "unmatched": 0,
    "failed": 0,
    "left": False,
}
PLENTY_MS = 900_000


@dataclass(slots=True)
class Context:
    """Of a function that has plenty of time for so many looks, and then none."""

    looks: int = 1_000_000
    aws_request_id: str = "request"
    invoked_function_arn: str = ARN

    def get_remaining_time_in_millis(self) -> int:
        self.looks -= 1
        return PLENTY_MS if self.looks >= 0 else 0


@dataclass(slots=True)
class Ailing(Over):
    """Records that cannot be written while a failure is left."""

    failures: list[Exception] = field(default_factory=list)

    def create(self, new: StoredRecord, **others: Any) -> None:
        """See DynamoRecords."""
        if self.failures:
            raise self.failures.pop(0)
        self.inner.create(new, **others)

    def replace_all(self, changed: Sequence[Any], **others: Any) -> None:
        """See DynamoRecords."""
        if self.failures:
            raise self.failures.pop(0)
        self.inner.replace_all(changed, **others)


@dataclass(slots=True)
class Scene:
    """A store and the function that consolidates what the store holds."""

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

    def release(self, *threads: str) -> None:
        """A thread of four steps, with an outcome, for each id."""
        for number, each in enumerate(threads):
            add_release(each, f"1.{number}", self.services)

    def pass_quiet_time(self) -> None:
        self.clock.advance(minutes=30)

    def run(self, event: Any, context: Context | None = None) -> dict[str, Any]:
        return consolidate(event, context or Context(), self.services)

    def everything(self) -> object:
        return self.records.everything()


@pytest.fixture
def world() -> Scene:
    """An empty store."""
    return Scene()


def thread(thread_id: str, **others: Any) -> dict[str, Any]:
    return {CONSOLIDATE: {"scope": "team", "thread_id": thread_id, **others}}


def test_the_schedule_consolidates_every_quiet_thread_and_measures_what_was_made(
    world: Scene,
) -> None:
    world.release("t-1", "t-2")
    assert world.run(SCHEDULED) == NOTHING
    world.pass_quiet_time()

    reply = world.run(SCHEDULED)

    assert (reply["traces"], reply["skills"], reply["failed"], reply["left"]) == (2, 1, 0, False)
    told = {metric: value for metric, value, _ in world.metrics.told}
    made = {"TracesMade": 2, "SkillsMade": 1, "PlansMade": reply["plans"]}
    assert told == {metric: number for metric, number in made.items() if number}
    assert world.run(SCHEDULED) == NOTHING


def test_a_run_out_of_time_starts_its_own_function_for_the_rest(world: Scene) -> None:
    world.release("t-1", "t-2")
    world.pass_quiet_time()

    reply = world.run(SCHEDULED, Context(looks=1))

    assert (reply["traces"], reply["left"]) == (1, True)
    assert world.later.asked == [(ARN, {CONSOLIDATE: {"hop": 1}})]
    ((_, rest),) = world.later.asked
    assert world.run(rest)["skills"] == 1
    assert len(world.later.asked) == 1


def test_a_thread_out_of_time_hands_over_the_thread(world: Scene) -> None:
    world.release("t-1")

    reply = world.run(thread("t-1"), Context(looks=0))

    assert (reply["traces"], reply["left"]) == (0, True)
    assert world.later.asked == [(ARN, thread("t-1", hop=1))]


def test_handing_over_has_an_end(world: Scene) -> None:
    world.release("t-1")
    world.pass_quiet_time()

    reply = world.run({CONSOLIDATE: {"hop": MAX_CONSOLIDATION_HOPS}}, Context(looks=0))

    assert reply["left"] is True
    assert world.later.asked == []


def test_a_thread_that_fails_is_counted_and_keeps_no_other_back(world: Scene) -> None:
    world.release("t-1", "t-2")
    world.pass_quiet_time()
    fault = ValueError("damaged")
    world.records.failures = [fault]

    reply = world.run(SCHEDULED)

    assert (reply["traces"], reply["failed"], reply["left"]) == (1, 1, False)
    assert world.reports.faults == [fault]
    assert world.run(SCHEDULED)["traces"] == 1


def test_a_run_of_failures_alone_is_left_to_the_schedule(world: Scene) -> None:
    world.release("t-1", "t-2")
    world.pass_quiet_time()
    world.records.failures = [ValueError("damaged")]

    reply = world.run(SCHEDULED, Context(looks=1))

    assert (reply["traces"], reply["failed"], reply["left"]) == (0, 1, True)
    assert world.later.asked == []


def test_a_store_that_does_not_answer_fails_the_run_which_lambda_tries_again(world: Scene) -> None:
    world.release("t-1", "t-2")
    world.pass_quiet_time()
    world.records.failures = [Unavailable("no answer")]

    with pytest.raises(Unavailable):
        world.run(SCHEDULED)

    assert world.run(SCHEDULED)["traces"] == 2
