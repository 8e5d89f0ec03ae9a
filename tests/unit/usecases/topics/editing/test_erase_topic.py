"""Erasing a topic leaves a tombstone, and of other topics what is their own."""

import pytest

from membrane.domain.language.errors import FailedPrecondition, NotFound, PermissionDenied
from membrane.domain.language.vocabulary import Permission
from membrane.domain.topics.requests.editing import (
    AddRelationship,
    CreateTopic,
    DeleteTopic,
    RestoreTopic,
)
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.erasing.erase_topic import erase_topic
from membrane.usecases.topics.scope_walk import SERVICE
from tests.builders.requests import BETA, OWNER
from tests.builders.topic_editors import ask, happened, history, made, refused, standing, stored
from tests.worlds.merged_topics import merge


def test_of_an_erased_topic_a_tombstone_stays(services: TopicServices) -> None:
    topic_id = made(services, "Ada Lovelace", city="Paris")

    assert ask(DeleteTopic(id=topic_id, erase=True, why="asked"), services) == {"deleted": topic_id}

    tombstone = standing(services, topic_id)
    assert (tombstone.status, tombstone.title, tombstone.fields) == (TopicStatus.ERASED, "", {})
    assert tombstone.trail[-1].why == "asked"
    assert tombstone.due_s is None
    assert "Paris" not in stored(services)
    assert "Lovelace" not in stored(services)


def test_an_erased_topic_can_neither_be_restored_nor_made_again(services: TopicServices) -> None:
    topic_id = made(services, city="Paris")
    ask(DeleteTopic(id=topic_id, erase=True), services)

    words = "the topic was erased; nothing is left to restore"
    with refused(services, FailedPrecondition, words):
        ask(RestoreTopic(id=topic_id), services)
    with refused(services, NotFound, "topic not found"):
        ask(DeleteTopic(id=topic_id), services)


def test_a_repeat_under_the_same_key_changes_nothing(services: TopicServices) -> None:
    topic_id = made(services, city="Paris")
    asked = DeleteTopic(id=topic_id, erase=True)
    first = ask(asked, services, key="key-1")
    before = stored(services)

    assert ask(asked, services, key="key-1") == first

    assert stored(services) == before


def test_erasing_takes_the_permission_admin_and_the_right_to_write(services: TopicServices) -> None:
    topic_id = made(services, city="Paris")
    reviser = OWNER._replace(permissions=frozenset({Permission.REVISE}))

    with refused(services, PermissionDenied, "the permission admin is required"):
        ask(DeleteTopic(id=topic_id, erase=True), services, reviser)
    words = "writing an unscoped record needs a key for all scopes"
    with refused(services, PermissionDenied, words):
        ask(DeleteTopic(id=topic_id, erase=True), services, BETA)


def test_topics_merged_into_an_erased_topic_are_erased_with_it(services: TopicServices) -> None:
    keeper, alias = made(services, city="Paris"), made(services, city="Rome")
    merge(services, keeper, alias)

    ask(DeleteTopic(id=keeper, erase=True), services)

    for each in (keeper, alias):
        assert standing(services, each).status is TopicStatus.ERASED
    assert "Rome" not in stored(services)


def test_an_erased_alias_leaves_the_keeper_as_it_was(services: TopicServices) -> None:
    keeper, alias = made(services, city="Paris"), made(services, city="Rome", pet="a cat")
    merge(services, keeper, alias)

    assert ask(DeleteTopic(id=alias, erase=True), services) == {"deleted": alias}

    assert history(services, keeper, "city") == ["Paris"]
    assert standing(services, keeper).fields.keys() == {"city"}
    assert standing(services, keeper).absorbed == ()
    assert "a cat" not in stored(services)


def test_the_other_end_of_an_edge_says_no_more_what_the_edge_meant(services: TopicServices) -> None:
    erased, other = made(services), made(services)
    ask(AddRelationship(id=other, to_topic_id=erased, kind="loves"), services)

    ask(DeleteTopic(id=erased, erase=True), services)

    assert services.topics.edges([other], 10) == []
    assert happened(services, other) == ["created", "edge_added"]
    assert "loves" not in stored(services)


def test_a_job_erases_without_a_request(services: TopicServices) -> None:
    topic_id = str(ask(CreateTopic(title="Ada", scope="team"), services)["topic_id"])

    answer = erase_topic(topic_id, "the person asked", SERVICE, services)

    assert answer.body["deleted"] == topic_id
    assert standing(services, topic_id).status is TopicStatus.ERASED


@pytest.mark.parametrize("topic_id", ["absent", "../escape"])
def test_an_absent_topic_cannot_be_erased(services: TopicServices, topic_id: str) -> None:
    with refused(services, NotFound, "topic not found"):
        ask(DeleteTopic(id=topic_id, erase=True), services)
