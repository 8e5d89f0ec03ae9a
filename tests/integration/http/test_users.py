"""Users over HTTP: in a body, in a query, and in a key that an operator makes and lists."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from membrane_local.http.dev_routes import PREFIX
from tests.integration.http.test_routes import EVENT, REPORTS, SKILL
from tests.worlds.api import Api

ACME: dict[str, Any] = {"scopes": ("tenant:acme:*",), "user_prefix": "tenant:acme:user:"}
ALICE = "tenant:acme:user:alice"
BLANK = " \u200b"


@pytest.fixture
def acme(api: Api) -> str:
    """A key whose every request must name a user."""
    return api.key_for(actor_id="acme", user_required=True, **ACME)


def test_a_user_in_body_and_query_reaches_the_users_scope_alone(api: Api, acme: str) -> None:
    made = api.post("/v1/ingest/event", {**EVENT, "user": "alice"}, key=acme).record
    path = f"/v1/records/{made['id']}"

    assert made["scope"] == ALICE
    assert api.get(f"{path}?user=alice", key=acme).record["id"] == made["id"]
    assert api.get(f"{path}/audit?user=bob", key=acme).status == 404
    assert api.get(path, key=acme).status == 403
    listed = api.get("/v1/records?user=alice", key=acme).body["records"]
    assert [each["id"] for each in listed] == [made["id"]]
    assert api.get("/v1/records?user=bob", key=acme).body["records"] == []
    assert api.call("DELETE", f"{path}?user=bob", key=acme).status == 404
    assert api.call("DELETE", f"{path}?user=alice", key=acme).status == 204


def test_entities_are_those_of_the_user(api: Api, acme: str) -> None:
    entity = {"type": "entity", "sensitivity": "low"}
    payload = {"kind": "entity", "canonical_name": "Bob"}
    record = {**entity, "payload": payload}
    bobs = [
        api.post("/v1/records", {**record, "user": user}, key=acme).record["id"]
        for user in ("alice", "carol", "carol")
    ]

    listed = api.get("/v1/entities?q=bob&user=alice", key=acme).body["entities"]
    merge = {"entity_ids": [bobs[2]], "user": "carol"}

    assert [each["id"] for each in listed] == [bobs[0]]
    for path in ("", "/mentions"):
        assert api.get(f"/v1/entities/{bobs[0]}{path}?user=alice", key=acme).status == 200
        assert api.get(f"/v1/entities/{bobs[0]}{path}?user=carol", key=acme).status == 404
    assert api.post(f"/v1/entities/{bobs[0]}/merge", merge, key=acme).status == 404
    assert api.post(f"/v1/entities/{bobs[1]}/merge", merge, key=acme).status == 200
    split = {"entity_id": bobs[2], "user": "carol"}
    assert api.post(f"/v1/entities/{bobs[1]}/split", split, key=acme).status == 200


def test_a_tool_takes_its_user_as_the_listed_schemas_say(api: Api, acme: str) -> None:
    listed = api.get("/v1/tools?format=anthropic", key=acme).body["tools"]
    text = {"text": "Tea at four."}

    beside = api.post("/v1/tools/remember", {"arguments": text, "user": "alice"}, key=acme)
    within = api.post("/v1/tools/remember", {"arguments": {**text, "user": "alice"}}, key=acme)
    nobody = api.post("/v1/tools/remember", {"arguments": text}, key=acme)
    two = {"arguments": {**text, "user": "alice"}, "user": "bob"}

    assert all("user" in each["input_schema"]["required"] for each in listed)
    assert [each.body["result"]["scope"] for each in (beside, within)] == [ALICE, ALICE]
    assert (nobody.status, api.post("/v1/tools/remember", two, key=acme).status) == (403, 403)


def test_a_key_of_a_prefix_finds_and_counts_what_its_users_have(api: Api) -> None:
    key = api.key_for(actor_id="acme", **ACME)
    users = ("alice", "bob")
    made = {
        api.post("/v1/ingest/observation", {**REPORTS["observation"], "user": user}, key=key)
        .record["id"]
        for user in users
    }  # fmt: skip
    topics = {
        api.post("/v1/topics", {"title": "Tea", "user": user}, key=key).body["topic_id"]
        for user in users
    }
    other = api.key_for(actor_id="acmes", scopes=("tenant:acmes:*", "tenant:acme"))
    assert api.get(f"{PREFIX}queues?wait").status == 200

    listed = api.get("/v1/records", key=key).body["records"]
    found = api.post("/v1/retrieve", {"task_descriptor": "user likes"}, key=key).body["records"]

    assert {each["id"] for each in listed} == {each["id"] for each in found} == made
    assert set(api.get("/v1/topics", key=key).body["topic_ids"]) == topics
    assert api.get("/v1/records", key=other).body["records"] == []
    assert api.get("/v1/topics", key=other).body["topic_ids"] == []
    assert api.get("/v1/metrics?user=bob", key=key).body["snapshot"]["total_records"] == 1
    assert api.get("/v1/metrics", key=key).status == 400


@pytest.mark.parametrize("body", [SKILL, {"record": SKILL}], ids=["bare", "in its envelope"])
def test_a_full_record_takes_its_user_beside_it(api: Api, acme: str, body: dict[str, Any]) -> None:
    assert api.post("/v1/records", {**body, "user": "alice"}, key=acme).record["scope"] == ALICE


def test_a_user_stands_in_the_body_or_in_the_query(api: Api, acme: str) -> None:
    made = api.post("/v1/ingest/event", {**EVENT, "user": "alice"}, key=acme).record
    path = f"/v1/records/{made['id']}?user=alice"

    twice = api.call("DELETE", path, {"user": "alice"}, key=acme)
    in_vain = api.post("/v1/ingest/event?user=alice", EVENT, key=acme)

    assert (twice.status, in_vain.status) == (400, 400)
    assert "user stands in the query" in twice.body["detail"]


def test_an_operator_sees_the_users_of_a_key(api: Api) -> None:
    api.key_for(actor_id="listed", user_required=True, **ACME)

    listed = api.get(f"{PREFIX}keys").body["keys"]

    found = next(each for each in listed if each["actor_id"] == "listed")
    assert found["scopes"] == ["tenant:acme:*"]
    assert (found["user_prefix"], found["user_required"]) == ("tenant:acme:user:", True)


@pytest.mark.parametrize(
    "users",
    [
        {"user_prefix": "tenant:acme:user:", "scopes": ("tenant:acme",)},
        {"user_prefix": "tenant:acme:user:", "scopes": ("tenant:acme:user:",)},
        {"user_prefix": "tenant:acmes:user:"},
        {"user_prefix": "tenant:acme:user"},
        {"user_prefix": "x" * 255 + ":", "scopes": ("*",)},
        {"user_prefix": 5},
        {"user_required": True},
        {"user_prefix": "tenant:acme:user:", "user_required": 1},
        {"scopes": ("tenant:acme*",)},
    ],
    ids=str,
)
def test_a_key_with_users_that_its_scopes_do_not_hold_is_refused(
    api: Api, users: dict[str, Any]
) -> None:
    asked = {
        "actor_id": "acme",
        "permissions": ["read"],
        "scopes": ("tenant:acme:*",),
        "max_sensitivity": "low",
        **users,
    }

    reply = api.post(f"{PREFIX}keys", asked)

    assert reply.status == 400
    assert "user_" in reply.body["detail"] or "scope" in reply.body["detail"]


def test_no_route_takes_a_user_in_which_nothing_can_be_seen(api: Api) -> None:
    key = api.key_for(actor_id="acme", **ACME)
    document = yaml.safe_load((Path(__file__).parents[3] / "infra" / "openapi.yaml").read_text())

    taken = [
        (method, path)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if operation.get("security") != []
        and not _refuses_a_blank_user(api, method.upper(), path, key)
    ]

    assert taken == []


def _refuses_a_blank_user(api: Api, method: str, path: str, key: str) -> bool:
    place = re.sub(r"{\w+}", "list/own/items" if "{path}" in path else "recall", path)
    if method in ("GET", "DELETE"):
        return _is_of_a_blank_user(api.call(method, f"{place}?user=%20%E2%80%8B", key=key).body)
    return _is_of_a_blank_user(api.call(method, place, {"user": BLANK}, key=key).body)


def _is_of_a_blank_user(problem: dict[str, Any]) -> bool:
    return (problem["status"], problem["errors"][0]["field"]) == (400, "user")


def test_no_part_of_a_request_takes_a_user_in_which_nothing_can_be_seen(api: Api) -> None:
    key = api.key_for(actor_id="acme", **ACME)
    event = {"items": [{"rpc": "IngestEvent", **EVENT, "user": BLANK}]}
    read = {"operations": [{"op": "get", "namespace": ["n"], "key": "k", "user": BLANK}]}
    call = {"arguments": {"query": "tea", "user": BLANK}}

    results = [
        api.post("/v1/ingest/batch", event, key=key).body["results"],
        api.post("/v1/documents/batch", read, key=key).body["results"],
        [{"error": api.post("/v1/tools/recall", call, key=key).body}],
    ]

    assert all(_is_of_a_blank_user(only["error"]) for (only,) in results)
