"""A query finds topics and shows what the stages ask for, gated by trust."""

from dataclasses import replace
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.sizes import MAX_REPLY_BYTES, reply_bytes
from membrane.domain.topics.policy import TopicPolicy
from membrane.domain.topics.requests.editing import DeleteTopic, NestFields
from membrane.domain.topics.topic import MergeLink, TopicStatus
from membrane.usecases.ports.catalogue import Checkpoint
from membrane.usecases.search.embedder_change import Changeover
from membrane.usecases.search.indexing.reindex import ReindexProgress, Stage
from tests.builders.requests import OWNER
from tests.builders.topic_editors import ask
from tests.fakes.search import FakeEmbedder
from tests.fakes.topics import FakeTopics
from tests.worlds.queried_topics import Asked, names, text, values

READER = principal_of("reader", [Permission.READ], ["shared"], "low")


@pytest.fixture
def asked() -> Asked:
    """An empty memory."""
    return Asked()


def lighthouses(asked: Asked, count: int) -> list[str]:
    """So many topics that are alike."""
    return [asked.add(f"light-{n:02}", f"Lighthouse number {n}") for n in range(count)]


# --- candidates ---------------------------------------------------------------------------------


def test_an_empty_memory_has_no_candidates(asked: Asked) -> None:
    assert asked.query("Ada") == {
        "query": "Ada",
        "candidates": [],
        "summary_text": "Top topics for 'Ada':",
    }


def test_what_a_field_says_is_found_and_nothing_that_has_no_word_of_it(asked: Asked) -> None:
    asked.add("ada", "Ada", {"employer": "Wonderland Shipyards"})
    asked.add("bob", "Bob", {"employer": "the railway"})

    assert asked.found("shipyards") == ["ada"]


def test_a_similarity_is_from_0_to_1_and_the_best_comes_first(asked: Asked) -> None:
    asked.add("exact", "Harbour lights")
    asked.add("near", "Harbour", {"note": "there is much to see, they say, and a long walk"})

    found = asked.candidates("harbour lights")

    assert [each["topic_id"] for each in found] == ["exact", "near"]
    assert 1.0 >= found[0]["similarity"] > found[1]["similarity"] > 0.0


def test_topic_ids_are_filtered_before_the_cut(asked: Asked) -> None:
    lighthouses(asked, 12)
    asked.add("harbour", "Harbour", {"near": "a lighthouse, they say"})

    assert asked.found("lighthouse number", topic_ids=["harbour"], top_k=3) == ["harbour"]


def test_named_topics_are_ranked_even_where_they_have_nothing_to_do_with_it(asked: Asked) -> None:
    asked.add("plants", "Office plants")
    asked.add("light", "Lighthouse")

    assert asked.found("lighthouse", topic_ids=["plants", "light"]) == ["light", "plants"]


def test_named_topics_are_ranked_by_one_embedder_where_a_re_index_ends_meanwhile(
    asked: Asked,
) -> None:
    present, former = FakeEmbedder("present", 32), FakeEmbedder("former", 64)
    begun = ReindexProgress("present", "2026-11-22T00:00:00Z")
    kept = [
        Checkpoint(replace(begun, stage=Stage.DONE).as_json(), 2),
        Checkpoint(begun.as_json(), 1),
    ]
    asked.services = replace(
        asked.services,
        embedder=Changeover(present, former, kept.pop),
        embedders=(present, former),
    )
    asked.add("plants", "Office plants")
    asked.add("light", "Lighthouse")
    asked.add_unindexed("tower", "A tower")

    assert asked.found("lighthouse", topic_ids=["plants", "light", "tower"])[0] == "light"
    assert (len(kept), len(former.asked[-1])) == (1, 2), "the question, and what has no vector yet"


@pytest.mark.parametrize("stages", [[], ["structural"], ["temporal"], ["structural", "temporal"]])
def test_without_the_semantic_stage_topic_ids_come_as_given_once_each(
    asked: Asked, stages: list[str]
) -> None:
    for each in ("a", "b", "c"):
        asked.add(each, f"Topic {each}")

    found = asked.candidates("b", topic_ids=["c", "no", "a", "c", "b"], top_k=2, stages=stages)

    assert [(each["topic_id"], each["similarity"]) for each in found] == [("c", None), ("a", None)]


def test_without_the_semantic_stage_the_most_salient_come_first(asked: Asked) -> None:
    asked.add("faint", "Faint", salience=0.2)
    asked.add("strong", "Strong", salience=3.0)
    asked.add("middle", "Middle", salience=1.0)

    found = asked.candidates("faint", stages=[], top_k=2)

    assert [(each["topic_id"], each["similarity"]) for each in found] == [
        ("strong", None),
        ("middle", None),
    ]


@pytest.mark.parametrize("q", ["", "  \n"])
def test_a_blank_question_is_about_what_is_most_salient(asked: Asked, q: str) -> None:
    asked.add("faint", "Faint", salience=0.2)
    asked.add("strong", "Strong", salience=3.0)

    found = asked.candidates(q)

    assert [(each["topic_id"], each["similarity"]) for each in found] == [
        ("strong", 0.0),
        ("faint", 0.0),
    ]
    assert asked.found(q, topic_ids=["faint", "strong"]) == ["strong", "faint"]


def test_what_reading_added_counts_in_the_order_by_salience(asked: Asked) -> None:
    asked.add("read", "Read", salience=1.0)
    asked.add("given", "Given", salience=1.05)
    assert asked.found(stages=[]) == ["given", "read"]
    asked.told.told.clear()

    asked.query(stages=[], topic_ids=["read"])
    asked.deliver()

    assert asked.found(stages=[]) == ["read", "given"]


def test_no_list_of_ids_or_names_is_as_if_none_was_given(asked: Asked) -> None:
    asked.add("ada", "Ada", {"city": "Paris"})

    assert text(asked.query("Ada", topic_ids=[], field_names=[])) == text(asked.query("Ada"))
    assert text(asked.query("Ada", topic_ids=None, field_names=None)) == text(asked.query("Ada"))


def test_what_has_vanished_makes_way_for_what_comes_behind_it(asked: Asked) -> None:
    made = lighthouses(asked, 6)
    best = asked.found("lighthouse number", top_k=2)
    for gone in best:
        ask(DeleteTopic(id=gone), asked.services)

    found = asked.found("lighthouse number", top_k=4)

    assert sorted(found) == sorted(set(made) - set(best))


def test_an_archived_topic_is_found_by_its_id_or_where_it_is_asked_for(asked: Asked) -> None:
    asked.add("gone", "Lighthouse")
    asked.change("gone", archived=True)

    assert asked.found("lighthouse") == asked.found() == asked.found(stages=[]) == []
    for stages in ([], ["semantic"]):
        assert asked.found("lighthouse", topic_ids=["gone"], stages=stages) == ["gone"]
        assert asked.found("lighthouse", include_archived=True, stages=stages) == ["gone"]


def test_a_deleted_topic_is_not_even_found_by_its_id(asked: Asked) -> None:
    asked.add("gone", "Lighthouse")
    ask(DeleteTopic(id="gone"), asked.services)

    assert asked.found("lighthouse", topic_ids=["gone"], include_archived=True) == []


def test_a_topic_that_is_not_indexed_yet_is_found_by_its_token(asked: Asked) -> None:
    asked.add_unindexed("new", "Lighthouse")
    assert asked.found("lighthouse") == []

    assert asked.found("lighthouse", consistency_tokens=[asked.token("new")]) == ["new"]


def test_a_token_has_a_topic_ranked_as_it_is_now(asked: Asked) -> None:
    asked.add("changed", "Zeppelin hangar")
    asked.append("changed", "near", "the lighthouse")

    found = asked.found("lighthouse", consistency_tokens=[asked.token("changed")])

    assert found == ["changed"]
    assert asked.found("lighthouse") == []


def test_what_is_no_token_is_refused(asked: Asked) -> None:
    with pytest.raises(InvalidArgument, match="token"):
        asked.query("Ada", consistency_tokens=["no token"])


def test_a_topic_is_found_as_often_as_it_is_searched_for_and_no_more(asked: Asked) -> None:
    asked.add("ada", "Ada")

    found = asked.found("Ada", consistency_tokens=[asked.token("ada")], include_archived=True)

    assert found == ["ada"]


# --- stages -------------------------------------------------------------------------------------


def whole(asked: Asked) -> None:
    """A topic with a history, a neighbour and a reference."""
    asked.add("bob", "Bob")
    asked.add("paris", "Paris")
    asked.add("ada", "Ada", {"home": "somewhere"}, summary="a mathematician", topic_kind="person")
    asked.append("ada", "home", "in Paris", ref_topic_id="paris")
    asked.append("ada", "age", 36)
    asked.relate("ada", "knows", "bob")
    asked.index("ada")


STAGES: dict[tuple[str, ...], tuple[bool, bool, bool]] = {
    (): (False, False, False),
    ("semantic",): (True, False, False),
    ("structural",): (False, True, False),
    ("temporal",): (False, False, True),
    ("semantic", "structural"): (True, True, False),
    ("semantic", "temporal"): (True, False, True),
    ("structural", "temporal"): (False, True, True),
    ("semantic", "structural", "temporal"): (True, True, True),
}
"""By stages whether there is a similarity, neighbours, and whole histories where explained."""


@pytest.mark.parametrize("explain", [False, True])
@pytest.mark.parametrize("stages", STAGES)
def test_each_stage_adds_what_it_stands_for(
    asked: Asked, stages: tuple[str, ...], *, explain: bool
) -> None:
    whole(asked)
    has_similarity, has_neighbours, has_histories = STAGES[stages]

    shown = asked.one("Ada", stages=[*stages, *stages], topic_ids=["ada"], explain=explain)

    assert isinstance(shown["similarity"], float) is has_similarity
    assert bool(shown["neighbors"]) is has_neighbours
    assert names(shown) == (["age", "home"] if has_neighbours or has_histories else [])
    if shown["fields"]:
        is_whole = explain and has_histories
        assert values(shown, "home") == ["in Paris", "somewhere"][: 2 if is_whole else 1]


def test_a_bundle_has_the_shape_that_clients_know(asked: Asked) -> None:
    whole(asked)
    (age,) = (each for each in asked.one(topic_ids=["ada"])["fields"] if each["name"] == "age")

    shown = asked.one(topic_ids=["ada"])

    assert list(shown) == [
        *("topic_id", "title", "summary", "topic_kind", "salience", "failed_salience"),
        *("neighbors", "neighbors_truncated", "fields", "similarity"),
    ]
    assert (shown["summary"], shown["topic_kind"]) == ("a mathematician", "person")
    assert (shown["failed_salience"], shown["neighbors_truncated"]) == (0.0, False)
    assert age == {
        "name": "age",
        "field_type": "int",
        "ref_topic_id": None,
        "current": {
            "id": asked.standing("ada").fields["age"].current.id,  # type: ignore[union-attr]  # it has one
            "value": 36,
            "valid_from": "2026-03-01T09:00:00.25Z",
            "provenance": "ui",
            "why_changed": None,
            "impact_expected": None,
        },
        "history": [age["current"]],
    }


def test_what_is_empty_is_null(asked: Asked) -> None:
    asked.add("ada", "Ada")

    shown = asked.one("Ada")

    assert (shown["summary"], shown["topic_kind"]) == (None, None)


def test_a_summary_names_the_first_five_as_python_spells_them(asked: Asked) -> None:
    lighthouses(asked, 6)
    asked.add("quoted", 'Bob\'s\n"lighthouse"')

    reply = asked.query("a 'lighthouse'", topic_ids=["quoted", "light-00"], stages=[])
    longest = asked.query("lighthouse")

    assert reply["summary_text"] == (
        "Top topics for \"a 'lighthouse'\":\n"
        "- quoted 'Bob\\'s\\n\"lighthouse\"' sim=None\n"
        "- light-00 'Lighthouse number 0' sim=None"
    )
    first = longest["candidates"][0]
    lines = longest["summary_text"].split("\n")
    assert len(lines) == 6
    assert lines[1] == f"- {first['topic_id']} {first['title']!r} sim={first['similarity']!r}"


def test_an_explanation_tells_what_the_numbers_are_made_of(asked: Asked) -> None:
    whole(asked)

    shown = asked.one("mathematician", explain=True)

    why = shown["explanation"]
    assert why["source"] == "search"
    assert set(why["similarity"]) == {"lexical", "dense", "marks"}
    assert sum(why["salience"].values()) == pytest.approx(shown["salience"])
    assert "explanation" not in asked.one("mathematician")


# --- fields -------------------------------------------------------------------------------------


def test_fields_come_by_name_or_as_they_are_named(asked: Asked) -> None:
    asked.add("ada", "Ada", {"b": 1, "c": 2, "a": 3})

    assert names(asked.one("Ada")) == ["a", "b", "c"]
    assert names(asked.one("Ada", field_names=["c", "no", "a", "c"])) == ["c", "a"]


def test_a_detached_field_comes_where_it_is_named(asked: Asked) -> None:
    asked.add("ada", "Ada", {"city": "Paris", "pet": "a cat"})
    topic = asked.standing("ada")
    detached = {**topic.fields, "pet": replace(topic.fields["pet"], is_detached=True)}
    asked.topics.topics["ada"] = replace(topic, fields=detached)

    assert names(asked.one("Ada")) == ["city"]
    assert values(asked.one("Ada", field_names=["pet"]), "pet") == ["a cat"]


def test_a_group_comes_as_the_container_that_it_stands_for(asked: Asked) -> None:
    asked.add("ada", "Ada", {"street": "Rue Un", "zip": 75001, "age": 36})
    asked.append("ada", "street", "Rue Deux")
    asked.append("ada", "owed", "x")
    nest = NestFields(id="ada", field_names=("street", "zip"), nest_key="home")
    ask(nest, asked.services)

    shown = asked.one("Ada", explain=True)

    assert names(shown) == ["age", "home", "owed"]
    (home,) = (each for each in shown["fields"] if each["name"] == "home")
    told = home["current"]["value"]
    assert home["field_type"] == "json"
    assert told["_memstate_nested"] is True
    assert [each["value"] for each in told["fields"]["street"]["history"]] == ["Rue Deux", "Rue Un"]
    assert told["fields"]["zip"]["field_type"] == "int"
    assert told["fields"]["zip"]["salience"] == 1.0
    assert names(asked.one("Ada", field_names=["home.zip"])) == ["home.zip"]


def test_a_history_has_no_more_revisions_than_the_setting_says() -> None:
    asked = Asked(TopicPolicy(max_history=3))
    asked.add("ada", "Ada")
    for value in range(5):
        asked.append("ada", "n", value)

    assert values(asked.one("Ada", explain=True), "n") == [4, 3, 2]


def test_a_reply_that_would_be_too_large_has_shorter_histories(asked: Asked) -> None:
    asked.add("ada", "Ada", {"short": "one"})
    for number in range(80):
        asked.append("ada", "long", f"{number}" + "x" * 99_000)

    reply = asked.query("Ada", explain=True)

    told = values(reply["candidates"][0], "long")
    assert 20 <= len(told) == reply["history_limit"] < 80
    assert told[0].startswith("79")
    assert values(reply["candidates"][0], "short") == ["one"]
    assert len(compact_json(reply)) < 6 * 1024 * 1024
    assert "history_limit" not in asked.query("Ada")


def large(asked: Asked, topic_id: str) -> str:
    """A topic of which no reply has room for two."""
    asked.add_unindexed(topic_id, "Encyclopedia")
    for number in range(40):
        asked.append(topic_id, f"f{number:02}", f"{number}" + "x" * 99_000)
    asked.index(topic_id)
    return topic_id


@pytest.mark.parametrize("explain", [False, True])
def test_what_is_too_large_for_a_reply_is_told_as_far_as_it_finds_room(
    asked: Asked, *, explain: bool
) -> None:
    asked.add("small", "Encyclopedia index", {"volume": "one", "pages": 3})
    big = {large(asked, each) for each in ("big", "huge")}

    reply = asked.query("Encyclopedia index", explain=explain)

    assert reply_bytes(reply) < MAX_REPLY_BYTES
    assert reply["history_limit"] == 0
    shown = {each["topic_id"]: each for each in reply["candidates"]}
    assert shown.keys() == {"small"} | big
    assert names(shown["small"]) == ["pages", "volume"]
    assert "fields_cut" not in shown["small"]
    for each in big:
        assert shown[each]["fields_cut"] is True
        assert 20 < len(shown[each]["fields"]) < 40
        assert {len(one["history"]) for one in shown[each]["fields"]} == {0}


def test_a_field_that_finds_no_room_is_not_reinforced(asked: Asked) -> None:
    big = [large(asked, each) for each in ("big", "huge")]
    asked.told.told.clear()

    every = [f"f{number:02}" for number in range(40)]
    found = asked.candidates(topic_ids=big, field_names=every)

    ((message, _),) = asked.told.told
    assert message["reinforce"]["topics"] == big
    assert message["reinforce"]["fields"] == {each["topic_id"]: names(each) for each in found}
    assert all(len(names(each)) < 40 for each in found)


def test_a_value_that_is_sent_once_alone_finds_room_for_all(asked: Asked) -> None:
    large(asked, "big")

    reply = asked.query(topic_ids=["big"])

    (shown,) = reply["candidates"]
    assert (len(shown["fields"]), reply["history_limit"]) == (40, 0)
    assert "fields_cut" not in shown


def test_no_history_is_read_where_none_may_be_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = Asked(TopicPolicy(max_history=1))
    asked.add("ada", "Ada")
    for value in (1, 2):
        asked.append("ada", "n", value)
    monkeypatch.delattr(FakeTopics, "history")

    assert values(asked.one("Ada", explain=True), "n") == [2]


def test_no_more_histories_are_read_than_one_request_may(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membrane.usecases.topics.histories.MOST_HISTORIES", 3)
    for topic_id in ("one", "two"):
        asked.add(topic_id, topic_id.title())
        for value in (1, 2):
            for name in ("a", "b"):
                asked.append(topic_id, name, value)
    asked.add("three", "Three", {"a": 2})

    one, two, three = asked.candidates(
        topic_ids=["one", "two", "three"], stages=["temporal"], explain=True
    )

    assert [values(one, "a"), values(one, "b")] == [[2, 1], [2, 1]]
    assert [values(two, "a"), values(two, "b")] == [[2, 1], [2]]
    assert two["history_limit"] == 1
    assert not any("history_limit" in each for each in (one, three))


def test_many_long_histories_share_the_room_of_a_reply(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membrane.usecases.topics.histories.MOST_REVISIONS", 7)
    asked.add("ada", "Ada", {"short": "one"})
    for name in ("a", "b"):
        for number in range(5):
            asked.append("ada", name, number)

    reply = asked.query("Ada", explain=True)

    (shown,) = reply["candidates"]
    assert reply["history_limit"] == 3
    assert (values(shown, "a"), values(shown, "b")) == ([4, 3, 2], [4, 3, 2])
    assert values(shown, "short") == ["one"]


# --- neighbours ---------------------------------------------------------------------------------


def told_of(shown: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The neighbours: id, kind, direction."""
    return [(each["id"], each["kind"], each["direction"]) for each in shown["neighbors"]]


def test_neighbours_have_a_kind_and_a_direction(asked: Asked) -> None:
    for each in ("ada", "bob", "carl"):
        asked.add(each, each.title())
    asked.relate("ada", "knows", "bob")
    asked.relate("carl", "likes", "ada")
    asked.relate("ada", "is", "ada")
    asked.append("ada", "boss", "Carl", ref_topic_id="carl")

    shown = asked.one(topic_ids=["ada"], stages=["structural"])

    assert told_of(shown) == [
        ("ada", "is", "out"),
        ("bob", "knows", "out"),
        ("carl", "likes", "in"),
        ("carl", "field:boss", "out"),
    ]
    assert shown["neighbors"][1] == {
        "id": "bob",
        "title": "Bob",
        "kind": "knows",
        "direction": "out",
    }


def test_archived_neighbours_come_where_archived_topics_are_asked_for(asked: Asked) -> None:
    asked.add("ada", "Ada")
    asked.add("carl", "Carl")
    asked.relate("ada", "knew", "carl")
    asked.change("carl", archived=True)

    assert told_of(asked.one(topic_ids=["ada"])) == []
    both = asked.one(topic_ids=["ada"], include_archived=True)
    assert told_of(both) == [("carl", "knew", "out")]


def test_a_hundred_neighbours_are_shown_and_it_is_said_that_there_are_more(asked: Asked) -> None:
    asked.add("hub", "Hub")
    for number in range(101):
        asked.add_unindexed(f"spoke-{number:03}", f"Spoke {number:03}")
        asked.relate("hub", "has", f"spoke-{number:03}")

    shown = asked.one(topic_ids=["hub"])

    assert len(shown["neighbors"]) == 100
    assert shown["neighbors_truncated"] is True


def test_neighbours_that_may_not_be_seen_hide_none_that_may(asked: Asked) -> None:
    asked.add("hub", "Hub", scope="shared")
    for number in range(300):
        asked.add_unindexed(f"a-{number:03}", f"A {number:03}", scope="shared", sensitivity="high")
        asked.relate("hub", "has", f"a-{number:03}")
    asked.add("z", "Z", scope="shared")
    asked.relate("hub", "has", "z")

    shown = asked.one(principal=READER, topic_ids=["hub"])

    assert told_of(shown) == [("z", "has", "out")]
    assert shown["neighbors_truncated"] is False


# --- aliases ---


def merge(asked: Asked, alias: str, keeper: str) -> None:
    """Make one topic the alias of another, which takes over its edges and fields."""
    old, new = asked.standing(alias), asked.standing(keeper)
    merged = MergeLink(keeper, rfc3339(asked.clock.now), "the same", old.status)
    asked.topics.topics[alias] = replace(old, status=TopicStatus.MERGED, merged=merged)
    fields = {**old.fields, **new.fields}
    asked.topics.topics[keeper] = replace(new, absorbed=(alias,), fields=fields)


def test_an_alias_is_the_topic_that_it_became(asked: Asked) -> None:
    asked.add("old", "Ada L", {"pet": "a cat"})
    asked.add("ada", "Ada", {"city": "Paris"})
    asked.append("old", "pet", "a dog")
    merge(asked, "old", "ada")

    shown = asked.one(topic_ids=["old", "ada"], stages=["temporal"], explain=True)

    assert (shown["topic_id"], names(shown)) == ("ada", ["city", "pet"])
    assert values(shown, "pet") == ["a dog", "a cat"]
    assert asked.found("Ada L") == ["ada"]


def test_edges_and_references_lead_to_what_their_ends_became(asked: Asked) -> None:
    for each in ("ada", "old", "bob", "bobby"):
        asked.add(each, each.title())
    asked.relate("ada", "knows", "bob")
    asked.relate("old", "knows", "bobby")
    asked.relate("old", "same", "ada")
    asked.relate("bobby", "likes", "old")
    asked.append("ada", "friend", "Bobby", ref_topic_id="bobby")
    merge(asked, "old", "ada")
    merge(asked, "bobby", "bob")

    shown = asked.one(topic_ids=["ada"])

    assert told_of(shown) == [
        ("bob", "knows", "out"),
        ("bob", "likes", "in"),
        ("bob", "field:friend", "out"),
    ]
    assert shown["fields"][0]["ref_topic_id"] == "bob"


# --- trust --------------------------------------------------------------------------------------


def everything(asked: Asked) -> list[str]:
    """Every kind of reply that the reader may get."""
    queries: list[dict[str, Any]] = [
        {},
        {"stages": []},
        {"q": "lighthouse at the harbour"},
        {"q": "lighthouse", "explain": True, "top_k": 3},
        {"q": "lighthouse", "topic_ids": ["mine", "theirs", "secret"], "explain": True},
        {"topic_ids": ["theirs", "secret", "mine"], "stages": ["structural"]},
        {"q": "lighthouse", "as_of": "2026-03-01T09:00:00.25Z"},
        {"q": "lighthouse", "include_archived": True},
        {"q": "lighthouse", "trust": {"scopes": ["theirs", "shared"]}},
    ]
    tokens = [asked.token(each) for each in ("theirs", "secret") if each in asked.topics.topics]
    queries.append({"q": "lighthouse", "consistency_tokens": tokens})
    return [text(asked.query(**{"q": "", **each}, principal=READER)) for each in queries]


def test_what_a_principal_may_not_see_changes_no_word_of_any_reply(asked: Asked) -> None:
    asked.add("mine", "Lighthouse", {"keeper": "Ada"}, scope="shared")
    asked.add("other", "Old lighthouse", scope="shared")
    asked.add("unscoped", "Harbour", {"near": "the lighthouse"})
    asked.relate("mine", "near", "unscoped")
    asked.append("mine", "boss", "somebody")
    asked.append("other", "boss", "somebody", ref_topic_id=None)
    before = everything(asked)

    asked.add("theirs", "Lighthouse", {"keeper": "Bob"}, scope="theirs", salience=9.0)
    asked.add("secret", "Lighthouse", scope="shared", sensitivity="high", salience=9.0)
    for number in range(120):
        asked.add(f"hid-{number}", "Lighthouse", scope="shared", sensitivity="high", salience=5.0)
    asked.relate("mine", "near", "secret")
    asked.relate("theirs", "near", "mine")
    for name, ref in (("boss", "secret"),):
        topic = asked.standing("mine")
        pointing = {**topic.fields, name: replace(topic.fields[name], ref_topic_id=ref)}
        asked.topics.topics["mine"] = replace(topic, fields=pointing)

    assert everything(asked) == before
    assert "secret" in text(asked.query("lighthouse", OWNER, topic_ids=["mine"]))


def test_trust_in_the_request_narrows(asked: Asked) -> None:
    asked.add("low", "Lighthouse", scope="shared", sensitivity="low")
    asked.add("high", "Lighthouse", scope="shared", sensitivity="high")
    asked.add("theirs", "Lighthouse", scope="theirs", sensitivity="low")

    assert sorted(asked.found("lighthouse")) == ["high", "low", "theirs"]
    narrowed = asked.found("lighthouse", trust={"scopes": ["shared"], "max_sensitivity": "low"})
    assert narrowed == ["low"]


def test_a_key_of_too_many_scopes_has_to_name_some(asked: Asked) -> None:
    for number in range(51):
        asked.add(f"t{number}", "Lighthouse", scope=f"scope-{number}")

    for stages in ([], ["semantic"]):
        with pytest.raises(InvalidArgument, match=r"name them in trust\.scopes"):
            asked.query("lighthouse", stages=stages)
        named = asked.found("lighthouse", stages=stages, trust={"scopes": ["scope-7"]})
        assert named == ["t7"]
