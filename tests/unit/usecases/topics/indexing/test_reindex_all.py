"""Re-indexing records and topics: one run of two parts, wherever it is ended and taken up."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import Aborted
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.search import Waiting
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.reindex import reindex
from membrane.usecases.topics.indexing.reindex_all import reindex_all
from tests.builders.indexed_topics import held
from tests.builders.ingesting import ingest
from tests.builders.requests import call, event, written
from tests.fakes.clock import FakeClock
from tests.fakes.entries import FakeCatalogue, FakeEntries, SetAsides
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeEmbedder
from tests.fakes.topic_world import FakeTopicCatalogue, topical
from tests.fakes.topics import FakeTopics


@dataclass(slots=True)
class World:
    """Five records and five topics, one of them archived; nothing is indexed yet."""

    clock: FakeClock = field(default_factory=FakeClock)
    records: FakeRecords = field(init=False)
    topics: FakeTopics = field(init=False)
    entries: FakeEntries = field(default_factory=lambda: FakeEntries("old"))
    topic_entries: FakeEntries = field(default_factory=lambda: FakeEntries("old"))
    set_aside: SetAsides = field(default_factory=SetAsides)
    services: TopicServices = field(init=False)

    def __post_init__(self) -> None:
        self.records = FakeRecords(self.clock)
        self.topics = FakeTopics(self.records)
        self.services = topical(
            topics=self.topics,
            entries=self.entries,
            topic_entries=self.topic_entries,
            catalogue=FakeCatalogue(self.records, self.entries),
            topic_catalogue=FakeTopicCatalogue(self.topics, self.topic_entries),
            embedder=FakeEmbedder("old"),
            set_aside=self.set_aside,
        )
        for number in range(5):
            asked = event(summary=f"gull {number}", scope=("", "team")[number % 2])
            written(ingest(asked, call(asked), self.services))
            held(self.topics, f"topic-{number}", scope=("", "team")[number % 2])
        held(self.topics, "topic-4", status=TopicStatus.ARCHIVED)

    def under(self, embedder: str) -> TopicServices:
        """The services once the embedder is another one."""
        self.entries.embedder_name = self.topic_entries.embedder_name = embedder
        return replace(self.services, embedder=FakeEmbedder(embedder))

    def found(self) -> tuple[list[str], list[str]]:
        """The ids of all records and topics that can be found."""
        return _found(self.entries), _found(self.topic_entries)

    def whole(self) -> tuple[list[str], list[str]]:
        """Those that should be."""
        return sorted(self.records.places), [f"topic-{number}" for number in range(4)]


def _found(entries: FakeEntries) -> list[str]:
    every = [each.entry for each in entries.places.values() if each.entry is not None]
    return sorted(each.record_id for each in every)


def never() -> bool:
    return False


def after(pages: int) -> Callable[[], bool]:
    """Time is up once so many pages were begun."""
    begun: Iterator[bool] = repeat(False, pages)  # noqa: FBT003 - is_out_of_time's answer
    return lambda: next(begun, True)


def test_records_and_topics_are_indexed_and_told_of_apart() -> None:
    world = World()

    done = reindex_all(world.services, never)

    assert done.is_done
    assert (done.records.indexed, done.topics.indexed, done.topics.scopes) == (5, 4, 2)
    assert world.found() == world.whole()
    assert done.as_json()["indexed"] == 5
    assert done.as_json()["topics"]["indexed"] == 4


def test_topics_come_after_the_records_and_neither_is_done_twice() -> None:
    world = World()
    steps = [reindex_all(world.services, after(1))]
    while not steps[-1].is_done:
        steps.append(reindex_all(world.services, after(1)))

    assert all(step.topics.indexed == 0 for step in steps if not step.records.is_done)
    assert len({step.records.started_at for step in steps}) == 1
    assert (steps[-1].records.indexed, steps[-1].topics.indexed) == (5, 4)


@given(st.lists(st.integers(min_value=0, max_value=4), max_size=8))
def test_wherever_it_is_ended_the_end_is_the_same(pages: list[int]) -> None:
    world = World()
    for some in pages:
        reindex_all(world.services, after(some))

    done = reindex_all(world.services, never)

    assert done.is_done
    assert world.found() == world.whole()


def test_behind_its_end_both_parts_begin_anew() -> None:
    world = World()
    reindex_all(world.services, never)
    world.entries.places.clear()
    world.topic_entries.places.clear()

    done = reindex_all(world.services, never)

    assert (done.records.indexed, done.topics.indexed) == (5, 4)
    assert world.found() == world.whole()


def test_both_begin_anew_when_it_is_to_be_done_again_in_the_midst_of_topics() -> None:
    world = World()
    while not reindex_all(world.services, after(1)).records.is_done:
        pass
    world.clock.now += timedelta(seconds=1)

    anew = reindex_all(world.services, after(0), again=True)

    assert (anew.records.is_done, anew.topics.is_done) == (False, False)
    assert anew.records.started_at == anew.topics.started_at
    assert reindex_all(world.services, never).is_done


def test_with_another_embedder_in_the_midst_of_topics_both_begin_anew() -> None:
    world = World()
    while not reindex_all(world.services, after(1)).records.is_done:
        pass

    done = reindex_all(world.under("new"), never)

    assert (done.records.indexed, done.topics.indexed) == (5, 4)
    assert (done.records.embedder, done.topics.embedder) == ("new", "new")


def test_what_an_older_version_did_of_the_records_goes_on_and_topics_follow() -> None:
    world = World()
    reindex(world.services, after(1))

    done = reindex_all(world.services, never)

    assert (done.records.indexed, done.topics.indexed) == (5, 4)


def test_behind_the_end_of_an_older_version_the_records_are_gone_through_too() -> None:
    world = World()
    reindex(world.services, never)

    done = reindex_all(world.services, never)

    assert (done.records.unchanged, done.topics.indexed) == (5, 4)


def test_an_older_version_reads_the_records_progress() -> None:
    world = World()
    reindex_all(world.services, after(2))

    done = reindex(world.services, never)

    assert (done.is_done, done.indexed) == (True, 5)


def test_a_topic_that_cannot_be_indexed_is_counted_and_set_aside_as_a_topic() -> None:
    world = World()

    def refuse(texts: object) -> None:
        if "topic-1" in str(texts):
            raise ValueError

    embedder = FakeEmbedder("old", failing=refuse)
    done = reindex_all(replace(world.services, embedder=embedder), never)

    assert (done.records.failed, done.topics.failed) == (0, 1)
    assert world.set_aside.others == [(Waiting.TOPIC, "topic-1")]


def test_two_at_once_do_not_run_into_each_other() -> None:
    world = World()
    while not reindex_all(world.services, after(1)).records.is_done:
        pass

    def other() -> bool:
        reindex_all(world.services, after(1))
        return False

    with pytest.raises(Aborted, match="at the same time"):
        reindex_all(world.services, other)

    assert reindex_all(world.services, never).is_done
    assert world.found() == world.whole()
