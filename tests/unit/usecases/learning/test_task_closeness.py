"""Tasks in other words make one skill where an embedder knows that the tasks are close."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import pytest

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.usecases.learning.consolidate import consolidate_all, consolidate_thread
from membrane.usecases.learning.task_closeness import MAX_EMBEDDED, TaskCloseness
from membrane.usecases.machinery.long_jobs import never
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_call, add_event, end
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Reports
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_services
from tests.worlds.learned import learned_in

RELEASES = ("Release the parser", "Publish a new version", "Ship an update to customers")
ROLLBACKS = ("Undo a bad rollout", "Go back to an earlier build")


@dataclass
class Senses:
    """An Embedder that knows which tasks mean the same."""

    senses: Sequence[Sequence[str]] = (RELEASES, ROLLBACKS)
    meanwhile: Callable[[], object] | None = None
    """Runs once, before the first vector."""
    failure: Exception | None = None
    asked: list[str] = field(default_factory=list)
    name = "senses"
    concurrency = None

    @property
    def dimensions(self) -> int:
        return len(self.senses)

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.asked.extend(texts)
        if self.meanwhile is not None:
            run, self.meanwhile = self.meanwhile, None
            run()
        if self.failure is not None:
            raise self.failure
        return [[float(text in sense) for sense in self.senses] for text in texts]


class World:
    """A store of its own; every task is done by the same two tools."""

    def __init__(self, embedder: Senses | None = None) -> None:
        self.clock = FakeClock()
        self.records = FakeRecords(self.clock)
        self.reports = Reports()
        self.services = self.services_with(embedder)

    def services_with(self, embedder: Senses | None) -> Services:
        return make_services(
            records=self.records, now=self.clock, report=self.reports, task_embedder=embedder
        )

    def do(self, *tasks: str, scope: str = "team") -> None:
        for task in tasks:
            thread = f"{scope}-{len(self.records.places)}"
            add_event(thread, task, self.services, scope=scope)
            add_call(thread, "build", {"tag": "1"}, "ok", self.services, scope=scope)
            last = add_call(thread, "deploy", {"tag": "1"}, "ok", self.services, scope=scope)
            end(last.id, self.services, OutcomeStatus.SUCCESS)
            self.last_thread = thread
            self.clock.advance(hours=1)

    def uses(self) -> list[int]:
        """The successes of every skill in the store."""
        held = self.services.records.load_all([*self.records.places])
        return sorted(successes for successes, _ in learned_in(held).skills.values())


def test_tasks_in_other_words_make_one_skill_with_an_embedder_and_none_without() -> None:
    by_words, by_sense = World(), World(Senses())

    for world in (by_words, by_sense):
        world.do(*RELEASES)
        consolidate_all(world.services)

    assert by_words.uses() == []
    assert by_sense.uses() == [3]


def test_other_actions_by_the_same_tools_stay_apart() -> None:
    world = World(Senses())
    world.do(*RELEASES, *ROLLBACKS)

    consolidate_all(world.services)

    assert world.uses() == [2, 3]


def test_a_later_task_in_other_words_counts_in_the_skill_and_two_more_runs_write_nothing() -> None:
    world = World(Senses())
    world.do(*RELEASES[:2])
    (skill_id,) = consolidate_all(world.services).skills
    world.do(RELEASES[2])

    done = consolidate_thread("team", world.last_thread, world.services)

    assert done.grown == [skill_id]
    before = world.records.everything()
    for _ in range(2):
        consolidate_all(world.services)
        assert world.records.everything() == before


def test_two_runs_at_once_found_one_skill() -> None:
    world = World()
    world.do(*RELEASES)
    other = partial(consolidate_all, world.services_with(Senses()))

    consolidate_all(world.services_with(Senses(meanwhile=other)))

    assert world.uses() == [3]


def test_a_failing_embedder_is_reported_once_and_the_words_decide() -> None:
    failure = Unavailable("the model did not load")
    world = World(Senses(failure=failure))
    for scope in ("team", "crew"):
        world.do(*RELEASES, "Release a parser", scope=scope)

    done = consolidate_all(world.services)

    assert world.uses() == [2, 2]
    assert not done.failed
    assert len(done.unmatched) == 4
    assert world.reports.faults == [failure]


def test_every_task_is_embedded_once_in_a_run_and_no_task_without_need() -> None:
    embedder = Senses()
    world = World(embedder)
    world.do("Release the parser 1.4", "Release the parser 1.5")
    consolidate_all(world.services)
    assert embedder.asked == []

    world.do(*RELEASES, *RELEASES, *ROLLBACKS)
    consolidate_all(world.services)

    assert sorted(embedder.asked) == sorted({*RELEASES, *ROLLBACKS})


def test_a_run_embeds_a_limited_number_of_tasks() -> None:
    embedder = Senses([RELEASES])
    closeness = TaskCloseness(make_services(task_embedder=embedder), never)
    close = closeness(*RELEASES[:2])

    for number in range(MAX_EMBEDDED):
        closeness(RELEASES[0], f"task {number}")

    assert len(embedder.asked) == MAX_EMBEDDED
    assert closeness(*RELEASES[:2]) == close == 1.0
    assert closeness(RELEASES[0], RELEASES[2]) is None


def test_nothing_is_embedded_once_time_is_up() -> None:
    embedder = Senses()
    closeness = TaskCloseness(make_services(task_embedder=embedder), lambda: True)

    assert closeness(*ROLLBACKS) is None
    assert embedder.asked == []


@pytest.mark.parametrize("task", ["支払いサービスを配備する", "Перезапусти сервис", "บำรุงรักษา"])
def test_tasks_in_other_scripts_than_latin_are_compared_by_words_alone(task: str) -> None:
    embedder = Senses([[task, "Restart"]])
    closeness = TaskCloseness(make_services(task_embedder=embedder), never)

    assert closeness(task, "Restart") is closeness("Restart", task) is None
    assert embedder.asked == []


@pytest.mark.parametrize("vector", [(0.0, 0.0), (math.nan, 1.0), (math.inf, 0.0), (3.0, 4.0)])
def test_a_vector_without_the_length_of_an_embedding_is_close_to_nothing(
    vector: tuple[float, float],
) -> None:
    class Garbage(Senses):
        def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            return [vector for _ in texts]

    closeness = TaskCloseness(make_services(task_embedder=Garbage()), never)

    assert closeness(*ROLLBACKS) is None
