"""Following topics: the index has the active ones, and what there is to reason about is noted."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry
from membrane.domain.topics.topic import MergeLink, Topic, TopicStatus
from membrane.usecases.following.follow_changes import follow_all_or_set_aside
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.changes import ChangedSource, StreamChanges
from membrane.usecases.search.indexing.index_records import INDEX
from membrane.usecases.topics.indexing import TELL_REASON, follow_topics
from tests.builders.indexed_topics import held, told
from tests.builders.ingesting import ingest
from tests.builders.requests import call, event, written
from tests.fakes.operators import Reports
from tests.fakes.search import FakeEmbedder
from tests.fakes.topic_world import ToldReason, topical
from tests.fakes.topics import FakeTopics
from tests.fakes.vectors import FakeVectors, SetAsides


@dataclass(slots=True)
class World:
    """Services over fakes, and what becomes of them."""

    topics: FakeTopics = field(default_factory=FakeTopics)
    vectors: FakeVectors = field(init=False)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    reason: ToldReason = field(default_factory=ToldReason)
    reports: Reports = field(default_factory=Reports)
    set_aside: SetAsides = field(default_factory=SetAsides)
    services: TopicServices = field(init=False)

    def __post_init__(self) -> None:
        self.vectors = FakeVectors(ended=self.topics.ended)
        self.services = topical(
            topics=self.topics,
            topic_vectors=self.vectors,
            embedder=self.embedder,
            send_to_reasoning=self.reason,
            report=self.reports,
            set_aside=self.set_aside,
        )

    def follow(self, *changed: Topic) -> None:
        """As the stream does."""
        follow_topics(map(told, changed), self.services)

    def found(self, scope: str = "team") -> list[Entry]:
        """What can be found."""
        return [each for each in self.vectors.entries if each.scope == scope]


# --- the index ------------------------------------------------------------------------------------


def test_an_active_topic_is_found_as_an_entity_of_its_scope_and_sensitivity() -> None:
    world = World()

    world.follow(held(world.topics, sensitivity=Sensitivity.HIGH))

    (entry,) = world.found()
    assert (entry.record_id, entry.type) == ("topic-1", MemoryType.ENTITY)
    assert entry.sensitivity is Sensitivity.HIGH
    assert _of_records(world).entries == []


@pytest.mark.parametrize(
    "gone",
    [
        {"status": TopicStatus.ARCHIVED},
        {"status": TopicStatus.DELETED},
        {
            "status": TopicStatus.MERGED,
            "merged": MergeLink("topic-2", "2026-03-01T09:00:00Z", "", TopicStatus.ACTIVE),
        },
    ],
)
def test_what_is_no_longer_active_is_found_no_longer_and_comes_back_when_it_is_again(
    gone: dict[str, Any],
) -> None:
    world = World()
    world.follow(held(world.topics))

    world.follow(held(world.topics, **gone))
    while_gone = world.found()
    world.follow(held(world.topics, status=TopicStatus.ACTIVE, merged=None))

    assert while_gone == []
    assert [each.record_id for each in world.found()] == ["topic-1"]


def test_what_is_told_late_and_twice_changes_nothing() -> None:
    world = World()
    first, last = held(world.topics), held(world.topics, title="Lighthouse")

    world.follow(last, first)
    before = world.found()
    world.follow(first)

    assert world.found() == before


def test_a_topic_that_moves_is_found_in_its_new_scope_alone() -> None:
    world = World()
    world.follow(held(world.topics))

    follow_topics([told(held(world.topics, scope="other"), "team")], world.services)

    assert (world.found(), len(world.found("other"))) == ([], 1)


# --- noting ---------------------------------------------------------------------------------------


def test_a_scope_is_told_of_once_until_it_is_reasoned_about() -> None:
    world = World()

    world.follow(held(world.topics), held(world.topics, "topic-2"))
    world.follow(held(world.topics, "topic-3"))

    assert world.reason.told == [({"scope": "team"}, world.services.topic_policy.debounce_s)]
    marks = world.topics.marks("team")
    assert marks is not None
    assert sorted(marks.topic_ids) == ["topic-1", "topic-2", "topic-3"]

    assert world.topics.unmark(marks)
    world.follow(held(world.topics))

    assert len(world.reason.told) == 2


def test_each_scope_is_told_of_by_itself() -> None:
    world = World()

    world.follow(held(world.topics), held(world.topics, "topic-2", scope=""))

    assert [message["scope"] for message, _ in world.reason.told] == ["team", ""]


def test_where_nobody_can_be_told_the_topics_are_followed_all_the_same() -> None:
    world = World()

    def busy(_message: object) -> None:
        raise Unavailable("no answer")

    world.reason.failing = busy
    world.follow(held(world.topics))

    assert len(world.found()) == 1
    assert world.topics.marks("team") is not None
    assert world.reports.told == [(TELL_REASON, FAULT)]


# --- failures -------------------------------------------------------------------------------------


def test_a_topic_that_fails_by_itself_is_set_aside_as_a_topic_and_the_others_are_found() -> None:
    world = World()

    def refuse(texts: object) -> None:
        if "topic-1" in str(texts):
            raise ValueError

    world.embedder.failing = refuse
    changed = [told(held(world.topics)), told(held(world.topics, "topic-2"))]
    followed = follow_all_or_set_aside(StreamChanges(topics=changed), world.services)

    assert [each.record_id for each in world.found()] == ["topic-2"]
    assert followed.topics.written == 1
    assert world.set_aside.others == [(Waiting.TOPIC, "topic-1")]
    assert world.reports.told == [(INDEX, FAULT)]


def test_records_that_cannot_be_followed_now_keep_no_topic_back() -> None:
    world = World()

    def busy(texts: object) -> None:
        if "Crane" not in str(texts):
            raise ResourceExhausted("busy")

    world.embedder.failing = busy
    held(world.topics)
    with pytest.raises(ResourceExhausted):
        follow_all_or_set_aside(
            StreamChanges([_some_record(world)], [told(world.topics.topics["topic-1"])]),
            world.services,
        )

    assert [each.record_id for each in world.found()] == ["topic-1"]


def _of_records(world: World) -> FakeVectors:
    assert isinstance(world.services.vectors, FakeVectors)
    return world.services.vectors


def _some_record(world: World) -> ChangedSource:
    asked = event(summary="gull", scope="team")
    record = written(ingest(asked, call(asked), world.services))
    return ChangedSource(record.id, ("team",))
