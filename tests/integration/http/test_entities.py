"""Entities over HTTP: listed by name, read with facts and mentions, merged and split."""

from typing import Any

import pytest

from tests.integration.http.test_rights import make_entity
from tests.worlds.api import Api, Reply

SCOPE = "project:alpha"


@pytest.fixture
def reader(api: Api) -> str:
    """A key that sees the scope up to low."""
    return api.key_for(
        actor_id="reader",
        permissions=("read", "revise"),
        scopes=(SCOPE,),
        max_sensitivity="low",
    )


def named(api: Api, name: str, **fields: Any) -> str:
    return make_entity(api, name, **{"scope": SCOPE, **fields})


def fact_about(api: Api, *relations: tuple[str, str], **fields: Any) -> str:
    """The id of a fact with relations, each a predicate and a target."""
    payload = {
        "kind": "semantic",
        "subject": fields.pop("subject", "Bob"),
        "predicate": "owns",
        "object": "the billing service",
        "validity": {"mode": "global"},
    }
    linked = [{"predicate": predicate, "target_id": target} for predicate, target in relations]
    fact = {"type": "semantic", "sensitivity": "low", "scope": SCOPE, "payload": payload}
    return str(api.post("/v1/records", {**fact, "relations": linked, **fields}).record["id"])


def ids(reply: Reply) -> list[str]:
    return [each["record"]["id"] for each in reply.body["mentions"]]


def test_entities_are_listed_by_name_page_by_page(api: Api, reader: str) -> None:
    for name in ("Team Orca", "Team Lumo", "Robert Miller"):
        named(api, name)
    named(api, "Team Beta", scope="project:beta")
    named(api, "Team High", sensitivity="high")

    first = api.get("/v1/entities?q=TEAM&limit=1", key=reader).body
    second = api.get(f"/v1/entities?q=TEAM&limit=1&cursor={first['next_cursor']}", key=reader).body

    assert [each["name"] for each in first["entities"]] == ["Team Lumo"]
    assert [each["name"] for each in second["entities"]] == ["Team Orca"]
    assert "next_cursor" not in second
    assert first["entities"][0] == {
        "id": first["entities"][0]["id"],
        "name": "Team Lumo",
        "type": "",
        "aliases": [],
        "scope": SCOPE,
    }


def test_an_entity_is_read_with_the_facts_about_it(api: Api, reader: str) -> None:
    bob, billing = named(api, "Bob"), named(api, "billing")
    owned = fact_about(api, ("subject_entity", bob), ("object_entity", billing))
    itself = fact_about(api, ("subject_entity", bob), ("object_entity", bob), subject="Bob himself")
    hidden = fact_about(api, ("subject_entity", bob), subject="secret", sensitivity="medium")
    retracted = fact_about(api, ("subject_entity", bob), subject="joke")
    api.post(f"/v1/records/{retracted}/retract", {})

    page = api.get(f"/v1/entities/{bob}", key=reader).body
    of_billing = api.get(f"/v1/entities/{billing}", key=reader).body

    assert page["entity"]["payload"]["canonical_name"] == "Bob"
    shown = {each["record"]["id"]: each["roles"] for each in page["facts"]}
    assert shown == {owned: ["subject"], itself: ["subject", "object"]}
    assert [(each["record"]["id"], each["roles"]) for each in of_billing["facts"]] == [
        (owned, ["object"])
    ]
    assert hidden not in str(page)


def test_mentions_come_newest_first_once_each_and_page_by_page(api: Api, reader: str) -> None:
    bob = named(api, "Bob")
    several = [
        fact_about(
            api, ("mentions_entity", bob), ("subject_entity", bob), ("about", bob), subject=f"{n}"
        )
        for n in range(5)
    ]
    fact_about(api, ("about", bob), subject="no mention")
    path = f"/v1/entities/{bob}/mentions"

    reply = api.get(f"{path}?limit=2", key=reader)
    assert reply.body["mentions"][0]["predicates"] == ["mentions_entity", "subject_entity"]
    found = ids(reply)
    while cursor := reply.body.get("next_cursor"):
        reply = api.get(f"{path}?limit=2&cursor={cursor}", key=reader)
        found += ids(reply)

    assert len(found) == len({*found}) == len(several)
    born = [api.get(f"/v1/records/{each}").record["created_at"] for each in found]
    assert born == sorted(born, reverse=True)
    assert set(found) == set(several)


def test_hidden_mentions_change_nothing_and_one_level_above_is_redacted(
    api: Api, reader: str
) -> None:
    bob = named(api, "Bob")
    shown = fact_about(api, ("mentions_entity", bob))
    path = f"/v1/entities/{bob}/mentions?limit=1"
    before = api.get(path, key=reader).body

    fact_about(api, ("mentions_entity", bob), sensitivity="high", subject="high")
    fact_about(api, ("mentions_entity", bob), scope="project:beta", subject="beta")
    after = api.get(path, key=reader).body
    above = fact_about(api, ("mentions_entity", bob), sensitivity="medium", subject="above")
    first = api.get(path, key=reader).body

    for body in (before, after):
        assert body["mentions"][0]["record"].pop("salience") > 0
    assert before == after
    assert [each["record"]["id"] for each in after["mentions"]] == [shown]
    (redacted,) = (each["record"] for each in first["mentions"])
    assert redacted["id"] == above
    assert redacted["payload"] is None


def test_a_merge_joins_names_mentions_and_facts_and_a_split_parts_them(
    api: Api, reader: str
) -> None:
    robert, bob = named(api, "Robert Miller"), named(api, "Bob")
    of_robert = fact_about(api, ("subject_entity", robert), subject="Robert Miller")
    of_bob = fact_about(api, ("subject_entity", bob))

    merged = api.post(f"/v1/entities/{robert}/merge", {"entity_ids": [bob]}, key=reader)
    found = api.get("/v1/entities?q=bob", key=reader).body["entities"]
    mentions = ids(api.get(f"/v1/entities/{bob}/mentions", key=reader))
    page = api.get(f"/v1/entities/{bob}", key=reader).body
    split = api.post(f"/v1/entities/{robert}/split", {"entity_id": bob}, key=reader)
    listed = api.get("/v1/entities", key=reader).body["entities"]

    assert (merged.status, split.status) == (200, 200)
    assert [(each["id"], each["aliases"]) for each in found] == [(robert, ["Bob"])]
    assert {*mentions} == {each["record"]["id"] for each in page["facts"]} == {of_robert, of_bob}
    assert page["entity"]["id"] == robert
    assert [(each["name"], each["aliases"]) for each in listed] == [
        ("Bob", []),
        ("Robert Miller", []),
    ]
    assert ids(api.get(f"/v1/entities/{bob}/mentions", key=reader)) == [of_bob]
    assert ids(api.get(f"/v1/entities/{robert}/mentions", key=reader)) == [of_robert]


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("?cursor=x", 400, "cursor"),
        ("?limit=-1", 400, "limit must be between 0 and 10000"),
        ("?name=bob", 400, "unknown query parameter; this route takes: cursor, limit, q, scope"),
        ("?similar_to=a%20b", 400, "similar_to"),
        ("?similar_to=absent", 404, "entity not found"),
        ("?similar_to=absent&q=b", 400, "similar_to does not go with q or cursor"),
        ("?q=" + "b" * 257, 400, "q exceeds maximum length of 256"),
        ("?scope=team:*", 400, "prefix"),
        ("/absent", 404, "entity not found"),
        ("/absent?limit=1", 400, "unknown query parameter; this route takes: cursor"),
        ("/absent/mentions", 404, "entity not found"),
        ("/absent/mentions?limit=-1", 400, "limit must be between 0 and 10000"),
    ],
)
def test_a_bad_read_is_refused_in_the_words_of_the_reader(
    api: Api, path: str, status: int, text: str
) -> None:
    reply = api.get(f"/v1/entities{path}")

    assert reply.status == status
    assert text in reply.body["detail"]


def test_a_bad_merge_or_split_names_the_field_or_the_entity(api: Api) -> None:
    bob, other = named(api, "Bob"), named(api, "Bob", scope="project:beta")
    high = named(api, "Bob", sensitivity="high")
    fact = fact_about(api)
    merge, split = f"/v1/entities/{bob}/merge", f"/v1/entities/{bob}/split"
    refused: list[tuple[str, Any, int, str]] = [
        (merge, {}, 400, "entity_ids is required"),
        (merge, {"entity_ids": []}, 400, "entity_ids needs 1 element or more"),
        (merge, {"entity_ids": ["x"] * 11}, 400, "entity_ids has more than 10 elements"),
        (merge, {"entity_ids": ["x"], "ids": ["y"]}, 400, "ids unknown field"),
        (merge, {"entity_ids": [bob]}, 400, "an entity cannot be merged into itself"),
        (merge, {"entity_ids": ["x"]}, 404, "merge: get entity x: record not found"),
        (merge, {"entity_ids": [fact]}, 409, f"record {fact} is not an entity"),
        (merge, {"entity_ids": [other]}, 409, f"merge: entity {other} has another scope"),
        (merge, {"entity_ids": [high]}, 409, f"merge: entity {high} has another sensitivity"),
        (split, {}, 400, "entity_id is required"),
        (split, {"entity_id": "x"}, 404, "split: get entity x: record not found"),
        (split, {"entity_id": high}, 409, f"split: entity {high} is not part of {bob}"),
    ]

    for path, body, status, text in refused:
        reply = api.post(path, body)
        assert (reply.status, text in reply.body["detail"]) == (status, True), reply.body


def test_a_record_of_another_type_is_no_entity(api: Api, reader: str) -> None:
    fact = fact_about(api)

    for path in ("", "/mentions"):
        assert api.get(f"/v1/entities/{fact}{path}", key=reader).status == 404


def test_a_hidden_entity_answers_like_an_absent_one(api: Api, reader: str) -> None:
    bob, hidden = named(api, "Bob"), named(api, "Bob", sensitivity="high")

    for path in ("", "/mentions"):
        there = api.get(f"/v1/entities/{hidden}{path}", key=reader)
        absent = api.get(f"/v1/entities/absent{path}", key=reader)
        assert (there.status, there.problem) == (404, absent.problem)
    for route, name in (("merge", "entity_ids"), ("split", "entity_id")):
        replies = [
            api.post(f"/v1/entities/{bob}/{route}", {name: value}, key=reader)
            for each in (hidden, "absent")
            for value in ([each] if name == "entity_ids" else each,)
        ]
        assert [each.status for each in replies] == [404, 404]
        assert str(replies[0].problem).replace(hidden, "absent") == str(replies[1].problem)


def test_a_reader_may_ask_for_less_trust(api: Api) -> None:
    bob = named(api, "Bob", sensitivity="medium")

    for path in ("", "/mentions"):
        refused = api.get(f"/v1/entities/{bob}{path}?max_sensitivity=low")
        assert (refused.status, refused.body["code"]) == (403, "PERMISSION_DENIED")
