"""Topics over a table with a planted text, and the search for the text in every stored byte."""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import UUID

from membrane.domain.topics.policy import TopicPolicy
from membrane.usecases.search.indexing import ChangedSource
from membrane.usecases.topics.indexing import index_topics
from membrane.usecases.topics.placing.feed_topics import feed_topics
from membrane.wiring.world import World
from tests.builders.ingesting import ingest
from tests.builders.requests import call, observation, written
from tests.fakes.bucket import FakeBlobs
from tests.fakes.clock import FakeClock
from tests.worlds.faults import SteppingBlobs
from tests.worlds.stores import Store, table_store

PLANTED = "xyzzy-planted"

LARGE = [f"{PLANTED} {number:08d}" for number in range(20_000)]
"""A value for the bucket."""


NUMBERS = count(1)


def new_id() -> str:
    """Another id each time, whichever world asks."""
    return str(UUID(int=next(NUMBERS), version=4))


def over(table: Store) -> World:
    """The world of topics over that table, in which observations feed topics."""
    return table.services.but(
        topics=table.topics,
        new_id=new_id,
        topic_policy=TopicPolicy(feeds=True),
    )


def observed(services: World, clock: FakeClock, **fields: Any) -> str:
    """The id of the record of an observation, which a topic tells."""
    usual = {"subject": "Sines", "predicate": "cranes", "object": 3, "scope": "team"}
    asked = observation(**usual | fields)
    record = written(ingest(asked, call(asked), services))
    feed(services, record.id)
    clock.now += timedelta(minutes=1)
    return record.id


def feed(services: World, *record_ids: str) -> None:
    """As the stream does, for records and for the topics that changed by it."""
    before = every_topic(services)
    fed = feed_topics([ChangedSource(each, ("team",)) for each in record_ids], services)
    assert fed.failed == []
    places = sorted(before | every_topic(services))
    index_topics([ChangedSource(topic_id, (scope,)) for topic_id, scope in places], services)


def every_topic(services: World) -> set[tuple[str, str]]:
    """The listed topics, each with its scope."""
    return {
        (each.topic_id, scope)
        for scope in ("team", "other")
        for each in services.topics.list_topics(scope, 10)
    }


def texts(table: Store) -> Iterator[str]:
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


def planted_in(table: Store) -> list[str]:
    """Where the planted text still is."""
    return [each[:300] for each in texts(table) if PLANTED in each]


@dataclass(frozen=True, slots=True)
class Beginning:
    """All that is stored, where a run begins over and over."""

    subject_id: str
    items: Sequence[Any]
    blobs: FakeBlobs
    clock: FakeClock

    @classmethod
    def of(cls, scene: Callable[[World, FakeClock], str]) -> "Beginning":
        """The scene as it is stored."""
        blobs = FakeBlobs()
        table = table_store(blobs)
        subject_id = scene(over(table), table.clock)
        return cls(subject_id, table.everything(), blobs, table.clock)

    def begin(self) -> Store:
        """A store of its own in that state."""
        blobs = SteppingBlobs(self.clock, dict(self.blobs.blobs), dict(self.blobs.written_at))
        table = table_store(blobs)
        table.clock.now = self.clock.now
        table.put_all(self.items)
        return table
