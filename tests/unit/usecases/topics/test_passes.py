"""Reasoning that runs out of time goes on where it was; observations refused before a search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import PermissionDenied, Unavailable
from membrane.domain.language.requests import validate
from membrane.domain.search.questions import periods_in
from membrane.domain.topics.placing.apply_observation import place_in_topic
from membrane.domain.topics.placing.observations import searchable_topic
from membrane.domain.topics.requests.editing import CreateTopic, Reason
from membrane.domain.topics.requests.ingest import IngestTopic
from membrane.usecases.machinery.calls import IsOutOfTime
from membrane.usecases.ports.topics import MAX_MARKED
from membrane.usecases.topics.editing.topics import create_topic
from membrane.usecases.topics.place_topic import ingest_topic
from membrane.usecases.topics.reasoning.reason import reason_on_request
from membrane.usecases.topics.reasoning.reason_in_background import (
    MOST_IDS,
    SOME,
    WHOLE,
    reason_about,
    reason_everywhere,
    take_passes,
)
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call
from tests.fakes.chat_models import Reports, ToldReason
from tests.fakes.clock import FakeClock
from tests.growth import calls
from tests.worlds.memory import make_world
from tests.worlds.memory_table import Over

SCOPE = "alpha"


def never() -> bool:
    """There is plenty of time."""
    return False


def after(looks: int) -> IsOutOfTime:
    """Time is up after so many looks."""
    numbers = count(1)

    return lambda: next(numbers) > looks


@dataclass
class Counted(Over):
    """A store that counts looks for a title, some of which fail."""

    errors: list[Exception] = field(default_factory=list)
    looked: int = 0

    def ids_by_title(self, title_key: bytes, limit: int) -> Sequence[str]:
        self.looked += 1
        if self.errors:
            raise self.errors.pop()
        found: Sequence[str] = self.inner.ids_by_title(title_key, limit)
        return found


@dataclass
class Scene:
    """Topics over a table in memory, and what was sent to the function that reasons."""

    clock: FakeClock = field(default_factory=FakeClock)
    reports: Reports = field(default_factory=Reports)
    store: Counted = field(init=False)
    services: World = field(init=False)

    def __post_init__(self) -> None:
        usual = make_world(now=self.clock, report=self.reports)
        self.store = Counted(usual.topics)
        topics: Any = self.store
        self.services = usual.but(topics=topics)

    def make(self, *titles: str) -> list[str]:
        """The ids of new topics."""
        asked = (CreateTopic(title=each, scope=SCOPE) for each in titles)
        replies = (create_topic(each, call(each), self.services) for each in asked)
        return [str(each.body["topic_id"]) for each in replies]

    def mark(self, *topic_ids: str) -> bool:
        """Note them as changed; without ids more than are noted one by one."""
        noted = topic_ids or [f"other{number}" for number in range(MAX_MARKED + 1)]
        return self.services.topics.mark(SCOPE, noted)

    def sent(self) -> list[dict[str, Any]]:
        """The messages sent since this was asked last."""
        told = self.services.send_to_reasoning
        assert isinstance(told, ToldReason)
        messages = [message for message, _ in told.told]
        told.told.clear()
        return messages

    def take(self, message: dict[str, Any], is_out_of_time: Any = never) -> None:
        """What the function does with a message."""
        reason_about(message["scope"], self.services, is_out_of_time, message.get("pass"))

    def run(self, looks: int) -> int:
        """Message after message, each with time for so many looks; how many there were."""
        messages, steps = [{"scope": SCOPE}], 0
        while messages:
            self.take(messages.pop(), after(looks))
            messages, steps = self.sent(), steps + 1
        return steps

    @property
    def is_at_work(self) -> bool:
        """Whether anything is noted, or still to be looked at."""
        kept = [self.services.topics.find_document(name, SCOPE) for name in (WHOLE, SOME)]
        is_under_way = any(each is not None and each.progress for each in kept)
        return is_under_way or self.services.topics.marks(SCOPE) is not None

    def living(self, topic_ids: Sequence[str]) -> int:
        """How many of them are in no other."""
        found = self.services.topics.load_all(topic_ids).values()
        return sum(each.merged is None for each in found)


@pytest.fixture
def world() -> Scene:
    return Scene()


NINE = [f"Ada {number % 3}" for number in range(9)]


@pytest.mark.parametrize("is_whole", [True, False])
def test_without_time_it_goes_on_where_it_was_and_ends_in_the_same(
    world: Scene, *, is_whole: bool
) -> None:
    ids = world.make(*NINE)
    world.mark(*([] if is_whole else ids))

    steps = world.run(2)

    assert 3 <= steps <= 6
    assert (world.living(ids), world.is_at_work) == (3, False)


def test_what_is_noted_meanwhile_is_looked_at_alone(world: Scene) -> None:
    world.make(*(f"Bob {number}" for number in range(9)))
    world.mark()
    world.take({"scope": SCOPE}, after(2))
    (message,) = world.sent()
    late = world.make("Ada", "Ada")
    is_first = world.mark(late[1])

    world.take({"scope": SCOPE})

    assert is_first
    assert (world.living(late), world.sent()) == (1, [])
    world.take(message)
    assert not world.is_at_work


def test_while_somebody_writes_a_whole_scope_is_gone_through_once_and_by_one(world: Scene) -> None:
    ids = world.make(*(f"Ada {number}" for number in range(20)))
    world.mark()

    queue: list[dict[str, Any]] = [{"scope": SCOPE}]
    for _ in range(4):
        for _ in range(6):
            for message in queue:
                world.take(message, after(5))
            queue = world.sent()
            world.clock.advance(minutes=5)
            if world.mark(ids[0]):
                queue.append({"scope": SCOPE})
        reason_everywhere(world.services, after(5))
        queue += world.sent()

    assert len(queue) <= 1
    assert 20 <= world.store.looked < 20 + 2 * 4 * 6


def test_a_pass_that_nobody_goes_on_with_is_taken_up_again_and_its_message_is_worth_nothing(
    world: Scene,
) -> None:
    ids = world.make(*NINE)
    world.mark()
    world.take({"scope": SCOPE}, after(2))
    (lost,) = world.sent()

    reason_everywhere(world.services, after(4))
    assert world.sent() == []
    world.clock.advance(minutes=15)
    reason_everywhere(world.services, after(4))
    (message,) = world.sent()

    world.take(lost)
    assert world.is_at_work
    world.take(message)
    assert (world.living(ids), world.is_at_work) == (3, False)


def test_of_two_that_go_on_with_a_pass_one_goes_on(world: Scene) -> None:
    world.make(*NINE)
    world.mark()
    world.take({"scope": SCOPE}, after(2))
    (message,) = world.sent()
    first = True

    def meanwhile() -> bool:
        """The same message comes twice."""
        nonlocal first
        if first:
            first = False
            world.take(message, after(2))
            return False
        return True

    world.take(message, meanwhile)

    assert world.sent() == [message]


def test_another_whole_pass_comes_after_the_first_and_many_single_topics_call_for_one(
    world: Scene,
) -> None:
    world.make(*NINE)
    world.mark()
    world.take({"scope": SCOPE}, after(2))
    (message,) = world.sent()
    world.mark()
    world.take({"scope": SCOPE})
    assert world.sent() == []
    world.take(message)
    assert world.sent() == [{"scope": SCOPE}]
    world.take({"scope": SCOPE})
    assert not world.is_at_work

    for start in range(0, MOST_IDS, MAX_MARKED):
        world.mark(*(f"t{number}" for number in range(start, start + MAX_MARKED)))
        take_passes(SCOPE, world.services)
    world.mark("one-more")
    assert [each.topic_ids for each in take_passes(SCOPE, world.services)] == [None]


def test_a_topic_that_fails_is_reported_and_a_silent_store_leaves_all_for_the_next(
    world: Scene,
) -> None:
    ids = world.make("Ada", "Bob", "bob")
    world.mark(*ids)
    fault = ValueError("damaged")
    world.store.errors += [fault]

    world.take({"scope": SCOPE})

    assert (world.reports.faults, world.living(ids)) == ([fault], 2)
    more = world.make("Eve", "Eve")
    world.mark(*more)
    world.store.errors.append(Unavailable("no answer"))
    with pytest.raises(Unavailable):
        world.take({"scope": SCOPE})
    assert world.is_at_work
    world.take({"scope": SCOPE})
    assert (world.living(more), world.is_at_work) == (1, False)


@pytest.mark.parametrize("step_s", [2.0, 60.0])
def test_what_several_short_calls_planned_is_what_several_calls_do(
    world: Scene, step_s: float
) -> None:
    world.make(*(f"Old {number}" for number in range(4)))
    world.clock.advance(days=365)
    world.make(*NINE)
    seconds = (step_s * number for number in count())
    slow = world.services.but(elapsed_s=lambda: next(seconds))

    def pages(**asked: Any) -> list[str]:
        """What call after call tells, to the end."""
        words = list[str]()
        told: dict[str, Any] = {"next_cursor": None, "complete": False}
        while not told["complete"]:
            cursor = {} if told["next_cursor"] is None else {"cursor": told["next_cursor"]}
            request = validate(Reason, {"scope": SCOPE, **asked, **cursor})
            told = dict(reason_on_request(request, call(request), slow).body)
            words += [each["action"] for each in told["actions"]]
            assert told["complete"] is ("next_cursor" not in told)
        return words

    planned = pages()
    done = pages(dry_run=False)

    assert len(planned) == len({*planned}) == 3 * 4 + 6
    assert sorted(done) == sorted(planned)
    assert pages() == []


WATCHER = principal_of("watcher", ["ingest"], ["alpha"], "low")


@pytest.fixture
def services() -> World:
    return make_world()


def tell(services: World, principal: Principal = OWNER, **body: Any) -> str:
    """The id of the topic that was told of."""
    request = validate(IngestTopic, body)
    return str(ingest_topic(request, call(request, principal), services).body["topic_id"])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"scope": "beta"}, "the key does not cover this scope"),
        ({"sensitivity": "high"}, "the key's highest sensitivity is below the record's"),
        (
            {"sensitivity": "low", "trust": {"max_sensitivity": "public"}},
            "the request's trust does not cover what it would write",
        ),
    ],
)
@pytest.mark.parametrize("reader", [periods_in, searchable_topic])
def test_whoever_may_not_write_is_refused_before_the_text_is_read(
    services: World, asked: dict[str, Any], words: str, reader: Callable[..., object]
) -> None:
    def refuse() -> None:
        with pytest.raises(PermissionDenied, match=words):
            tell(services, WATCHER, title="Ada", summary="x may " * 16_000, **asked)

    assert calls(reader, refuse) == 0


def test_whoever_may_write_has_the_text_read(services: World) -> None:
    def write() -> None:
        tell(services, WATCHER, title="Ada", summary="x may ")

    assert calls(periods_in, write) == 1


def test_whoever_may_not_raise_a_named_topic_is_refused_before_the_text_is_read(
    services: World,
) -> None:
    made = tell(services, title="Ada", scope="alpha", sensitivity="low")

    def refuse() -> None:
        with pytest.raises(PermissionDenied, match="the key's highest sensitivity"):
            tell(services, WATCHER, topic_id=made, summary="x may " * 16_000, sensitivity="medium")

    assert calls(place_in_topic, refuse) == 0
