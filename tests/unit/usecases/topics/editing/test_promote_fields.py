"""Fields become a topic of their own, and come back with all that was written."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import (
    Aborted,
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from membrane.domain.topics.requests.editing import (
    AddRelationship,
    ChangeTopic,
    CreateTopic,
    DeleteField,
    NestFields,
    PromoteFields,
    RestoreTopic,
    SetFieldRef,
    UndoPromotion,
    UnnestFields,
)
from membrane.domain.topics.salience import salience_of
from membrane.domain.topics.topic import TopicStatus
from membrane.domain.topics.versions import NEVER_READ
from membrane.usecases.machinery.retries import MAX_TRIES
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.ports.topics import TopicChange
from tests.builders.requests import ALPHA
from tests.builders.topic_editors import (
    append,
    ask,
    happened,
    history,
    made,
    refused,
    standing,
)
from tests.fakes.clock import FakeClock
from tests.fakes.topic_world import fake_topics, topical
from tests.fakes.topics import FakeTopics


def promote(topic_id: str, *names: str, **given: Any) -> PromoteFields:
    asked = {"id": topic_id, "field_names": names, "child_title": "Address", **given}
    return PromoteFields.model_validate(asked)


def undo(topic_id: str, child_id: str, **given: Any) -> UndoPromotion:
    return UndoPromotion.model_validate({"id": topic_id, "child_topic_id": child_id, **given})


def bundle_is_written_to(name: str) -> str:
    """What is said of a write to the bundle itself."""
    return (
        f"'{name}' is a nested field bundle: write to its fields by their whole names, "
        f"as in '{name}.name'"
    )


@pytest.fixture
def parent(services: TopicServices) -> str:
    """Ada, who has a street, a city and a cat."""
    parent = made(services, street="Rue A", city="Paris", pet="a cat")
    append(services, parent, "city", "Rome")
    return parent


@pytest.fixture
def child(services: TopicServices, parent: str) -> str:
    """Made of her street and city, which `address` of hers points at."""
    asked = promote(parent, "street", "city", parent_link_field="address")
    return str(ask(asked, services)["child_topic_id"])


def test_promoted_fields_are_under_the_child_with_their_histories(
    services: TopicServices, parent: str, topics: FakeTopics
) -> None:
    revisions = repr(topics.revisions)

    told = ask(
        promote(parent, "street", " city ", "", child_summary="where", child_topic_id="home"),
        services,
    )

    assert told == {
        "ok": True,
        "child_topic_id": "home",
        "moved_fields": ["street", "city"],
        "relationship_kind": "has_detail",
        "parent_link_field": None,
    }
    assert history(services, "home", "city") == ["Rome", "Paris"]
    assert set(standing(services, parent).fields) == {"pet"}
    child = standing(services, "home")
    assert (child.title, child.summary, set(child.fields)) == (
        "Address",
        "where",
        {"street", "city"},
    )
    assert list(topics.links) == [(parent, "home", "has_detail")]
    assert repr(topics.revisions) == revisions, "no history is moved"


def test_the_child_is_what_its_parent_is(services: TopicServices, clock: FakeClock) -> None:
    asked = CreateTopic(title="Ada", topic_kind="person", salience=3.0)
    parent = ask(asked, services, ALPHA)["topic_id"]
    append(services, parent, "city", "Paris")
    ask(ChangeTopic(id=parent, sensitivity="high"), services)  # type: ignore[arg-type]
    clock.advance(days=10)

    child_id = ask(promote(parent, "city"), services)["child_topic_id"]

    child, now_s = standing(services, child_id), clock.now.timestamp()
    assert (child.scope, child.sensitivity, child.kind) == ("project:alpha", "high", "person")
    of_parent = salience_of(standing(services, parent), NEVER_READ, now_s)
    assert salience_of(child, NEVER_READ, now_s).base == of_parent.base


def test_both_trails_tell_of_it(services: TopicServices, parent: str, child: str) -> None:
    of_parent = standing(services, parent).trail[-1]
    of_child = standing(services, child).trail[-1]

    assert happened(services, child) == ["created", "nested_topic_from_parent"]
    assert (of_parent.kind, of_parent.detail) == (
        "nested_topic_promoted",
        {
            "child_topic_id": child,
            "moved_fields": ["street", "city"],
            "relationship_kind": "has_detail",
        },
    )
    assert of_child.detail == {
        "parent_topic_id": parent,
        "fields": ["street", "city"],
        "relationship_kind": "has_detail",
    }


def test_the_link_field_points_at_the_child(
    services: TopicServices, parent: str, child: str
) -> None:
    link = standing(services, parent).fields["address"]

    assert link.current is not None
    assert (link.current.value, link.ref_topic_id, link.type) == ("Address", child, "string")
    assert link.current.operation == "nested_topic_link"
    assert link.current.why_changed == f"promoted fields to nested topic {child}"


def test_a_field_with_a_value_of_its_own_is_no_link_field(
    services: TopicServices, parent: str
) -> None:
    words = "parent_link_field must not be a field that the parent has already"
    with refused(services, InvalidArgument, words):
        ask(promote(parent, "city", parent_link_field="pet"), services)


def test_a_link_field_that_was_deleted_before_is_deleted_again_with_its_history(
    services: TopicServices, parent: str
) -> None:
    ask(DeleteField(id=parent, name="pet"), services)
    child = ask(promote(parent, "city", parent_link_field="pet"), services)["child_topic_id"]

    ask(undo(parent, child), services)

    assert "pet" not in standing(services, parent).living_fields
    assert history(services, parent, "pet") == ["Address", "a cat"]


def test_what_is_written_to_either_afterwards_is_its_own(
    services: TopicServices, parent: str, child: str
) -> None:
    append(services, child, "city", "Oslo")
    append(services, parent, "city", "Bonn")

    assert history(services, child, "city") == ["Oslo", "Rome", "Paris"]
    assert history(services, parent, "city") == ["Bonn"]


def test_what_cannot_be_promoted_is_refused_in_the_peers_words_and_order(
    services: TopicServices, parent: str
) -> None:
    ask(NestFields(id=parent, field_names=("pet",), nest_key="home"), services)
    for asked, words in (
        (promote(parent, child_title=" "), "child_title required"),
        (promote(parent, relationship_kind=" "), "relationship_kind required"),
        (promote(parent, " "), "field_names must name at least one field on the parent"),
        (
            promote(parent, "no", parent_link_field="no"),
            "parent_link_field must not be one of the moved field names",
        ),
        (
            promote(parent, "home", parent_link_field="home.pet"),
            "parent_link_field must not be one of the moved field names",
        ),
        (promote(parent, "city", "no"), "field not on parent topic: no"),
        (
            promote(parent, "city", parent_link_field="home"),
            bundle_is_written_to("home"),
        ),
        (
            promote(parent, "city", child_topic_id="01234567-89ab-8def-8123-456789abcdef"),
            "validation error for child_topic_id: UUIDs of version 8 are the server's own",
        ),
    ):
        with refused(services, InvalidArgument, words):
            ask(asked, services)
    with refused(services, AlreadyExists, f"topic_id already exists: {parent}"):
        ask(promote(parent, "city", child_topic_id=parent), services)
    with refused(services, NotFound, "topic not found"):
        ask(promote("no", "city"), services)


@dataclass(slots=True)
class Contended(FakeTopics):
    """A store in which others come first, so many times."""

    losing: int = 0

    def commit(self, change: TopicChange) -> None:
        """See DynamoTopics."""
        if self.losing:
            self.losing -= 1
            raise LostRace
        FakeTopics.commit(self, change)


@pytest.mark.parametrize("asked", ["promote", "undo"])
def test_what_loses_every_race_leaves_all_as_it_was(asked: str) -> None:
    contended = Contended()
    services = topical(topics=contended)
    parent = made(services, city="Paris")
    child = ask(promote(parent, "city", parent_link_field="at"), services)["child_topic_id"]
    request = undo(parent, child) if asked == "undo" else promote(parent, "at")
    contended.losing = MAX_TRIES

    words = "other writers came first every time; nothing was changed"
    with refused(services, Aborted, words):
        ask(request, services)
    contended.losing = MAX_TRIES - 1
    assert ask(request, services)["ok"] is True


def test_a_promotion_is_one_write(parent: str, child: str, topics: FakeTopics) -> None:
    change = topics.changes[-1]

    assert [after.id for _, after in change.topics] == [parent, child]
    assert len(change.edges) == len(change.revisions) == len(change.heads) == 1


def test_a_repeat_under_one_key_makes_no_second_child(
    services: TopicServices, parent: str, topics: FakeTopics
) -> None:
    answers = [ask(promote(parent, "city"), services, key="key-1") for _ in range(2)]

    assert answers[0] == answers[1]
    assert len(topics.topics) == 2


def test_undoing_brings_all_back(
    services: TopicServices, parent: str, child: str, topics: FakeTopics
) -> None:
    append(services, child, "city", "Oslo")
    append(services, child, "zip", "1234")
    ask(DeleteField(id=child, name="street"), services)

    told = ask(undo(parent, child), services)

    assert told == {
        "ok": True,
        "parent_topic_id": parent,
        "restored_fields": ["city", "zip"],
        "removed_ref_fields": ["address"],
        "deleted_child_topic_id": child,
    }
    assert history(services, parent, "city") == ["Oslo", "Rome", "Paris"]
    assert history(services, parent, "zip") == ["1234"]
    assert set(standing(services, parent).living_fields) == {"pet", "city", "zip"}
    assert history(services, parent, "street") == ["Rue A"]
    assert history(services, parent, "address") == ["Address"]
    assert standing(services, child).status is TopicStatus.DELETED
    assert [each.removed_at is None for each in topics.links.values()] == [False]


def test_what_is_written_after_the_undoing_comes_after_what_was_written_before_it(
    services: TopicServices, parent: str, child: str
) -> None:
    for number in range(5):
        append(services, child, "city", f"city {number}")
    ask(undo(parent, child), services)

    append(services, parent, "city", "Bonn")

    assert history(services, parent, "city")[:2] == ["Bonn", "city 4"]


def test_both_trails_tell_of_the_undoing(services: TopicServices, parent: str, child: str) -> None:
    ask(undo(parent, child), services)

    event = standing(services, parent).trail[-1]
    assert (event.kind, event.detail) == (
        "nested_topic_undo",
        {
            "child_topic_id": child,
            "restored_fields": ["city", "street"],
            "removed_ref_fields": ["address"],
            "relationship_kind": "has_detail",
        },
    )
    assert happened(services, child)[-2:] == ["nested_topic_undo_merge_back", "deleted"]


def test_a_child_that_is_restored_has_no_part_in_the_histories_any_more(
    services: TopicServices, parent: str, child: str
) -> None:
    ask(undo(parent, child), services)

    ask(RestoreTopic(id=child), services)

    assert standing(services, child).fields == {}


def test_what_cannot_be_undone_is_refused_in_the_peers_words_and_order(
    services: TopicServices, parent: str, child: str
) -> None:
    other = made(services, "Bob")
    ask(AddRelationship(id=other, to_topic_id=child, kind="knows"), services)

    for asked, words in (
        (undo(parent, ""), "child_topic_id required"),
        (undo(parent, "no"), "child topic not found: no"),
        (undo(child, parent), "no RELATED edge from parent to child topic"),
        (
            undo(parent, child, relationship_kind="likes"),
            "no RELATED edge with kind 'likes' from parent to child",
        ),
        (
            undo(other, child),
            f"child topic history does not match this parent; expected parent '{parent}'",
        ),
    ):
        with refused(services, InvalidArgument, words):
            ask(asked, services)
    ask(AddRelationship(id=parent, to_topic_id=child, kind="likes"), services)
    words = (
        "multiple RELATED edges from parent to child; pass relationship_kind "
        "(found: ['has_detail', 'likes'])"
    )
    with refused(services, InvalidArgument, words):
        ask(undo(parent, child), services)
    for name in ("street", "city"):
        ask(DeleteField(id=child, name=name), services)
    with refused(services, InvalidArgument, "child topic has no fields to merge back"):
        ask(undo(parent, child, relationship_kind="has_detail"), services)
    with refused(services, NotFound, "topic not found"):
        ask(undo("no", child), services)


def test_an_undo_that_is_refused_leaves_the_link(
    services: TopicServices, parent: str, child: str
) -> None:
    append(services, parent, "city", "Bonn")

    words = "parent already has field 'city'; rename or remove it on the parent before undo"
    with refused(services, InvalidArgument, words):
        ask(undo(parent, child), services)
    ask(DeleteField(id=parent, name="city"), services)
    ask(undo(parent, child), services)

    assert history(services, parent, "city") == ["Rome", "Paris"]
    kept = [history(services, parent, name) for name in standing(services, parent).fields]
    assert ["Bonn"] in kept


def test_a_link_field_does_not_stand_in_the_way_of_what_comes_back(
    services: TopicServices, parent: str
) -> None:
    child = ask(promote(parent, "city", parent_link_field="address"), services)["child_topic_id"]
    append(services, child, "address", "Rue A")

    ask(undo(parent, child), services)

    assert history(services, parent, "address") == ["Rue A"]


def test_a_field_of_its_own_that_refers_to_the_child_survives_the_undoing(
    services: TopicServices, parent: str, child: str
) -> None:
    before = standing(services, parent).fields["pet"]
    ask(SetFieldRef(id=parent, name="pet", ref_topic_id=child), services)

    told = ask(undo(parent, child), services)

    assert told["removed_ref_fields"] == ["address"]
    assert standing(services, parent).living_fields["pet"] == before


def test_a_link_field_that_got_a_value_since_survives_the_undoing(
    services: TopicServices, parent: str, child: str
) -> None:
    append(services, parent, "address", "Rue A")

    told = ask(undo(parent, child), services)

    kept = standing(services, parent).living_fields["address"]
    assert told["removed_ref_fields"] == []
    assert kept.ref_topic_id is None
    assert history(services, parent, "address") == ["Rue A", "Address"]


def test_a_field_that_only_refers_to_the_child_is_removed_by_the_undoing(
    services: TopicServices, parent: str, child: str
) -> None:
    ask(SetFieldRef(id=parent, name="where", ref_topic_id=child), services)

    told = ask(undo(parent, child), services)

    assert told["removed_ref_fields"] == ["address", "where"]


def test_a_child_that_others_were_merged_into_is_not_undone(
    services: TopicServices, parent: str, child: str, topics: FakeTopics
) -> None:
    topics.topics[child] = replace(topics.topics[child], absorbed=("another",))

    words = "other topics were merged into the child: unmerge them first"
    with refused(services, FailedPrecondition, words):
        ask(undo(parent, child), services)


def test_only_who_may_write_the_child_undoes(services: TopicServices) -> None:
    parent = ask(CreateTopic(title="Ada"), services, ALPHA)["topic_id"]
    append(services, parent, "city", "Paris")
    child = ask(promote(parent, "city"), services, ALPHA)["child_topic_id"]
    fake = fake_topics(services)
    fake.topics[child] = replace(fake.topics[child], scope="")

    words = "writing an unscoped record needs a key for all scopes"
    with refused(services, PermissionDenied, words):
        ask(undo(parent, child), services, ALPHA)


def test_a_group_is_promoted_and_comes_back_as_one(services: TopicServices, parent: str) -> None:
    ask(NestFields(id=parent, field_names=("street", "city"), nest_key="address"), services)

    told = ask(promote(parent, "address"), services)
    child = told["child_topic_id"]
    promoted = standing(services, child)
    without = standing(services, parent)
    append(services, child, "address.city", "Oslo")
    ask(undo(parent, child), services)

    assert told["moved_fields"] == ["address"]
    assert (set(promoted.fields), set(promoted.groups)) == (
        {"address.street", "address.city"},
        {"address"},
    )
    assert (set(without.fields), dict(without.groups)) == ({"pet"}, {})
    assert set(standing(services, parent).groups) == {"address"}
    ask(UnnestFields(id=parent, nest_key="address"), services)
    assert history(services, parent, "city") == ["Oslo", "Rome", "Paris"]


NAMES = st.sampled_from(["a", "b", "c"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), NAMES),
        st.tuples(st.just("promote"), st.sets(NAMES, min_size=1).map(tuple)),
        st.tuples(st.just("undo"), st.none()),
    ),
    max_size=14,
)


@given(steps=STEPS)
def test_whatever_is_promoted_undone_and_written_meanwhile_all_histories_are_whole(
    steps: list[Any],
) -> None:
    services = topical()
    parent = made(services)
    told: dict[str, list[int]] = {}
    moved: set[str] = set()
    child = ""

    for number, (step, what) in enumerate(steps):
        if step == "append":
            append(services, child if what in moved else parent, what, number)
            told.setdefault(what, []).insert(0, number)
        elif step == "promote" and not child and set(what) <= told.keys():
            asked = promote(parent, *what, parent_link_field=f"link {number}")
            child, moved = ask(asked, services)["child_topic_id"], set(what)
        elif step == "undo" and child:
            assert ask(undo(parent, child), services)["restored_fields"] == sorted(moved)
            child, moved = "", set()

    for name, values in told.items():
        assert history(services, child if name in moved else parent, name) == values
    living = standing(services, parent).living_fields
    assert {name for name in living if not name.startswith("link")} == told.keys() - moved
