"""Reading topics over HTTP: pages, graphs with their communities, and the system context."""

from typing import Any

from tests.worlds.api import Api

SOON_S = 31
"""Longer than changes of a scope are gathered before it is reasoned about."""


def make(api: Api, topic_id: str, **body: Any) -> str:
    reply = api.post("/v1/topics", {"topic_id": topic_id, "title": topic_id, **body})
    assert reply.status == 200, reply.body
    return topic_id


def relate(api: Api, from_id: str, to_id: str) -> None:
    body = {"to_topic_id": to_id, "kind": "knows"}
    assert api.post(f"/v1/topics/{from_id}/relationships", body).status == 200


def page(api: Api, path: str, **options: Any) -> dict[str, Any]:
    reply = api.get(path, **options)
    assert reply.status == 200, reply.body
    return dict(reply.body)


def reason(api: Api) -> None:
    """Wait until what was written has been reasoned about."""
    assert api.get("/_dev/queues?wait").status == 200
    assert api.post("/_dev/clock", {"advance_seconds": SOON_S}).status == 200
    assert api.get("/_dev/queues?wait").status == 200


def pages(api: Api, path: str, named: str, **options: Any) -> list[list[str]]:
    """The ids of every page."""
    found, cursor = [], ""
    while True:
        shown = page(api, f"{path}&cursor={cursor}", **options)
        found.append([each["id"] for each in shown[named]])
        if "next_cursor" not in shown:
            return found
        cursor = shown["next_cursor"]


def test_topics_of_equal_salience_are_listed_page_after_page(api: Api) -> None:
    api.post("/_dev/clock", {"frozen": True})
    made = [make(api, f"t{number:02}", scope=("red", "blue")[number % 2]) for number in range(11)]

    listed = pages(api, "/v1/topics?limit=3", "topics")
    drawn = pages(api, "/v1/graph?limit=4", "nodes")
    red = pages(api, "/v1/topics?scope=red&limit=4", "topics")

    assert [len(each) for each in listed] == [3, 3, 3, 2]
    assert [len(each) for each in drawn] == [4, 4, 3]
    for found, expected in ((listed, made), (drawn, made), (red, made[::2])):
        assert sorted(each for some in found for each in some) == expected


def test_a_key_lists_and_draws_what_it_covers(api: Api) -> None:
    make(api, "seen", scope="red")
    make(api, "other", scope="blue")
    make(api, "secret", scope="red", sensitivity="high")
    for topic_id in ("other", "secret"):
        relate(api, "seen", topic_id)
    key = api.key_for(scopes=("red",), max_sensitivity="low")

    assert pages(api, "/v1/topics?limit=1", "topics", key=key) == [["seen"]]
    drawn = page(api, "/v1/graph?limit=1", key=key)
    assert [each["id"] for each in drawn["nodes"]] == ["seen"]
    assert (drawn["edges"], "next_cursor" in drawn) == ([], False)
    assert api.get("/v1/graph?topic_id=secret", key=key).status == 404


def test_communities_are_there_once_the_scope_was_reasoned_about(api: Api) -> None:
    for name in ("oak", "tin"):
        circle = [make(api, f"{name}{number}", scope="red") for number in range(3)]
        for one, other in ((0, 1), (1, 2), (0, 2)):
            relate(api, circle[one], circle[other])
    relate(api, "oak0", "tin0")
    before = page(api, "/v1/graph?scope=red")

    reason(api)

    after = page(api, "/v1/graph?scope=red")
    numbers = {each["id"]: each["community"] for each in after["nodes"]}
    assert {each["community"] for each in before["nodes"]} == {None}
    assert numbers["oak0"] == numbers["oak1"] == numbers["oak2"] is not None
    assert numbers["tin0"] == numbers["tin1"] == numbers["tin2"] is not None
    assert numbers["oak0"] != numbers["tin0"]
    assert len(after["edges"]) == 7


def test_a_topic_is_read_as_of_an_instant(api: Api) -> None:
    make(api, "ada")
    for city, since in (("Paris", "2024-01-01T00:00:00Z"), ("Rome", "2025-01-01T00:00:00Z")):
        body = {"field_name": "city", "value": city, "valid_from": since}
        assert api.post("/v1/topics/ada/fields", body).status == 200

    then = page(api, "/v1/topics/ada?as_of=2024-06-01T00:00:00Z")

    assert [each["value"] for each in then["fields"]["city"]["history"]] == ["Paris"]
    assert api.get("/v1/topics/ada?as_of=2023-06-01T00:00:00Z").status == 404
    assert api.get("/v1/topics/ada?as_of=2999-06-01T00:00:00Z").status == 400
    assert api.get("/v1/topics/ada?as_of=yesterday").status == 400


def test_the_system_context_is_an_administrators_to_change(api: Api) -> None:
    body = {"system_role": " a pilot ", "runtime_context": "in Rome"}
    reader = api.key_for(permissions=("read",))

    assert page(api, "/v1/system-context")["configured"] is False
    assert api.call("PUT", "/v1/system-context", body, key=reader).status == 403
    put = api.call("PUT", "/v1/system-context", body)
    assert (put.status, put.body["system_context"]["system_role"]) == (200, "a pilot")
    assert page(api, "/v1/system-context", key=reader) == put.body
    for bad in ({}, {**body, "system_role": "  "}, {**body, "more": 1}):
        assert api.call("PUT", "/v1/system-context", bad).status == 400
