"""What it takes to part two topics with many fields."""

from itertools import count
from uuid import UUID

import pytest

from membrane.domain.topics.requests.editing import UnmergeTopic
from membrane.domain.topics.requests.ingest import IngestTopic
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.archive_history import archive_history
from membrane.usecases.topics.placing.place_topic import ingest_topic
from membrane.usecases.topics.reasoning.merging import merge_topics, unmerge_topic
from membrane.usecases.topics.scope_walk import SERVICE
from tests.builders.requests import OWNER, call
from tests.builders.topic_editors import append
from tests.fakes.topic_world import topical
from tests.worlds.metering import meter
from tests.worlds.stores import Store

NUMBERS = count(1)
"""No id comes twice, whichever world asks."""


def over(table: Store) -> TopicServices:
    """The world of topics over that table."""
    return topical(
        topics=table.topics,
        records=table.records,
        blobs=table.blobs,
        now=table.clock,
        new_id=lambda: str(UUID(int=next(NUMBERS), version=4)),
    )


def with_fields(services: TopicServices, number: int, value: str) -> str:
    """The id of a new topic with so many fields, each of that value."""
    fields = [{"name": f"field {each}", "value": value} for each in range(number)]
    told = {"placement": "new_topic", "title": "Sines", "fields": fields}
    request = IngestTopic.model_validate(told)
    return str(ingest_topic(request, call(request, OWNER), services).body["topic_id"])


def merged(table: Store, number: int) -> tuple[str, str]:
    """A keeper and the alias in it: both have these fields, and the alias's values are shown."""
    services = over(table)
    keeper = with_fields(services, number, "of the keeper")
    append(services, keeper, "more", "makes it the keeper")
    table.clock.advance(hours=1)
    alias = with_fields(services, number, "of the alias")
    assert merge_topics(keeper, alias, SERVICE, services)
    values = shown(services, keeper)
    assert set(values.values()) == {"of the alias", "makes it the keeper"}
    return keeper, alias


def shown(services: TopicServices, topic_id: str) -> dict[str, object]:
    """The values of the topic's fields."""
    topic = services.topics.load(topic_id)
    assert topic is not None
    fields = topic.fields.items()
    return {name: each.current.value for name, each in fields if each.current is not None}


def part(services: TopicServices, alias: str) -> None:
    """Take the alias out of its keeper."""
    request = UnmergeTopic(id=alias)
    unmerge_topic(request, call(request, OWNER), services)


def requests_of_parting(table: Store, number: int) -> int:
    """How many requests it takes to part two topics of so many fields."""
    keeper, alias = merged(table, number)
    services, cost = over(table), meter(table.client)
    part(services, alias)
    counted = cost.requests
    values = [shown(services, each) for each in (keeper, alias)]
    assert [each["field 0"] for each in values] == ["of the keeper", "of the alias"]
    assert len(set(values[0].values())) == 2
    assert len(set(values[1].values())) == 1
    return counted


def test_parting_topics_takes_a_request_for_a_hundred_fields(table: Store) -> None:
    few = requests_of_parting(table, 20)
    many = requests_of_parting(table, 420)

    assert many - few <= 400 / 100 + 2


def test_a_value_that_an_archive_has_by_now_is_shown_again(table: Store) -> None:
    keeper, alias = merged(table, 2)
    services = over(table)
    archive_history(keeper, 1, SERVICE, services)

    part(services, alias)

    assert shown(services, keeper)["field 1"] == "of the keeper"


@pytest.mark.parametrize("name", ["field 0", "field 1"])
def test_what_was_written_to_the_keeper_since_is_shown_of_it(table: Store, name: str) -> None:
    keeper, alias = merged(table, 2)
    services = over(table)
    append(services, keeper, "field 1", "since", valid_from="2026-01-01T00:00:00Z")

    part(services, alias)

    assert shown(services, keeper)[name] == "of the keeper"
