"""Feeding topics: each new observation becomes a revision of its subject's topic, once."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from membrane.adapters.dynamodb.search.vector_search import VectorSearch
from membrane.domain.language.errors import Unavailable, WrongEmbedder
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.records import MemoryRecord
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.topic import Topic
from membrane.usecases.erasure.fenced_stores import fence_topics
from membrane.usecases.following.follow_changes import follow_all_or_set_aside
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.search import Search, SearchResult, Waiting
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.revision.supersede_fork_merge import supersede_record
from membrane.usecases.search.indexing.changes import ChangedSource, StreamChanges
from membrane.usecases.topics.placing.feed_topics import FEED, FeedTally, feed_topics
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    a_fact,
    call,
    change,
    event,
    full_record,
    observation,
    supersede,
    written,
)
from tests.fakes.clock import FakeClock
from tests.fakes.fences import FakeFences
from tests.fakes.operators import Reports
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeEmbedder
from tests.fakes.topic_world import topical
from tests.fakes.topics import FakeTopics
from tests.fakes.vectors import SetAsides

FEEDS = TopicPolicy(feeds=True)


@dataclass(slots=True)
class World:
    """Services over fakes, in which observations feed topics."""

    policy: TopicPolicy = FEEDS
    clock: FakeClock = field(default_factory=FakeClock)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    reports: Reports = field(default_factory=Reports)
    set_aside: SetAsides = field(default_factory=SetAsides)
    topics: FakeTopics = field(init=False)
    services: TopicServices = field(init=False)

    def __post_init__(self) -> None:
        self.services = self.over(FakeRecords(self.clock))

    def over(self, records: FakeRecords) -> TopicServices:
        """Services over these records, in which no topic is known yet."""
        self.topics = FakeTopics(records)
        return topical(
            topics=self.topics,
            embedder=self.embedder,
            report=self.reports,
            set_aside=self.set_aside,
            topic_policy=self.policy,
        )

    def observe(self, **fields: Any) -> MemoryRecord:
        """A record of an observation."""
        usual = {"subject": "Sines", "predicate": "cranes", "object": 3, "scope": "team"}
        asked = observation(**usual | fields)
        return written(ingest(asked, call(asked), self.services))

    def feed(self, *records: MemoryRecord) -> FeedTally:
        """As the stream does."""
        return feed_topics(map(made, records), self.services)

    @property
    def topic(self) -> Topic:
        """The only one."""
        (only,) = self.topics.topics.values()
        return only

    def history(self, name: str) -> list[Any]:
        """The values of the topic's field, the newest first."""
        (line,) = self.topic.fields[name].lines
        return [each.value for each in self.topics.history(line)]


def made(record: MemoryRecord) -> ChangedSource:
    """What the stream tells of a new record."""
    return ChangedSource(record.id, (record.scope,))


def test_an_observation_becomes_a_field_of_its_subject_with_the_record_as_evidence() -> None:
    world = World()
    record = world.observe(sensitivity="high")

    fed = world.feed(record)

    current = world.topic.fields["cranes"].current
    assert fed.placed == 1
    assert (world.topic.title, world.topic.scope) == ("Sines", "team")
    assert world.topic.sensitivity is Sensitivity.HIGH
    assert current is not None
    assert (current.value, current.evidence) == (3, record.id)
    assert current.valid_from == record.provenance.sources[0].timestamp


def test_observations_of_one_subject_are_one_topic_with_a_history() -> None:
    world = World()
    first = world.observe()
    world.clock.now += timedelta(hours=1)
    second, other = world.observe(object=4), world.observe(predicate="depth", object="28 m")

    world.feed(first, second, other)

    assert world.history("cranes") == [4, 3]
    assert world.history("depth") == ["28 m"]


def test_what_is_told_late_goes_behind_what_is_so_now() -> None:
    world = World()
    first = world.observe()
    world.clock.now += timedelta(hours=1)
    second = world.observe(object=4)

    world.feed(second)
    world.feed(first)

    assert world.history("cranes") == [4, 3]


def test_a_record_that_is_told_of_again_feeds_nothing() -> None:
    world = World()
    record = world.observe()
    world.feed(record)
    before = world.topic

    world.feed(record, record)

    assert world.topic == before


def test_a_fact_of_a_scope_under_erasure_is_passed_over_without_a_fault() -> None:
    world = World()
    record, other = world.observe(), world.observe(scope="elsewhere")
    fences = FakeFences({"erasure-1": "team"})
    fenced = replace(world.services, topics=fence_topics(world.topics, fences))

    fed = feed_topics(map(made, (record, other)), fenced)

    assert (fed.placed, fed.failed) == (1, [])
    assert world.topic.scope == "elsewhere"
    assert not world.reports.faults


def test_an_unscoped_observation_feeds_an_unscoped_topic() -> None:
    world = World()

    world.feed(world.observe(), world.observe(scope=""))

    assert sorted(each.scope for each in world.topics.topics.values()) == ["", "team"]


def test_a_topic_of_a_higher_sensitivity_is_not_touched_by_a_lower_observation() -> None:
    world = World()
    secret, plain = world.observe(sensitivity="hyper"), world.observe(object=4, sensitivity="low")

    world.feed(secret, plain)

    values = {
        each.sensitivity: current.value
        for each in world.topics.topics.values()
        if (current := each.fields["cranes"].current) is not None
    }
    assert values == {Sensitivity.HYPER: 3, Sensitivity.LOW: 4}


def test_what_is_said_to_begin_later_holds_from_when_it_was_recorded() -> None:
    world = World()
    later = rfc3339(world.clock.now + timedelta(days=1))
    record = world.observe(start=later, timestamp=later)

    world.feed(record)

    current = world.topic.fields["cranes"].current
    assert current is not None
    assert current.valid_from == record.created_at


def test_an_observation_that_took_the_place_of_another_fact_feeds_topics() -> None:
    world = World()
    first = world.observe()
    world.clock.now += timedelta(hours=1)
    second = world.observe(object=4, on_conflict="replace")
    assert len(second.audit_log) == 1
    assert "supersedes" in second.audit_log[0].rationale

    world.feed(first, second)

    assert world.history("cranes")[0] == 4


def test_what_was_not_observed_feeds_nothing() -> None:
    world = World()
    happened = event(summary="crane", scope="team")
    given = full_record(**a_fact())
    records = [
        written(ingest(happened, call(happened), world.services)),
        written(ingest_record(given, call(given), world.services)),
    ]
    revision = supersede(records[1].id)
    records.append(written(supersede_record(revision, call(revision), world.services)))

    fed = world.feed(*records)

    assert fed.placed == 0
    assert world.topics.topics == {}


def test_what_was_deleted_meanwhile_feeds_nothing() -> None:
    world = World()
    record = world.observe()
    change(DeleteRecord(id=record.id, actor="me", rationale="wrong"), world.services)

    assert world.feed(record).placed == 0
    assert world.topics.topics == {}


def test_topics_are_fed_only_where_the_operator_says_so() -> None:
    world = World(TopicPolicy())

    assert world.feed(world.observe()).placed == 0
    assert world.topics.topics == {}


def test_a_record_whose_feeding_fails_by_itself_is_set_aside_and_the_others_feed() -> None:
    world = World()
    bad, good = world.observe(subject="poison"), world.observe()

    def refuse(texts: object) -> None:
        if "poison" in str(texts):
            raise ValueError

    world.embedder.failing = refuse
    followed = follow_all_or_set_aside(StreamChanges(facts=[made(bad), made(good)]), world.services)

    assert world.topic.title == "Sines"
    assert [each.changed.record_id for each in followed.fed.failed] == [bad.id]
    assert world.set_aside.others == [(Waiting.FED, bad.id)]
    assert (FEED, FAULT) in world.reports.told


def test_a_busy_store_lets_the_batch_be_repeated() -> None:
    world = World()
    record = world.observe()

    def busy(_texts: object) -> None:
        raise Unavailable("no answer")

    world.embedder.failing = busy
    with pytest.raises(Unavailable):
        world.feed(record)

    world.embedder.failing = lambda _: None
    assert world.feed(record).placed == 1


def test_a_value_of_another_type_than_the_fields_is_told_all_the_same() -> None:
    world = World()
    first = world.observe()
    world.clock.now += timedelta(hours=1)
    second = world.observe(object="three, and a small one")

    fed = world.feed(first, second)

    assert (fed.placed, fed.failed) == (2, [])
    assert world.history("cranes") == ["three, and a small one", 3]


@dataclass(frozen=True, slots=True)
class OfAnotherEmbedder:
    """An index whose vectors are not of the embedder of now."""

    search_: VectorSearch

    def search(self, _search: Search) -> SearchResult:
        raise WrongEmbedder("the index is of another embedder")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.search_, name)


def test_while_the_index_is_of_another_embedder_new_subjects_become_topics() -> None:
    world = World()
    index: Any = OfAnotherEmbedder(world.services.topic_search)
    world.services = replace(world.services, topic_search=index)
    record = world.observe()

    fed = world.feed(record)

    assert (fed.placed, fed.failed, world.reports.told[1:]) == (1, [], [])
    assert world.topic.title == "Sines"


def test_a_fact_without_a_turn_in_time_fails_alone() -> None:
    world = World()
    soon, late = world.observe(), world.observe(subject="Sado")
    turns = iter((False, True))

    fed = feed_topics(map(made, (soon, late)), world.services, lambda: next(turns))

    assert world.topic.title == "Sines"
    assert [each.changed.record_id for each in fed.failed] == [late.id]
    assert world.reports.told[-1] == (FEED, FAULT)
