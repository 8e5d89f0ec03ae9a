"""What is used again is as if it had never been forgotten, however it is used."""

from collections.abc import Callable
from typing import Any

import pytest

from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.topics.access import Access, Signal
from membrane.domain.topics.events import EventKind
from membrane.domain.topics.requests.editing import ChangeTopic, DeleteTopic, RestoreTopic
from membrane.domain.topics.topic import LadderStep, TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.querying.reinforce_topics import reinforce_topics
from membrane.usecases.topics.reasoning.forget_topics import forget_topics
from membrane.usecases.topics.scope_walk import SERVICE
from tests.builders.topic_editors import append, ask, happened, made, standing
from tests.builders.topic_tellers import field, tell
from tests.fakes.clock import FakeClock

Use = Callable[[TopicServices, str], object]


def read(services: TopicServices, topic_id: str) -> dict[str, Any]:
    """The message of a query by that id."""
    at = rfc3339(services.now())
    return {"id": "m1", "at": at, "principal": "p", "topics": [topic_id], "named": True}


def forget(services: TopicServices) -> None:
    """Let every step be taken that is due."""
    forget_topics(SERVICE, services, lambda: False)


def by_append(services: TopicServices, topic_id: str) -> None:
    append(services, topic_id, "f1", 77)


def by_ingest(services: TopicServices, topic_id: str) -> None:
    tell(services, placement="extend_topic", topic_id=topic_id, fields=[field("f1", 77)])


def by_query(services: TopicServices, topic_id: str) -> None:
    reinforce_topics(read(services, topic_id), services)


def by_patch(services: TopicServices, topic_id: str) -> None:
    ask(ChangeTopic(id=topic_id, archived=False), services)


@pytest.mark.parametrize("use", [by_append, by_ingest, by_query, by_patch])
def test_what_is_taken_up_again_is_whole_and_stays(
    services: TopicServices, clock: FakeClock, use: Use
) -> None:
    fields: dict[str, Any] = {f"f{number}": number for number in range(30)}
    topic = made(services, **fields)
    clock.advance(days=400)
    forget(services)
    assert standing(services, topic).status is TopicStatus.ARCHIVED

    use(services, topic)
    clock.advance(hours=1)
    forget(services)

    now = standing(services, topic)
    assert (now.status, now.step) == (TopicStatus.ACTIVE, LadderStep.NONE)
    assert not any(each.is_detached for each in now.fields.values())
    assert happened(services, topic).count(EventKind.REVIVED) == 1


def test_what_is_restored_is_whole_too(services: TopicServices, clock: FakeClock) -> None:
    topic = made(services, f1=1, f2=2)
    clock.advance(days=105)
    forget(services)
    assert standing(services, topic).step is LadderStep.DETACHED
    ask(DeleteTopic(id=topic), services)

    ask(RestoreTopic(id=topic), services)

    now = standing(services, topic)
    assert (now.status, now.step) == (TopicStatus.ACTIVE, LadderStep.NONE)
    assert not any(each.is_detached for each in now.fields.values())


def test_an_old_message_does_not_take_up_what_was_archived_since(
    services: TopicServices, clock: FakeClock
) -> None:
    topic = made(services, f1=1)
    message = read(services, topic)
    reinforce_topics(message, services)
    clock.advance(days=700)
    forget(services)

    reinforce_topics(message, services)

    assert standing(services, topic).status is TopicStatus.ARCHIVED
    reinforce_topics({**read(services, topic), "id": "m2"}, services)
    assert standing(services, topic).status is TopicStatus.ACTIVE


def test_what_is_written_to_leaves_the_ladder(services: TopicServices, clock: FakeClock) -> None:
    topic = made(services, f1=1, f2=2)
    clock.advance(days=105)
    forget(services)
    assert standing(services, topic).step is LadderStep.DETACHED

    append(services, topic, "f1", 2)

    now = standing(services, topic)
    assert now.step is LadderStep.NONE
    assert not any(each.is_detached for each in now.fields.values())
    assert now.trail[-1].detail == {"step": LadderStep.DETACHED}


def test_what_is_written_to_and_is_still_faint_stays_where_it_is(
    services: TopicServices, clock: FakeClock
) -> None:
    fields: dict[str, Any] = {f"f{number}": number for number in range(30)}
    topic = made(services, **fields)
    clock.advance(days=105)
    forget(services)

    append(services, topic, "f1", 2)

    now = standing(services, topic)
    assert now.step is LadderStep.DETACHED
    assert sum(each.is_detached for each in now.fields.values()) == 29


def test_what_is_read_so_much_that_it_needs_no_step_leaves_the_ladder(
    services: TopicServices, clock: FakeClock
) -> None:
    topic = made(services, f1=1)
    clock.advance(days=105)
    forget(services)
    assert standing(services, topic).step is LadderStep.DETACHED
    clock.advance(days=40)
    access = Access(Signal(2.0, epoch_seconds(services.now())))
    services.topics.keep_access(topic, Access(), access)

    forget(services)

    now = standing(services, topic)
    assert now.step is LadderStep.NONE
    assert not any(each.is_detached for each in now.fields.values())
    assert happened(services, topic)[-1] == EventKind.REVIVED
    assert services.topics.due(epoch_seconds(services.now()), 10) == []
    clock.advance(days=365)
    forget(services)
    assert standing(services, topic).status is TopicStatus.ARCHIVED
