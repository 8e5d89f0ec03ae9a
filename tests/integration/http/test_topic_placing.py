"""Telling of topics over HTTP: where what is told goes, what it does there, and what is refused."""

from functools import partial
from typing import Any

import pytest

from tests.integration.http.test_topic_changes import ABOVE, NO_SCOPE, UNSCOPED
from tests.worlds.threads import at_once
from tests.worlds.topic_client import DAY_S, Topics, field

LARGE = "x" * 200_000


def told(topics: Topics, *fields: dict[str, Any], **body: Any) -> str:
    """The id of a topic that was made with these fields."""
    return str(topics.tell(*fields, placement="new_topic", **body)["topic_id"])


def refused(topics: Topics, *fields: dict[str, Any], **body: Any) -> tuple[int, str]:
    return topics.refusal("POST", "ingest", {"fields": fields, **body})


# --- with a placement ---------------------------------------------------------------------------


def test_a_new_topic_has_all_that_is_told_of_it(topics: Topics) -> None:
    friend = told(topics, title="Bob")

    reply = topics.tell(
        field("city", "Paris"),
        field("city", "Rome"),
        field("age", 36, ref_topic_id=friend),
        placement="new_topic",
        topic_id="passed over",
        title="Ada",
        summary="a pilot",
        topic_kind="person",
        salience=2.5,
        edges=[{"to_topic_id": friend, "kind": "knows"}],
        unknown={"keys": "are passed over"},
    )

    made = reply["topic_id"]
    shown = topics.read(made)
    assert (shown["title"], shown["summary"], shown["topic_kind"]) == ("Ada", "a pilot", "person")
    assert reply["applied"] == [
        f"created_topic:{made}",
        *("field:city", "field:city", "field:age"),
        f"edge:{friend}",
    ]
    newest = {name: each["history"][0]["id"] for name, each in shown["fields"].items()}
    assert reply["version_ids"] == newest
    assert reply["placement"] == {
        "decision": "new_topic",
        "resolved_by": "request",
        "score": None,
        "fields": {"city": "new", "age": "new"},
    }
    assert topics.values(made, "city") == ["Rome", "Paris"]
    assert [(each["kind"], each["detail"]) for each in shown["topic_history"]] == [
        ("created", {"title": "Ada"}),
        ("fields", {"fields": ["city", "city", "age"]}),
        ("ref", {"refs": [{"field": "age", "ref_topic_id": friend}]}),
        ("edge_added", {"edges": [{"to_topic_id": friend, "kind": "knows"}]}),
    ]


def test_extending_changes_what_is_given_and_keeps_the_rest(topics: Topics) -> None:
    made = told(topics, field("city", "Paris"), title="Ada", summary="s", topic_kind="person")
    more = {"title": "", "summary": None, "topic_kind": ""}
    asked = {"placement": "extend_topic", "topic_id": made}

    reply = topics.tell(field("city", "Rome"), field("pet", "a cat"), **asked, **more)

    shown = topics.read(made)
    assert (shown["title"], shown["summary"], shown["topic_kind"]) == ("Ada", "s", "")
    assert (reply["applied"], reply["placement"]["fields"]) == (
        ["field:city", "field:pet"],
        {"city": "version", "pet": "new"},
    )
    assert topics.kinds(made)[2:] == ["meta", "fields"]
    with topics.unchanged():
        assert topics.tell(**asked)["applied"] == []


def test_who_spells_out_every_default_changes_no_more_than_the_fields(topics: Topics) -> None:
    topics.freeze()
    made = told(topics, title="Ada", summary="s", topic_kind="person", salience=3.0)
    before = topics.read(made)
    nothing = dict.fromkeys(("summary", "topic_kind", "scope", "placement"))
    usual: dict[str, Any] = {
        **nothing,
        "title": "",
        "salience": 1.0,
        "edges": [],
        "suggest_similar": False,
    }
    spelt = {"why_changed": None, "impact_expected": None, "provenance": "api", "valid_from": None}

    for placement in ("extend_topic", "version_field"):
        topics.tell(field("a", **spelt), **{**usual, "topic_id": made, "placement": placement})
    topics.tell(**{**usual, "topic_id": made})

    after = topics.read(made)
    for name in ("title", "summary", "topic_kind", "salience"):
        assert after[name] == before[name]
    assert topics.kinds(made) == ["created", "fields", "fields"]
    topics.wait(DAY_S)
    topics.tell(topic_id=made, salience=2.0)
    assert topics.read(made)["salience"] == pytest.approx(2.0)


WRONG: list[tuple[dict[str, Any], list[dict[str, Any]], str]] = [
    ({"placement": "extend_topic", "topic_id": ""}, [], "extend_topic requires topic_id"),
    (
        {"placement": "version_field", "topic_id": "no"},
        [field("a"), field("b")],
        "version_field requires topic_id and exactly one field",
    ),
    *(
        ({"placement": each, "topic_id": "no"}, [], "topic not found")
        for each in ("auto", "extend_topic")
    ),
    ({"placement": "sideways"}, [], "unknown placement"),
    ({}, [field("a"), field("b", ref_topic_id="no")], "ref_topic_id not found: no"),
    ({"edges": [{"to_topic_id": "no", "kind": "k"}]}, [], "edges: topic not found: no"),
    (
        {},
        [field("a", 1), field("b", "x", field_type="int")],
        "fields.1.value is not of the field's type, int",
    ),
    (
        {"title": "Ada"},
        [field("city", "Paris"), field("age", value=True)],
        "fields.1.value is not of the field's type, int",
    ),
    (
        {"title": "Ada"},
        [field("age", 36, valid_from="2999-01-01T00:00:00Z")],
        "fields.0.valid_from must not be in the future",
    ),
]


def test_what_is_refused_leaves_everything_as_it_was(topics: Topics) -> None:
    told(topics, field("city", "Paris"), field("age", 36), title="Ada")
    topics.settle()

    for body, fields, words in WRONG:
        assert refused(topics, *fields, **body) == (400, words)


NOTHING: Any = (None, {}, [{"name": "a"}] * 10_001)
FOREIGN: Any = ({"$upload": "u"}, {"$blob": {}})
MALFORMED: Any = [
    *(({"title": each}, "title") for each in (None, 5, "x" * 1_001)),
    *(({"salience": each}, "salience") for each in ("2", None, -1)),
    *(({"fields": each}, "fields") for each in NOTHING),
    *(({"fields": [{"name": each}]}, "fields.0.name") for each in ("", " \t", "a\nb")),
    *(
        ({"fields": [{"name": "a", "field_type": each}]}, "fields.0.field_type")
        for each in ("number", None, "")
    ),
    *(({"fields": [{"name": "a", "value": each}]}, "fields.0.value") for each in FOREIGN),
    ({"fields": [{}]}, "fields.0.name"),
    ({"fields": [{"name": "a", "valid_from": "yesterday"}]}, "fields.0.valid_from"),
    ({"fields": [{"name": "a", "ref_topic_id": 5}]}, "fields.0.ref_topic_id"),
    ({"edges": [{"to_topic_id": "t"}]}, "edges.0.kind"),
    ({"edges": [{"kind": "knows"}]}, "edges.0.to_topic_id"),
    ({"placement": 5}, "placement"),
    ({"topic_kind": "x" * 257}, "topic_kind"),
    ({"suggest_similar": 1}, "suggest_similar"),
    ({"scope": "*"}, "scope"),
    ({"sensitivity": "secret"}, "sensitivity"),
    ({"idempotency_key": ""}, "idempotency_key"),
    ({"trust": {"max_sensitivity": "secret"}}, "trust.max_sensitivity"),
]


@pytest.mark.parametrize(("body", "named"), MALFORMED, ids=lambda each: str(each)[:60])
def test_what_is_not_well_formed_is_named(topics: Topics, body: Any, named: str) -> None:
    reply = topics.call("POST", "ingest", body)

    assert reply.status == 400
    assert reply.body["errors"][0]["field"] == named


def test_any_number_of_unknown_keys_is_passed_over(topics: Topics) -> None:
    unknown = {f"key {number}": number for number in range(1_000)}

    made = topics.tell(field("a", 1, **unknown), title="Ada", **unknown)

    assert topics.values(made["topic_id"], "a") == [1]


def test_what_is_above_the_own_rights_or_the_requests_trust_is_refused(topics: Topics) -> None:
    unscoped, clerk = told(topics, title="Ada"), topics.of("alpha", ceiling="low")
    clerk.make("Bob", topic_id="own")
    secret = told(topics, title="Zeus", sensitivity="high")
    elsewhere = told(topics, title="Carl", scope="beta")
    topics.settle()

    above: list[tuple[dict[str, Any], str]] = [
        ({"scope": "beta"}, NO_SCOPE),
        ({"title": "Eve", "sensitivity": "high"}, ABOVE),
        ({"topic_id": "own", "sensitivity": "medium"}, ABOVE),
        ({"topic_id": unscoped}, UNSCOPED),
    ]
    low: dict[str, Any] = {"trust": {"max_sensitivity": "low"}}
    alpha: dict[str, Any] = {"trust": {"scopes": ["alpha"]}}

    for body, words in above:
        assert refused(clerk, field("a"), **body) == (403, words)
    for body in (
        {"title": "Hera", "sensitivity": "high", **low},
        {"title": "Hera", "scope": "beta", **alpha},
        {"title": "Zeus", **low},
    ):
        words = "the request's trust does not cover what it would write"
        assert refused(topics, field("a"), **body) == (403, words)
    for body in (
        {"topic_id": secret, **low},
        {"topic_id": elsewhere, "scope": "alpha"},
        {"topic_id": elsewhere, **alpha},
    ):
        assert refused(topics, field("a"), **body) == (400, "topic not found")
    assert topics.tell(title="Zeus")["topic_id"] == secret


def test_it_goes_into_the_first_own_scope_and_a_sensitivity_is_only_raised(topics: Topics) -> None:
    alpha = topics.of("alpha", "beta")
    made, seen = told(alpha, title="Ada", sensitivity="low"), []

    for word in ("public", "medium", "low"):
        alpha.tell(topic_id=made, sensitivity=word)
        seen.append(topics.read(made)["sensitivity"])

    assert topics.read(made)["scope"] == "alpha"
    assert seen == ["low", "medium", "medium"]


def test_an_edge_that_was_removed_is_back_and_one_that_is_there_is_told_of(topics: Topics) -> None:
    friend = told(topics, title="Bob")
    edges = [{"to_topic_id": friend, "kind": "knows"}]
    made = told(topics, title="Ada", edges=edges)

    there = topics.tell(topic_id=made, edges=edges * 2)
    topics.part(made, "knows", friend)
    topics.tell(topic_id=made, edges=edges)

    assert there["applied"] == [f"edge:{friend}"] * 2
    assert topics.kinds(made) == ["created", "edge_added", "edge_removed", "edge_added"]
    assert len(topics.graph(topic_id=made)["edges"]) == 1


def test_similar_topics_are_suggested_but_neither_itself_nor_what_is_hidden(topics: Topics) -> None:
    alike = [told(topics, title=f"Lighthouse {number}") for number in range(9)]
    told(topics, title="Lighthouse of secrets", sensitivity="hyper")
    topics.settle()
    topics.change(alike[0], archived=True)
    trust = {"max_sensitivity": "high"}
    asked = {"title": "Lighthouse", "suggest_similar": True, "trust": trust}

    made = topics.tell(placement="new_topic", **asked)
    extended = topics.tell(topic_id=alike[1], **asked)

    assert sorted(made["similar_topic_ids"]) == sorted(alike[1:])
    assert set(extended["similar_topic_ids"]) <= set(alike[2:]) | {made["topic_id"]}


# --- by title -----------------------------------------------------------------------------------


def test_the_title_in_any_spelling_is_the_same_topic(topics: Topics) -> None:
    first = topics.tell(field("city", "Paris"), title="Ada Lovelace", topic_kind="person")
    made = first["topic_id"]
    assert first["placement"] == {
        "decision": "new_topic",
        "resolved_by": None,
        "score": None,
        "fields": {"city": "new"},
    }

    for placement in (None, "auto"):
        reply = topics.tell(
            field("city", f"Rome {placement}"),
            field("pet", "a cat"),
            placement=placement,
            title="  ada  LOVELACE ",
            topic_kind="Person",
        )
        assert (reply["topic_id"], reply["placement"]["resolved_by"]) == (made, "title")
        assert reply["placement"]["decision"] == "extend_topic"
    one = topics.tell(field("city", "Oslo"), title="Ada Lovelace", topic_kind="person")
    assert (one["applied"], one["placement"]["decision"]) == (["version:city"], "version_field")
    assert topics.read(made)["title"] == "Ada Lovelace"


def test_what_is_known_already_is_not_written_again(topics: Topics) -> None:
    city = told(topics, title="Paris")
    fields = [field("age", 36), field("log", LARGE), field("home", "x", ref_topic_id=city)]
    made = told(topics, *fields, title="Ada")
    ids = {name: each["history"][0]["id"] for name, each in topics.read(made)["fields"].items()}

    with topics.unchanged():
        reply = topics.tell(field("age", 36.0), field("log", LARGE), title="Ada")
    told_why = topics.tell(field("age", 36, why_changed="seen on a letter"), title="Ada")

    assert reply["applied"] == ["unchanged:age", "unchanged:log"]
    assert reply["version_ids"] == {name: ids[name] for name in ("age", "log")}
    assert told_why["applied"] == ["unchanged:age"]
    event = topics.last(made)
    assert (event["why"], event["detail"]) == (
        "seen on a letter",
        {"fields": ["age"], "unchanged": True},
    )
    early = {"valid_from": "2025-01-01T00:00:00Z"}
    for more in ({"field_type": "json"}, {"ref_topic_id": None}, early):
        again = topics.tell(field("home", "x", **more), title="Ada")
        assert again["placement"]["fields"] == {"home": "version"}
    twice = [field("age", 37), field("age", 36)]
    topics.tell(*twice, title="Ada")
    assert topics.values(made, "age") == [36, 37, 36]


def test_what_was_so_at_the_time_already_is_known_however_late_it_is_told(topics: Topics) -> None:
    since = {year: {"valid_from": f"{year}-01-01T00:00:00Z"} for year in range(2019, 2025)}
    made = told(topics, field("city", "Paris", **since[2020]), title="Ada")
    topics.tell(field("city", "Rome", **since[2023]), title="Ada")

    said = ((2020, "Paris"), (2021, "Paris"), (2022, "Oslo"), (2022, "Oslo"), (2019, "Paris"))
    applied = [
        topics.tell(field("city", value, **since[year]), title="Ada")["applied"][0]
        for year, value in said
    ]

    words = ["unchanged", "unchanged", "version", "unchanged", "version"]
    assert applied == [f"{word}:city" for word in words]
    assert topics.values(made, "city") == ["Rome", "Oslo", "Paris", "Paris"]


def test_kinds_and_scopes_tell_topics_of_one_title_apart(topics: Topics) -> None:
    kinds: list[dict[str, Any]] = [
        {"topic_kind": "planet"},
        {"topic_kind": "metal"},
        {"topic_kind": "planet", "scope": "alpha"},
        {"topic_kind": "planet"},
    ]
    made = [topics.tell(title="Mercury", **more)["topic_id"] for more in kinds]
    untitled = [
        topics.tell(field("a", number), title=title)["topic_id"]
        for number, title in enumerate(("", " ", "untitled", "Untitled"))
    ]
    topics.settle()
    of_several = [topics.tell(field("a", n), title="Mercury")["topic_id"] for n in (1, 2)]
    person = told(topics, title="Ada", topic_kind="person")
    topics.settle()
    of_one = topics.tell(field("a", 1), title="ADA")

    assert (made[3], len({*made}), len({*untitled})) == (made[0], 3, 4)
    assert len({*of_several}) == 1
    assert of_several[0] not in made
    assert (of_one["topic_id"], of_one["placement"]["resolved_by"]) == (person, "title")


def test_without_a_title_the_same_words_are_the_same_topic(topics: Topics) -> None:
    fields = [field("a", 1), field("b", 2)]
    made, again = (topics.tell(*fields) for _ in range(2))
    other_order = topics.tell(*fields[::-1], title="untitled")

    assert again["topic_id"] == other_order["topic_id"] == made["topic_id"]
    assert again["placement"]["resolved_by"] == "content"
    for more in ({"topic_kind": "note"}, {"scope": "alpha"}):
        assert topics.tell(*fields, **more)["topic_id"] != made["topic_id"]
    assert topics.tell()["topic_id"] != topics.tell()["topic_id"]


@pytest.mark.parametrize("gone", ["deleted", "renamed", "archived"])
def test_the_title_of_what_is_gone_leads_to_another_of_the_title(topics: Topics, gone: str) -> None:
    holder, other = told(topics, title="Ada"), told(topics, title="Ada")
    if gone == "deleted":
        topics.delete(holder)
    elif gone == "archived":
        topics.change(holder, archived=True)
    else:
        topics.change(holder, title="Ada L.")

    found = {topics.tell(field("a", n), title="ada")["topic_id"] for n in (1, 2)}

    assert found == {holder if gone == "archived" else other}
    assert not topics.read(holder if gone == "archived" else other)["archived"]
    if gone == "renamed":
        assert topics.tell(title="ada l.")["topic_id"] == holder


def test_a_title_without_a_topic_is_free_and_one_of_an_alias_leads_to_its_keeper(
    topics: Topics,
) -> None:
    gone = told(topics, title="Bob")
    topics.delete(gone)
    keeper = told(topics, field("x", 1), field("founded", 1900), title="The Acme company in Rome")
    alias = told(topics, field("founded", 1900), title="Acme company in Rome")
    topics.settle()
    topics.reason()
    assert topics.read(alias)["id"] == keeper

    assert topics.tell(title="Bob")["topic_id"] != gone
    reply = topics.tell(field("a", 1), title="acme company in rome")
    assert (reply["topic_id"], reply["placement"]["resolved_by"]) == (keeper, "title")


def test_who_may_not_see_a_topic_gets_one_of_its_own(topics: Topics) -> None:
    watcher = topics.of("alpha", ceiling="low")
    hidden = told(topics, title="Ada", scope="alpha", sensitivity="high")

    made = watcher.tell(field("a", 1), title="Ada", sensitivity="low")["topic_id"]
    again = watcher.tell(field("a", 1), title="Ada", sensitivity="low")
    above = topics.tell(title="Ada", scope="alpha", sensitivity="high")["topic_id"]

    assert (again["topic_id"], again["applied"]) == (made, ["unchanged:a"])
    assert (above, made != hidden) == (hidden, True)
    assert topics.read(made)["sensitivity"] == "low"


def test_many_who_tell_something_else_of_one_title_at_once_make_one_topic(topics: Topics) -> None:
    def one(number: int) -> str:
        fields = [field("city", "Paris"), field(f"seen by {number}", number)]
        return str(topics.tell(*fields, title="Ada")["topic_id"])

    def untitled() -> str:
        return str(topics.tell(field("fact", "the moon is far"))["topic_id"])

    [titled] = set(at_once([partial(one, number) for number in range(8)]))
    [made] = set(at_once([untitled] * 8))

    assert topics.values(titled, "city") == ["Paris"]
    assert len(topics.read(titled)["fields"]) == 9
    assert topics.values(made, "fact") == ["the moon is far"]


# --- by likeness --------------------------------------------------------------------------------


def test_what_is_like_a_topic_goes_to_it(tuned: Topics) -> None:
    made = told(tuned, field("runs_on", "three virtual machines"), title="Billing service")
    bare = told(tuned, field("watered_by", "Ada, on Mondays and Fridays"))
    tuned.settle()

    reply = tuned.tell(field("runs_on", "four virtual machines"), title="The billing services")
    named = tuned.tell(field("watered_by", "Ada, on Mondays and Fridays"), title="Office plants")
    again = tuned.tell(field("a", 1), title="office plants")

    assert (reply["topic_id"], reply["placement"]["resolved_by"]) == (made, "similarity")
    assert 0.5 <= reply["placement"]["score"] <= 1.0
    assert tuned.read(made)["title"] == "Billing service"
    assert (named["topic_id"], tuned.read(bare)["title"]) == (bare, "Office plants")
    assert (again["topic_id"], again["placement"]["resolved_by"]) == (bare, "title")


@pytest.mark.parametrize(
    "more",
    [
        {"title": "Bob Smith"},
        {"title": "Alice Smith 2"},
        {"title": "Alice Smith", "topic_kind": "robot"},
        {"title": "Alice", "sensitivity": "high"},
        {"title": "Alice", "scope": "beta"},
    ],
)
def test_what_is_like_a_topic_but_cannot_be_of_it_does_not_go_to_it(
    tuned: Topics, more: dict[str, Any]
) -> None:
    fields = [field("team", "billing"), field("city", "Paris"), field("desk", "by the window")]
    made = told(tuned, *fields, title="Alice Smith", topic_kind="person", scope="alpha")
    tuned.settle()

    reply = tuned.tell(*fields, **({"scope": "alpha"} | more))

    assert reply["topic_id"] != made
    assert reply["placement"]["decision"] == "new_topic"
