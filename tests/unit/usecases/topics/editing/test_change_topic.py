"""Changing what a topic says beside its fields; archiving it, and taking it up again."""

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import AlreadyExists, NotFound, PermissionDenied
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.topics.requests.editing import ChangeTopic, CreateTopic
from membrane.domain.topics.salience import salience_of
from membrane.domain.topics.titles import title_key
from membrane.domain.topics.topic import LadderStep, TopicStatus
from membrane.domain.topics.versions import NEVER_READ
from membrane.usecases.ports.services_topics import TopicServices
from tests.builders.requests import ALPHA, BETA
from tests.builders.topic_editors import ask, happened, made, refused, standing
from tests.fakes.clock import FakeClock
from tests.fakes.topics import FakeTopics


def change(services: TopicServices, topic_id: str, **given: object) -> None:
    """As an editor who may do everything."""
    asked = ChangeTopic.model_validate({"id": topic_id, **given})
    assert ask(asked, services) == {"topic_id": topic_id}


def salience(services: TopicServices, topic_id: str) -> float:
    """Of the topic now."""
    topic = standing(services, topic_id)
    return salience_of(topic, NEVER_READ, services.now().timestamp()).total


def test_what_is_left_out_or_null_stays_and_an_empty_text_clears(services: TopicServices) -> None:
    topic_id = ask(CreateTopic(title="Ada", summary="a pilot", topic_kind="person"), services)[
        "topic_id"
    ]

    change(services, topic_id, title="Ada L.", summary=None)
    renamed = standing(services, topic_id)
    change(services, topic_id, title="", summary="", topic_kind="")
    cleared = standing(services, topic_id)

    assert (renamed.title, renamed.summary, renamed.kind) == ("Ada L.", "a pilot", "person")
    assert (cleared.title, cleared.summary, cleared.kind) == ("untitled", "", "")


def test_every_change_is_in_the_trail_without_the_values(services: TopicServices) -> None:
    topic_id = made(services)

    change(services, topic_id, title="Ada L.", summary="secret", salience=3.0)

    event = standing(services, topic_id).trail[-1]
    assert (event.kind, event.detail) == ("meta", {"changed": ["salience", "summary", "title"]})
    assert event.principal == "owner"


def test_what_changes_nothing_makes_no_new_version(services: TopicServices) -> None:
    topic_id = made(services)

    change(services, topic_id, title="Ada", summary="", archived=False)

    assert standing(services, topic_id).version == 1


def test_the_salience_given_holds_from_now_on(services: TopicServices, clock: FakeClock) -> None:
    topic_id = made(services)
    clock.advance(days=30)

    change(services, topic_id, salience=4.0)

    assert salience(services, topic_id) == pytest.approx(4.0)
    clock.advance(days=30)
    assert salience(services, topic_id) == pytest.approx(2.0)


def test_a_topic_is_archived_and_taken_up_again(services: TopicServices) -> None:
    topic_id = made(services)

    change(services, topic_id, archived=True)
    archived = standing(services, topic_id)
    change(services, topic_id, archived=False)
    active = standing(services, topic_id)

    assert (archived.status, archived.step) == (TopicStatus.ARCHIVED, LadderStep.ARCHIVED)
    assert archived.due_s is None
    assert (active.status, active.step) == (TopicStatus.ACTIVE, LadderStep.NONE)
    assert active.base == archived.base
    assert happened(services, topic_id) == ["created", "archived", "revived"]


def test_what_was_all_but_forgotten_is_taken_up_as_salient_as_a_new_one(
    services: TopicServices, clock: FakeClock
) -> None:
    topic_id = made(services)
    change(services, topic_id, archived=True)
    clock.advance(days=365)

    change(services, topic_id, archived=False)

    assert salience(services, topic_id) == pytest.approx(1.0)


def test_a_salience_that_is_given_with_it_counts(services: TopicServices) -> None:
    topic_id = made(services)
    change(services, topic_id, archived=True)

    change(services, topic_id, archived=False, salience=0.2)

    assert salience(services, topic_id) == pytest.approx(0.2)


def test_a_new_title_is_held_from_then_on(services: TopicServices, topics: FakeTopics) -> None:
    topic_id = made(services)

    change(services, topic_id, title="Bob")
    change(services, topic_id, topic_kind="person")

    for key in (title_key("", "", "Bob"), title_key("", "person", "bob")):
        assert [each.record_id for each in topics.records.head(key).holders] == [topic_id]


def test_a_sensitivity_is_raised_by_anybody_and_lowered_by_administrators(
    services: TopicServices,
) -> None:
    reviser = principal_of("reviser", [Permission.REVISE], ["*"], "hyper")
    topic_id = made(services)

    ask(ChangeTopic(id=topic_id, sensitivity=Sensitivity.HIGH), services, reviser)

    assert standing(services, topic_id).sensitivity is Sensitivity.HIGH
    with refused(
        services, PermissionDenied, "lowering a topic's sensitivity needs the permission admin"
    ):
        ask(ChangeTopic(id=topic_id, sensitivity=Sensitivity.LOW), services, reviser)
    change(services, topic_id, sensitivity="low")
    assert standing(services, topic_id).sensitivity is Sensitivity.LOW


def test_nobody_raises_a_sensitivity_above_the_own_ceiling(services: TopicServices) -> None:
    topic_id = ask(CreateTopic(title="Ada"), services, ALPHA)["topic_id"]

    with refused(services, PermissionDenied, "the key's highest sensitivity is below the record's"):
        ask(ChangeTopic(id=topic_id, sensitivity=Sensitivity.HIGH), services, ALPHA)


def test_what_may_not_be_seen_is_absent_and_what_is_only_seen_is_not_changed(
    services: TopicServices,
) -> None:
    alphas = ask(CreateTopic(title="Ada"), services, ALPHA)["topic_id"]
    everyones = made(services)

    with refused(services, NotFound, "topic not found"):
        ask(ChangeTopic(id=alphas, title="Bob"), services, BETA)
    with refused(services, NotFound, "topic not found"):
        ask(ChangeTopic(id="no", title="Bob"), services)
    with refused(
        services, PermissionDenied, "writing an unscoped record needs a key for all scopes"
    ):
        ask(ChangeTopic(id=everyones, title="Bob"), services, ALPHA)


def test_a_repeat_under_one_key_changes_nothing_more(services: TopicServices) -> None:
    topic_id = made(services)
    asked = ChangeTopic(id=topic_id, salience=2.0)

    answers = [ask(asked, services, key="key-1") for _ in range(2)]

    assert answers[0] == answers[1]
    assert standing(services, topic_id).version == 2
    with pytest.raises(AlreadyExists):
        ask(ChangeTopic(id=topic_id, salience=3.0), services, key="key-1")
