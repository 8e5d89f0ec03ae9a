"""Topics and entities of one name over a real table: what readers find, and what the join costs."""

import pytest

from membrane.domain.entities.requests import MergeEntities, ReadEntity
from membrane.domain.language.json_text import Body
from membrane.domain.topics.requests.editing import CreateTopic
from membrane.usecases.entities.merge_entities import merge_entities
from membrane.usecases.entities.read_entity import read_entity
from membrane.usecases.ports.services_topics import TopicServices
from tests.builders.entities import add_entity
from tests.builders.requests import OWNER, call
from tests.builders.topic_editors import ask
from tests.builders.topic_readers import topic
from tests.fakes.topic_world import topical
from tests.worlds.metering import meter
from tests.worlds.stores import Store

SCOPE = "project:alpha"


def services_over(store: Store) -> TopicServices:
    """Services of topics over the table."""
    names, ranks, due = store.services.names, store.services.ranks, store.services.due
    now = store.clock
    return topical(
        topics=store.topics, records=store.records, names=names, ranks=ranks, due=due, now=now
    )


@pytest.fixture
def services(table: Store) -> TopicServices:
    """Services over the table, with a topic."""
    made = services_over(table)
    ask(CreateTopic(topic_id="topic", title="Ada", topic_kind="person", scope=SCOPE), made)
    return made


def page(services: TopicServices, entity_id: str) -> Body:
    request = ReadEntity(id=entity_id)
    return read_entity(request, call(request, OWNER), services).body


def reads_of_topic(store: Store, services: TopicServices) -> int:
    """The requests of a read of the topic."""
    spent = meter(store.client)
    topic(services, "topic")
    return spent.requests


def test_a_topic_and_an_entity_of_one_name_name_each_other(services: TopicServices) -> None:
    ada = add_entity("Ada", services)

    assert topic(services, "topic")["entity_id"] == ada.id
    assert page(services, ada.id)["topics"] == [{"id": "topic", "title": "Ada"}]


def test_a_merged_entity_leads_to_the_absorbing_entity(services: TopicServices) -> None:
    ada, countess = add_entity("Ada", services), add_entity("Countess", services)
    merging = MergeEntities(id=countess.id, entity_ids=(ada.id,))

    merge_entities(merging, call(merging, OWNER), services)

    assert topic(services, "topic")["entity_id"] == countess.id
    assert [each["id"] for each in page(services, countess.id)["topics"]] == ["topic"]


def test_a_namesake_takes_one_request_more_of_a_read_of_a_topic(
    table: Store, services: TopicServices
) -> None:
    without = reads_of_topic(table, services)

    add_entity("Ada", services)

    assert reads_of_topic(table, services) == without + 1
