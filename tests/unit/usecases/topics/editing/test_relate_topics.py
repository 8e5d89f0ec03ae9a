"""Linking a topic to another, and removing such a link."""

from dataclasses import replace

import pytest
from pydantic import ValidationError

from membrane.domain.language.errors import NotFound
from membrane.domain.topics.requests.editing import (
    AddRelationship,
    CreateTopic,
    DeleteTopic,
    RemoveRelationship,
)
from membrane.domain.topics.topic import MergeLink, TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from tests.builders.requests import ALPHA, BETA
from tests.builders.topic_editors import ask, happened, made, refused, standing
from tests.fakes.clock import FakeClock
from tests.fakes.topics import FakeTopics

OK = {"ok": True}


def relate(from_id: str, to_id: str, kind: str = "knows") -> AddRelationship:
    return AddRelationship(id=from_id, to_topic_id=to_id, kind=kind)


def part(from_id: str, to_id: str, kind: str = "knows") -> RemoveRelationship:
    return RemoveRelationship(id=from_id, to_topic_id=to_id, kind=kind)


def merge(topics: FakeTopics, alias_id: str, keeper_id: str) -> None:
    """The one becomes an alias of the other."""
    alias, keeper = topics.topics[alias_id], topics.topics[keeper_id]
    merged = MergeLink(keeper_id, keeper.updated_at, "", alias.status)
    alias_after = replace(
        alias, status=TopicStatus.MERGED, merged=merged, version=alias.version + 1
    )
    keeper_after = replace(
        keeper, absorbed=(*keeper.absorbed, alias_id), version=keeper.version + 1
    )
    topics.commit(TopicChange(topics=[(alias, alias_after), (keeper, keeper_after)]))


def test_a_link_has_a_kind_and_a_direction_and_is_audited(
    services: TopicServices, topics: FakeTopics
) -> None:
    ada, bob = made(services, "Ada"), made(services, "Bob")

    assert ask(relate(ada, bob), services) == OK

    (edge,) = topics.links.values()
    assert (edge.from_id, edge.to_id, edge.kind, edge.principal) == (ada, bob, "knows", "owner")
    event = standing(services, ada).trail[-1]
    assert (event.kind, event.detail) == ("edge_added", {"to_topic_id": bob, "kind": "knows"})
    assert happened(services, bob) == ["created"]


def test_adding_what_is_there_changes_nothing(services: TopicServices, topics: FakeTopics) -> None:
    ada, bob = made(services, "Ada"), made(services, "Bob")
    ask(relate(ada, bob), services)

    assert ask(relate(ada, bob), services) == OK
    assert ask(relate(ada, bob, kind=""), services) == OK
    assert ask(relate(bob, ada), services) == OK
    assert ask(relate(ada, ada), services) == OK

    assert sorted(topics.links) == sorted(
        [(ada, bob, "knows"), (ada, bob, ""), (bob, ada, "knows"), (ada, ada, "knows")]
    )
    assert happened(services, ada) == ["created", *["edge_added"] * 3]


def test_a_removed_link_is_told_of_as_of_then(
    services: TopicServices, topics: FakeTopics, clock: FakeClock
) -> None:
    ada, bob = made(services, "Ada"), made(services, "Bob")
    instants = []
    for asked in (relate(ada, bob), part(ada, bob), relate(ada, bob), part(ada, bob)):
        instants.append(clock.now)
        clock.advance(hours=1)
        assert ask(asked, services) == OK

    instants.append(clock.now)

    (edge,) = topics.links.values()
    assert [edge.held_at(each) for each in instants] == [False, True, False, True, False]
    assert happened(services, ada)[1:] == ["edge_added", "edge_removed"] * 2


def test_what_is_not_there_is_not_removed(services: TopicServices) -> None:
    ada, bob = made(services, "Ada"), made(services, "Bob")
    ask(relate(ada, bob), services)

    for asked in (part(ada, bob, "likes"), part(bob, ada)):
        with refused(services, NotFound, "relationship not found"):
            ask(asked, services)
    ask(part(ada, bob), services)
    with refused(services, NotFound, "relationship not found"):
        ask(part(ada, bob), services)


def test_both_ends_must_be_there_for_the_caller(services: TopicServices) -> None:
    alphas = ask(CreateTopic(title="Ada"), services, ALPHA)["topic_id"]
    betas = ask(CreateTopic(title="Bob"), services, BETA)["topic_id"]
    gone = made(services, "Carl")
    ask(DeleteTopic(id=gone), services)

    for other in (betas, gone, "no"):
        for asked in (relate(alphas, other), part(alphas, other), relate(other, alphas)):
            with refused(services, NotFound, "topic not found"):
                ask(asked, services, ALPHA)


def test_a_link_to_what_was_merged_is_one_to_what_it_is_now(
    services: TopicServices, topics: FakeTopics
) -> None:
    ada, bob, robert = (made(services, each) for each in ("Ada", "Bob", "Robert"))
    ask(relate(ada, bob), services)
    merge(topics, bob, robert)

    assert ask(relate(ada, robert), services) == OK
    assert list(topics.links) == [(ada, bob, "knows")]

    assert ask(relate(ada, bob, "likes"), services) == OK
    assert (ada, robert, "likes") in topics.links

    assert ask(part(ada, robert), services) == OK
    assert topics.links[ada, bob, "knows"].removed_at is not None


def test_a_kind_has_an_end() -> None:
    with pytest.raises(ValidationError):
        relate("ada", "bob", "x" * 257)
