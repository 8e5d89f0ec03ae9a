"""What nobody uses goes down the ladder, step by step; nothing is ever lost by it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from membrane.domain.language.errors import Unavailable
from membrane.domain.topics.access import Access, Signal
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.requests.editing import ChangeTopic, DeleteTopic
from membrane.domain.topics.topic import LadderStep, TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.reasoning.forget_topics import forget_topics, take_steps
from membrane.usecases.topics.scope_walk import SERVICE
from tests.builders.topic_editors import append, ask, happened, made
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Metrics, Reports
from tests.fakes.records import FakeRecords
from tests.fakes.topic_world import topical
from tests.fakes.topics import FakeTopics
from tests.worlds.merged_topics import standing, values

HALF_LIFE_DAYS = 30


def never() -> bool:
    """There is plenty of time."""
    return False


def test_nothing_is_forgotten_before_its_time(services: TopicServices, clock: FakeClock) -> None:
    topic = made(services, city="Rome")
    clock.advance(days=HALF_LIFE_DAYS)

    told = forget_topics(SERVICE, services, never)

    assert (told.steps, told.failed, told.is_left) == (0, 0, False)
    assert standing(services, topic).step is LadderStep.NONE


@pytest.mark.parametrize(
    ("half_lives", "step"),
    [(1.8, LadderStep.SUMMARISED), (3.4, LadderStep.DETACHED), (4.4, LadderStep.ARCHIVED)],
)
def test_each_step_is_taken_in_its_time(
    services: TopicServices, clock: FakeClock, half_lives: float, step: LadderStep
) -> None:
    topic = made(services, city="Rome")
    clock.advance(days=HALF_LIFE_DAYS * half_lives)

    forget_topics(SERVICE, services, never)

    assert standing(services, topic).step is step


def test_a_year_later_all_three_steps_are_taken_in_order_and_once(
    services: TopicServices, clock: FakeClock
) -> None:
    topic = made(services, city="Rome")
    clock.advance(days=365)

    first, second = (forget_topics(SERVICE, services, never) for _ in range(2))

    assert (first.steps, second.steps) == (3, 0)
    assert happened(services, topic)[-3:] == [
        EventKind.SUMMARISED,
        EventKind.DETACHED,
        EventKind.ARCHIVED,
    ]
    assert standing(services, topic).status is TopicStatus.ARCHIVED
    logged = [action["action"] for _, action in services.topics.logged_actions("", 10)]
    assert sorted(logged) == [f"archived:{topic}", f"detached:{topic}", f"summarised:{topic}"]
    assert services.topics.due(1e12, 10) == []


def test_summarising_moves_old_history_and_loses_none(clock: FakeClock) -> None:
    policy = TopicPolicy(summary_history=3)
    services = topical(topics=FakeTopics(FakeRecords(clock)), topic_policy=policy)
    topic = made(services)
    for number in range(10):
        append(services, topic, "city", number)
    clock.advance(days=HALF_LIFE_DAYS * 2)

    forget_topics(SERVICE, services, never)

    (line,) = standing(services, topic).fields["city"].lines
    assert (line.count, [each.count for each in line.archives]) == (3, [7])
    assert values(services, topic, "city") == list(range(9, -1, -1))


def test_what_was_written_lately_stays_in_the_working_set(
    services: TopicServices, clock: FakeClock
) -> None:
    topic = made(services)
    for number in range(40):
        append(services, topic, f"old{number}", number)
    clock.advance(days=HALF_LIFE_DAYS * 4)
    append(services, topic, "new", 1)

    take_steps(topic, SERVICE, services)

    fields = standing(services, topic).fields
    assert standing(services, topic).step is LadderStep.DETACHED
    assert [name for name, each in fields.items() if not each.is_detached] == ["new"]


def test_what_is_read_is_looked_at_again_when_it_is_true(
    services: TopicServices, clock: FakeClock
) -> None:
    topic = made(services, city="Rome")
    clock.advance(days=HALF_LIFE_DAYS * 2)
    now_s = standing(services, topic).base.at_s + 86_400 * HALF_LIFE_DAYS * 2
    services.topics.keep_access(topic, Access(), Access(Signal(0.35, now_s)))

    assert forget_topics(SERVICE, services, never).steps == 0

    ((topic_id, due_s),) = services.topics.due(1e12, 10)
    assert topic_id == topic
    assert due_s - now_s == pytest.approx(86_400 * HALF_LIFE_DAYS, rel=1e-6)
    clock.advance(days=HALF_LIFE_DAYS + 1)
    assert forget_topics(SERVICE, services, never).steps == 1


def test_deleted_topics_and_those_archived_by_hand_take_no_step(
    services: TopicServices, clock: FakeClock
) -> None:
    deleted, archived = made(services, city="Rome"), made(services, city="Oslo")
    ask(DeleteTopic(id=deleted), services)
    ask(ChangeTopic(id=archived, archived=True), services)
    clock.advance(days=365)

    told = forget_topics(SERVICE, services, never)

    assert told.steps == 0
    assert services.topics.logged_actions("", 10) == []


def test_a_run_without_time_ends_and_the_next_one_does_the_rest(
    services: TopicServices, clock: FakeClock
) -> None:
    topics = [made(services, city="Rome") for _ in range(3)]
    clock.advance(days=365)
    looks = iter([False, True])

    first = forget_topics(SERVICE, services, lambda: next(looks))
    second = forget_topics(SERVICE, services, never)

    assert (first.steps, first.is_left) == (3, True)
    assert (second.steps, second.is_left) == (6, False)
    assert {standing(services, each).status for each in topics} == {TopicStatus.ARCHIVED}


@dataclass(slots=True)
class Damaged(FakeTopics):
    """A store in which the access of one topic cannot be read."""

    damaged: str = ""
    error: Exception = field(default_factory=lambda: ValueError("damaged"))

    def accesses(self, topic_ids: Sequence[str]) -> Mapping[str, Access]:
        """See DynamoTopics."""
        if self.damaged in topic_ids:
            raise self.error
        return FakeTopics.accesses(self, topic_ids)


def test_a_topic_that_fails_by_itself_is_put_off_for_an_hour_and_blocks_nothing(
    clock: FakeClock,
) -> None:
    store, reports, metrics = Damaged(FakeRecords(clock)), Reports(), Metrics()
    services = topical(topics=store, report=reports, measure=metrics)
    bad, good = made(services, city="Rome"), made(services, city="Oslo")
    clock.advance(days=365)
    store.damaged = bad

    told = forget_topics(SERVICE, services, never)

    assert (told.steps, told.failed) == (3, 1)
    assert reports.faults == [store.error]
    assert standing(services, good).status is TopicStatus.ARCHIVED
    assert metrics.told == [("TopicsForgotten", 3, {})]
    clock.advance(minutes=59)
    assert forget_topics(SERVICE, services, never).failed == 0
    clock.advance(minutes=2)
    store.damaged = ""
    assert forget_topics(SERVICE, services, never).steps == 3


def test_a_store_that_does_not_answer_ends_the_run(clock: FakeClock) -> None:
    store = Damaged(FakeRecords(clock), error=Unavailable("no answer"))
    services = topical(topics=store)
    bad = made(services, city="Rome")
    clock.advance(days=365)
    store.damaged = bad

    with pytest.raises(Unavailable):
        forget_topics(SERVICE, services, never)


@dataclass(slots=True)
class Overtaken(FakeTopics):
    """A store in which somebody else writes just before a commit."""

    first: list[Callable[[], object]] = field(default_factory=list)

    def commit(self, change: TopicChange) -> None:
        """See DynamoTopics."""
        if self.first:
            self.first.pop()()
        FakeTopics.commit(self, change)


def test_what_is_given_more_salience_meanwhile_is_not_forgotten(clock: FakeClock) -> None:
    store = Overtaken(FakeRecords(clock))
    services = topical(topics=store)
    topic = made(services, city="Rome")
    clock.advance(days=HALF_LIFE_DAYS * 2)
    store.first.append(lambda: ask(ChangeTopic(id=topic, salience=5.0), services))

    steps = take_steps(topic, SERVICE, services)

    assert steps == []
    assert standing(services, topic).step is LadderStep.NONE
