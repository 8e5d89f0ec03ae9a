"""Reasoning among what is damaged in the table: it is reported, and keeps back nothing else."""

import zlib
from dataclasses import dataclass, field, replace

import pytest

from membrane.adapters.dynamodb.table.attributes import CorruptItem, binary, number, text
from membrane.adapters.dynamodb.topics import topic_keys
from membrane.adapters.dynamodb.topics.long_changes import State
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.requests.editing import CreateTopic, Reason
from membrane.domain.topics.requests.reading import ReadActions
from membrane.domain.topics.topic import LadderStep, TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.reading.read_actions import read_actions
from membrane.usecases.topics.reasoning import forget_topics as forgetting
from membrane.usecases.topics.reasoning import reason_in_background as reasoning
from membrane.usecases.topics.reasoning.find_communities import find_communities
from membrane.usecases.topics.reasoning.forget_topics import forget_topics
from membrane.usecases.topics.reasoning.reason import reason_on_request
from membrane.usecases.topics.reasoning.reason_in_background import reason_about, reason_everywhere
from membrane.usecases.topics.scope_walk import SERVICE
from tests.builders.requests import OWNER, call
from tests.builders.topic_editors import ask, made
from tests.fakes.operators import Reports
from tests.fakes.topic_world import topical
from tests.worlds.stores import Store


def never(needed_s: float = 0.0) -> bool:
    """There is plenty of time."""
    return needed_s < 0


def over(table: Store) -> TopicServices:
    """The world of topics over that table."""
    return topical(
        topics=table.topics,
        records=table.records,
        blobs=table.blobs,
        now=table.clock,
        topic_policy=TopicPolicy(summary_history=2),
    )


@dataclass(slots=True)
class World:
    """Topics in a table, of which some are damaged by hand."""

    table: Store
    reports: Reports = field(default_factory=Reports)
    services: TopicServices = field(init=False)

    def __post_init__(self) -> None:
        self.services = replace(over(self.table), report=self.reports)

    def damage(self, partition: str, kind: str, name: str) -> None:
        """Make an attribute of an item no text of ours."""
        (item,) = [
            each
            for each in self.table.everything()
            if (each["pk"]["S"], each["sk"]["S"]) == (partition, kind)
        ]
        self.table.put({**item, name: {"S": "{"}})

    def damaged(self, title: str) -> str:
        """The id of a topic whose head cannot be read."""
        topic_id = made(self.services, title)
        self.break_head(topic_id)
        return topic_id

    def break_head(self, topic_id: str) -> None:
        """Let it be readable no more."""
        self.damage(f"topic#{topic_id}", "topic", "document")

    def begin_change(self, token: str, state: str, due_s: float) -> None:
        """A change of several transactions that was begun then, and of which nothing is marked."""
        change = topic_keys.change_key(token)
        due = {"due_pk": text(topic_keys.CHANGES_DUE), "due_sk": number(due_s)}
        places = binary(zlib.compress(b"[]"))
        self.table.put({**change, "state": text(state), "places": places, **due})

    def is_merged(self, *topic_ids: str) -> bool:
        """Whether all but one of them are aliases of that one."""
        topics = [self.services.topics.load(each) for each in topic_ids]
        return sum(each is not None and each.merged is None for each in topics) == 1


@pytest.fixture
def world(table: Store) -> World:
    """An empty table."""
    return World(table)


def test_a_damaged_head_keeps_back_none_of_the_others_that_are_noted(world: World) -> None:
    bad, *ids = [made(world.services, title) for title in ("Ada", "Ada", "ada", "Bob", "bob")]
    world.break_head(bad)
    world.services.topics.mark("", [bad, *ids])

    reason_about("", world.services, never)

    assert world.is_merged(*ids[:2])
    assert world.is_merged(*ids[2:])
    assert {type(each) for each in world.reports.faults} == {CorruptItem}
    assert world.services.topics.marks("") is None


def test_a_damaged_head_keeps_back_none_of_its_scope(world: World) -> None:
    world.damaged("Carl")
    ids = [made(world.services, title) for title in ("Ada", "ada")]
    world.services.topics.mark("", [f"t{number}" for number in range(201)])

    reason_about("", world.services, never)

    assert world.is_merged(*ids)
    assert find_communities("", world.services) == 1


def test_a_damaged_head_keeps_back_none_of_what_is_due(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = [world.damaged(f"Bad {number}") for number in range(3)]
    good = made(world.services, "Good")
    world.table.clock.advance(days=365)
    monkeypatch.setattr(forgetting, "PAGE", 2)

    told = forget_topics(SERVICE, world.services, never)

    topic = world.services.topics.load(good)
    assert topic is not None
    assert (topic.step, topic.status) == (LadderStep.ARCHIVED, TopicStatus.ARCHIVED)
    assert (told.steps, told.failed, told.is_left) == (3, len(bad), False)


def test_a_damaged_head_hides_neither_the_plan_nor_the_log(world: World) -> None:
    ids = [made(world.services, "Ada") for _ in range(3)]
    world.services.topics.mark("", ids[:2])
    reason_about("", world.services, never)
    world.damaged("Carl")
    made(world.services, "Ada")
    asked, log = Reason(), ReadActions()
    logged = read_actions(log, call(log, OWNER), world.services).body["actions"]
    world.break_head(logged[0]["topics"][0])

    told = reason_on_request(asked, call(asked, OWNER), world.services).body
    shown = read_actions(log, call(log, OWNER), world.services).body

    assert (told["planned"], told["complete"]) == (1, True)
    assert [each["action"] for each in shown["actions"]] == [
        each["action"] for each in logged if each["topics"][0] != logged[0]["topics"][0]
    ]


def test_a_damaged_scope_keeps_back_none_of_the_others(world: World) -> None:
    ids: list[str] = []
    for scope in ("project:a", "project:c", "project:b"):
        asked = CreateTopic(title="Ada", scope=scope)
        ids = [str(ask(asked, world.services)["topic_id"]) for _ in range(2)]
        world.services.topics.mark(scope, ids)
    (marks,) = [
        each
        for each in world.table.everything()
        if "noted" in each and "project:a" in each["pk"]["S"]
    ]
    world.table.put({**marks, "version": {"S": "one"}})

    told = reason_everywhere(world.services, never)

    assert told.is_left is False
    assert world.is_merged(*ids)
    assert [type(each) for each in world.reports.faults] == [CorruptItem]
    assert world.services.topics.marks("project:c") is None


def test_a_change_that_cannot_be_settled_keeps_back_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [made(world.services, "Ada") for _ in range(2)]
    world.services.topics.mark("", ids)
    for begun_s in range(3):
        world.begin_change(f"bad-{begun_s}", "asleep", begun_s)
    world.begin_change("good", State.OPEN, 9)
    monkeypatch.setattr(reasoning, "PAGE", 2)

    told = reason_everywhere(world.services, never)

    assert told.settled == 1
    assert world.is_merged(*ids)
    assert [type(each) for each in world.reports.faults] == [CorruptItem] * 3
    assert world.services.topics.unsettled_tokens(1e11, 9) == ["bad-0", "bad-1", "bad-2"]
