"""Telling of a topic with a placement."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import AlreadyExists, InvalidArgument, PermissionDenied
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.values import LARGE_VALUE_BYTES, LargeValue
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.tokens.consistency import record_named
from membrane.domain.topics.requests.editing import ChangeTopic, DeleteTopic, NestFields
from membrane.domain.topics.topic import TopicStatus
from membrane.usecases.ports.services_topics import TopicServices
from tests.builders.requests import ALPHA
from tests.builders.topic_editors import (
    ask,
    happened,
    history,
    refused,
    standing,
)
from tests.builders.topic_tellers import answered, field, indexed, tell, told
from tests.fakes.clock import FakeClock
from tests.fakes.topics import FakeTopics

KNOWS = "knows"


def test_a_new_topic_has_all_that_is_told_of_it(services: TopicServices) -> None:
    friend = told(services, title="Bob")

    reply = tell(
        services,
        placement="new_topic",
        topic_id="passed over",
        title="Ada",
        summary="a pilot",
        topic_kind="person",
        salience=2.5,
        fields=[field("city", "Paris"), field("age", 36, why_changed="birthday")],
        edges=[{"to_topic_id": friend, "kind": KNOWS}],
        unknown={"keys": "are passed over"},
    )

    made = reply["topic_id"]
    topic = standing(services, made)
    assert (topic.title, topic.summary, topic.kind) == ("Ada", "a pilot", "person")
    assert (topic.base.salience, topic.version) == (2.5, 1)
    assert reply["applied"] == [
        f"created_topic:{made}",
        "field:city",
        "field:age",
        f"edge:{friend}",
    ]
    assert reply["version_ids"] == {
        name: each.current.id for name, each in topic.fields.items() if each.current
    }
    assert reply["similar_topic_ids"] == []
    assert reply["placement"] == {
        "decision": "new_topic",
        "resolved_by": "request",
        "score": None,
        "fields": {"city": "new", "age": "new"},
    }
    assert record_named(reply["consistency_token"]) == made
    assert happened(services, made) == ["created", "fields", "edge_added"]
    assert services.topics.find_edge(made, friend, KNOWS) is not None


def test_without_a_title_it_is_untitled(services: TopicServices) -> None:
    assert standing(services, told(services)).title == "untitled"


def test_the_audit_names_fields_and_never_values(services: TopicServices) -> None:
    city = told(services, title="Paris")

    made = told(services, field("home", "a secret", ref_topic_id=city), title="Ada")

    trail = services.topics.events(standing(services, made))
    assert [(each.kind, each.detail) for each in trail] == [
        ("created", {"title": "Ada"}),
        ("fields", {"fields": ["home"]}),
        ("ref", {"refs": [{"field": "home", "ref_topic_id": city}]}),
    ]


def test_a_name_that_comes_twice_has_two_revisions_and_the_last_id(
    services: TopicServices,
) -> None:
    reply = tell(
        services, placement="new_topic", fields=[field("city", "Paris"), field("city", "Rome")]
    )

    current = standing(services, reply["topic_id"]).fields["city"].current
    assert history(services, reply["topic_id"], "city") == ["Rome", "Paris"]
    assert current is not None
    assert reply["version_ids"] == {"city": current.id}
    assert reply["applied"][1:] == ["field:city", "field:city"]


def test_extending_changes_what_is_given_and_keeps_the_rest(services: TopicServices) -> None:
    made = told(services, field("city", "Paris"), title="Ada", summary="s", topic_kind="person")

    reply = tell(
        services,
        placement="extend_topic",
        topic_id=made,
        title="",
        summary=None,
        topic_kind="",
        fields=[field("city", "Rome"), field("pet", "a cat")],
    )

    topic = standing(services, made)
    assert (topic.title, topic.summary, topic.kind) == ("Ada", "s", "")
    assert reply["applied"] == ["field:city", "field:pet"]
    assert reply["placement"]["fields"] == {"city": "version", "pet": "new"}
    assert reply["placement"]["decision"] == "extend_topic"
    assert history(services, made, "city") == ["Rome", "Paris"]
    assert happened(services, made)[2:] == ["meta", "fields"]


def test_extending_without_anything_changes_nothing(
    services: TopicServices, topics: FakeTopics
) -> None:
    made = told(services, title="Ada")

    reply = tell(services, placement="extend_topic", topic_id=made)

    assert (reply["applied"], reply["version_ids"]) == ([], {})
    assert len(topics.changes) == 1


def test_a_salience_that_is_given_counts_from_now(
    services: TopicServices, clock: FakeClock
) -> None:
    made = told(services, title="Ada", salience=3.0)
    born = standing(services, made).base
    clock.advance(days=10)

    tell(services, placement="extend_topic", topic_id=made, fields=[field("a", 1)])
    kept = standing(services, made).base
    tell(services, placement="extend_topic", topic_id=made, salience=2.0)

    base = standing(services, made).base
    assert kept == born
    assert (base.salience, base.at_s - born.at_s, base.born_s) == (2.0, 864_000.0, born.born_s)
    assert happened(services, made)[-1] == "meta"


def test_who_spells_out_every_default_changes_no_more_than_the_fields(
    services: TopicServices, clock: FakeClock
) -> None:
    usual: dict[str, Any] = {
        "topic_id": None,
        "title": "",
        "summary": None,
        "topic_kind": None,
        "salience": 1.0,
        "fields": [],
        "edges": [],
        "suggest_similar": False,
    }
    spelt = {"why_changed": None, "impact_expected": None, "provenance": "api"}
    made = told(services, title="Ada", summary="s", topic_kind="person", salience=3.0)
    before = standing(services, made)
    clock.advance(days=10)

    for body in (
        {"placement": "extend_topic"},
        {"placement": "extend_topic", "fields": [field("a", **spelt)]},
        {"placement": "version_field", "fields": [field("a", **spelt)]},
        {"placement": "auto"},
    ):
        tell(services, **usual | {"topic_id": made} | body)

    after = standing(services, made)
    kept = ("title", "summary", "kind", "base")
    assert [getattr(after, name) for name in kept] == [getattr(before, name) for name in kept]
    assert history(services, made, "a") == ["", ""]
    assert happened(services, made) == ["created", "fields", "fields"]
    plain = tell(services, **usual | {"placement": "new_topic"})["topic_id"]
    assert standing(services, plain).base.salience == 1.0


def test_a_version_is_one_field_and_all_else_that_is_told(services: TopicServices) -> None:
    friend, made = told(services, title="Bob"), told(services, field("city", "Paris"), title="Ada")

    reply = tell(
        services,
        placement="version_field",
        topic_id=made,
        title="Ada L.",
        fields=[field("city", "Rome", why_changed="moved")],
        edges=[{"to_topic_id": friend, "kind": KNOWS}],
    )

    assert reply["applied"] == ["version:city", f"edge:{friend}"]
    assert reply["placement"]["decision"] == "version_field"
    assert standing(services, made).title == "Ada L."
    assert services.topics.events(standing(services, made))[-2].why == "moved"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"placement": "sideways"}, "unknown placement"),
        ({"placement": "extend_topic"}, "extend_topic requires topic_id"),
        ({"placement": "extend_topic", "topic_id": ""}, "extend_topic requires topic_id"),
        (
            {"placement": "version_field", "fields": [field("a")]},
            "version_field requires topic_id and exactly one field",
        ),
        (
            {"placement": "version_field", "topic_id": "no", "fields": [field("a"), field("b")]},
            "version_field requires topic_id and exactly one field",
        ),
        ({"placement": "extend_topic", "topic_id": "no"}, "topic not found"),
        ({"placement": "auto", "topic_id": "no"}, "topic not found"),
        (
            {"placement": "new_topic", "fields": [field("a"), field("b", ref_topic_id="no")]},
            "ref_topic_id not found: no",
        ),
        (
            {"placement": "new_topic", "edges": [{"to_topic_id": "no", "kind": "knows"}]},
            "edges: topic not found: no",
        ),
        (
            {
                "placement": "new_topic",
                "fields": [field("a", 1), field("b", "x", field_type="int")],
            },
            "fields.1.value is not of the field's type, int",
        ),
        (
            {
                "placement": "new_topic",
                "fields": [field("a", valid_from="2026-03-01T09:00:01Z")],
            },
            "fields.0.valid_from must not be in the future",
        ),
    ],
)
def test_what_is_refused_leaves_everything_as_it_was(
    services: TopicServices, body: dict[str, Any], words: str
) -> None:
    told(services, title="Ada")

    with refused(services, InvalidArgument, words):
        tell(services, **body)


def test_a_topic_that_is_deleted_or_hidden_or_of_another_scope_is_not_found(
    services: TopicServices,
) -> None:
    gone, hidden = told(services, title="Ada"), told(services, title="Bob", sensitivity="hyper")
    ask(DeleteTopic(id=gone), services)
    elsewhere = told(services, title="Carl", scope="beta")

    for body in (
        {"topic_id": gone},
        {"topic_id": hidden, "trust": {"max_sensitivity": "high"}},
        {"topic_id": elsewhere, "scope": "alpha"},
        {"topic_id": elsewhere, "trust": {"scopes": ["alpha"]}},
    ):
        with refused(services, InvalidArgument, "topic not found"):
            tell(services, placement="extend_topic", **body)


def test_what_is_above_the_own_rights_is_refused(services: TopicServices) -> None:
    unscoped = told(services, title="Ada")
    clerk = principal_of("clerk", ["ingest"], ["alpha"], "medium")

    for body, words in (
        ({"placement": "new_topic", "scope": "beta"}, "the key does not cover this scope"),
        ({"scope": "beta", "title": "Ada"}, "the key does not cover this scope"),
        (
            {"placement": "new_topic", "sensitivity": "high"},
            "the key's highest sensitivity is below the record's",
        ),
        (
            {"placement": "extend_topic", "topic_id": unscoped, "fields": [field("a")]},
            "writing an unscoped record needs a key for all scopes",
        ),
    ):
        with refused(services, PermissionDenied, words):
            tell(services, clerk, **body)


def test_it_goes_into_the_first_own_scope_as_sensitive_as_usual(services: TopicServices) -> None:
    reply = tell(services, ALPHA, placement="new_topic", title="Ada")

    topic = standing(services, reply["topic_id"])
    assert (topic.scope, topic.sensitivity) == (ALPHA.scopes[0], services.policy.sensitivity)


def test_the_sensitivity_of_a_topic_can_only_be_raised(services: TopicServices) -> None:
    made = told(services, title="Ada", sensitivity="medium")
    seen = []

    for word in ("low", "high", "public"):
        tell(services, placement="extend_topic", topic_id=made, sensitivity=word)
        seen.append(standing(services, made).sensitivity)

    assert seen == [Sensitivity.MEDIUM, Sensitivity.HIGH, Sensitivity.HIGH]


def test_a_reference_is_kept_cleared_or_set(services: TopicServices) -> None:
    city = told(services, title="Paris")
    made = told(services, field("home", "x", ref_topic_id=city), title="Ada")
    refs = []

    for more in ({}, {"ref_topic_id": None}, {"ref_topic_id": city}, {"ref_topic_id": ""}):
        tell(
            services,
            placement="version_field",
            topic_id=made,
            fields=[field("home", "x", **more)],
        )
        refs.append(standing(services, made).fields["home"].ref_topic_id)

    assert refs == [city, None, city, None]


def test_an_edge_that_is_there_is_told_of_and_one_that_was_removed_is_back(
    services: TopicServices, topics: FakeTopics, clock: FakeClock
) -> None:
    friend = told(services, title="Bob")
    edge = {"to_topic_id": friend, "kind": KNOWS}
    made = told(services, title="Ada", edges=[edge])
    asked: dict[str, Any] = {
        "placement": "extend_topic",
        "topic_id": made,
        "edges": [edge, edge],
    }

    there = tell(services, **asked)
    kept = topics.links[made, friend, KNOWS]
    topics.links[made, friend, KNOWS] = replace(kept, removed_at=kept.created_at)
    clock.advance(days=1)
    again = tell(services, **asked)

    revived = topics.links[made, friend, KNOWS]
    assert there["applied"] == again["applied"] == [f"edge:{friend}"] * 2
    assert revived.removed_at is None
    assert revived.created_at > kept.created_at
    assert happened(services, made) == ["created", "edge_added", "edge_added"]


def test_many_edges_are_looked_up_together(services: TopicServices, topics: FakeTopics) -> None:
    friends = [told(services, title=f"Friend {number}") for number in range(20)]
    edges = [{"to_topic_id": each, "kind": KNOWS} for each in friends]
    made = told(services, title="Ada", edges=edges[:10])

    tell(services, placement="extend_topic", topic_id=made, edges=edges)

    assert len(topics.changes[-1].edges) == 10
    assert len(topics.links) == 20


def test_an_archived_topic_that_is_told_of_is_active_again(services: TopicServices) -> None:
    made = told(services, title="Ada")
    ask(ChangeTopic(id=made, archived=True), services)

    tell(services, placement="extend_topic", topic_id=made, fields=[field("a", 1)])

    assert standing(services, made).status is TopicStatus.ACTIVE
    assert happened(services, made)[-1] == "revived"


def test_a_repeated_call_changes_nothing_and_answers_alike(
    services: TopicServices, topics: FakeTopics
) -> None:
    body: dict[str, Any] = {"placement": "new_topic", "title": "Ada", "fields": [field("a", 1)]}

    first = answered(services, key="k", **body)
    again = answered(services, key="k", **body)

    assert (first.replayed, again.replayed) == (False, True)
    assert first.body == again.body
    assert len(topics.topics) == 1


def test_a_call_that_found_nothing_to_write_is_repeated_all_the_same(
    services: TopicServices,
) -> None:
    made = told(services, field("city", "Paris"), title="Ada")
    body: dict[str, Any] = {"topic_id": made, "fields": [field("city", "Paris")]}

    first = answered(services, key="k", **body)
    tell(services, topic_id=made, fields=[field("city", "Rome")])
    again = answered(services, key="k", **body)

    assert first.body["applied"] == ["unchanged:city"]
    assert (again.replayed, again.body) == (True, first.body)
    assert history(services, made, "city") == ["Rome", "Paris"]


def test_a_key_that_comes_with_another_body_is_refused(services: TopicServices) -> None:
    tell(services, key="k", placement="new_topic", title="Ada")

    with pytest.raises(AlreadyExists):
        tell(services, key="k", placement="new_topic", title="Bob")


def test_a_large_value_lies_in_the_bucket(services: TopicServices, topics: FakeTopics) -> None:
    text = "x" * LARGE_VALUE_BYTES

    made = told(services, field("log", text, field_type="string"), title="Ada")

    current = standing(services, made).fields["log"].current
    assert current is not None
    assert isinstance(current.value, LargeValue)
    assert current.value.record_id == f"topic@{made}"
    assert topics.records.values[current.value] == compact_json(text).encode()


def test_a_group_is_written_to_by_the_names_of_its_fields(services: TopicServices) -> None:
    made = told(services, field("street", "Rue A"), title="Ada")
    ask(NestFields(id=made, field_names=("street",), nest_key="address"), services)

    tell(services, topic_id=made, fields=[field("address.street", "Rue B")])

    assert history(services, made, "address.street") == ["Rue B", "Rue A"]
    words = "fields.0.name is a nested field bundle: write to its fields, named <bundle>.<field>"
    with refused(services, InvalidArgument, words):
        tell(services, topic_id=made, fields=[field("address", {})])


def test_renaming_lays_down_the_new_title(services: TopicServices) -> None:
    made = told(services, title="Ada")
    tell(services, placement="extend_topic", topic_id=made, title="Ada Lovelace")

    found = tell(services, title="ada lovelace", fields=[field("a", 1)])
    other = tell(services, title="Ada", fields=[field("a", 1)])

    assert (found["topic_id"], found["placement"]["resolved_by"]) == (made, "title")
    assert other["topic_id"] != made


def test_similar_topics_are_suggested_but_never_itself_nor_what_is_hidden(
    services: TopicServices,
) -> None:
    alike = [told(services, field("city", "Paris"), title=f"Ada {n}") for n in ("Li", "Bo")]
    told(services, field("city", "Paris"), title="Ada Cy", sensitivity="hyper")
    gone = told(services, field("city", "Paris"), title="Ada Du")
    indexed(services)
    ask(ChangeTopic(id=gone, archived=True), services)

    body: dict[str, Any] = {
        "title": "Ada",
        "fields": [field("city", "Paris")],
        "suggest_similar": True,
        "trust": {"max_sensitivity": "high"},
    }
    made = tell(services, placement="new_topic", **body)
    extended = tell(services, placement="extend_topic", topic_id=alike[0], **body)

    assert sorted(made["similar_topic_ids"]) == sorted(alike)
    assert extended["similar_topic_ids"] == alike[1:]


def test_no_more_than_eight_are_suggested(services: TopicServices) -> None:
    for number in range(12):
        told(services, title=f"Lighthouse {number}")
    indexed(services)

    reply = tell(services, placement="new_topic", title="Lighthouse", suggest_similar=True)

    assert len(reply["similar_topic_ids"]) == 8
