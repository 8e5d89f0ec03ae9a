"""The list of topics: whose, in which order, and page after page."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.access.principals import principal_of
from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.topics.requests.editing import ChangeTopic, DeleteTopic
from tests.builders.requests import ALPHA, BETA, OWNER
from tests.builders.topic_editors import ask
from tests.builders.topic_readers import ids, listed
from tests.worlds.merged_topics import merge
from tests.worlds.queried_topics import Asked


@pytest.fixture
def world() -> Asked:
    """A world of fakes."""
    return Asked()


def pages(world: Asked, principal: Any = OWNER, **asked: Any) -> list[list[str]]:
    """The ids of every page."""
    found = [listed(world.services, principal, **asked)]
    while "next_cursor" in found[-1]:
        cursor = found[-1]["next_cursor"]
        found.append(listed(world.services, principal, **asked, cursor=cursor))
        assert len(found) < 100, "no end"
    return [ids(page) for page in found]


def test_topics_are_listed_by_the_salience_that_they_were_given(world: Asked) -> None:
    world.add("dull", "Dull", salience=0.5)
    world.add("bright", "Bright", salience=3)
    world.add("usual", "Usual", topic_kind="thing")

    shown = listed(world.services)

    assert shown["topic_ids"] == ids(shown) == ["bright", "usual", "dull"]
    assert shown["topics"][1] == {
        "id": "usual",
        "title": "Usual",
        "kind": "thing",
        "salience": 1.0,
        "archived": False,
    }
    assert "next_cursor" not in shown


def test_archived_topics_are_listed_where_they_are_asked_for(world: Asked) -> None:
    world.add("live", "Live")
    world.add("old", "Old")
    ask(ChangeTopic(id="old", archived=True), world.services)

    assert ids(listed(world.services)) == ["live"]
    assert ids(listed(world.services, include_archived=True)) == ["old", "live"]


def test_deleted_and_merged_topics_are_not_listed(world: Asked) -> None:
    for topic_id in ("keeper", "merged", "deleted"):
        world.add(topic_id, topic_id)
    ask(DeleteTopic(id="deleted"), world.services)
    merge(world.services, "keeper", "merged")

    assert ids(listed(world.services, include_archived=True)) == ["keeper"]


def test_the_topics_of_all_scopes_of_a_key_come_in_one_order(world: Asked) -> None:
    world.add("a1", "A1", scope="project:alpha", salience=4)
    world.add("s2", "S2", scope="shared", salience=3)
    world.add("u3", "U3", salience=2)
    world.add("a4", "A4", scope="project:alpha", salience=1)
    world.add("b0", "B0", scope="project:beta", salience=9)

    assert ids(listed(world.services, ALPHA)) == ["a1", "s2", "u3", "a4"]
    assert ids(listed(world.services, ALPHA, scope="project:alpha")) == ["a1", "a4"]
    assert ids(listed(world.services, ALPHA, scope="project:beta")) == []
    assert ids(listed(world.services, OWNER)) == ["b0", "a1", "s2", "u3", "a4"]


def test_pages_go_on_where_the_one_before_ended(world: Asked) -> None:
    for number in range(7):
        scope = "project:alpha" if number % 2 else "shared"
        world.add(f"t{number}", f"T{number}", scope=scope, salience=number + 1)

    assert pages(world, ALPHA, limit=3) == [["t6", "t5", "t4"], ["t3", "t2", "t1"], ["t0"]]
    assert pages(world, ALPHA, limit=7) == [[f"t{number}" for number in range(6, -1, -1)]]


@given(
    st.lists(
        st.tuples(st.sampled_from(["project:alpha", "shared", "project:beta", ""]), st.booleans()),
        max_size=14,
    ),
    st.integers(1, 5),
)
def test_every_page_is_full_but_the_last_and_nothing_is_missed_or_twice(
    drawn: list[tuple[str, bool]], limit: int
) -> None:
    world = Asked()
    for number, (scope, is_secret) in enumerate(drawn):
        level = Sensitivity.HIGH if is_secret else Sensitivity.LOW
        world.add_unindexed(f"t{number}", f"T{number}", scope=scope or None, sensitivity=level)
    expected = [
        f"t{number}"
        for number, (scope, is_secret) in enumerate(drawn)
        if scope != "project:beta" and not is_secret
    ]

    found = pages(world, ALPHA, limit=limit)

    assert sorted(each for page in found for each in page) == sorted(expected)
    assert all(len(page) == limit for page in found[:-1])
    assert len(found) == max(1, -(-len(expected) // limit))


def test_what_may_not_be_seen_leaves_no_trace(world: Asked) -> None:
    world.add("seen", "Seen", scope="project:alpha")
    before = listed(world.services, ALPHA, limit=1)
    for number in range(5):
        level = "high" if number else "low"
        scope = "project:alpha" if number else "project:beta"
        world.add(f"x{number}", "Hidden", scope=scope, sensitivity=level, salience=9 - number)

    assert listed(world.services, ALPHA, limit=1) == before


def test_a_cursor_serves_the_request_that_it_came_from(world: Asked) -> None:
    for number in range(3):
        world.add(f"t{number}", f"T{number}", scope="shared")
    cursor = listed(world.services, ALPHA, limit=1)["next_cursor"]

    for principal, asked in (
        (BETA, {}),
        (ALPHA, {"scope": "shared"}),
        (ALPHA, {"include_archived": True}),
    ):
        with pytest.raises(InvalidArgument, match="cursor"):
            listed(world.services, principal, cursor=cursor, **asked)
    with pytest.raises(InvalidArgument, match="not one of ours"):
        listed(world.services, ALPHA, cursor="AAAA")
    assert len(ids(listed(world.services, ALPHA, cursor=cursor, limit=2))) == 2


def test_too_many_scopes_must_be_named(world: Asked) -> None:
    scopes = [f"scope-{number}" for number in range(MAX_SCOPES + 1)]
    for scope in scopes:
        world.add_unindexed(f"in-{scope}", "T", scope=scope)

    for principal in (OWNER, principal_of("many", Permission, scopes, "low")):
        with pytest.raises(InvalidArgument, match="name them in the query as scope"):
            listed(world.services, principal)
        assert ids(listed(world.services, principal, scope="scope-7")) == ["in-scope-7"]
