"""What MemState loses, hides or leaves open, and what becomes of it here, over HTTP."""

from functools import partial
from typing import Any

import pytest

from tests.worlds.api import Api, Reply, repeated
from tests.worlds.depth import crowd
from tests.worlds.threads import at_once

DAY_S = 86_400
SOON_S = 60
"""Longer than changes of a scope are gathered before it is reasoned about."""


def ingest(api: Api, **body: Any) -> Reply:
    """The reply to an ingest that is taken."""
    reply = api.post("/v1/ingest", body)
    assert reply.status == 200, reply.body
    return reply


def new(api: Api, title: str, *fields: dict[str, Any], **body: Any) -> str:
    """The id of a new topic."""
    made = ingest(api, placement="new_topic", title=title, fields=list(fields), **body)
    return str(made.body["topic_id"])


def field(name: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "value": value, **more}


def settle(api: Api) -> None:
    """Wait until what was written is in the search index."""
    assert api.get("/_dev/queues?wait").status == 200


def reasoned(api: Api) -> None:
    """Wait until what was written has been reasoned about."""
    settle(api)
    assert api.post("/_dev/clock", {"advance_seconds": SOON_S}).status == 200
    settle(api)
    settle(api)


def query(api: Api, q: str = "", **body: Any) -> list[dict[str, Any]]:
    """The candidates of a query that changes nothing."""
    reply = api.post("/v1/query", {"q": q, "reinforce": False, **body})
    assert reply.status == 200, reply.body
    return list(reply.body["candidates"])


def topic(api: Api, topic_id: str) -> dict[str, Any]:
    reply = api.get(f"/v1/topics/{topic_id}")
    assert reply.status == 200, reply.body
    return dict(reply.body)


def values(shown: dict[str, Any], name: str) -> list[Any]:
    """All values of a field of a topic, the newest first."""
    return [each["value"] for each in shown["fields"][name]["history"]]


def kinds(shown: dict[str, Any]) -> list[str]:
    """What happened to a topic, the first thing first."""
    return [event["kind"] for event in shown["topic_history"]]


# --- retrieval ----------------------------------------------------------------------------------


def test_a_question_finds_what_it_is_about_without_a_model_in_the_cloud(api: Api) -> None:
    meant = new(api, "Billing service", field("runs_on", "three virtual machines"))
    new(api, "Office plants", field("watered_by", "Ada"))
    settle(api)

    first, *_ = query(api, "Where do we run billing?")

    assert first["topic_id"] == meant


def test_topics_of_editors_are_found_too_and_a_new_title_is_searched_at_once(api: Api) -> None:
    made = api.post("/v1/topics", {"title": "Zeppelin hangar"}).body["topic_id"]
    parent = new(api, "Airfield", field("tower", "north"), field("runway", "grass"))
    asked = {"field_names": ["runway"], "child_title": "Grass strip"}
    child = api.post(f"/v1/topics/{parent}/promote-nested", asked).body["child_topic_id"]
    settle(api)

    found = [query(api, q)[0]["topic_id"] for q in ("zeppelin", "grass strip")]
    assert api.call("PATCH", f"/v1/topics/{made}", {"title": "Sausage recipes"}).status == 200
    settle(api)

    assert found == [made, child]
    assert query(api, "sausage")[0]["topic_id"] == made
    assert query(api, "zeppelin")[0]["topic_id"] != made


def test_a_fact_that_stands_in_a_field_alone_is_found(api: Api) -> None:
    meant = new(api, "Ada", field("employer", "Wonderland Shipyards"))
    new(api, "Bob", field("employer", "the railway"))
    settle(api)

    assert query(api, "shipyards")[0]["topic_id"] == meant


def test_an_allow_list_is_applied_before_the_cut(api: Api) -> None:
    made = [new(api, f"Lighthouse number {number}") for number in range(12)]
    allowed = new(api, "Harbour", field("near", "a lighthouse, they say"))
    settle(api)

    found = query(api, "lighthouse number", top_k=3, topic_ids=[allowed])

    assert [each["topic_id"] for each in found] == [allowed]
    assert len(query(api, "lighthouse number", top_k=3)) == 3
    assert len(query(api, "lighthouse number", top_k=100)) >= len(made)


@pytest.mark.parametrize("top_k", [0, -1, 101, "3", 2.5])
def test_how_many_are_wanted_is_a_number_from_1_to_100(api: Api, top_k: Any) -> None:
    reply = api.post("/v1/query", {"q": "anything", "top_k": top_k})

    assert reply.status == 400
    assert reply.body["errors"][0]["field"] == "top_k"


def test_an_archived_topic_takes_no_place_of_another_and_is_reached_by_its_id(api: Api) -> None:
    gone, *others = (new(api, f"Lighthouse number {number}") for number in range(4))
    assert api.call("PATCH", f"/v1/topics/{gone}", {"archived": True}).status == 200
    settle(api)

    found = query(api, "lighthouse number", top_k=3)

    assert sorted(each["topic_id"] for each in found) == sorted(others)
    named = query(api, "lighthouse number", topic_ids=[gone])
    assert [each["topic_id"] for each in named] == [gone]


def test_neighbours_have_a_kind_and_a_direction_and_references_are_followed(api: Api) -> None:
    city = new(api, "Paris")
    friend = new(api, "Bob")
    archived = new(api, "Carl")
    ada = new(
        api,
        "Ada",
        field("home", "in Paris", ref_topic_id=city),
        edges=[{"to_topic_id": friend, "kind": "knows"}, {"to_topic_id": archived, "kind": "knew"}],
    )
    api.post(f"/v1/topics/{friend}/relationships", {"to_topic_id": ada, "kind": "likes"})
    api.call("PATCH", f"/v1/topics/{archived}", {"archived": True})

    (shown,) = query(api, topic_ids=[ada], stages=["structural"])

    told = {
        (each["id"], each["title"], each["kind"], each["direction"]) for each in shown["neighbors"]
    }
    assert told == {
        (friend, "Bob", "knows", "out"),
        (friend, "Bob", "likes", "in"),
        (city, "Paris", "field:home", "out"),
    }


# --- salience, forgetting, merging --------------------------------------------------------------


def test_the_salience_of_a_topic_fades_although_nothing_runs(api: Api) -> None:
    made = new(api, "Ada", salience=2.0)

    api.post("/_dev/clock", {"advance_seconds": 30 * DAY_S})

    assert topic(api, made)["salience"] == pytest.approx(1.0, rel=1e-3)


def test_a_topic_nobody_uses_is_archived_and_comes_back_by_use(api: Api) -> None:
    made = new(api, "Ada", field("city", "Paris"))
    settle(api)

    api.post("/_dev/clock", {"advance_seconds": 365 * DAY_S})
    settle(api)
    api.invoke("ReasonFunction", {"membrane-reason": {}})
    settle(api)
    forgotten = topic(api, made)
    hidden = query(api, "Ada Paris")
    api.post("/v1/query", {"q": "Ada", "topic_ids": [made]})
    settle(api)

    assert forgotten["archived"] is True
    assert {"summarised", "detached", "archived"} <= set(kinds(forgotten))
    assert hidden == []
    assert topic(api, made)["archived"] is False
    assert values(topic(api, made), "city") == ["Paris"]


def test_no_write_resets_the_salience_that_was_given_or_earned(api: Api) -> None:
    made = new(api, "Ada", field("city", "Paris"), salience=2.5)
    settle(api)
    api.post("/v1/query", {"q": "Ada", "topic_ids": [made]})
    settle(api)

    ingest(api, placement="version_field", topic_id=made, fields=[field("city", "Rome")])

    assert topic(api, made)["salience"] == pytest.approx(2.6, rel=1e-3)


def test_a_merge_keeps_all_that_both_knew_and_can_be_undone(api: Api) -> None:
    rich = new(api, "Ada", field("city", "Paris"), field("city", "Rome"), summary="a pilot")
    poor = new(api, " ADA ", field("city", "Oslo"), field("pet", "a cat"))
    both = new(api, "Flight", field("pilot", "her", ref_topic_id=poor))
    ingest(
        api,
        placement="extend_topic",
        topic_id=poor,
        edges=[{"to_topic_id": rich, "kind": "same"}, {"to_topic_id": both, "kind": "flew"}],
    )

    reasoned(api)
    merged = topic(api, rich)
    (flight,) = query(api, topic_ids=[both], stages=["structural"])
    (shown,) = query(api, topic_ids=[rich], stages=["structural"])

    assert sorted(values(merged, "city")) == ["Oslo", "Paris", "Rome"]
    assert values(merged, "pet") == ["a cat"]
    assert merged["summary"] == "a pilot"
    assert "merged" in kinds(merged)
    assert topic(api, poor)["id"] == rich
    assert {each["id"] for each in flight["neighbors"]} == {rich}
    assert {each["id"] for each in shown["neighbors"]} == {both}, "no edge to itself"

    assert api.post(f"/v1/topics/{poor}/unmerge", {}).status == 200
    assert values(topic(api, poor), "city") == ["Oslo"]
    assert values(topic(api, rich), "city") == ["Rome", "Paris"]
    assert "pet" not in topic(api, rich)["fields"]


def test_only_what_is_the_same_is_merged(api: Api) -> None:
    made = [
        new(api, ""),
        new(api, ""),
        new(api, "Mercury", topic_kind="planet"),
        new(api, "Mercury", topic_kind="metal"),
        new(api, "Mercury", topic_kind="metal", scope="chemistry"),
    ]

    reasoned(api)

    assert [topic(api, each)["id"] for each in made] == made


def test_a_live_topic_is_never_merged_into_an_archived_one(api: Api) -> None:
    old = new(api, "Ada", *(field("city", each) for each in ("Paris", "Rome", "Oslo")))
    api.call("PATCH", f"/v1/topics/{old}", {"archived": True})
    live = new(api, "Ada", field("pet", "a cat"))

    reasoned(api)

    assert topic(api, live)["archived"] is False
    assert topic(api, live)["id"] == live


def test_many_of_one_title_become_one_that_knows_all(api: Api) -> None:
    made = [new(api, "Ada", field(f"fact {number}", number)) for number in range(5)]

    reasoned(api)

    ends = {topic(api, each)["id"] for each in made}
    assert len(ends) == 1
    assert len(topic(api, ends.pop())["fields"]) == 5


def test_an_id_that_was_returned_works_for_ever(api: Api) -> None:
    made = [new(api, "Ada", field("a", 1)), new(api, "Ada", field("b", 2))]
    reasoned(api)

    for each in made:
        ingest(api, placement="extend_topic", topic_id=each, fields=[field("later", each)])

    assert topic(api, made[0])["id"] == topic(api, made[1])["id"]
    assert sorted(values(topic(api, made[0]), "later")) == sorted(made)


# --- writes -------------------------------------------------------------------------------------


def test_a_refused_request_leaves_nothing(api: Api) -> None:
    there = new(api, "Ada", field("city", "Paris"))
    before = api.stored()

    refused = [
        api.post("/v1/ingest", {"title": "Bob", **body})
        for body in (
            {"placement": "new_topic", "fields": [field("b", 1, ref_topic_id="no")]},
            {"placement": "new_topic", "edges": [{"to_topic_id": "no", "kind": "knows"}]},
            {
                "placement": "new_topic",
                "fields": [field("a", 1), field("b", "x", field_type="int")],
            },
            {"placement": "extend_topic", "topic_id": "no", "fields": [field("a", 1)]},
            {"placement": "extend_topic", "fields": [field("a", 1)]},
            {"placement": "version_field", "topic_id": there, "fields": []},
            {"placement": "sideways"},
        )
    ]

    assert [each.status for each in refused] == [400] * 7
    assert [each.body["detail"] for each in refused[3:]] == [
        "topic not found",
        "extend_topic requires topic_id",
        "version_field requires topic_id and exactly one field",
        "unknown placement",
    ]
    assert api.stored() == before


def test_an_undo_that_is_refused_leaves_the_link(api: Api) -> None:
    api.functions.clock.freeze(frozen=True)
    parent = new(api, "Ada", field("street", "Rue A"), field("city", "Paris"))
    asked = {"field_names": ["street"], "child_title": "Address", "parent_link_field": "address"}
    child = api.post(f"/v1/topics/{parent}/promote-nested", asked).body["child_topic_id"]
    ingest(api, placement="extend_topic", topic_id=parent, fields=[field("street", "Rue B")])
    before = topic(api, parent)

    refused = api.post(f"/v1/topics/{parent}/undo-nested", {"child_topic_id": child})

    assert refused.status == 400
    assert topic(api, parent) == before
    assert before["fields"]["address"]["ref_topic_id"] == child


def test_a_reference_is_kept_cleared_or_set_as_the_request_says(api: Api) -> None:
    city = new(api, "Paris")
    made = new(api, "Ada", field("home", "there", ref_topic_id=city))
    refs = []

    for more in ({}, {"ref_topic_id": None}, {"ref_topic_id": city}):
        fields = [field("home", "there", **more)]
        ingest(api, placement="version_field", topic_id=made, fields=fields)
        refs.append(topic(api, made)["fields"]["home"]["ref_topic_id"])

    assert refs == [city, None, city]


def test_appends_at_once_are_all_kept(api: Api) -> None:
    made = new(api, "Ada")

    def append(number: int) -> Reply:
        fields = [field("count", number)]
        body = {"placement": "version_field", "topic_id": made, "fields": fields}
        return api.post("/v1/ingest", body)

    replies = at_once([partial(repeated, partial(append, number)) for number in range(crowd())])

    assert [each.status for each in replies] == [200] * crowd()
    assert sorted(values(topic(api, made), "count")) == list(range(crowd()))


def test_nothing_that_is_asked_for_is_dropped_without_a_word(api: Api) -> None:
    friend = new(api, "Bob")
    made = new(api, "Ada", field("city", "Paris"))

    ingest(
        api,
        placement="version_field",
        topic_id=made,
        title="Ada L.",
        summary="a pilot",
        topic_kind="person",
        fields=[field("city", "Rome")],
        edges=[{"to_topic_id": friend, "kind": "knows"}],
    )

    shown = topic(api, made)
    assert (shown["title"], shown["summary"], shown["topic_kind"]) == (
        "Ada L.",
        "a pilot",
        "person",
    )
    (bundle,) = query(api, topic_ids=[made], stages=["structural"])
    assert [each["id"] for each in bundle["neighbors"]] == [friend]


def test_field_types_are_checked_and_kept(api: Api) -> None:
    made = new(api, "Ada", field("age", 36, field_type="int"))

    ingest(api, placement="version_field", topic_id=made, fields=[field("age", 37)])
    refused = [
        api.post("/v1/ingest", {"placement": "version_field", "topic_id": made, "fields": [each]})
        for each in (
            field("age", "old"),
            field("age", 38, field_type="string"),
            field("age", 38, field_type="number"),
            field("", 1),
            field("when", "yesterday", field_type="date"),
        )
    ]

    assert topic(api, made)["fields"]["age"]["field_type"] == "int"
    assert [each.status for each in refused] == [400] * 5
    assert values(topic(api, made), "age") == [37, 36]


def test_sizes_have_limits_and_reading_rewrites_nothing(api: Api) -> None:
    made = new(api, "Ada", field("city", "Paris"))
    settle(api)
    before = topic(api, made)

    for _ in range(3):
        api.post("/v1/query", {"q": "Ada"})
    settle(api)

    after = topic(api, made)
    assert after["updated_at"] == before["updated_at"]
    assert after["topic_history"] == before["topic_history"]
    assert len(after["access_trail"]) == 3
    too_long = api.post("/v1/ingest", {"placement": "new_topic", "title": "x" * 100_001})
    assert too_long.status == 400
    too_large = api.post("/v1/ingest", {"placement": "new_topic", "summary": "x" * 7_000_000})
    assert too_large.status == 413


def test_no_caller_can_destroy_history(api: Api) -> None:
    made = new(api, "Ada", field("city", "Paris"))
    body = {"field_name": "city", "value": "Rome", "max_history": 1}

    assert api.post(f"/v1/topics/{made}/fields", body).status == 200

    assert values(topic(api, made), "city") == ["Rome", "Paris"]


def test_every_change_is_audited_and_deleting_is_soft(api: Api) -> None:
    city, made = new(api, "Paris"), new(api, "Ada", field("home", "x"), field("pet", "a cat"))
    path = f"/v1/topics/{made}"

    api.call("PUT", f"{path}/fields/home/ref", {"ref_topic_id": city})
    api.call("PATCH", path, {"title": "Ada L."})
    api.call("PATCH", path, {"archived": True})
    api.call("PATCH", path, {"archived": False})
    api.call("DELETE", f"{path}/fields/pet")
    api.post(f"{path}/relationships", {"to_topic_id": city, "kind": "loves"})
    api.call("DELETE", f"{path}/relationships?to_topic_id={city}&kind=loves")
    assert api.call("DELETE", path).status == 200
    gone = api.get(path).status
    assert api.post(f"{path}/restore", {}).status == 200

    assert gone == 404
    assert kinds(topic(api, made)) == [
        "created",
        "fields",
        "ref",
        "meta",
        "archived",
        "revived",
        "field_deleted",
        "edge_added",
        "edge_removed",
        "deleted",
        "restored",
    ]
    ingest(api, placement="version_field", topic_id=made, fields=[field("pet", "a dog")])
    assert values(topic(api, made), "pet") == ["a dog", "a cat"]


def test_a_caller_says_since_when_and_reads_as_of_then(api: Api) -> None:
    made = new(api, "Ada", field("city", "Paris", valid_from="2024-01-01T00:00:00Z"))
    for value, since in (("Oslo", "2026-01-01T00:00:00Z"), ("Rome", "2025-01-01T00:00:00Z")):
        fields = [field("city", value, valid_from=since)]
        ingest(api, placement="version_field", topic_id=made, fields=fields)

    then = {
        as_of: query(api, topic_ids=[made], stages=["temporal"], as_of=as_of)[0]["fields"]
        for as_of in ("2024-06-01T00:00:00Z", "2025-06-01T00:00:00Z", "2026-06-01T00:00:00Z")
    }

    assert [fields[0]["current"]["value"] for fields in then.values()] == ["Paris", "Rome", "Oslo"]
    assert values(topic(api, made), "city") == ["Oslo", "Rome", "Paris"]
    recorded = topic(api, made)["fields"]["city"]["history"][0]["recorded_at"]
    assert recorded.endswith("Z")


def test_errors_are_told_alike_everywhere(api: Api) -> None:
    made = new(api, "Ada")

    taken = api.post("/v1/topics", {"title": "Ada", "topic_id": made})
    absent = [
        api.call("PUT", "/v1/topics/no/fields/a/ref", {"ref_topic_id": None}),
        api.call("DELETE", "/v1/topics/no/fields/a"),
        api.call("DELETE", f"/v1/topics/{made}/fields/no"),
        api.call("DELETE", f"/v1/topics/{made}/relationships?to_topic_id=no&kind=knows"),
        api.get("/v1/topics/no"),
    ]
    related = api.post(f"/v1/topics/{made}/relationships", {"to_topic_id": made, "kind": "is"})

    assert (taken.status, taken.body["code"]) == (409, "ALREADY_EXISTS")
    assert [(each.status, each.body["code"]) for each in absent] == [(404, "NOT_FOUND")] * 5
    assert related.body["ok"] is True


def test_nothing_is_open_and_nobody_sees_another_scope(api: Api) -> None:
    mine = api.key_for(actor_id="mine", permissions=("ingest", "read"), scopes=("mine",))
    theirs = api.key_for(actor_id="theirs", permissions=("ingest", "read"), scopes=("theirs",))
    body = {"placement": "new_topic", "title": "Ada", "fields": [field("city", "Paris")]}
    made = api.post("/v1/ingest", body, key=mine).body["topic_id"]
    settle(api)

    seen = api.post("/v1/query", {"q": "Ada", "topic_ids": [made]}, key=theirs)
    unnamed = api.post("/v1/query", {"q": "Ada"}, key=theirs)
    extended = {"placement": "extend_topic", "topic_id": made}

    assert seen.body["candidates"] == unnamed.body["candidates"] == []
    assert api.get(f"/v1/topics/{made}", key=theirs).status == 404
    assert api.post("/v1/ingest", extended, key=theirs).body["detail"] == "topic not found"
    assert api.post("/v1/query", {"q": "Ada"}, key="").status == 401
    role = {"system_role": "a clerk", "runtime_context": "an office"}
    assert api.call("PUT", "/v1/system-context", role, key=mine).status == 403
    assert api.call("PUT", "/v1/system-context", role).status == 200


def test_a_key_comes_in_authorization_alone(api: Api) -> None:
    asked = {"q": "Ada"}

    other = api.post("/v1/query", asked, key="", headers={"x-api-key": api.secret})

    assert other.status == 401
    assert api.post("/v1/query", asked).status == 200
