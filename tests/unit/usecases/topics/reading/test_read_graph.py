"""The graph of topics: page by page, around a topic, with its communities, and for whom."""

from itertools import pairwise
from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.records.sizes import MAX_REPLY_BYTES, reply_bytes
from membrane.domain.topics.requests.editing import (
    ChangeTopic,
    DeleteTopic,
    NestFields,
    RemoveRelationship,
    SetFieldRef,
)
from membrane.usecases.topics.reasoning.find_communities import find_communities
from tests.builders.requests import ALPHA, OWNER
from tests.builders.topic_editors import ask
from tests.builders.topic_readers import graph, ids
from tests.fakes.topic_world import of_another_embedder
from tests.worlds.merged_topics import merge
from tests.worlds.queried_topics import Asked

ALPHAS = "project:alpha"


@pytest.fixture
def world() -> Asked:
    """A world of fakes."""
    return Asked()


def chain(world: Asked, *topic_ids: str, **others: Any) -> None:
    """Topics of which each leads to the next."""
    for topic_id in topic_ids:
        world.add(topic_id, topic_id.upper(), **others)
    for one, other in pairwise(topic_ids):
        world.relate(one, "next", other)


def links(shown: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Of a graph's edges both ends and the kind."""
    return [(each["from"], each["to"], each["kind"]) for each in shown["edges"]]


def test_nodes_and_edges_have_the_shape_that_memstate_gives_them(world: Asked) -> None:
    world.add("ada", "Ada " * 30, {"age": 36}, summary="a pilot", topic_kind="person")
    world.add("rome", "Rome", salience=0.5)
    ask(SetFieldRef(id="ada", name="home", ref_topic_id="rome"), world.services)
    world.relate("rome", "of", "ada")

    shown = graph(world.services)

    assert shown["nodes"][0] == {
        "id": "ada",
        "label": ("Ada " * 30)[:80],
        "title": "Ada " * 30,
        "summary": "a pilot",
        "topic_kind": "person",
        "archived": False,
        "salience": 1.0,
        "scope": "",
        "sensitivity": "low",
        "fields": [
            {
                "name": "age",
                "field_type": "int",
                "current_value": 36,
                "history_len": 1,
                "ref_topic_id": None,
            },
            {
                "name": "home",
                "field_type": "string",
                "current_value": None,
                "history_len": 0,
                "ref_topic_id": "rome",
            },
        ],
        "community": None,
    }
    assert shown["edges"] == [
        {"from": "rome", "to": "ada", "kind": "of", "edge_type": "related"},
        {"from": "ada", "to": "rome", "kind": "field:home", "edge_type": "field_ref"},
    ]
    assert shown["truncated"] is False
    assert "next_cursor" not in shown


def test_a_group_tells_of_the_fields_in_it(world: Asked) -> None:
    world.add("ada", "Ada", {"street": "Rue A", "city": "Paris"})
    world.add("paris", "Paris")
    ask(SetFieldRef(id="ada", name="city", ref_topic_id="paris"), world.services)
    ask(NestFields(id="ada", field_names=("street", "city"), nest_key="home"), world.services)

    shown = graph(world.services, topic_id="ada")

    (group,) = shown["nodes"][0]["fields"]
    assert (group["name"], group["field_type"]) == ("home", "json")
    assert group["current_value"]["_memstate_nested"] is True
    assert [(each["name"], each["current_value"]) for each in group["nested_fields"]] == [
        ("city", "Paris"),
        ("street", "Rue A"),
    ]
    assert links(shown) == [("ada", "paris", "field:home.city")]


def test_pages_have_every_topic_and_lead_to_those_of_other_pages(world: Asked) -> None:
    chain(world, "a", "b", "c", salience=2)
    ask(ChangeTopic(id="c", archived=True), world.services)

    first = graph(world.services, limit=2)
    second = graph(world.services, limit=2, cursor=first["next_cursor"])

    assert (ids(first), ids(second)) == (["c", "b"], ["a"])
    assert [node["archived"] for node in first["nodes"]] == [True, False]
    assert links(first) == [("a", "b", "next"), ("b", "c", "next")]
    assert links(second) == [("a", "b", "next")]
    assert "next_cursor" not in second


def test_edges_to_what_is_gone_or_hidden_are_left_out(world: Asked) -> None:
    world.add("ada", "Ada", scope=ALPHAS)
    for topic_id, scope in (("gone", None), ("beta", "project:beta"), ("left", None)):
        world.add(topic_id, topic_id.upper(), scope=scope)
        world.relate("ada", "knows", topic_id)
        ask(SetFieldRef(id="ada", name=topic_id, ref_topic_id=topic_id), world.services)
    ask(DeleteTopic(id="gone"), world.services)
    asked = RemoveRelationship(id="ada", to_topic_id="left", kind="knows")
    ask(asked, world.services)

    assert links(graph(world.services, ALPHA, scope=ALPHAS)) == [("ada", "left", "field:left")]
    around = graph(world.services, ALPHA, topic_id="ada")
    assert links(around) == [("ada", "left", "field:left")]
    assert {"beta", "left"} == {each for _, each, _ in links(graph(world.services, topic_id="ada"))}


def test_what_may_not_be_seen_changes_no_word(world: Asked) -> None:
    chain(world, "a", "b", scope=ALPHAS)
    find_communities(ALPHAS, world.services)
    asked: list[dict[str, Any]] = [{}, {"limit": 1}, {"topic_id": "a", "depth": 3}]
    before = [graph(world.services, ALPHA, **each) for each in asked]

    for number in range(5):
        world.add(f"x{number}", "B secret", scope=ALPHAS, sensitivity="hyper", salience=9)
        world.relate("a", "knows", f"x{number}")
        world.relate(f"x{number}", "knows", "b")
        ask(SetFieldRef(id=f"x{number}", name="f", ref_topic_id="a"), world.services)
    find_communities(ALPHAS, world.services)

    assert [graph(world.services, ALPHA, **each) for each in asked] == before


def test_edges_of_a_merged_topic_are_those_of_its_keeper(world: Asked) -> None:
    chain(world, "a", "poor", "b")
    world.add("rich", "Rich")
    world.relate("rich", "knows", "poor")
    ask(SetFieldRef(id="a", name="friend", ref_topic_id="poor"), world.services)
    merge(world.services, "rich", "poor")

    shown = graph(world.services)

    assert sorted(ids(shown)) == ["a", "b", "rich"]
    assert links(shown) == [
        ("a", "rich", "next"),
        ("rich", "b", "next"),
        ("a", "rich", "field:friend"),
    ]
    assert set(ids(graph(world.services, topic_id="poor"))) == {"a", "b", "rich"}


# --- around a topic ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("depth", "expected"),
    [(1, {"b", "c", "d"}), (2, {"a", "b", "c", "d", "e"}), (3, {"a", "b", "c", "d", "e", "f"})],
)
def test_what_is_so_many_links_away_is_around_a_topic(
    world: Asked, depth: int, expected: set[str]
) -> None:
    chain(world, "a", "b", "c", "d", "e", "f", "g")

    shown = graph(world.services, topic_id="c", depth=depth)

    assert ids(shown)[0] == "c"
    assert set(ids(shown)) == expected
    assert {end for one, other, _ in links(shown) for end in (one, other)} == expected
    assert shown["truncated"] is False


def test_references_lead_on_and_edges_between_the_outermost_are_shown(world: Asked) -> None:
    for topic_id in ("middle", "left", "right"):
        world.add(topic_id, topic_id.upper())
    ask(SetFieldRef(id="middle", name="l", ref_topic_id="left"), world.services)
    ask(SetFieldRef(id="middle", name="r", ref_topic_id="right"), world.services)
    world.relate("left", "faces", "right")

    shown = graph(world.services, topic_id="middle")

    assert ids(shown) == ["middle", "left", "right"]
    assert ("left", "right", "faces") in links(shown)


def test_the_nearest_come_first_where_there_are_too_many(world: Asked) -> None:
    chain(world, "m", "n", "o")
    for number in range(4):
        world.add(f"leaf-{number}", "Leaf")
        world.relate("m", "has", f"leaf-{number}")

    shown = graph(world.services, topic_id="m", depth=3, limit=4)
    whole = graph(world.services, topic_id="m", depth=3, limit=7)

    assert ids(shown) == ["m", "leaf-0", "leaf-1", "leaf-2"]
    assert shown["truncated"] is True
    assert (len(ids(whole)), whole["truncated"]) == (7, False)


def test_a_scope_keeps_what_is_around_a_topic_within_it(world: Asked) -> None:
    world.add("a", "A", scope=ALPHAS)
    world.add("s", "S", scope="shared")
    world.relate("a", "knows", "s")

    assert ids(graph(world.services, topic_id="a", scope=ALPHAS)) == ["a"]
    assert ids(graph(world.services, topic_id="a")) == ["a", "s"]
    with pytest.raises(NotFound, match="topic not found"):
        graph(world.services, topic_id="s", scope=ALPHAS)


def test_what_may_not_be_seen_is_in_the_middle_of_nothing(world: Asked) -> None:
    world.add("b", "B", scope="project:beta")

    for topic_id in ("b", "nobody"):
        with pytest.raises(NotFound, match="topic not found"):
            graph(world.services, ALPHA, topic_id=topic_id)


def crowd(world: Asked) -> None:
    """A topic that leads to many that are hidden, and then to one that is not."""
    for topic_id, sensitivity in (("hub", "low"), ("z", "low"), ("hidden", "hyper")):
        world.add(topic_id, topic_id.title(), scope=ALPHAS, sensitivity=sensitivity)
    for number in range(8):
        world.relate("hub", f"k{number}", "hidden")
    world.relate("hub", "real", "z")


@pytest.mark.parametrize("asked", [{"scope": ALPHAS}, {"topic_id": "hub"}])
def test_edges_that_may_not_be_seen_hide_none_that_may(
    world: Asked, monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any]
) -> None:
    monkeypatch.setattr("membrane.usecases.topics.reading.read_graph.EDGES_READ", 4)
    crowd(world)

    shown = graph(world.services, ALPHA, **asked)

    assert links(shown) == [("hub", "z", "real")]
    assert sorted(ids(shown)) == ["hub", "z"]
    assert shown["truncated"] is False


@pytest.mark.parametrize("asked", [{"scope": ALPHAS}, {"topic_id": "hub"}])
@pytest.mark.parametrize(("name", "limit"), [("MOST_EDGES_READ", 5), ("MOST_CROWDED", 0)])
def test_where_there_are_more_edges_than_are_read_it_is_said(
    world: Asked, monkeypatch: pytest.MonkeyPatch, name: str, limit: int, asked: dict[str, Any]
) -> None:
    monkeypatch.setattr("membrane.usecases.topics.reading.read_graph.EDGES_READ", 4)
    monkeypatch.setattr(f"membrane.usecases.topics.reading.read_graph.{name}", limit)
    crowd(world)

    assert graph(world.services, ALPHA, **asked)["truncated"] is True


def test_topics_that_may_not_be_seen_hide_no_end_of_an_edge(
    world: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membrane.usecases.topics.reading.read_graph.MAX_FAR", 1)
    for number in range(4):
        world.add(f"a{number}", "A", scope="shared", sensitivity="hyper")
    world.add("hub", "Hub", scope=ALPHAS)
    world.add("z", "Z")
    for topic_id in ("a0", "a1", "a2", "a3", "z"):
        world.relate("hub", "has", topic_id)

    shown = graph(world.services, ALPHA, scope=ALPHAS)

    assert (links(shown), shown["truncated"]) == ([("hub", "z", "has")], False)
    assert graph(world.services, scope=ALPHAS)["truncated"] is True


def test_what_is_around_a_topic_has_no_pages(world: Asked) -> None:
    chain(world, "a", "b")
    cursor = graph(world.services, limit=1)["next_cursor"]

    for each in (cursor, "garbage"):
        with pytest.raises(InvalidArgument, match="cursor must not come with topic_id"):
            graph(world.services, topic_id="a", cursor=each)


@pytest.mark.parametrize("asked", [{"depth": 4}, {"depth": 0}, {"limit": 201}, {"limit": 0}])
def test_depth_and_limit_have_ends(world: Asked, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        graph(world.services, **asked)


def test_nodes_that_are_too_large_together_are_cut(world: Asked) -> None:
    for number in range(4):
        fields = {f"f{each}": "x" * 90_000 for each in range(20)}
        world.add_unindexed(f"t{number}", "T", fields, summary="s" * 50_000)

    shown = graph(world.services)

    assert len(ids(shown)) == 4
    assert reply_bytes(shown) < MAX_REPLY_BYTES
    cut = [node.get("is_cut", False) for node in shown["nodes"]]
    assert cut == [False, False, True, True]
    assert all(len(node["fields"]) == 20 for node in shown["nodes"])
    assert {each["current_value"] for each in shown["nodes"][3]["fields"]} == {None}


# --- communities ---------------------------------------------------------------------------------


def communities(shown: dict[str, Any]) -> dict[str, int | None]:
    """By id."""
    return {node["id"]: node["community"] for node in shown["nodes"]}


def circle(world: Asked, prefix: str, **others: Any) -> list[str]:
    """Four topics that are all linked, and say nothing that is alike."""
    made = [f"{prefix}{number}" for number in range(4)]
    for topic_id in made:
        world.add_unindexed(topic_id, f"title{topic_id}", **others)
    for one in made:
        for other in made:
            if one < other:
                world.relate(one, "knows", other)
    return made


def test_what_is_linked_is_one_community(world: Asked) -> None:
    first, second = circle(world, "a"), circle(world, "b")
    world.relate("a0", "knows", "b0")

    find_communities("", world.services)

    found = communities(graph(world.services))
    assert len({found[each] for each in first}) == len({found[each] for each in second}) == 1
    assert found["a0"] != found["b0"]


def test_what_is_alike_is_one_community(world: Asked) -> None:
    for number in range(3):
        world.add(f"port{number}", "harbour crane ship", {"n": f"harbour ship crane {number}"})
        world.add(f"cake{number}", "butter sugar flour", {"n": f"flour sugar butter {number}"})

    find_communities("", world.services)

    found = communities(graph(world.services))
    assert len({found[f"port{number}"] for number in range(3)}) == 1
    assert len({found[f"cake{number}"] for number in range(3)}) == 1
    assert found["port0"] != found["cake0"]


def test_a_topic_is_in_no_community_until_they_are_sought(world: Asked) -> None:
    circle(world, "a")
    find_communities("", world.services)
    world.add("new", "New", salience=0.1)

    found = communities(graph(world.services, OWNER))
    assert found.pop("new") is None
    assert set(found.values()) == {0}

    find_communities("", world.services)
    assert communities(graph(world.services))["new"] == 1


def test_while_the_index_is_anothers_links_alone_decide(world: Asked) -> None:
    circle(world, "a")
    world.index("a0")
    of_another_embedder(world.services)

    find_communities("", world.services)

    assert set(communities(graph(world.services)).values()) == {0}


def test_references_and_what_was_absorbed_count_and_what_was_removed_does_not(
    world: Asked,
) -> None:
    for topic_id in ("one", "two", "old", "far"):
        world.add_unindexed(topic_id, f"title{topic_id}")
    ask(SetFieldRef(id="one", name="ref", ref_topic_id="old"), world.services)
    world.relate("far", "knows", "one")
    ask(RemoveRelationship(id="far", to_topic_id="one", kind="knows"), world.services)
    merge(world.services, "two", "old")

    find_communities("", world.services)

    found = communities(graph(world.services))
    assert found["one"] == found["two"] != found["far"]


def test_nothing_is_sought_where_nothing_is(world: Asked) -> None:
    find_communities("empty", world.services)

    assert graph(world.services) == {"nodes": [], "edges": [], "truncated": False}
