"""Telling of topics over each store: titles, receipts and archives hold there, too."""

import json
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.idempotency import fingerprint_of
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.requests.ingest import IngestTopic
from membrane.domain.topics.topic import Field
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.placing.place_topic import ingest_topic
from tests.fakes.topic_world import topical
from tests.worlds.stores import Store
from tests.worlds.threads import at_once

OWNER = principal_of("owner", Permission, ["*"], "hyper")
WRITERS = 16


def world(store: Store, policy: TopicPolicy = TopicPolicy()) -> TopicServices:  # noqa: B008  # frozen
    """The world of the use cases of topics over a store."""
    services = topical(
        topics=store.topics, records=store.records, now=store.clock, topic_policy=policy
    )
    return replace(services, new_id=lambda: str(uuid4()))


def told(services: TopicServices, key: str | None = None, **body: Any) -> ReplyBody:
    """What the body is answered."""
    call = Call(OWNER, "IngestTopic", key, fingerprint_of(body))
    return ingest_topic(validate(IngestTopic, body), call, services)


def field(name: str, value: Any) -> dict[str, Any]:
    return {"name": name, "value": value}


def standing(services: TopicServices, topic_id: str, name: str) -> Field:
    """A field as it is stored."""
    topic = services.topics.load(topic_id)
    assert topic is not None
    return topic.fields[name]


@pytest.mark.parametrize("key", [None, "once"])
def test_many_who_tell_the_same_at_once_make_one_topic(table: Store, key: str | None) -> None:
    services = world(table)

    def one() -> str:
        body = {"title": "Ada", "fields": [field("city", "Paris")]}
        return str(told(services, key, **body).body["topic_id"])

    [topic_id] = set(at_once([one] * WRITERS))

    assert standing(services, topic_id, "city").history_length == 1


def test_a_call_that_found_nothing_to_write_is_remembered(store: Store) -> None:
    services = world(store)
    told(services, title="Ada", fields=[field("city", "Paris")])

    first = told(services, "k", title="Ada", fields=[field("city", "Paris")])
    again = told(services, "k", title="Ada", fields=[field("city", "Paris")])

    assert first.body["applied"] == ["unchanged:city"]
    assert (again.body, again.replayed) == (first.body, True)


def test_of_five_revisions_three_stay_and_two_are_archived(store: Store) -> None:
    services = world(store, TopicPolicy(max_history=3))
    answers = [told(services, title="Ada", fields=[field("count", each)]) for each in range(5)]

    current = standing(services, answers[0].body["topic_id"], "count")
    [line] = current.lines
    archived = [
        revision.value
        for archive in reversed(line.archives)
        for revision in services.topics.load_archive(line, archive)
    ]
    assert [each.value for each in services.topics.history(line)] == [4, 3, 2]
    assert archived == [1, 0]
    assert (current.history_length, line.count) == (5, 3)


def test_a_large_value_that_was_archived_can_still_be_read(table: Store) -> None:
    services = world(table, TopicPolicy(max_history=1))
    large = "x" * LARGE_VALUE_BYTES
    told(services, title="Ada", fields=[field("log", large)])

    answer = told(services, title="Ada", fields=[field("log", "small")])

    [line] = standing(services, answer.body["topic_id"], "log").lines
    [archive] = line.archives
    [revision] = services.topics.load_archive(line, archive)
    assert isinstance(revision.value, LargeValue)
    assert json.loads(services.records.value(revision.value)) == large


def test_many_new_titles_at_once_are_as_many_topics(table: Store) -> None:
    services = world(table)

    def one(number: int) -> str:
        return str(told(services, title=f"Topic {number}").body["topic_id"])

    made = set(at_once([partial(one, number) for number in range(WRITERS)]))

    assert len(made) == WRITERS


def test_a_topic_of_the_title_is_found_when_its_holder_is_gone(store: Store) -> None:
    services = world(store)
    first, second = (
        str(told(services, placement="new_topic", title="Ada").body["topic_id"]) for _ in range(2)
    )
    told(services, placement="extend_topic", topic_id=first, title="Ada Lovelace")

    answers = [told(services, title="ada", fields=[field("count", each)]) for each in range(2)]

    assert [each.body["topic_id"] for each in answers] == [second, second]
    assert standing(services, second, "count").history_length == 2


def test_many_who_tell_the_same_without_a_title_make_one_topic(table: Store) -> None:
    services = world(table)

    def one() -> str:
        answer = told(services, fields=[field("fact", "the moon is far")])
        return str(answer.body["topic_id"])

    [made] = set(at_once([one] * WRITERS))

    assert standing(services, made, "fact").history_length == 1


def test_what_was_so_at_the_time_is_known_from_an_archive_too(store: Store) -> None:
    services = world(store, TopicPolicy(max_history=1))
    body = {"name": "city", "value": "Paris", "valid_from": "2020-01-01T00:00:00Z"}
    made = str(told(services, title="Ada", fields=[body]).body["topic_id"])
    told(services, title="Ada", fields=[field("city", "Rome")])

    again = told(services, title="Ada", fields=[body])

    assert again.body["applied"] == ["unchanged:city"]
    assert standing(services, made, "city").history_length == 2
