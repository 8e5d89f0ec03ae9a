"""Deleting a topic hides it; it can be brought back with all that it had."""

import pytest

from membrane.domain.language.errors import FailedPrecondition, NotFound, PermissionDenied
from membrane.domain.topics.requests.editing import (
    AppendField,
    ChangeTopic,
    DeleteTopic,
    RestoreTopic,
)
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from tests.builders.requests import BETA
from tests.builders.topic_editors import ask, happened, history, made, refused, standing


def test_a_deleted_topic_is_absent_for_all_but_its_restoring(services: TopicServices) -> None:
    topic_id = made(services, city="Paris")

    assert ask(DeleteTopic(id=topic_id), services) == {"deleted": topic_id}

    assert standing(services, topic_id).due_s is None
    for asked in (
        DeleteTopic(id=topic_id),
        ChangeTopic(id=topic_id, title="Bob"),
        AppendField(id=topic_id, field_name="city", value="Rome"),
    ):
        with refused(services, NotFound, "topic not found"):
            ask(asked, services)


@pytest.mark.parametrize("archived", [False, True])
def test_a_restored_topic_is_what_it_was(services: TopicServices, *, archived: bool) -> None:
    topic_id = made(services, city="Paris")
    ask(ChangeTopic(id=topic_id, archived=archived), services)
    before = standing(services, topic_id)
    ask(DeleteTopic(id=topic_id), services)

    assert ask(RestoreTopic(id=topic_id), services) == {"topic_id": topic_id}

    after = standing(services, topic_id)
    assert (after.status, after.step, after.fields) == (before.status, before.step, before.fields)
    assert after.due_s == before.due_s
    assert history(services, topic_id, "city") == ["Paris"]
    assert happened(services, topic_id)[-2:] == ["deleted", "restored"]


def test_only_a_deleted_topic_that_may_be_seen_is_restored(services: TopicServices) -> None:
    topic_id = made(services)

    with refused(services, FailedPrecondition, "the topic is not deleted"):
        ask(RestoreTopic(id=topic_id), services)
    with refused(services, NotFound, "topic not found"):
        ask(RestoreTopic(id="no"), services)
    ask(DeleteTopic(id=topic_id), services)
    ask(RestoreTopic(id=topic_id), services)
    assert standing(services, topic_id).status is TopicStatus.ACTIVE


def test_what_may_only_be_seen_is_not_deleted(services: TopicServices) -> None:
    topic_id = made(services)

    words = "writing an unscoped record needs a key for all scopes"
    with refused(services, PermissionDenied, words):
        ask(DeleteTopic(id=topic_id), services, BETA)
