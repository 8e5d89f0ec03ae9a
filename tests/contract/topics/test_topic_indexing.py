"""Indexing topics over a table: the same world as the store's, with what keeps the index."""

from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
from membrane.adapters.dynamodb.search.entry_store import DynamoEntries
from membrane.adapters.dynamodb.stream_images import told_in
from membrane.adapters.dynamodb.table.keys import RECORDS, TOPICS, SearchSpace
from membrane.domain.topics.requests.editing import CreateTopic, DeleteTopic
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.editing.create_topic import create_topic
from membrane.usecases.topics.editing.delete_topic import delete_topic
from membrane.usecases.topics.indexing.follow_topics import follow_topics
from membrane.usecases.topics.indexing.reindex_all import reindex_all
from tests.builders.requests import call
from tests.builders.stored_records import stored
from tests.fakes.search import FakeEmbedder
from tests.fakes.topic_world import ToldReason, topical
from tests.worlds.search_indexes import EMBEDDER, OVER_TABLES, Library
from tests.worlds.stores import TableStore


@dataclass(frozen=True, slots=True)
class World:
    """A table's topics and records, their entries, and what reads those of topics."""

    store: TableStore
    services: TopicServices
    library: Library
    reason: ToldReason

    def topic(self, title: str, scope: str = "team") -> str:
        """The id of a new one."""
        asked = CreateTopic(title=title, scope=scope)
        return str(create_topic(asked, call(asked), self.services).body["topic_id"])

    def delete(self, topic_id: str) -> None:
        """It is hidden from then on."""
        asked = DeleteTopic(id=topic_id)
        delete_topic(asked, call(asked), self.services)

    def follow(self) -> None:
        """As the stream does, for all items that there are."""
        images = [_image(item) for item in self.store.everything()]
        follow_topics(told_in(images).topics, self.services)


def _image(item: Any) -> dict[str, Any]:
    keys = {name: item[name] for name in ("pk", "sk")}
    return {"dynamodb": {"Keys": keys, "NewImage": item}}


def world_over(store: TableStore, library: Library, *, vector: bool) -> World:
    def entries(space: SearchSpace) -> DynamoEntries:
        return DynamoEntries(
            store.client, store.table, EMBEDDER.name, 1, store.clock, vector, space
        )

    reason = ToldReason()
    usual = store.services
    names = ("records", "now", "new_id", "new_salt", "back_off", "keys", "blobs", "uploads")
    services = topical(
        topics=store.topics,
        topic_entries=entries(TOPICS),
        topic_search=library.index,
        topic_catalogue=DynamoCatalogue(store.client, store.table, TOPICS),
        entries=entries(RECORDS),
        catalogue=DynamoCatalogue(store.client, store.table, RECORDS),
        embedder=FakeEmbedder(EMBEDDER.name, EMBEDDER.dimensions),
        tell_reason=reason,
        **{name: getattr(usual, name) for name in names},
    )
    return World(store, services, library, reason)


@pytest.fixture(params=OVER_TABLES)
def world(request: pytest.FixtureRequest) -> World:
    """Each implementation over a table."""
    fixture, made_over = OVER_TABLES[request.param]
    store = request.getfixturevalue(fixture)
    assert isinstance(store, TableStore)
    return world_over(
        store, made_over(store, space=TOPICS), vector=request.param.endswith("vectors")
    )


def test_what_the_stream_tells_of_topics_is_found(world: World) -> None:
    crane, gull = world.topic("Crane of Sines"), world.topic("A gull", scope="")

    world.follow()

    assert world.library.found("crane")[0] == crane
    assert world.library.found("gull", scopes=[""]) == [gull]
    assert world.store.topics.marks("team") is not None
    assert sorted(message["scope"] for message, _ in world.reason.told) == ["", "team"]


def test_a_topic_that_was_deleted_is_found_no_more(world: World) -> None:
    crane = world.topic("Crane of Sines")
    world.follow()

    world.delete(crane)
    world.follow()

    assert world.library.found("crane") == []
    assert world.library.index.at([("team", crane)]) == []


def test_a_re_index_goes_through_records_and_topics(world: World) -> None:
    ids = sorted(world.topic(f"Crane {number}") for number in range(5))
    world.delete(ids[0])
    world.store.records.create(stored("record-1", scope="team"))

    done = reindex_all(world.services, lambda: False)

    assert done.is_done
    assert (done.records.indexed, done.topics.indexed, done.topics.failed) == (1, 4, 0)
    assert sorted(world.library.found("crane")) == ids[1:]
