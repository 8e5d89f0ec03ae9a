"""What readers of topics are shown over HTTP: one topic, lists, the graph, and for whom."""

import json
from itertools import pairwise
from typing import Any

import pytest

from tests.worlds.api import Api
from tests.worlds.topic_client import DAY_S, Topics, field, values

MAX_REPLY_BYTES = 6 * 1024 * 1024
EDGES_OF_A_READ = 1_000


def within_a_reply(api: Api, path: str) -> Any:
    """The body of a reply, which Lambda takes."""
    reply = api.get(path)
    assert reply.status == 200, reply.body
    text = json.dumps(reply.body, ensure_ascii=False, separators=(",", ":"))
    assert len(text.encode()) < MAX_REPLY_BYTES
    return reply.body


# --- one topic ----------------------------------------------------------------------------------


def test_a_topic_and_its_fields_have_the_shape_that_clients_know(topics: Topics) -> None:
    topics.freeze()
    made = topics.make("Ada", summary="a pilot", topic_kind="person", salience=2)
    older = topics.append(made, "age", 36, why_changed="asked her")
    newer = topics.append(made, "age", 37)
    topics.point(made, "self", made)

    shown = topics.read(made)

    assert shown.items() >= {"id": made, "salience": 2.0, "failed_salience": 0.0}.items()
    assert shown["salience_parts"] == {"base": 2.0, "access": 0.0, "fields": 0.0}
    assert shown["created_at"] == shown["updated_at"] == topics.now()
    assert shown["created_at"].endswith("Z")
    age = shown["fields"]["age"]
    assert (age["history_length"], [each["id"] for each in age["history"]]) == (2, [newer, older])
    assert age["history"][1] == {
        "id": older,
        "valid_from": shown["created_at"],
        "value": 36,
        "why_changed": "asked her",
        "impact_expected": None,
        "provenance": "ui",
        "operation": None,
        "recorded_at": shown["created_at"],
        "principal": "local",
        "evidence": "",
    }
    assert (shown["fields"]["self"]["history"], shown["fields"]["self"]["ref_topic_id"]) == (
        [],
        made,
    )


def test_no_more_of_a_history_is_shown_than_stays_in_the_table(tuned: Topics) -> None:
    made = tuned.make(fields={"count": 0})
    for number in range(1, 12):
        tuned.append(made, "count", number)

    assert values(tuned.read(made)["fields"]["count"]) == [11, 10, 9]
    assert values(tuned.field(made, "count")) == [11, 10, 9]
    assert tuned.values(made, "count") == list(range(11, -1, -1))
    assert values(tuned.field(made, "count", with_history="false")) == [11]
    assert values(tuned.one(topic_ids=[made], explain=True)["fields"][0]) == [11, 10, 9]


def test_what_left_the_table_is_read_as_of_then_and_known_when_it_is_told_again(
    tuned: Topics,
) -> None:
    since = [f"20{number}-01-01T00:00:00Z" for number in range(10, 20)]
    made = tuned.make()
    for number, each in enumerate(since):
        tuned.append(made, "n", "x" * 140_000 if number == 1 else f"{number}", valid_from=each)
    tuned.append(made, "n", "early", valid_from="2001-01-01T00:00:00Z")

    told = tuned.tell(field("n", "3", valid_from=since[3]), topic_id=made)

    then = [values(tuned.field(made, "n", as_of=each))[:2] for each in (since[0], since[3])]
    assert then == [["0", "early"], ["3", "2"]]
    assert values(tuned.one(topic_ids=[made], as_of=since[3], explain=True)["fields"][0])[0] == "3"
    assert told["applied"] == ["unchanged:n"]
    assert tuned.values(made, "n")[8] == "x" * 140_000
    assert tuned.last(made)["kind"] == "summarised"


def test_a_reference_to_what_may_not_be_seen_is_none(topics: Topics) -> None:
    alpha = topics.of("alpha")
    made, secret = alpha.make(), topics.make("Secret", scope="beta")
    topics.point(made, "boss", secret)

    assert alpha.field(made, "boss")["ref_topic_id"] is None
    assert topics.field(made, "boss")["ref_topic_id"] == secret


def test_what_is_absent_deleted_or_hidden_is_not_found(topics: Topics) -> None:
    alpha = topics.of("alpha", ceiling="low")
    topics.make(topic_id="hidden", fields={"a": 1}, scope="alpha", sensitivity="high")
    topics.make(topic_id="deleted", fields={"a": 1}, scope="alpha")
    alpha.make(topic_id="seen", fields={"a": 1})
    topics.delete("deleted")

    for topic_id in ("nobody", "hidden", "deleted", "no%2Fid"):
        assert alpha.refusal("GET", f"topics/{topic_id}") == (404, "topic not found")
        assert alpha.refusal("GET", f"topics/{topic_id}/fields/a") == (404, "field not found")
    assert alpha.refusal("GET", "topics/seen/fields/b") == (404, "field not found")


def test_a_request_narrows_the_trust_of_its_key(topics: Topics) -> None:
    made = topics.make(scope="alpha", fields={"a": 1}, sensitivity="medium")
    beta = topics.of("beta")
    words = (403, "access denied by trust context")

    assert topics.read(made, scope="alpha")["id"] == made
    for trust in ("max_sensitivity=low", "scope=beta"):
        assert topics.refusal("GET", f"topics/{made}?{trust}") == words
        assert topics.refusal("GET", f"topics/{made}/fields/a?{trust}") == words
        assert beta.refusal("GET", f"topics/{made}?{trust}")[0] == 404


def test_a_trail_names_no_topic_that_may_not_be_seen(topics: Topics) -> None:
    alpha = topics.of("alpha")
    made, other = (topics.make(each, {"plan": "p"}, scope="alpha") for each in ("Ada", "Other"))
    topics.relate(made, "funds", other)
    topics.part(made, "funds", other)
    topics.point(made, "boss", other)
    topics.tell(topic_id=made, edges=[{"to_topic_id": other, "kind": "trusts"}], scope="alpha")
    body = {"field_names": ["plan"], "child_title": "C", "child_topic_id": "child"}
    more = {"parent_link_field": "link", "relationship_kind": "hides"}
    topics.do("POST", f"topics/{made}/promote-nested", {**body, **more})
    twin = topics.make("Ada", scope="alpha")
    topics.reason("alpha")
    assert topics.read(twin)["id"] == made
    topics.do("POST", f"topics/{twin}/unmerge", {})

    def told(reader: Topics) -> dict[str, Any]:
        return {each["kind"]: each["detail"] for each in reader.read(made)["topic_history"]}

    before, owners = told(alpha), told(topics)
    for each in (other, "child", twin):
        topics.change(each, sensitivity="hyper")
    seen = told(alpha)

    assert before == owners == told(topics)
    assert before["edge_added"] == {"edges": [{"to_topic_id": other, "kind": "trusts"}]}
    assert seen.keys().isdisjoint({"edge_added", "edge_removed", "ref"})
    assert seen["merged"] == seen["unmerged"] == {"topic_id": None}
    assert seen["nested_topic_promoted"] == {"child_topic_id": None, "moved_fields": ["plan"]}
    shown = repr([alpha.read(made), alpha.field(made, "link"), alpha.one(topic_ids=[made])])
    hidden = (other, twin, "'child'", "funds", "trusts", "hides")
    assert not [word for word in hidden if word in shown]
    assert "child" not in repr(alpha.field(made, "link")["history"])
    assert "child" in repr(topics.field(made, "link")["history"])


def test_of_several_links_of_one_write_those_are_told_whose_ends_are_seen(topics: Topics) -> None:
    alpha = topics.of("alpha")
    seen, hidden = (topics.make(each, scope="alpha") for each in ("Seen", "Hidden"))
    edges = [{"to_topic_id": each, "kind": "k"} for each in (seen, hidden)]
    fields = [field("one", 1, ref_topic_id=seen), field("other", 1, ref_topic_id=hidden)]
    made = topics.tell(*fields, title="Ada", scope="alpha", edges=edges)["topic_id"]
    topics.point(made, "other", seen)

    topics.change(hidden, sensitivity="hyper")

    told = [(each["kind"], each["detail"]) for each in alpha.read(made)["topic_history"]]
    assert ("edge_added", {"edges": edges[:1]}) in told
    assert ("ref", {"refs": [{"field": "one", "ref_topic_id": seen}]}) in told
    assert ("ref", {"field": "other", "ref_topic_id": seen}) in told
    assert hidden not in repr(told)


def test_a_topic_is_read_as_it_was(topics: Topics) -> None:
    topics.freeze()
    bob = topics.make("Bob")
    start = topics.now()
    topics.wait(1)
    made, instants = topics.make(fields={"city": "Paris", "zip": 1}), [topics.now()]
    topics.wait(DAY_S)
    topics.append(made, "city", "Rome", ref_topic_id=bob)
    topics.append(made, "pet", "a cat")
    topics.relate(made, "knows", bob)
    instants.append(topics.now())
    topics.wait(DAY_S)
    topics.append(made, "city", 7, field_type="int", ref_topic_id=None)
    topics.delete(made, name="pet")
    topics.part(made, "knows", bob)
    topics.nest(made, "home", "zip")
    instants.append(topics.now())

    for reader in (topics.read, lambda *a, **b: topics.one(topic_ids=list(a), explain=True, **b)):
        shown = [reader(made, as_of=each)["fields"] for each in instants]
        by_name: Any = [
            each if isinstance(each, dict) else {one["name"]: one for one in each} for each in shown
        ]
        assert [values(each["city"]) for each in by_name] == [
            ["Paris"],
            ["Rome", "Paris"],
            [7, "Rome", "Paris"],
        ]
        assert [each["city"]["field_type"] for each in by_name] == ["string", "string", "int"]
        assert [each["city"]["ref_topic_id"] for each in by_name] == [None, bob, None]
        assert values(by_name[1]["pet"]) == ["a cat"]
        assert "pet" not in by_name[2]
        assert ["home" in each for each in by_name] == [False, False, True]
    around = [topics.one(topic_ids=[made], as_of=each)["neighbors"] for each in instants]
    assert [sorted(one["kind"] for one in each) for each in around] == [
        [],
        ["field:city", "knows"],
        [],
    ]
    kinds = [each["kind"] for each in topics.read(made, as_of=instants[0])["topic_history"]]
    assert kinds == ["created", "fields", "fields"]
    for path in ("", "/fields/city"):
        said = "field not found" if path else "topic not found"
        assert topics.refusal("GET", f"topics/{made}{path}?as_of={start}") == (404, said)
        for never in ("yesterday", "2999-06-01T00:00:00Z"):
            assert topics.refusal("GET", f"topics/{made}{path}?as_of={never}")[0] == 400


def test_of_very_many_histories_some_are_read_whole_and_it_is_said(topics: Topics) -> None:
    topics.freeze()
    one, other = ([field(f"f{n:03}", value) for n in range(520)] for value in (1, 2))
    made = topics.tell(*one, title="Ada")["topic_id"]
    first = topics.now()
    topics.wait(DAY_S)
    topics.tell(*other, title="Ada")

    now, then = topics.read(made), topics.read(made, as_of=first)

    assert [len(each["history"]) for each in now["fields"].values()] == [2] * 500 + [1] * 20
    assert {each["history_length"] for each in now["fields"].values()} == {2}
    assert "fields_cut" not in now
    assert (len(then["fields"]), then["fields_cut"]) == (500, True)
    asked = topics.one(topic_ids=[made], as_of=first)
    assert asked["fields_cut"] is True


def test_of_more_than_a_reply_has_room_for_everything_is_named(topics: Topics) -> None:
    long = "x" * 99_000
    made = topics.tell(*(field("a", f"{n} {long}") for n in range(40)), title="Ada")["topic_id"]
    topics.tell(*(field("b", f"{n} {long}") for n in range(40)), title="Ada")
    halves = ([field(f"{start + n:02}", '"' * 50_000) for n in range(19)] for start in (0, 19))
    wide, _ = (topics.tell(*each, title="Wide")["topic_id"] for each in halves)
    for _ in range(14):
        topics.append(made, "c", 1, why_changed="w" * 90_000)

    of_long = within_a_reply(topics.api, f"/v1/topics/{made}")
    of_wide = within_a_reply(topics.api, f"/v1/topics/{wide}")

    assert [of_long["fields"][name]["history_length"] for name in "ab"] == [40, 40]
    assert all(values(of_long["fields"][name])[0].startswith("39 ") for name in "ab")
    assert of_long["topic_history_cut"] is True
    assert {each["kind"] for each in of_long["topic_history"]} == {"fields"}
    assert len(of_wide["fields"]) == 38
    assert (values(of_wide["fields"]["00"]), values(of_wide["fields"]["37"])) == (
        ['"' * 50_000],
        [],
    )
    assert topics.values(wide, "37") == ['"' * 50_000]


# --- lists --------------------------------------------------------------------------------------


def test_a_list_has_the_topics_of_the_scopes_of_a_key_in_one_order(topics: Topics) -> None:
    topics.freeze()
    alpha = topics.of("alpha", "shared", ceiling="low")
    for title, scope, salience in (
        ("a1", "alpha", 4),
        ("s2", "shared", 3),
        ("u3", "", 2),
        ("a4", "alpha", 1),
        ("b0", "beta", 9),
    ):
        topics.make(title, topic_id=title, scope=scope, salience=salience)
    before = alpha.do("GET", "topics?limit=2")
    topics.make("hidden", topic_id="hidden", scope="alpha", sensitivity="high", salience=8)
    for gone in ("gone", "old"):
        topics.make(gone, topic_id=gone, scope="alpha", salience=7)
    topics.delete("gone")
    topics.change("old", archived=True)
    topics.make("a4", topic_id="twin", scope="alpha", salience=0.5)
    topics.reason("alpha")

    assert alpha.listed() == ["a1", "s2", "u3", "a4"]
    assert alpha.do("GET", "topics?limit=2")["topics"] == before["topics"]
    assert alpha.listed(scope="alpha") == ["a1", "a4"]
    assert alpha.listed(scope="beta") == []
    assert alpha.listed(include_archived="true") == ["old", "a1", "s2", "u3", "a4"]
    assert set(topics.listed()) == {"b0", "hidden", "a1", "s2", "u3", "a4"}
    (first, *_) = alpha.do("GET", "topics")["topics"]
    assert first.keys() == {"id", "title", "kind", "salience", "archived"}


def test_topics_of_equal_salience_are_listed_and_drawn_page_after_page(topics: Topics) -> None:
    topics.freeze()
    scopes = ("red", "blue")
    made = [topics.make(f"t{n}", topic_id=f"t{n:02}", scope=scopes[n % 2]) for n in range(11)]

    def pages(path: str, named: str) -> list[list[str]]:
        found: list[list[str]] = []
        cursor: str | None = ""
        while cursor is not None:
            shown = topics.do("GET", f"{path}&cursor={cursor}")
            found.append([each["id"] for each in shown[named]])
            cursor = shown.get("next_cursor")
        return found

    for found, sizes, expected in (
        (pages("topics?limit=3", "topics"), [3, 3, 3, 2], made),
        (pages("graph?limit=4", "nodes"), [4, 4, 3], made),
        (pages("topics?scope=red&limit=4", "topics"), [4, 2], made[::2]),
    ):
        assert [len(each) for each in found] == sizes
        assert sorted(each for some in found for each in some) == expected


def test_a_cursor_serves_the_request_that_it_came_from(topics: Topics) -> None:
    alpha = topics.of("shared")
    for number in range(3):
        topics.make(f"t{number}", scope="shared")
    cursor = alpha.do("GET", "topics?limit=1")["next_cursor"]

    for reader, more in (
        (topics.of("other"), ""),
        (alpha, "&scope=shared"),
        (alpha, "&include_archived=true"),
    ):
        status, detail = reader.refusal("GET", f"topics?cursor={cursor}{more}")
        assert (status, "cursor" in detail) == (400, True)
    assert alpha.refusal("GET", "topics?cursor=AAAA")[0] == 400
    assert len(alpha.listed(cursor=cursor, limit="2")) == 2


def test_a_key_of_too_many_scopes_has_to_name_some(topics: Topics) -> None:
    scopes = [f"scope-{number}" for number in range(51)]
    for scope in scopes:
        topics.make("Lighthouse", topic_id=f"in-{scope}", scope=scope)
    topics.settle()

    for reader in (topics, topics.of(*scopes)):
        status, detail = reader.refusal("GET", "topics")
        assert (status, "name them in the query as scope" in detail) == (400, True)
        assert reader.listed(scope="scope-7") == ["in-scope-7"]
        for stages in ([], ["semantic"]):
            asked = {"q": "lighthouse", "stages": stages}
            status, detail = reader.refusal("POST", "query", asked)
            assert (status, "name them in trust.scopes" in detail) == (400, True)
            one = reader.found("lighthouse", stages=stages, trust={"scopes": ["scope-7"]})
            assert one == ["in-scope-7"]


# --- the graph ----------------------------------------------------------------------------------


def links(shown: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Of a graph's edges both ends and the kind."""
    return [(each["from"], each["to"], each["kind"]) for each in shown["edges"]]


def ids(shown: dict[str, Any]) -> list[str]:
    return [each["id"] for each in shown["nodes"]]


def chain(topics: Topics, *topic_ids: str, **others: Any) -> None:
    """Topics of which each leads to the next."""
    for topic_id in topic_ids:
        topics.make(topic_id.upper(), topic_id=topic_id, **others)
    for one, other in pairwise(topic_ids):
        topics.relate(one, "next", other)


def test_nodes_and_edges_have_the_shape_that_clients_know(topics: Topics) -> None:
    topics.freeze()
    chain(topics, "ada", "rome")
    topics.change("ada", title="Ada " * 30)
    for name, value in (("street", "Rue A"), ("age", 36), ("gone", 1)):
        topics.append("ada", name, value, ref_topic_id="rome")
    topics.delete("ada", name="gone")
    topics.nest("ada", "home", "street")

    shown = topics.graph()

    (node,) = (each for each in shown["nodes"] if each["id"] == "ada")
    age, home = node.pop("fields")
    assert node == {
        "id": "ada",
        "label": ("Ada " * 30)[:80],
        "title": "Ada " * 30,
        "summary": "",
        "topic_kind": "",
        "archived": False,
        "salience": 1.0,
        "scope": "",
        "sensitivity": "low",
        "community": 0,
    }
    assert age == {
        "name": "age",
        "field_type": "int",
        "current_value": 36,
        "history_len": 1,
        "ref_topic_id": "rome",
    }
    assert (home["field_type"], home["nested_fields"][0]["current_value"]) == ("json", "Rue A")
    types = [each["edge_type"] for each in shown["edges"]]
    assert [(*each, kind) for each, kind in zip(links(shown), types, strict=True)] == [
        ("ada", "rome", "next", "related"),
        ("ada", "rome", "field:age", "field_ref"),
        ("ada", "rome", "field:home.street", "field_ref"),
    ]
    assert shown["truncated"] is False


def test_pages_of_a_graph_have_every_topic_and_lead_to_other_pages(topics: Topics) -> None:
    topics.freeze()
    chain(topics, "a", "b", "c")
    topics.change("c", archived=True)

    first = topics.graph(limit="2")
    second = topics.graph(limit="2", cursor=first["next_cursor"])

    assert sorted([*ids(first), *ids(second)]) == ["a", "b", "c"]
    assert {*links(first), *links(second)} == {("a", "b", "next"), ("b", "c", "next")}
    assert "next_cursor" not in second
    words = "cursor must not come with topic_id"
    path = f"graph?topic_id=a&cursor={first['next_cursor']}"
    status, detail = topics.refusal("GET", path)
    assert (status, words in detail) == (400, True)


def test_edges_of_what_is_gone_hidden_or_merged_are_those_of_what_is_there(topics: Topics) -> None:
    alpha = topics.of("alpha")
    topics.make("Ada", topic_id="ada", scope="alpha", salience=2)
    for topic_id, scope in (("gone", ""), ("beta", "beta"), ("left", ""), ("rich", "alpha")):
        topics.make(topic_id, topic_id=topic_id, scope=scope)
        topics.relate("ada", "knows", topic_id)
        topics.point("ada", topic_id, topic_id)
    topics.delete("gone")
    topics.part("ada", "knows", "left")
    topics.make("Ada", topic_id="poor", scope="alpha")
    topics.relate("poor", "knows", "rich")
    topics.relate("poor", "same", "ada")
    topics.relate("rich", "next", "poor")
    topics.reason("alpha")

    expected = [
        ("ada", "rich", "knows"),
        ("rich", "ada", "next"),
        ("ada", "left", "field:left"),
        ("ada", "rich", "field:rich"),
    ]
    assert links(alpha.graph(topic_id="poor")) == expected
    assert ("ada", "beta", "knows") in links(topics.graph(topic_id="ada"))
    assert alpha.refusal("GET", "graph?topic_id=beta") == (404, "topic not found")
    assert set(ids(topics.graph(topic_id="ada", scope="alpha"))) == {"ada", "rich", "left"}


def test_so_many_links_away_from_a_topic_the_nearest_come_first(topics: Topics) -> None:
    chain(topics, *"abcdefg")
    for number in range(3):
        topics.make("Leaf", topic_id=f"leaf-{number}")
        topics.relate("c", "has", f"leaf-{number}")
    topics.relate("leaf-0", "faces", "leaf-1")
    leaves = {f"leaf-{number}" for number in range(3)}

    around = {depth: topics.graph(topic_id="c", depth=str(depth)) for depth in (1, 2, 3)}
    cut = topics.graph(topic_id="c", depth="3", limit="6")

    assert [set(ids(each)) - leaves for each in around.values()] == [
        set("bcd"),
        set("abcde"),
        set("abcdef"),
    ]
    assert ("leaf-0", "leaf-1", "faces") in links(around[1])
    assert (set(ids(cut)), cut["truncated"]) == ({"b", "c", "d"} | leaves, True)
    assert ids(cut)[0] == "c"
    for asked in ("depth=4", "limit=201", "limit=0"):
        assert topics.refusal("GET", f"graph?topic_id=c&{asked}")[0] == 400


@pytest.mark.parametrize("around", ["scope=alpha", "topic_id=hub"])
def test_what_may_not_be_seen_changes_no_word_and_hides_no_edge(
    topics: Topics, around: str
) -> None:
    topics.freeze()
    alpha = topics.of("alpha")
    chain(topics, "hub", "z", scope="alpha")
    topics.reason("alpha")
    before = alpha.do("GET", f"graph?{around}")

    topics.make("Hidden", topic_id="hidden", scope="alpha", sensitivity="hyper", salience=9)
    edges = [{"to_topic_id": "hidden", "kind": f"k{n}"} for n in range(EDGES_OF_A_READ + 100)]
    topics.tell(topic_id="hub", scope="alpha", edges=edges)
    topics.relate("hidden", "next", "z")
    topics.point("hidden", "f", "hub")
    topics.reason("alpha")

    assert alpha.do("GET", f"graph?{around}") == before


def test_nodes_that_are_too_large_together_are_cut(topics: Topics) -> None:
    for number in range(4):
        fields = (field(f"f{each}", "x" * 90_000) for each in range(20))
        topics.tell(*fields, title=f"t{number}", summary="s" * 50_000)

    shown = within_a_reply(topics.api, "/v1/graph")

    assert [node.get("is_cut", False) for node in shown["nodes"]].count(True) == 2
    assert [len(node["fields"]) for node in shown["nodes"]] == [20] * 4


def test_nodes_that_edges_of_the_reply_connect_are_one_community(topics: Topics) -> None:
    topics.freeze()
    for topic_id in ("a", "b", "c", "d", "e"):
        topics.make("harbour crane ship", topic_id=topic_id, topic_kind=topic_id)
    topics.make("secret", topic_id="secret", sensitivity="hyper")
    topics.point("a", "ref", "d")
    topics.relate("e", "knows", "d")
    topics.relate("b", "knows", "a")
    topics.part("b", "knows", "a")
    for each in ("b", "c"):
        topics.relate("secret", "knows", each)
    low = topics.of("*", ceiling="low")

    def found(**asked: Any) -> dict[str, int]:
        return {each["id"]: each["community"] for each in low.graph(**asked)["nodes"]}

    assert found() == {"e": 0, "d": 0, "c": 1, "b": 2, "a": 0}
    assert found(limit=3) == {"e": 0, "d": 0, "c": 1}
    assert found(topic_id="a", depth=2) == {"a": 0, "d": 0, "e": 0}


# --- the system context -------------------------------------------------------------------------


def test_the_system_context_tells_who_changed_it_and_a_repeat_undoes_nothing(
    topics: Topics,
) -> None:
    def put(role: str, key: str = "", by: Topics = topics) -> dict[str, Any]:
        body = {"system_role": role, "runtime_context": "in Rome"}
        headers = {"idempotency-key": key} if key else {}
        return dict(by.do("PUT", "system-context", body, **headers)["system_context"])

    other = topics.of("*", ceiling="hyper", permissions=("admin", "read"), actor_id="other")
    assert topics.do("GET", "system-context") == {"configured": False, "system_context": None}
    first = put(" a pilot ", "k")
    assert topics.do("GET", "system-context") == {"configured": True, "system_context": first}
    same = put("a pilot")
    put("a sailor", by=other)
    again = put(" a pilot ", "k")
    clash = {"system_role": "a cook", "runtime_context": "in Rome"}
    refused = topics.call("PUT", "system-context", clash, **{"idempotency-key": "k"})

    assert same == first
    assert (again["system_role"], again["updated_by"]) == ("a sailor", "other")
    assert again["created_at"] == first["created_at"]
    assert [each["by"] for each in again["changes"]] == ["local", "other"]
    assert refused.status == 409
    assert first["system_role"] == "a pilot"
    for bad in ({}, {**clash, "system_role": "  "}, {**clash, "system_role": "x" * 30_001}):
        assert topics.refusal("PUT", "system-context", bad)[0] == 400
    assert topics.refusal("PUT", "system-context", {**clash, "more": 1})[0] == 400
