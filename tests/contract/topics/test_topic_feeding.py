"""What a record states in topics, over each store: erased to the last byte, whatever breaks off."""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import UUID

import pytest
from botocore.exceptions import ReadTimeoutError

from membrane.adapters.dynamodb.table.keys import TOPICS
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.revision.requests import Reclassify
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.requests.editing import ChangeTopic
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.changes import ChangedSource
from membrane.usecases.topics.archive_history import archive_history
from membrane.usecases.topics.histories import history_of
from membrane.usecases.topics.indexing import index_topics
from membrane.usecases.topics.placing.feed_topics import feed_topics
from membrane.usecases.topics.scope_walk import SERVICE
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, observation, written
from tests.builders.topic_editors import append, ask, first_broken
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import FakeClock
from tests.fakes.search import FakeEmbedder
from tests.fakes.topic_world import topical
from tests.worlds.depth import steps
from tests.worlds.endings import amid
from tests.worlds.faults import ADDRESS, Killed, Moment, SteppingBlobs, die, without_retries
from tests.worlds.search_indexes import EMBEDDER, table_library
from tests.worlds.stores import TableStore, table_store

PLANTED = "xyzzy-planted"

LARGE = [f"{PLANTED} {number:08d}" for number in range(20_000)]
"""A value for the bucket."""


NUMBERS = count(1)


def new_id() -> str:
    """Another id each time, whichever world asks."""
    return str(UUID(int=next(NUMBERS), version=4))


def over(table: TableStore) -> TopicServices:
    """The world of topics over that table, in which observations feed topics."""
    library = table_library(table, space=TOPICS)
    return topical(
        topics=table.topics,
        records=table.records,
        natural=table.natural,
        topic_vectors=library.vectors,
        topic_search=library.index,
        embedder=FakeEmbedder(EMBEDDER.name, EMBEDDER.dimensions),
        blobs=table.blobs,
        new_id=new_id,
        now=table.clock,
        topic_policy=TopicPolicy(feeds=True),
    )


def observed(services: TopicServices, clock: FakeClock, **fields: Any) -> str:
    """The id of the record of an observation, which a topic tells."""
    usual = {"subject": "Sines", "predicate": "cranes", "object": 3, "scope": "team"}
    asked = observation(**usual | fields)
    record = written(ingest(asked, call(asked), services))
    feed(services, record.id)
    clock.now += timedelta(minutes=1)
    return record.id


def feed(services: TopicServices, *record_ids: str) -> None:
    """As the stream does, for records and for the topics that changed by it."""
    before = every_topic(services)
    fed = feed_topics([ChangedSource(each, ("team",)) for each in record_ids], services)
    assert fed.failed == []
    places = sorted(before | every_topic(services))
    index_topics([ChangedSource(topic_id, (scope,)) for topic_id, scope in places], services)


def every_topic(services: TopicServices) -> set[tuple[str, str]]:
    """The listed topics, each with its scope."""
    return {
        (each.topic_id, scope)
        for scope in ("team", "other")
        for each in services.topics.list_topics(scope, 10)
    }


def erase(services: TopicServices, record_id: str) -> None:
    """Erase the record, which only its id is left of."""
    change(DeleteRecord(id=record_id, erase=True), services)


def texts(table: TableStore) -> Iterator[str]:
    """All that lies in the table and in the bucket, decompressed."""
    for item in table.everything():
        yield from map(spelled, item.values())
    for blob in table.blobs.list_blobs():
        yield blob.name + unzipped(table.blobs.get(blob.name) or b"")


def spelled(value: Mapping[str, Any]) -> str:
    """An attribute as text."""
    return unzipped(value["B"]) if "B" in value else repr(value)


def unzipped(content: bytes) -> str:
    """Bytes as text, decompressed where they are compressed."""
    with suppress(zlib.error):
        content = zlib.decompress(content)
    return content.decode("utf-8", "replace")


def planted_in(table: TableStore) -> list[str]:
    """Where the planted text still is."""
    return [each[:300] for each in texts(table) if PLANTED in each]


def beside_others(services: TopicServices, clock: FakeClock) -> str:
    """A statement in a field that others wrote to before and after."""
    observed(services, clock, object="before")
    record_id = observed(services, clock, object=f"{PLANTED} cranes")
    observed(services, clock, object="after")
    return record_id


def large(services: TopicServices, clock: FakeClock) -> str:
    """A value that lies in the bucket."""
    observed(services, clock, object="before")
    return observed(services, clock, object=LARGE)


def alone(services: TopicServices, clock: FakeClock) -> str:
    """The only one of a topic, which has its name from it."""
    return observed(services, clock, subject=PLANTED, predicate=f"{PLANTED} of", object=PLANTED)


def archived(services: TopicServices, clock: FakeClock) -> str:
    """A statement that lies in the bucket with others, and one of another field."""
    record_id = beside_others(services, clock)
    observed(services, clock, object="still later")
    [place] = services.topics.list_topics("team", 10)
    archive_history(place.topic_id, 1, SERVICE, services)
    return record_id


def of_a_field_of_its_own(services: TopicServices, clock: FakeClock) -> str:
    """A field that nobody else wrote to, whose audit event has left the topic's head."""
    observed(services, clock)
    record_id = observed(services, clock, predicate=f"{PLANTED} field", object=PLANTED)
    [place] = services.topics.list_topics("team", 10)
    for number in range(20):
        append(services, place.topic_id, "cranes", number)
    return record_id


def of_a_large_topic(services: TopicServices, clock: FakeClock) -> str:
    """In a topic whose head lies in the bucket."""
    record_id = observed(services, clock, object=PLANTED)
    [place] = services.topics.list_topics("team", 10)
    noise = "".join(map(chr, range(0x4E00, 0x9E00)))
    summary = "".join(noise[each * 7919 % len(noise)] for each in range(60_000))
    ask(ChangeTopic(id=place.topic_id, summary=summary[:30_000]), services)
    return record_id


SCENES: dict[str, Callable[[TopicServices, FakeClock], str]] = {
    each.__name__: each
    for each in (
        beside_others,
        large,
        alone,
        archived,
        of_a_field_of_its_own,
        of_a_large_topic,
    )
}


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_no_byte_of_an_erased_record_is_left_in_table_or_bucket(
    table: TableStore, scene: Callable[[TopicServices, FakeClock], str]
) -> None:
    services = over(table)
    record_id = scene(services, table.clock)
    assert planted_in(table)

    erase(services, record_id)
    feed(services, record_id)

    assert planted_in(table) == []


@dataclass(frozen=True, slots=True)
class Beginning:
    """All that is stored, where a run begins over and over."""

    endpoint: str
    record_id: str
    items: Sequence[Any]
    blobs: FakeBlobs
    clock: FakeClock

    @classmethod
    def of(cls, endpoint: str, scene: Callable[[TopicServices, FakeClock], str]) -> "Beginning":
        """The scene as it is stored."""
        blobs = FakeBlobs()
        table = table_store(endpoint, blobs)
        record_id = scene(over(table), table.clock)
        return cls(endpoint, record_id, table.everything(), blobs, table.clock)

    def begin(self) -> TableStore:
        """A store of its own in that state."""
        blobs = SteppingBlobs(self.clock, dict(self.blobs.blobs), dict(self.blobs.written_at))
        table = table_store(self.endpoint, blobs)
        table.clock.now = self.clock.now
        for item in self.items:
            table.inspector.put_item(TableName=table.table, Item=item)
        return table


def state(table: TableStore) -> Any:
    """What topics tell; nothing that says how often it was tried."""
    services, found = over(table), []
    ids = {item["pk"]["S"][6:] for item in table.everything() if item["sk"] == {"S": "topic"}}
    for topic in services.topics.load_all(sorted(ids)).values():
        trail = services.topics.events(topic)
        assert first_broken(topic.id, trail) is None
        if topic.status is TopicStatus.DELETED:
            continue
        values = {
            name: [each.value for each in history_of(field, services.topics, archived=True)]
            for name, field in topic.fields.items()
        }
        counts = {name: field.history_length for name, field in topic.fields.items()}
        assert counts == {name: len(each) for name, each in values.items()}
        found.append((topic.scope, topic.sensitivity, topic.title, values))
    own = [(item["pk"]["S"], item["sk"]["S"]) for item in table.everything()]
    statements = [partition for partition, place in own if place == "statement"]
    return sorted(found, key=repr), sorted(statements)


def time_out() -> None:
    """The reply is lost on the way."""
    raise ReadTimeoutError(endpoint_url=ADDRESS)


def raised(services: TopicServices, record_id: str) -> None:
    """The record's sensitivity rises above that of its topic."""
    change(Reclassify(id=record_id, sensitivity=Sensitivity.HYPER), services)


@pytest.mark.parametrize(
    ("scene", "become", "breaking"),
    [
        (large, erase, die),
        (archived, raised, die),
        (archived, raised, time_out),
        (of_a_field_of_its_own, erase, time_out),
    ],
)
def test_broken_off_at_any_call_and_told_again_it_ends_as_if_nothing_had_happened(
    endpoint: str,
    scene: Callable[[TopicServices, FakeClock], str],
    become: Callable[[TopicServices, str], None],
    breaking: Callable[[], None],
) -> None:
    beginning = Beginning.of(endpoint, scene)
    table = beginning.begin()
    become(over(table), beginning.record_id)
    before = state(table)
    feed(over(table), beginning.record_id)
    after = state(table)
    assert after != before

    for step in steps():
        table = beginning.begin()
        without_retries(table.client)
        services, moment = over(table), Moment(step, breaking)
        become(services, beginning.record_id)
        with suppress(Killed, Unavailable, ReadTimeoutError), amid(table, moment):
            feed_topics([ChangedSource(beginning.record_id, ("team",))], services)
        feed(services, beginning.record_id)
        assert state(table) == after, f"broken off at step {step}"
        assert become is not erase or planted_in(table) == [], f"broken off at step {step}"
        if not moment.has_come:
            break
    assert step > 5
