"""Topics over a table with a planted text, topics merged, and the search for the text."""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import UUID

from membrane.domain.topics.reasoning.duplicates import Duplicate, Ground
from membrane.domain.topics.reasoning.merging import merge_duplicates
from membrane.domain.topics.requests.editing import CreateTopic, UnmergeTopic
from membrane.domain.topics.topic import Topic
from membrane.usecases.ports.topics import TopicChange
from membrane.usecases.topics.reasoning.unmerging import unmerge_topic
from membrane.usecases.topics.writing import Decision, write
from membrane.wiring.world import World
from tests.builders.requests import OWNER, call
from tests.builders.stored_topics import first_broken
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
    """The world of topics over that table."""
    return table.services.but(topics=table.topics, new_id=new_id)


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


def standing(services: World, topic_id: str) -> Topic:
    """The topic as it is stored, whose trail is whole."""
    topic = services.topics.load(topic_id)
    assert topic is not None
    trail = services.topics.events(topic)
    assert len(trail) == topic.events
    assert first_broken(topic.id, trail) is None
    return topic


def merge(services: World, keeper_id: str, other_id: str) -> None:
    """Let one topic take in the other, whatever either says."""

    def decide(context: Any) -> Decision:
        keeper, other = (standing(services, each) for each in (keeper_id, other_id))
        after, alias = merge_duplicates(Duplicate(keeper, other, Ground.TITLE, 1.0), context)
        change = TopicChange(topics=((keeper, after), (other, alias)), token=context.token)
        return Decision(change, {})

    write(decide, call(CreateTopic(), OWNER), services)


def unmerge(services: World, topic_id: str, **asked: Any) -> dict[str, Any]:
    """Take the topic out again of what it is in; what is answered."""
    request = UnmergeTopic(id=topic_id, **asked)
    return dict(unmerge_topic(request, call(request, OWNER), services).body)
