"""Fields shown as one or moved to a topic of their own: nothing that was written is lost by it."""

from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.integration.http.test_topic_changes import SERVERS_OWN, UNSCOPED
from tests.worlds.api import Api
from tests.worlds.depth import examples
from tests.worlds.threads import at_once
from tests.worlds.topic_client import DAY_S, Topics, field, values

NESTED = "is a nested field bundle: write to its fields"
NUMBERS = count()


@pytest.fixture
def parent(topics: Topics) -> str:
    """Ada, who has a street, a city and a cat."""
    made = topics.make("Ada", {"street": "Rue A", "city": "Paris", "pet": "a cat"})
    topics.append(made, "city", "Rome")
    return made


@pytest.fixture
def child(topics: Topics, parent: str) -> str:
    """Made of her street and city, which `address` of hers points at."""
    return promote(topics, parent, "street", "city", parent_link_field="address")


def promote(topics: Topics, parent: str, *names: str, **more: Any) -> str:
    """The id of the child that is made of the fields."""
    body = {"field_names": names, "child_title": "Address", **more}
    return str(topics.do("POST", f"topics/{parent}/promote-nested", body)["child_topic_id"])


def undo(topics: Topics, parent: str, child: str, **more: Any) -> dict[str, Any]:
    body = {"child_topic_id": child, **more}
    return topics.do("POST", f"topics/{parent}/undo-nested", body)


def unnest(topics: Topics, topic_id: str, key: str = "address") -> dict[str, Any]:
    return topics.do("POST", f"topics/{topic_id}/unnest-fields", {"nest_key": key})


def inner(topics: Topics, topic_id: str, key: str = "address") -> dict[str, list[Any]]:
    """By name the histories of the fields in a bundle."""
    (made,) = topics.field(topic_id, key)["history"]
    return {name: values(each) for name, each in made["value"]["fields"].items()}


# --- bundles ------------------------------------------------------------------------------------


def test_a_bundle_says_how_it_came_to_be_and_shows_its_fields_in_order(
    topics: Topics, parent: str
) -> None:
    body = {"field_names": [" street ", "", "city", "street"], "nest_key": " address "}
    told = topics.do("POST", f"topics/{parent}/nest-fields", {**body, "provenance": "llm"})

    (made,) = topics.field(parent, "address")["history"]
    moved = {"nest_key": "address", "moved_fields": ["street", "city"]}
    assert told == {"ok": True, "topic_id": parent, **moved}
    assert made["value"]["_memstate_nested"] is True
    assert (made["operation"], made["provenance"]) == ("nested_fields_in_topic", "llm")
    assert made["why_changed"] == "grouped fields into address"
    assert list(inner(topics, parent).items()) == [
        ("city", ["Rome", "Paris"]),
        ("street", ["Rue A"]),
    ]
    event = topics.last(parent)
    assert (event["kind"], event["detail"]) == ("fields_nested_in_topic", moved)
    restored = {"nest_key": "address", "restored_fields": ["city", "street"]}
    assert unnest(topics, parent) == {"ok": True, "topic_id": parent, **restored}
    assert topics.kinds(parent)[-1] == "fields_unnested_from_bundle"


def test_an_inner_field_is_written_to_in_place_by_every_route(topics: Topics, parent: str) -> None:
    topics.nest(parent, "address", "city")

    topics.append(parent, "address.city", "Oslo")
    topics.tell(field("address.zip", 9), topic_id=parent)
    topics.point(parent, "address.city", parent)
    nested = inner(topics, parent)
    unnest(topics, parent)

    assert nested == {"city": ["Oslo", "Rome", "Paris"], "zip": [9]}
    assert topics.field(parent, "city")["ref_topic_id"] == parent
    topics.nest(parent, "address", "city")
    for path, body in (
        ("fields", {"field_name": "address", "value": "Rome"}),
        ("fields/address/ref", {"ref_topic_id": parent}),
    ):
        method = "PUT" if path.endswith("ref") else "POST"
        status, detail = topics.refusal(method, f"topics/{parent}/{path}", body)
        assert (status, NESTED in detail) == (400, True)


def test_what_cannot_be_nested_is_refused_in_the_peers_words_and_order(
    topics: Topics, parent: str
) -> None:
    topics.append(parent, "dotted.name", "x")
    topics.nest(parent, "home", "pet")
    again = "a nested field bundle cannot be nested again: "
    long = "a nested field's whole name would be longer than 256 characters"

    for names, key, words in (
        ((), " ", "nest_key required"),
        ((" ", ""), "address", "field_names must name at least one field"),
        (("address", "no"), "address", "nest_key must not be one of the grouped field names"),
        (("no",), "city", "field already exists: city"),
        (("city",), "dotted", "field already exists: dotted.name"),
        (("city",), "home", "field already exists: home"),
        (("city", "no"), "address", "field not found: no"),
        (("city",), "x" * 252, long),
        (("home",), "person", f"{again}home"),
        (("home.pet",), "person", f"{again}home.pet"),
        (("city",), "home.more", f"{again}home.more"),
    ):
        body = {"field_names": names, "nest_key": key}
        refused = topics.refusal("POST", f"topics/{parent}/nest-fields", body)
        assert refused == (400, words)
    asked = {"field_names": ["city"], "nest_key": "address"}
    assert topics.refusal("POST", "topics/no/nest-fields", asked) == (404, "topic not found")


def test_what_cannot_be_unnested_is_refused_in_the_peers_words_and_order(
    topics: Topics, parent: str
) -> None:
    topics.nest(parent, "address", "street", "city")
    topics.append(parent, "city", "Rome")
    path = f"topics/{parent}/unnest-fields"
    taken = "cannot restore field 'city': name missing or already exists on topic"

    for key, words in (
        (" ", "nest_key required"),
        ("no", "field not found: no"),
        ("pet", "field 'pet' is not a nested field bundle"),
        ("address", taken),
    ):
        assert topics.refusal("POST", path, {"nest_key": key}) == (400, words)
    for name in ("address.street", "address.city"):
        topics.delete(parent, name=name)
    empty = (400, "nested bundle has no inner fields")
    assert topics.refusal("POST", path, {"nest_key": "address"}) == empty


def test_deleted_fields_make_way_for_what_moves_and_keep_their_histories(
    topics: Topics, parent: str
) -> None:
    topics.append(parent, "address.city", "Oslo")
    topics.delete(parent, name="address.city")
    topics.nest(parent, "address", "city")
    topics.append(parent, "city", "Bonn")
    topics.delete(parent, name="city")

    unnest(topics, parent)

    assert topics.values(parent, "city") == ["Rome", "Paris"]
    stored = repr(topics.api.stored())
    assert "Oslo" in stored
    assert "Bonn" in stored


def test_a_bundle_is_deleted_with_its_fields_and_promoted_with_them(
    topics: Topics, parent: str
) -> None:
    topics.nest(parent, "address", "street", "city")
    child = promote(topics, parent, "address")
    left, promoted = (list(topics.read(each)["fields"]) for each in (parent, child))
    topics.append(child, "address.city", "Oslo")
    undo(topics, parent, child)
    back = inner(topics, parent)

    topics.delete(parent, name="address")

    assert (left, promoted) == (["pet"], ["address"])
    assert back == {"city": ["Oslo", "Rome", "Paris"], "street": ["Rue A"]}
    assert list(topics.read(parent)["fields"]) == ["pet"]
    topics.append(parent, "address.city", "Bern")
    assert topics.values(parent, "address.city") == ["Bern", "Oslo", "Rome", "Paris"]


def test_thousands_of_fields_in_a_bundle_are_shown(topics: Topics) -> None:
    names = [f"f{number}.{'x.' * 20}" for number in range(3_000)]
    made = topics.tell(*(field(each, 1) for each in names), placement="new_topic")["topic_id"]

    topics.nest(made, "k", *names)

    assert len(inner(topics, made, "k")) == 3_000


# --- promotion ----------------------------------------------------------------------------------


def test_the_child_is_what_its_parent_is_and_both_trails_tell_of_it(topics: Topics) -> None:
    topics.freeze()
    parent = topics.make("Ada", {"city": "Paris"}, topic_kind="person", salience=3.0, scope="alpha")
    topics.change(parent, sensitivity="high")
    topics.wait(10 * DAY_S)

    body = {"field_names": ["city"], "child_title": "Address", "child_summary": "where"}
    path, more = f"topics/{parent}/promote-nested", {"parent_link_field": "at", "max_history": 1}
    reply = topics.do("POST", path, body | more)
    child = reply.pop("child_topic_id")

    assert reply == {
        "ok": True,
        "moved_fields": ["city"],
        "relationship_kind": "has_detail",
        "parent_link_field": "at",
    }
    told, of_parent = topics.read(child), topics.read(parent)
    names = ("scope", "sensitivity", "topic_kind", "summary", "title")
    assert [told[name] for name in names] == ["alpha", "high", "person", "where", "Address"]
    assert told["salience_parts"]["base"] == pytest.approx(of_parent["salience_parts"]["base"])
    assert topics.kinds(child) == ["created", "nested_topic_from_parent"]
    assert topics.last(child)["detail"] == {
        "parent_topic_id": parent,
        "fields": ["city"],
        "relationship_kind": "has_detail",
    }
    assert topics.last(parent)["kind"] == "nested_topic_promoted"
    link = of_parent["fields"]["at"]
    assert (link["ref_topic_id"], link["history"][0]["value"]) == (child, "Address")
    assert link["history"][0]["operation"] == "nested_topic_link"
    undo(topics, parent, child)
    assert topics.last(parent)["detail"] == {
        "child_topic_id": child,
        "restored_fields": ["city"],
        "removed_ref_fields": ["at"],
        "relationship_kind": "has_detail",
    }


def test_what_is_written_to_either_afterwards_is_its_own(
    topics: Topics, parent: str, child: str
) -> None:
    topics.append(child, "city", "Oslo")
    topics.append(parent, "city", "Bonn")

    assert topics.values(child, "city") == ["Oslo", "Rome", "Paris"]
    assert topics.values(parent, "city") == ["Bonn"]


def test_what_cannot_be_promoted_is_refused_in_the_peers_words_and_order(
    topics: Topics, parent: str
) -> None:
    topics.nest(parent, "home", "pet")
    moved = "parent_link_field must not be one of the moved field names"
    own = "parent_link_field must not be a field that the parent has already"
    uuid = "validation error for child_topic_id: UUIDs of version 8 are the server's own"
    path, cases = f"topics/{parent}/promote-nested", [
        ((), {"child_title": " "}, "child_title required"),
        ((), {"relationship_kind": " "}, "relationship_kind required"),
        ((" ",), {}, "field_names must name at least one field on the parent"),
        (("no",), {"parent_link_field": "no"}, moved),
        (("home",), {"parent_link_field": "home.pet"}, moved),
        (("city", "no"), {}, "field not on parent topic: no"),
        (("city",), {"parent_link_field": "street"}, own),
        (("city",), {"child_topic_id": SERVERS_OWN}, uuid),
    ]  # fmt: skip

    for names, more, words in cases:
        body = {"field_names": names, "child_title": "Address", **more}
        assert topics.refusal("POST", path, body) == (400, words)
    body = {"field_names": ["city"], "child_title": "Address"}
    taken = (409, f"topic_id already exists: {parent}")
    assert topics.refusal("POST", path, {**body, "child_topic_id": parent}) == taken
    bundle = topics.refusal("POST", path, {**body, "parent_link_field": "home"})
    assert (bundle[0], NESTED in bundle[1]) == (400, True)
    assert topics.refusal("POST", "topics/no/promote-nested", body) == (404, "topic not found")


def test_undoing_brings_back_all_that_was_written_to_the_child(
    topics: Topics, parent: str, child: str
) -> None:
    topics.freeze()
    topics.append(child, "city", "Oslo")
    topics.append(child, "zip", "1234")
    topics.delete(child, name="street")

    told = undo(topics, parent, child)
    topics.append(parent, "city", "Bonn")

    assert told == {
        "ok": True,
        "parent_topic_id": parent,
        "restored_fields": ["city", "zip"],
        "removed_ref_fields": ["address"],
        "deleted_child_topic_id": child,
    }
    assert topics.values(parent, "city") == ["Bonn", "Oslo", "Rome", "Paris"]
    assert topics.values(parent, "zip") == ["1234"]
    assert set(topics.read(parent)["fields"]) == {"pet", "city", "zip"}
    assert topics.graph(topic_id=parent)["edges"] == []
    topics.do("POST", f"topics/{child}/restore", {})
    assert topics.read(child)["fields"] == {}, "it has no part in the histories any more"
    assert topics.kinds(child)[-3:] == ["nested_topic_undo_merge_back", "deleted", "restored"]


def test_what_cannot_be_undone_is_refused_in_the_peers_words_and_order(
    topics: Topics, parent: str, child: str
) -> None:
    other = topics.make("Bob")
    topics.relate(other, "knows", child)
    match = f"child topic history does not match this parent; expected parent '{parent}'"
    several = (
        "multiple RELATED edges from parent to child; pass relationship_kind "
        "(found: ['has_detail', 'likes'])"
    )

    def refused(of: str, child_id: str, **more: Any) -> str:
        body = {"child_topic_id": child_id, **more}
        status, detail = topics.refusal("POST", f"topics/{of}/undo-nested", body)
        assert status == 400
        return detail

    assert refused(parent, "") == "child_topic_id required"
    assert refused(parent, "no") == "child topic not found: no"
    assert refused(child, parent) == "no RELATED edge from parent to child topic"
    likes = refused(parent, child, relationship_kind="likes")
    assert likes == "no RELATED edge with kind 'likes' from parent to child"
    assert refused(other, child) == match
    topics.relate(parent, "likes", child)
    assert refused(parent, child) == several
    for name in ("street", "city"):
        topics.delete(child, name=name)
    bare = refused(parent, child, relationship_kind="has_detail")
    assert bare == "child topic has no fields to merge back"


def test_a_field_of_the_parent_stands_in_the_way_until_it_is_deleted(
    topics: Topics, parent: str, child: str
) -> None:
    topics.append(parent, "city", "Bonn")
    asked = ("POST", f"topics/{parent}/undo-nested", {"child_topic_id": child})

    words = "parent already has field 'city'; rename or remove it on the parent before undo"
    assert topics.refusal(*asked) == (400, words)
    topics.delete(parent, name="city")
    undo(topics, parent, child)

    assert topics.values(parent, "city") == ["Rome", "Paris"]


def test_of_what_points_at_the_child_only_what_says_nothing_else_goes_with_it(
    topics: Topics, parent: str, child: str
) -> None:
    pet = topics.field(parent, "pet")["history"]
    topics.point(parent, "pet", child)
    topics.point(parent, "where", child)
    topics.append(parent, "address", "Rue A")

    told = undo(topics, parent, child)

    assert told["removed_ref_fields"] == ["where"]
    fields = topics.read(parent)["fields"]
    assert (fields["pet"]["ref_topic_id"], fields["pet"]["history"]) == (None, pet)
    assert (fields["address"]["ref_topic_id"], values(fields["address"])) == (
        None,
        ["Rue A", "Address"],
    )


def test_a_link_field_gives_way_to_what_comes_back_and_stays_deleted_if_it_was(
    topics: Topics, parent: str
) -> None:
    topics.delete(parent, name="pet")
    child = promote(topics, parent, "city", parent_link_field="pet")
    undo(topics, parent, child)
    deleted = topics.call("GET", f"topics/{parent}/fields/pet").status
    child = promote(topics, parent, "city", parent_link_field="address")
    topics.append(child, "address", "Rue A")
    undo(topics, parent, child)

    assert deleted == 404
    assert topics.values(parent, "address") == ["Rue A"]


def test_a_child_that_took_in_others_or_that_the_key_may_not_write_is_not_undone(
    topics: Topics,
) -> None:
    alpha = topics.of("alpha")
    parent = alpha.make("Ada", {"city": "Paris", "pet": 1})
    child = promote(alpha, parent, "city")
    twin = topics.make("Address", scope="alpha")
    topics.reason("alpha")
    assert topics.read(twin)["id"] == child
    asked = ("POST", f"topics/{parent}/undo-nested", {"child_topic_id": child})

    words = "other topics were merged into the child: unmerge them first"
    assert alpha.refusal(*asked) == (409, words)
    unscoped = promote(topics, topics.make("Bob", {"a": 1}), "a")
    assert topics.refusal("POST", f"topics/{parent}/undo-nested", {"child_topic_id": unscoped}) == (
        400,
        "no RELATED edge from parent to child topic",
    )
    assert alpha.refusal("PATCH", f"topics/{unscoped}", {"title": "x"}) == (403, UNSCOPED)


# --- laws ---------------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "c"])


def steps(one: str, other: str) -> st.SearchStrategy[list[Any]]:
    """Appends to fields among which some are moved away together, and come back."""
    some = st.sets(NAMES, min_size=1).map(lambda drawn: tuple(sorted(drawn)))
    moves = st.tuples(st.just(one), some) | st.tuples(st.just(other), st.none())
    return st.lists(st.tuples(st.just("append"), NAMES) | moves, max_size=12)


def test_a_promotion_among_many_appends_loses_none_of_them(topics: Topics) -> None:
    parent = topics.make("Ada", {"city": -1})

    def do(number: int) -> None:
        if number == 8:
            promote(topics, parent, "city", child_topic_id="address")
        else:
            topics.append(parent, "city", number)

    at_once([partial(do, number) for number in range(16)])

    later = topics.read(parent)["fields"].get("city", {"history": []})
    found = values(later) + topics.values("address", "city")
    assert sorted(found) == [number for number in range(-1, 16) if number != 8]


@settings(max_examples=examples(100))
@given(done=steps("nest", "unnest") | steps("promote", "undo"))
def test_whatever_is_moved_and_written_meanwhile_all_histories_are_whole(
    local_api: Api, done: list[Any]
) -> None:
    topics = Topics(local_api)
    parent = topics.make(scope=f"law-{next(NUMBERS)}")
    told: dict[str, list[int]] = {}
    away: dict[str, tuple[str, str]] = {}
    child = ""

    for number, (step, what) in enumerate(done):
        if step == "append":
            topic_id, name = away.get(what, (parent, what))
            topics.append(topic_id, name, number)
            told.setdefault(what, []).insert(0, number)
        elif step == "nest" and not away and set(what) <= told.keys():
            topics.nest(parent, "g", *what)
            away = {name: (parent, f"g.{name}") for name in what}
        elif step == "promote" and not away and set(what) <= told.keys():
            child = promote(topics, parent, *what, parent_link_field=f"link {number}")
            away = {name: (child, name) for name in what}
        elif step in ("unnest", "undo") and away:
            moved = sorted(away)
            back = unnest(topics, parent, "g") if step == "unnest" else undo(topics, parent, child)
            assert back["restored_fields"] == moved
            away = {}

    for name, written in told.items():
        assert topics.values(*away.get(name, (parent, name))) == written
    plain = {name for name in topics.read(parent)["fields"] if not name.startswith("link")}
    assert plain - {"g"} == told.keys() - away.keys()
