"""Creating a topic, as editors do."""

import pytest
from pydantic import ValidationError

from membrane.domain.language.errors import AlreadyExists, InvalidArgument, PermissionDenied
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.tokens.consistency import record_named
from membrane.domain.topics.requests.editing import CreateTopic
from membrane.domain.topics.titles import title_key
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.editing.topics import create_topic
from tests.builders.requests import ALPHA, OWNER, call
from tests.builders.topic_editors import ask, happened, made, refused, standing
from tests.fakes.topics import FakeTopics


def test_a_topic_is_made_as_it_was_asked_for(services: TopicServices) -> None:
    asked = CreateTopic(title="Ada", summary="a pilot", topic_kind="person", salience=2.5)

    made_id = ask(asked, services)["topic_id"]

    topic = standing(services, made_id)
    assert (topic.title, topic.summary, topic.kind) == ("Ada", "a pilot", "person")
    assert (topic.base.salience, topic.scope, topic.status) == (2.5, "", TopicStatus.ACTIVE)
    assert (topic.sensitivity, topic.version) == (Sensitivity.LOW, 1)
    assert happened(services, made_id) == ["created"]


@pytest.mark.parametrize("title", [None, "", "  "])
def test_a_topic_without_a_title_is_untitled_and_holds_none(
    services: TopicServices, topics: FakeTopics, title: str | None
) -> None:
    made_id = ask(CreateTopic.model_validate({"title": title, "topic_id": ""}), services)[
        "topic_id"
    ]

    assert standing(services, made_id).title == "untitled"
    assert topics.records.heads == {}


def test_the_reply_has_a_token_that_names_the_topic(services: TopicServices) -> None:
    answer = create_topic(CreateTopic(topic_id="ada"), call(CreateTopic()), services)

    assert record_named(answer.body["consistency_token"]) == "ada"


def test_the_id_of_another_topic_is_refused_whoever_may_see_that(services: TopicServices) -> None:
    ask(CreateTopic(topic_id="ada", scope="other", sensitivity=Sensitivity.HYPER), services)

    with refused(services, AlreadyExists, "topic already exists"):
        ask(CreateTopic(topic_id="ada"), services, ALPHA)


def test_an_id_that_only_the_server_gives_is_refused(services: TopicServices) -> None:
    asked = CreateTopic(topic_id="01234567-89ab-8def-8123-456789abcdef")

    words = "validation error for topic_id: UUIDs of version 8 are the server's own"
    with refused(services, InvalidArgument, words):
        ask(asked, services)


@pytest.mark.parametrize(
    "given",
    [
        {"topic_id": "a b"},
        {"topic_id": ".."},
        {"title": 5},
        {"title": "x" * 1_001},
        {"salience": -1},
        {"salience": "2"},
        {"topic_kind": "x" * 257},
        {"color": "red"},
    ],
)
def test_what_is_not_well_formed_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        CreateTopic.model_validate(given)


def test_the_title_is_held_by_the_first_of_it(services: TopicServices, topics: FakeTopics) -> None:
    first, second = made(services, "Ada"), made(services, " ADA ")

    head = topics.records.head(title_key("", "", "ada"))

    assert [each.record_id for each in head.holders] == [first]
    assert second != first


def test_a_repeat_under_one_key_makes_nothing_more(
    services: TopicServices, topics: FakeTopics
) -> None:
    first = ask(CreateTopic(title="Ada"), services, key="key-1")

    answer = create_topic(
        CreateTopic(title="Ada"), call(CreateTopic(title="Ada"), key="key-1"), services
    )

    assert answer.replayed
    assert answer.body["topic_id"] == first["topic_id"]
    assert len(topics.topics) == 1
    with pytest.raises(AlreadyExists):
        ask(CreateTopic(title="Bob"), services, key="key-1")


def test_a_topic_is_written_only_where_the_caller_may(services: TopicServices) -> None:
    own = ask(CreateTopic(title="Ada"), services, ALPHA)["topic_id"]

    assert standing(services, own).scope == "project:alpha"
    with refused(services, PermissionDenied, "the key does not cover this scope"):
        ask(CreateTopic(scope="project:beta"), services, ALPHA)
    with refused(services, PermissionDenied, "the key's highest sensitivity is below the record's"):
        ask(CreateTopic(sensitivity=Sensitivity.HIGH), services, ALPHA)
    assert standing(services, ask(CreateTopic(), services, OWNER)["topic_id"]).scope == ""
