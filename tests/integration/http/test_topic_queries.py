"""Queries of topics over HTTP: what they find, in which order, what they show, and to whom."""

import json
from typing import Any

import pytest

from tests.worlds.topic_client import DAY_S, Topics, field, named, values

MAX_REPLY_BYTES = 6 * 1024 * 1024


def lighthouses(topics: Topics, number: int) -> list[str]:
    """So many topics that are alike."""
    every = range(number)
    return [topics.make(f"Lighthouse number {n}", topic_id=f"light-{n:02}") for n in every]


# --- what is found ------------------------------------------------------------------------------


def test_an_empty_memory_has_no_candidates(topics: Topics) -> None:
    assert topics.do("POST", "query", {"q": "Ada"}) == {
        "query": "Ada",
        "candidates": [],
        "summary_text": "Top topics for 'Ada':",
    }


def test_a_similarity_is_from_0_to_1_and_the_best_comes_first(topics: Topics) -> None:
    topics.make("Harbour lights", topic_id="exact")
    note = {"note": "there is much to see, they say, and a long walk"}
    topics.make("Harbour", note, topic_id="near")
    topics.settle()

    exact, near = topics.ask("harbour lights")

    assert (exact["topic_id"], near["topic_id"]) == ("exact", "near")
    assert 1.0 >= exact["similarity"] > near["similarity"] > 0.0


@pytest.mark.parametrize(
    "bad",
    [
        *({}, {"q": None}, {"q": 5}, {"q": "x" * 100_001}, {"q": "a", "explain": 1}),
        *({"q": "a", "stages": each} for each in (None, "semantic", ["Semantic"], [None])),
        *({"q": "a", "topic_ids": each} for each in ("ada", [5], ["a"] * 1_001)),
        *({"q": "a", "field_names": each} for each in (["a"] * 201, ["x" * 1_001])),
        *({"q": "a", "as_of": each} for each in ("yesterday", "2999-01-01T00:00:00Z")),
        *({"q": "a", "trust": each} for each in (None, {"scope": "a"})),
        *({"q": "a", "reinforce": "yes"}, {"q": "a", "include_archived": 1}),
        *({"q": "a", "consistency_tokens": each} for each in (["a"] * 101, ["no token"])),
    ],
    ids=lambda bad: str(bad)[:40],
)
def test_what_is_not_well_formed_is_refused(topics: Topics, bad: Any) -> None:
    assert topics.refusal("POST", "query", bad)[0] == 400


def test_null_and_empty_lists_are_as_if_nothing_was_given(topics: Topics) -> None:
    topics.freeze()
    topics.make(fields={"city": "Paris"})
    topics.settle()
    plain = topics.ask("Ada")

    assert topics.ask("Ada", topic_ids=[], field_names=[]) == plain
    assert topics.ask("Ada", topic_ids=None, field_names=None, as_of=None) == plain
    assert topics.ask("Ada", depth=2, **{f"key {n}": n for n in range(1_000)}) == plain


def test_named_topics_are_ranked_whatever_they_are_about(topics: Topics) -> None:
    for topic_id, title in (("plants", "Office plants"), ("light", "Lighthouse")):
        topics.make(title, topic_id=topic_id)
    topics.settle()

    assert topics.found("lighthouse", topic_ids=["plants", "light"]) == ["light", "plants"]
    asked = ["plants", "no", "light", "plants"]
    unranked = topics.ask("lighthouse", topic_ids=asked, stages=["temporal"])
    assert [(each["topic_id"], each["similarity"]) for each in unranked] == [
        ("plants", None),
        ("light", None),
    ]


def test_without_a_question_or_its_stage_the_most_salient_come_first(topics: Topics) -> None:
    for topic_id, salience in (("faint", 0.2), ("given", 1.05), ("read", 1.0)):
        topics.make(topic_id, topic_id=topic_id, salience=salience)
    topics.settle()
    expected = ["given", "read", "faint"]

    assert topics.found("  \n") == topics.found("faint", stages=[]) == expected
    assert {each["similarity"] for each in topics.ask("")} == {0.0}
    assert topics.found("faint", stages=[], top_k=2) == expected[:2]
    topics.do("POST", "query", {"q": "", "stages": [], "topic_ids": ["read"]})
    topics.settle()
    assert topics.found("") == ["read", "given", "faint"]


def test_what_has_vanished_makes_way_for_what_comes_behind_it(topics: Topics) -> None:
    made = lighthouses(topics, 6)
    topics.settle()
    best = topics.found("lighthouse number", top_k=2)
    assert topics.api.post("/_dev/stream", {"paused": True}).status == 200
    for each in best:
        topics.delete(each)

    found = topics.found("lighthouse number", top_k=4)
    by_id = topics.found("lighthouse", topic_ids=best, include_archived=True)
    topics.api.post("/_dev/stream", {"paused": False})

    assert (sorted(found), by_id) == (sorted(set(made) - set(best)), [])


def test_an_archived_topic_is_found_by_its_id_or_where_it_is_asked_for(topics: Topics) -> None:
    gone = topics.make("Lighthouse")
    topics.change(gone, archived=True)
    topics.settle()

    assert topics.found("lighthouse") == topics.found() == topics.found(stages=[]) == []
    for stages in ([], ["semantic"]):
        assert topics.found("lighthouse", topic_ids=[gone], stages=stages) == [gone]
        assert topics.found("lighthouse", include_archived=True, stages=stages) == [gone]


def test_a_token_has_a_topic_ranked_as_it_is_now_and_once(topics: Topics) -> None:
    made = topics.make("Zeppelin hangar")
    topics.settle()
    topics.api.post("/_dev/stream", {"paused": True})
    body = {"field_name": "near", "value": "the lighthouse"}
    token = topics.call("POST", f"topics/{made}/fields", body).body["consistency_token"]

    stale, fresh = topics.found("zebra"), topics.found("lighthouse", consistency_tokens=[token])
    once = topics.found("zeppelin", consistency_tokens=[token], include_archived=True)
    topics.api.post("/_dev/stream", {"paused": False})

    assert (stale, fresh, once) == ([], [made], [made])


def test_as_of_then_what_was_not_there_yet_makes_way(topics: Topics) -> None:
    topics.freeze()
    early = topics.make("A lighthouse among other things at the harbour")
    instant = topics.now()
    topics.wait(DAY_S)
    made = lighthouses(topics, 10)
    topics.append(made[0], "keeper", "Ada", valid_from="2000-01-01T00:00:00Z")
    topics.append(made[0], "height", 40)
    topics.settle()

    found = {each["topic_id"]: named(each) for each in topics.ask("lighthouse", as_of=instant)}

    assert found == {early: [], made[0]: ["keeper"]}
    assert len(topics.ask("lighthouse", as_of=instant, top_k=1)) == 1


# --- what is shown ------------------------------------------------------------------------------

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


def test_each_stage_adds_what_it_stands_for(topics: Topics) -> None:
    bob, ada = topics.make("Bob"), topics.make("Ada", {"home": "somewhere", "age": 36})
    topics.append(ada, "home", "in Paris")
    topics.relate(ada, "knows", bob)
    topics.settle()

    for explain in (False, True):
        for stages, (similarity, neighbours, histories) in STAGES.items():
            shown = topics.one("Ada", stages=[*stages, *stages], topic_ids=[ada], explain=explain)
            assert isinstance(shown["similarity"], float) is similarity
            assert bool(shown["neighbors"]) is neighbours
            assert named(shown) == (["age", "home"] if neighbours or histories else [])
            if shown["fields"]:
                length = 2 if explain and histories else 1
                assert values(shown["fields"][1]) == ["in Paris", "somewhere"][:length]


def test_a_bundle_has_the_shape_that_clients_know(topics: Topics) -> None:
    bare, made = topics.make("Bare"), topics.make("Ada", summary="a pilot", topic_kind="person")
    version = topics.append(made, "age", 36, valid_from="2026-01-01T00:00:00Z")
    topics.settle()

    shown = topics.one("Ada", topic_ids=[made])

    assert list(shown) == [
        *("topic_id", "title", "summary", "topic_kind", "salience", "failed_salience"),
        *("neighbors", "neighbors_truncated", "fields", "similarity"),
    ]
    assert (shown["summary"], shown["topic_kind"], shown["failed_salience"]) == (
        "a pilot",
        "person",
        0.0,
    )
    (age,) = shown["fields"]
    assert age == {
        "name": "age",
        "field_type": "int",
        "ref_topic_id": None,
        "current": {
            "id": version,
            "value": 36,
            "valid_from": "2026-01-01T00:00:00Z",
            "provenance": "ui",
            "why_changed": None,
            "impact_expected": None,
        },
        "history": [age["current"]],
    }
    empty = topics.one(topic_ids=[bare])
    assert (empty["summary"], empty["topic_kind"]) == (None, None)


def test_a_summary_names_the_first_five_as_python_spells_them(topics: Topics) -> None:
    lighthouses(topics, 6)
    topics.make('Bob\'s\n"lighthouse"', topic_id="quoted")
    topics.settle()

    asked = {"q": "a 'lighthouse'", "topic_ids": ["quoted", "light-00"], "stages": []}
    longest = topics.do("POST", "query", {"q": "lighthouse"})

    assert topics.do("POST", "query", asked)["summary_text"] == (
        "Top topics for \"a 'lighthouse'\":\n"
        "- quoted 'Bob\\'s\\n\"lighthouse\"' sim=None\n"
        "- light-00 'Lighthouse number 0' sim=None"
    )
    first, lines = longest["candidates"][0], longest["summary_text"].split("\n")
    assert len(lines) == 6
    assert lines[1] == f"- {first['topic_id']} {first['title']!r} sim={first['similarity']!r}"


def test_an_explanation_tells_what_the_numbers_are_made_of(topics: Topics) -> None:
    topics.make("Ada", summary="a pilot")
    topics.settle()

    why = topics.one("pilot", explain=True)

    assert why["explanation"]["source"] == "search"
    assert set(why["explanation"]["similarity"]) == {"lexical", "dense", "marks"}
    assert sum(why["explanation"]["salience"].values()) == pytest.approx(why["salience"])


def test_fields_come_by_name_or_as_they_are_named_and_bundles_as_one(topics: Topics) -> None:
    made = topics.make("Ada", {"b": 1, "c": 2, "a": 3})
    topics.append(made, "a", 4)
    topics.nest(made, "home", "a")

    assert named(topics.one(topic_ids=[made])) == ["b", "c", "home"]
    asked = ["c", "no", "home.a", "c"]
    assert named(topics.one(topic_ids=[made], field_names=asked)) == ["c", "home.a"]
    home = topics.one(topic_ids=[made], explain=True)["fields"][2]
    inner = home["current"]["value"]["fields"]["a"]
    assert (home["field_type"], values(inner), inner["field_type"]) == ("json", [4, 3], "int")


def test_a_reply_that_would_be_too_large_has_shorter_histories(topics: Topics) -> None:
    many = ["1" * 99_000, "2" * 99_000] * 20
    told = [topics.tell(*(field("long", each) for each in many), title="Ada") for _ in range(2)]
    made = told[0]["topic_id"]
    topics.append(made, "short", "one")

    reply = topics.do("POST", "query", {"q": "", "topic_ids": [made], "explain": True})

    long, short = reply["candidates"][0]["fields"]
    assert 20 <= len(long["history"]) == reply["history_limit"] < 80
    assert values(short) == ["one"]
    assert "history_limit" not in topics.do("POST", "query", {"q": "", "topic_ids": [made]})


@pytest.mark.parametrize("explain", [False, True])
def test_what_is_too_large_for_a_reply_is_told_as_far_as_it_finds_room(
    topics: Topics, *, explain: bool
) -> None:
    topics.make("Index", {"volume": "one", "pages": 3}, topic_id="small")
    every = [f"f{number:02}" for number in range(40)]
    for topic_id in ("big", "huge"):
        topics.make("Encyclopedia", topic_id=topic_id)
        topics.tell(*(field(each, "x" * 99_000) for each in every), topic_id=topic_id)
    asked = {"q": "", "topic_ids": ["big", "huge", "small"], "explain": explain}

    reply = topics.api.post("/v1/query", {**asked, "field_names": [*every, "volume", "pages"]})

    big, huge, small = reply.body["candidates"]
    assert (len(small["fields"]), "fields_cut" in small) == (2, False)
    for each in (big, huge):
        assert each["fields_cut"] is True
        assert 20 < len(each["fields"]) < 40
        assert {len(one["history"]) for one in each["fields"]} == {0}
    topics.settle()
    (read,) = topics.read("big")["access_trail"]
    assert read["fields"] == named(big), "what found no room is not reinforced"
    alone = topics.one(topic_ids=["big"])
    assert (len(alone["fields"]), "fields_cut" in alone) == (40, False)


def test_no_more_histories_are_read_than_a_request_may(topics: Topics) -> None:
    every = [f"f{number:03}" for number in range(260)]
    told = [
        topics.tell(*(field(each, value) for each in every), title=title)["topic_id"]
        for value in (1, 2)
        for title in ("One", "Two")
    ]
    made = told[:2]

    one, two = topics.ask(topic_ids=made, stages=["temporal"], explain=True)

    lengths = [[len(each["history"]) for each in shown["fields"]] for shown in (one, two)]
    assert lengths == [[2] * 260, [2] * 240 + [1] * 20]
    assert ("history_limit" in one, two["history_limit"]) == (False, 1)


# --- neighbours ---------------------------------------------------------------------------------


def around(shown: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The neighbours: id, kind, direction."""
    return [(each["id"], each["kind"], each["direction"]) for each in shown["neighbors"]]


def test_neighbours_are_what_the_ends_of_links_became(topics: Topics) -> None:
    titles = {"ada": "Ada", "old": "Ada", "bob": "Bob", "bobby": "Bob", "carl": "Carl"}
    for topic_id, title in titles.items():
        topics.make(title, {"a": 1} if title == topic_id.title() else {}, topic_id=topic_id)
    for edge in (
        ("ada", "knows", "bob"),
        ("old", "knows", "bobby"),
        ("old", "same", "ada"),
        ("ada", "is", "ada"),
        ("bobby", "likes", "old"),
        ("ada", "knew", "carl"),
    ):
        topics.relate(*edge)
    topics.append("ada", "friend", "Bobby", ref_topic_id="bobby")
    topics.append("old", "pet", "a cat")
    topics.change("carl", archived=True)
    topics.reason()
    topics.settle()

    shown = topics.one(topic_ids=["old", "ada"])

    assert (shown["topic_id"], named(shown)) == ("ada", ["a", "friend", "pet"])
    told = [
        ("ada", "is", "out"),
        ("bob", "knows", "out"),
        ("bob", "likes", "in"),
        ("bob", "field:friend", "out"),
    ]
    assert around(shown) == told
    both = around(topics.one(topic_ids=["ada"], include_archived=True))
    assert ("carl", "knew", "out") in both
    assert {each["ref_topic_id"] for each in shown["fields"]} == {None, "bob"}


def test_a_hundred_neighbours_are_shown_and_hidden_ones_take_no_place(topics: Topics) -> None:
    alpha = topics.of("alpha")
    hub, last = (topics.make(each, topic_id=each, scope="alpha") for each in ("hub", "zz"))
    made = [f"a{number:03}" for number in range(101)]
    for each in made:
        topics.make(each, topic_id=each, scope="alpha")
    edges = [{"to_topic_id": each, "kind": kind} for kind in "abc" for each in made]
    topics.tell(topic_id=hub, scope="alpha", edges=[*edges, {"to_topic_id": last, "kind": "z"}])
    before = topics.one(topic_ids=[hub])
    for each in made:
        topics.change(each, sensitivity="hyper")

    shown = alpha.one(topic_ids=[hub])

    assert (len(before["neighbors"]), before["neighbors_truncated"]) == (100, True)
    assert (around(shown), shown["neighbors_truncated"]) == ([(last, "z", "out")], False)


# --- trust --------------------------------------------------------------------------------------

QUERIES: tuple[dict[str, Any], ...] = (
    {},
    {"stages": []},
    {"q": "lighthouse at the harbour"},
    {"q": "lighthouse", "explain": True, "top_k": 3},
    {"q": "lighthouse", "topic_ids": ["mine", "theirs", "secret"], "explain": True},
    {"topic_ids": ["theirs", "secret", "mine"], "stages": ["structural"]},
    {"q": "lighthouse", "include_archived": True},
    {"q": "lighthouse", "trust": {"scopes": ["theirs", "shared"]}},
)
"""Every kind of reply that a reader may get."""


def test_what_a_key_may_not_see_changes_no_word_of_any_reply(topics: Topics) -> None:
    topics.freeze()
    reader = topics.of("shared", ceiling="low")
    topics.make("Lighthouse", {"keeper": "Ada"}, topic_id="mine", scope="shared")
    topics.make("Old lighthouse", topic_id="other", scope="shared")
    topics.make("Harbour", {"near": "the lighthouse"}, topic_id="unscoped")
    topics.relate("mine", "near", "unscoped")
    topics.settle()
    instant, tokens = topics.now(), list[str]()

    def everything() -> list[Any]:
        then = [{"q": "lighthouse", "as_of": instant, "consistency_tokens": tokens}]
        return [
            reader.do("POST", "query", {"q": "", "reinforce": False, **each})
            for each in (*QUERIES, *then)
        ]

    before = everything()
    hidden = {"theirs": ("theirs", "low"), "secret": ("shared", "high")}
    hidden |= {f"hid-{number}": ("shared", "high") for number in range(60)}
    for topic_id, (scope, level) in hidden.items():
        body = {"topic_id": topic_id, "title": "Lighthouse", "scope": scope, "sensitivity": level}
        reply = topics.call("POST", "topics", {**body, "salience": 9.0})
        tokens[:] = [*tokens[:1], reply.body["consistency_token"]]
    for edge in (("mine", "near", "secret"), ("theirs", "near", "mine")):
        topics.relate(*edge)
    topics.settle()

    assert everything() == before
    topics.point("mine", "keeper", "secret")
    seen, all_of_it = reader.one(topic_ids=["mine"]), topics.one(topic_ids=["mine"])
    assert ("secret" in str(seen), "secret" in str(all_of_it)) == (False, True)


# --- reads --------------------------------------------------------------------------------------


def use(topics: Topics, q: str = "", **body: Any) -> None:
    """A query that counts."""
    topics.do("POST", "query", {"q": q, **body})
    topics.settle()


def test_reads_raise_a_salience_that_fades_and_has_an_end(tuned: Topics) -> None:
    tuned.freeze()
    made = tuned.make("Ada")
    for _ in range(5):
        use(tuned, topic_ids=[made])
    most = tuned.read(made)["salience_parts"]
    tuned.wait(30 * DAY_S)
    use(tuned, topic_ids=[made])

    assert most == {"base": 1.0, "access": pytest.approx(1.0), "fields": 0.0}
    assert tuned.read(made)["salience_parts"]["access"] == pytest.approx(0.9)


def test_fields_that_are_asked_for_by_name_are_reinforced_too(topics: Topics) -> None:
    topics.freeze()
    made = topics.make("Ada", {"city": "Paris", "pet": "a cat"})
    other = topics.make("Bob", {"city": "Rome"})

    use(topics, topic_ids=[made, other], field_names=["pet", "no"])
    use(topics, "nobody at all", topic_ids=None, reinforce=False)

    shown = topics.read(made)
    assert shown["salience_parts"]["fields"] == pytest.approx(0.05)
    assert shown["fields"]["pet"]["salience"] > shown["fields"]["city"]["salience"]
    (read,) = shown["access_trail"]
    assert (read["principal"], read["fields"]) == ("local", ["pet"])
    assert topics.read(other)["access_trail"][0]["fields"] == []


def test_a_trail_tells_of_the_newest_fifty_reads_whatever_was_named(topics: Topics) -> None:
    names = [f"{number:03}" + "x" * 250 for number in range(199)]
    made = topics.tell(*(field(each, 1) for each in names), title="Ada")["topic_id"]

    def read(number: int, asked: list[str]) -> dict[str, Any]:
        for _ in range(number):
            topics.do("POST", "query", {"q": "", "topic_ids": [made], "field_names": asked})
        topics.settle()
        return topics.read(made)

    few, many = read(55, names[:1]), read(1, names[:70])

    assert [each["fields"] for each in few["access_trail"]] == [names[:1]] * 50
    told = sum(len(name) for each in many["access_trail"] for name in each["fields"])
    assert 17_000 < told <= 20_000
    assert many["salience_parts"]["access"] == pytest.approx(5.6, rel=1e-3)


def test_a_read_counts_once_however_often_its_message_comes(topics: Topics) -> None:
    topics.freeze()
    keeper, alias = topics.make("Ada", {"a": 1}), topics.make("Ada")
    gone = topics.make("Gone")
    topics.delete(gone)
    topics.reason()
    read = {"id": "m1", "at": "2999-01-01T00:00:00Z", "principal": "p"}
    body = {"reinforce": {**read, "topics": [alias, gone, "never"]}}

    def deliver(message: Any) -> list[Any]:
        record = {"messageId": "1", "eventSource": "aws:sqs", "body": json.dumps(message)}
        reply = topics.api.invoke("ReasonFunction", {"Records": [record]})
        return list(reply["batchItemFailures"])

    assert [deliver(body) for _ in range(3)] == [[]] * 3
    shown = topics.read(keeper)
    (trail,) = shown["access_trail"]
    assert (trail["principal"], trail["at"][:19]) == ("p", topics.now()[:19])
    assert shown["salience_parts"]["access"] == pytest.approx(0.1)
    damages: Any = (
        {},
        {"id": ""},
        {"at": "then"},
        {"topics": "a"},
        {"topics": [1]},
        {"fields": {"a": 1}},
    )
    for damage in damages:
        damaged = {**body["reinforce"], **damage} if damage else {}
        with topics.unchanged():
            assert deliver({"reinforce": damaged}) in ([], [{"itemIdentifier": "1"}])


def test_an_archived_topic_that_only_happens_to_be_found_stays_archived(topics: Topics) -> None:
    made = topics.make("Ada")
    topics.change(made, archived=True)
    topics.settle()

    use(topics, "Ada", include_archived=True)
    found = topics.read(made)["archived"]
    use(topics, "Ada", topic_ids=[made])

    assert (found, topics.read(made)["archived"]) == (True, False)
    assert topics.kinds(made).count("revived") == 1
