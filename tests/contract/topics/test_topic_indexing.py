"""Indexing topics over a table: the same world as the store's, with what keeps the index."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
from membrane.adapters.dynamodb.search.vector_items import Encoding
from membrane.adapters.dynamodb.stream_images import changes_in
from membrane.adapters.dynamodb.table.keys import RECORDS, TOPICS
from membrane.domain.records.vector_rules import index_version
from membrane.domain.topics.requests.editing import (
    AddRelationship,
    AppendField,
    ChangeTopic,
    CreateTopic,
    DeleteTopic,
    SetFieldRef,
)
from membrane.usecases.following.follow_changes import follow_all
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.reindex import Stage, reindex
from tests.builders.stored_records import stored
from tests.builders.topic_editors import append, ask
from tests.fakes.search import FakeEmbedder
from tests.fakes.told_reason import ToldReason
from tests.fakes.topic_world import topical
from tests.worlds.search_indexes import EMBEDDER, Library, table_library
from tests.worlds.stores import Store

ENCODING = Encoding(EMBEDDER.dimensions, EMBEDDER.name)


@dataclass(frozen=True, slots=True)
class World:
    """A table's topics and records, and the vectors of topics."""

    store: Store
    services: TopicServices
    library: Library
    reason: ToldReason

    def topic(self, title: str, scope: str = "team") -> str:
        """The id of a new one."""
        return str(ask(CreateTopic(title=title, scope=scope), self.services)["topic_id"])

    def follow(self) -> None:
        """As the stream does, for all items that there are."""
        images = [_image(item) for item in self.store.everything()]
        follow_all(changes_in(images), self.services)

    def is_stale(self, topic_id: str) -> bool:
        """Whether the last write of the topic's item told the stream."""
        (item,) = [
            each
            for each in self.store.everything()
            if (each["pk"], each["sk"]) == ({"S": f"topic#{topic_id}"}, {"S": "topic"})
        ]
        return "stale" in item


def _image(item: Any) -> dict[str, Any]:
    keys = {name: item[name] for name in ("pk", "sk")}
    return {"eventName": "MODIFY", "dynamodb": {"Keys": keys, "NewImage": item}}


def world_over(store: Store, library: Library) -> World:
    reason = ToldReason()
    usual = store.services
    names = ("records", "now", "new_id", "new_salt", "back_off", "keys", "blobs", "uploads")
    services = topical(
        topics=store.topics,
        topic_vectors=library.vectors,
        topic_search=library.index,
        vectors=table_library(store, space=RECORDS).vectors,
        catalogue=DynamoCatalogue(store.client, store.table, ENCODING, store.clock),
        embedder=FakeEmbedder(EMBEDDER.name, EMBEDDER.dimensions),
        send_to_reasoning=reason,
        **{name: getattr(usual, name) for name in names},
    )
    return World(store, services, library, reason)


@pytest.fixture
def world(store: Store) -> World:
    return world_over(store, table_library(store, space=TOPICS))


def test_what_the_stream_tells_of_topics_is_found(world: World) -> None:
    crane, gull = world.topic("Crane of Sines"), world.topic("A gull", scope="")

    world.follow()

    assert world.library.found("crane")[0] == crane
    assert world.library.found("gull", scopes=[""]) == [gull]
    assert world.store.topics.marks("team") is not None
    assert sorted(message["scope"] for message, _ in world.reason.told) == ["", "team"]


def test_a_topic_that_is_deleted_is_found_no_more_from_that_write_on(world: World) -> None:
    crane = world.topic("Crane of Sines")
    world.follow()
    (entry,) = world.library.at(crane)
    topic = world.store.topics.load(crane)
    assert topic is not None

    ask(DeleteTopic(id=crane), world.services)
    late = world.library.vectors.put_entry(
        entry, index_version(topic.base.born_s, topic.version), None
    )

    assert not late
    assert world.library.found("crane") == []
    assert world.library.at(crane) == []


TELLING: dict[str, Callable[[str, str], Any]] = {
    "other words": lambda one, _: ChangeTopic(id=one, summary="of Sines"),
    "a value": lambda one, _: AppendField(id=one, field_name="age", value="4"),
    "a link": lambda one, other: AddRelationship(id=one, to_topic_id=other, kind="knows"),
    "a reference": lambda one, other: SetFieldRef(id=one, name="near", ref_topic_id=other),
}


@pytest.mark.parametrize("edit", TELLING)
def test_a_write_that_changes_what_is_found_or_linked_tells_the_stream(
    world: World, edit: str
) -> None:
    crane, gull = world.topic("Crane"), world.topic("Gull")
    append(world.services, crane, "near", "the harbour")
    append(world.services, crane, "near", "a gull", valid_from="2020-01-01T00:00:00Z")
    assert not world.is_stale(crane)

    ask(TELLING[edit](crane, gull), world.services)

    assert world.is_stale(crane)


def test_a_re_index_tells_the_stream_of_records_and_topics(world: World) -> None:
    ids = sorted(world.topic(f"Crane {number}") for number in range(5))
    ask(DeleteTopic(id=ids[0]), world.services)
    world.store.records.create(stored("record-1", scope="team"))

    done = reindex(world.services, lambda: False)
    world.follow()

    assert (done.stage, done.marked, done.lacking) == (Stage.DONE, 6, 0)
    assert sorted(world.library.found("crane")) == ids[1:]
