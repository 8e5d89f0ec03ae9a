"""Queries of topics over real stores: what they find, and what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from membrane.adapters.dynamodb.table.keys import TOPICS
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.violations import validate
from membrane.domain.topics.requests.editing import AddRelationship, CreateTopic
from membrane.domain.topics.requests.query import QueryTopics
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.changes import ChangedSource
from membrane.usecases.topics.indexing import index_topics
from membrane.usecases.topics.querying.query_topics import query_topics
from membrane.usecases.topics.querying.reinforce_topics import reinforce_topics
from tests.builders.requests import call
from tests.builders.topic_editors import append, ask
from tests.fakes.clock import MORNING
from tests.fakes.told_reason import ToldReason
from tests.fakes.topic_world import topical
from tests.worlds.metering import Cost, meter
from tests.worlds.search_indexes import EMBEDDER, table_library
from tests.worlds.stores import Store


@dataclass(frozen=True, slots=True)
class World:
    """Topics in a table."""

    store: Store
    services: TopicServices
    told: ToldReason

    def add(self, topic_id: str, title: str, scope: str = "team", **values: Any) -> None:
        """A topic with these fields, which is indexed."""
        ask(CreateTopic(topic_id=topic_id, title=title, scope=scope), self.services)
        for name, value in values.items():
            append(self.services, topic_id, name, value)
        assert not index_topics([ChangedSource(topic_id, (scope,))], self.services).failed

    def query(self, q: str, **asked: Any) -> list[Any]:
        """The candidates."""
        request = validate(QueryTopics, {"q": q, **asked})
        return list(query_topics(request, call(request), self.services).body["candidates"])

    def cost(self, **asked: Any) -> Cost:
        """What a query of one scope costs, when its search is warm."""
        given = {"trust": {"scopes": ["team"]}, **asked}
        self.query(**given)
        spent = meter(self.store.client)
        self.query(**given)
        return replace(spent)


def world(store: Store) -> World:
    """Over that table."""
    library = table_library(store, space=TOPICS)
    told = ToldReason()
    services = topical(
        topics=store.topics,
        topic_search=library.index,
        topic_vectors=library.vectors,
        send_to_reasoning=told,
        embedder=EMBEDDER,
        records=store.records,
        now=store.clock,
    )
    return World(store, services, told)


@pytest.fixture
def asked(store: Store) -> World:
    return world(store)


def ids(found: Sequence[Any]) -> list[str]:
    """Of the candidates."""
    return [each["topic_id"] for each in found]


def test_a_query_finds_and_shows_all_that_was_written(asked: World) -> None:
    asked.add("bob", "Bob")
    asked.add("ada", "Ada", employer="Wonderland Shipyards")
    for number in range(3):
        append(asked.services, "ada", "age", 35 + number, ref_topic_id="bob")
    ask(AddRelationship(id="bob", to_topic_id="ada", kind="knows"), asked.services)

    (ada,) = asked.query("shipyards", explain=True)

    assert ada["topic_id"] == "ada"
    assert 0.0 < ada["similarity"] <= 1.0
    told = {each["name"]: [one["value"] for one in each["history"]] for each in ada["fields"]}
    assert told == {"age": [37, 36, 35], "employer": ["Wonderland Shipyards"]}
    assert {(each["id"], each["kind"], each["direction"]) for each in ada["neighbors"]} == {
        ("bob", "knows", "in"),
        ("bob", "field:age", "out"),
    }


def test_named_topics_alone_are_ranked(asked: World) -> None:
    for number in range(5):
        asked.add(f"light-{number}", f"Lighthouse number {number}")
    asked.add("harbour", "Harbour", near="a lighthouse, they say")
    asked.add("plants", "Office plants")

    found = asked.query("lighthouse number", topic_ids=["plants", "harbour"], top_k=2)

    assert ids(found) == ["harbour", "plants"]


def test_a_query_as_of_then_shows_the_values_of_then(asked: World) -> None:
    asked.store.clock.now = MORNING + timedelta(days=100)
    asked.add("ada", "Ada")
    for value, days in (("Paris", 10), ("Oslo", 30), ("Rome", 20)):
        since = rfc3339(MORNING + timedelta(days=days))
        append(asked.services, "ada", "city", value, valid_from=since)

    then = [
        asked.query("", topic_ids=["ada"], as_of=rfc3339(MORNING + timedelta(days=days)))
        for days in (5, 15, 25, 40)
    ]

    told = [[each["current"]["value"] for each in found[0]["fields"]] for found in then[1:]]
    assert (then[0], told) == ([], [["Paris"], ["Rome"], ["Oslo"]])


def test_what_is_shown_is_reinforced_once_a_message(asked: World) -> None:
    asked.add("ada", "Ada", city="Paris")
    asked.query("", field_names=["city"])
    ((message, _),) = asked.told.told

    for _ in range(2):
        reinforce_topics(message["reinforce"], asked.services)

    (ada,) = asked.query("")
    assert ada["salience"] == pytest.approx(1.2)


QUERIES: dict[str, dict[str, Any]] = {
    "semantic": {"q": "lighthouse"},
    "named": {"q": "lighthouse", "topic_ids": ["own-1", "own-2"]},
    "by salience": {"q": "", "stages": ["structural", "temporal"]},
    "explained": {"q": "lighthouse", "explain": True},
}


@pytest.mark.parametrize("kind", QUERIES)
def test_a_query_costs_the_same_however_many_topics_other_scopes_have(
    asked: World, kind: str
) -> None:
    for number in range(4):
        asked.add(f"own-{number}", f"Lighthouse number {number}", keeper="Ada")
    before = asked.cost(**QUERIES[kind])

    for number in range(12):
        asked.add(f"other-{number}", f"Lighthouse number {number}", scope=f"other-{number % 3}")

    assert asked.cost(**QUERIES[kind]) == before


@pytest.mark.parametrize("kind", ["semantic", "named", "explained"])
def test_a_query_makes_as_many_requests_however_many_topics_its_scope_has(
    table: Store, kind: str
) -> None:
    asked = world(table)
    for number in range(10):
        asked.add(f"own-{number}", f"Lighthouse number {number}", keeper="Ada")
    before = asked.cost(**QUERIES[kind]).requests

    for number in range(10, 40):
        asked.add(f"own-{number}", f"Lighthouse number {number}", keeper="Ada")

    after = asked.cost(**QUERIES[kind])
    assert after.requests == before
