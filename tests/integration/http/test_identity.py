"""Keys of the same actor name and other rights share no idempotency key, upload or receipt."""

import json
import re
from typing import Any

import pytest

from tests.integration.http.test_large_values import opened, put
from tests.integration.http.test_rights import (
    CHANGES,
    DOCUMENT_BODIES,
    FACT,
    REVISIONS,
    STUDY,
    TOPIC_BODIES,
    document_path,
    make_entity,
    studied_by,
)
from tests.integration.http.test_routes import REPORTS, SKILL
from tests.worlds.agreed import ROWS
from tests.worlds.api import Api, Reply
from tests.worlds.depth import cases

ACTOR = "my-agent"
TENANTS = ("acme", "globex")
OF_ALL_SCOPES = "PUT /v1/system-context"
"""The route opens to keys over all scopes alone, which are one tenant."""

KEYED = sorted(
    operation.route
    for operation in ROWS
    if operation.takes_key
    and not operation.route.startswith("GET ")
    and operation.route != OF_ALL_SCOPES
)
SOME_KEYED = [
    "DELETE /v1/topics/{id}/relationships",
    "PATCH /v1/records/{id}/lifecycle",
    "POST /v1/capture",
    "POST /v1/chat",
    "POST /v1/documents/batch",
    "POST /v1/documents/{path+}",
    "POST /v1/entities/{id}/merge",
    "POST /v1/entities/{id}/split",
    "POST /v1/ingest",
    "POST /v1/ingest/batch",
    "POST /v1/ingest/observation",
    "POST /v1/messages",
    "POST /v1/reason",
    "POST /v1/records",
    "POST /v1/records/merge",
    "POST /v1/records/{id}/resolve",
    "POST /v1/records/{id}/restore",
    "POST /v1/studies",
    "POST /v1/studies/remove",
    "POST /v1/tools/{name}",
    "POST /v1/topics",
    "POST /v1/topics/{id}/promote-nested",
    "POST /v1/topics/{id}/unmerge",
    "POST /v1/uploads",
    "PUT /v1/documents/{path+}",
    "PUT /v1/topics/{id}/fields/{name}/ref",
]
"""One route of each kind, by the thing that it makes or changes and the things it requires."""

OF_RECORDS = re.compile(
    "/v1/(records|entities|ingest/|messages|capture|chat|tools|uploads|studies|documents)"
)
"""Routes that need no topics."""

TALK = {"thread_id": "t-1", "messages": [{"role": "user", "content": "Hi"}]}

CAPTURE = {"source": "agent", "content": {"project": "acme", "text": "acme ships on Fridays"}}

IDEMPOTENT = {"idempotency-key": "deploy-1"}


def tenant_key(api: Api, scope: str, **rights: Any) -> str:
    return api.key_for(actor_id=ACTOR, scopes=(scope,), **rights)


def topic_of(scope: str) -> str:
    return f"svc-{scope}"


def child_of(scope: str) -> str:
    return f"child-{scope}"


def furnish(api: Api, key: str, scope: str) -> dict[str, str]:
    """Make the records that routes work on in the tenant's scope.

    The ids by their kind, those of the topics too that `furnish_topics` makes.
    """
    return {
        "topic": topic_of(scope),
        "child": child_of(scope),
        "event": api.post("/v1/ingest/event", REPORTS["event"], key=key).record["id"],
        "fact": api.post("/v1/ingest/observation", REPORTS["observation"], key=key).record["id"],
        "entity": make_entity(api, "Robert Miller", key),
        "other": make_entity(api, "Bob", key),
    }


def furnish_topics(api: Api, key: str, scope: str) -> None:
    """Make a topic with fields, a group of fields, a child and a relationship."""
    topic = topic_of(scope)
    api.post("/v1/topics", {"topic_id": topic, "title": "svc"}, key=key)
    for name in ("a", "b", "c"):
        api.post(f"/v1/topics/{topic}/fields", {"field_name": name, "value": 1}, key=key)
    bundle = {"field_names": ["b"], "nest_key": "bundle"}
    api.post(f"/v1/topics/{topic}/nest-fields", bundle, key=key)
    child = {"field_names": ["c"], "child_title": "child", "child_topic_id": child_of(scope)}
    api.post(f"/v1/topics/{topic}/promote-nested", child, key=key)
    api.post(f"/v1/topics/{topic}/relationships", {"to_topic_id": topic, "kind": "is"}, key=key)


def body_of(route: str, made: dict[str, str]) -> Any:
    bodies: dict[str, Any] = {
        **{f"POST /v1/ingest/{name}": report for name, report in REPORTS.items()},
        **CHANGES,
        **DOCUMENT_BODIES,
        **REVISIONS,
        **TOPIC_BODIES,
        "POST /v1/ingest/outcome": {
            "source": "judge",
            "target_record_id": made["event"],
            "outcome_status": "success",
        },
        "POST /v1/ingest/batch": {"items": [{"rpc": "IngestEvent", **REPORTS["event"]}]},
        "POST /v1/messages": TALK,
        "POST /v1/capture": CAPTURE,
        "POST /v1/chat": {"messages": [{"role": "user", "content": "Ada likes tea."}]},
        "POST /v1/records": SKILL,
        "POST /v1/records/merge": {"ids": [made["fact"]], "merged_record": FACT},
        "POST /v1/entities/{id}/merge": {"entity_ids": [made["other"]]},
        "POST /v1/entities/{id}/split": {"entity_id": made["other"]},
        "POST /v1/erasures": {"ids": [made["fact"]]},
        "POST /v1/exports": {},
        "POST /v1/studies": STUDY,
        "POST /v1/studies/remove": {"document_id": made.get("document")},
        "POST /v1/uploads": {"size": 1, "sha256": "0" * 64},
        "POST /v1/topics/{id}/relationships": {"to_topic_id": made["topic"], "kind": "has"},
        "POST /v1/topics/{id}/undo-nested": {"child_topic_id": made["child"]},
        "POST /v1/tools/{name}": {"arguments": {"text": "Deploys need the tag 41."}},
    }
    return bodies.get(route)


def request_of(api: Api, route: str, made: dict[str, str], key: str) -> Reply:
    """The route's request about what the tenant made, under the same idempotency key."""
    named = made["topic"] if "/topics/" in route else made["event"]
    if route in REVISIONS:
        named = made["fact"]
    if "/entities/" in route:
        named = made["entity"]
    name = "remember" if "/tools/" in route else "a"
    method, path = route.replace("{id}", named).replace("{name}", name).split(" ")
    path = document_path(route) if "/documents" in route else path
    query = ""
    if route == "DELETE /v1/topics/{id}/relationships":
        query = f"?to_topic_id={made['topic']}&kind=is"
    if route.endswith("/restore"):
        api.call("DELETE", path.removesuffix("/restore"), key=key)
    if route.endswith("/resolve"):
        api.post(f"/v1/records/{named}/contest", {}, key=key)
    if route.endswith("/studies/remove"):
        made = {**made, "document": studied_by(api, key)["document_id"]}
    if route.endswith("/split"):
        absorbed = {"entity_ids": [made["other"]]}
        api.post(f"/v1/entities/{named}/merge", absorbed, key=key)
    return api.call(method, path + query, body_of(route, made), key=key, headers=IDEMPOTENT)


def ids_in(reply: Reply) -> set[str]:
    """The ids of what the request made or changed."""
    return set(
        re.findall(r'"(?:id|document_id|topic_id|upload_id)": "([^"]+)"', json.dumps(reply.body))
    )


@pytest.mark.parametrize("route", cases(KEYED, SOME_KEYED))
def test_another_tenants_key_of_the_same_actor_repeats_nothing(api: Api, route: str) -> None:
    keys = {scope: tenant_key(api, scope) for scope in TENANTS}
    made = {scope: furnish(api, keys[scope], scope) for scope in TENANTS}
    for scope in () if OF_RECORDS.search(route) else TENANTS:
        furnish_topics(api, keys[scope], scope)

    first, second = (request_of(api, route, made[scope], keys[scope]) for scope in TENANTS)

    # A topic that was never merged cannot be taken out again, whoever asks.
    wanted = 409 if route.endswith("/unmerge") else 300
    assert (first.status, second.status) <= (wanted, wanted), second.body
    assert first.status == second.status
    assert "idempotency-replayed" not in second.headers
    assert ids_in(first).isdisjoint(ids_in(second))


@pytest.mark.parametrize("route", ["POST /v1/ingest", "POST /v1/topics", "POST /v1/ingest/event"])
def test_a_write_that_is_acknowledged_is_made_in_the_callers_own_scope(
    api: Api, route: str
) -> None:
    keys = {scope: tenant_key(api, scope) for scope in TENANTS}
    body = {"source": "ci", "event_kind": "b", "ref": "1"} if "event" in route else {"title": "t"}
    path = route.removeprefix("POST ")

    for scope, key in keys.items():
        made = api.post(path, body, key=key, headers=IDEMPOTENT).body
        found = made["record"]["id"] if "record" in made else made["topic_id"]
        there = "records" if "record" in made else "topics"
        shown = api.get(f"/v1/{there}/{found}", key=key)

        assert shown.status == 200
        assert f'"scope": "{scope}"' in json.dumps(shown.body)


def test_a_replacement_key_with_equal_rights_repeats_its_predecessors_requests(api: Api) -> None:
    old, new = (tenant_key(api, "acme", permissions=("ingest", "read")) for _ in range(2))
    more = tenant_key(api, "acme", permissions=("ingest", "read", "revise"))
    first = api.post("/v1/ingest", {"title": "t"}, key=old, headers=IDEMPOTENT)

    for key in (new, more):
        again = api.post("/v1/ingest", {"title": "t"}, key=key, headers=IDEMPOTENT)

        assert again.headers["idempotency-replayed"] == "true"
        assert again.body["topic_id"] == first.body["topic_id"]


@pytest.mark.parametrize(
    "other",
    [
        {"scopes": ("acme",), "max_sensitivity": "low"},
        {"scopes": ("acme", "globex")},
        {"scopes": ("globex", "acme")},
        {"scopes": ("*",)},
        {"actor_id": "other-agent", "scopes": ("acme",)},
    ],
)
def test_other_rights_are_another_identity(api: Api, other: dict[str, Any]) -> None:
    asked = {**REPORTS["event"], "sensitivity": "low"}
    first = api.post("/v1/ingest/event", asked, key=tenant_key(api, "acme"), headers=IDEMPOTENT)
    key = api.key_for(**{"actor_id": ACTOR, **other})

    second = api.post("/v1/ingest/event", asked, key=key, headers=IDEMPOTENT)

    assert (first.status, second.status) == (201, 201)
    assert first.record["id"] != second.record["id"]


def test_a_key_claims_no_upload_of_another_tenant(api: Api) -> None:
    acme, globex = (tenant_key(api, scope) for scope in TENANTS)
    content = json.dumps("text of acme").encode()
    upload = opened(api, content, acme)
    assert put(api, upload, content).status == 200
    claim = {**REPORTS["tool-output"], "result": {"$upload": upload["upload_id"]}}

    refused = api.post("/v1/ingest/tool-output", claim, key=globex)
    claimed = api.post("/v1/ingest/tool-output", claim, key=acme)

    assert (refused.status, refused.body["detail"]) == (404, "upload not found")
    assert claimed.status == 201


def test_a_key_reads_no_receipt_of_another_tenant(api: Api) -> None:
    acme, globex = (tenant_key(api, scope) for scope in TENANTS)
    asked = api.post("/v1/retrieve", {"task_descriptor": "a plan of acme"}, key=acme).body
    path = f"/v1/receipts/{asked['receipt_id']}"

    assert api.get(path, key=globex).status == 404
    assert api.get(path, key=acme).body["principal"] == ACTOR
    assert api.get(path, key=tenant_key(api, "acme", permissions=("read",))).status == 200


def test_a_cursor_serves_the_key_that_it_was_given_to(api: Api) -> None:
    acme, globex = (tenant_key(api, scope) for scope in TENANTS)
    for number in range(2):
        api.post("/v1/ingest/event", {**REPORTS["event"], "ref": f"{number}"}, key=acme)
    cursor = api.get("/v1/records?limit=1", key=acme).body["next_cursor"]

    assert api.get(f"/v1/records?limit=1&cursor={cursor}", key=acme).status == 200
    assert api.get(f"/v1/records?limit=1&cursor={cursor}", key=globex).status == 400


def test_the_system_context_of_all_readers_is_written_by_an_admin_over_all_scopes(api: Api) -> None:
    said = {"system_role": "helper", "runtime_context": "laptop"}
    of_one = api.key_for(actor_id="root", scopes=("acme",))
    of_all = api.key_for(actor_id="root", max_sensitivity="low")
    before = api.get("/v1/system-context").body

    refused = api.call("PUT", "/v1/system-context", said, key=of_one)
    after_refusal = api.get("/v1/system-context").body
    taken = api.call("PUT", "/v1/system-context", said, key=of_all)

    assert (refused.status, refused.body["code"]) == (403, "PERMISSION_DENIED")
    assert "admin over all scopes" in refused.body["detail"]
    assert after_refusal == before
    assert taken.status == 200


@pytest.mark.parametrize(
    ("rights", "status"),
    [
        ({"scopes": ("acme",), "permissions": ("read", "admin")}, 404),
        ({"permissions": ("read",)}, 404),
        ({"permissions": ("admin",), "max_sensitivity": "low"}, 404),
        ({"permissions": ("admin",)}, 200),
    ],
    ids=["admin of one scope", "reader of all", "admin of all, up to low", "admin of all"],
)
def test_another_principals_receipt_is_read_by_an_admin_over_all_scopes(
    api: Api, rights: dict[str, Any], status: int
) -> None:
    asker = tenant_key(api, "acme", max_sensitivity="high")
    receipt_id = api.post("/v1/retrieve", {"task_descriptor": "x"}, key=asker).body["receipt_id"]

    key = api.key_for(**{"actor_id": "root", **rights})

    assert api.get(f"/v1/receipts/{receipt_id}", key=key).status == status


OF_ONE_TOPIC = [
    route
    for route in KEYED
    if "/v1/topics/{id}" in route
    # A deleted topic comes back with its own sensitivity; one never merged is not taken out.
    and not route.endswith(("/restore", "/unmerge"))
]


@pytest.mark.parametrize("route", [*OF_ONE_TOPIC, "POST /v1/ingest", "POST /v1/topics"])
def test_a_repeated_request_needs_the_rights_to_the_topic_as_it_is_now(
    api: Api, route: str
) -> None:
    key = tenant_key(api, "acme", max_sensitivity="medium")
    made = furnish(api, key, "acme")
    furnish_topics(api, key, "acme")
    topic_id = made["topic"]
    first = request_of(api, route, made, key)
    if "{id}" not in route:
        topic_id = first.body["topic_id"]
    if route == "DELETE /v1/topics/{id}":
        api.post(f"/v1/topics/{topic_id}/restore", {})
    raised = api.call("PATCH", f"/v1/topics/{topic_id}", {"sensitivity": "high"})

    again = request_of(api, route, made, key)

    assert (first.status, raised.status) == (200, 200)
    assert (again.status, again.body["detail"]) == (404, "topic not found")
    assert "idempotency-replayed" not in again.headers


def test_a_request_that_changed_nothing_is_repeated_with_the_rights_to_its_topic_alone(
    api: Api,
) -> None:
    key = tenant_key(api, "acme", max_sensitivity="medium")
    api.post("/v1/topics", {"topic_id": "svc", "title": "svc"}, key=key)
    path, same = "/v1/topics/svc", {"title": "svc"}
    first = api.call("PATCH", path, same, key=key, headers=IDEMPOTENT)
    replayed = api.call("PATCH", path, same, key=key, headers=IDEMPOTENT)
    api.call("PATCH", path, {"sensitivity": "high"})

    refused = api.call("PATCH", path, same, key=key, headers=IDEMPOTENT)

    assert replayed.headers["idempotency-replayed"] == "true"
    assert (first.status, refused.status) == (200, 404)
