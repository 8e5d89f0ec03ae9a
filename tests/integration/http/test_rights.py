"""Which key may use which route, see which record and write where."""

import hashlib
import json
from typing import Any

import pytest

from tests.integration.http.test_routes import EVENT, REPORTS, SKILL
from tests.worlds.agreed import ROWS
from tests.worlds.api import Api, Reply

NEEDED = {
    "POST /v1/ingest/event": "ingest",
    "POST /v1/ingest/tool-output": "ingest",
    "POST /v1/ingest/observation": "ingest",
    "POST /v1/ingest/outcome": "ingest",
    "POST /v1/ingest/working-state": "ingest",
    "POST /v1/ingest/batch": "ingest",
    "POST /v1/messages": "ingest",
    "POST /v1/capture": "ingest",
    "POST /v1/uploads": "ingest",
    "POST /v1/decay/preview": "read",
    "POST /v1/records": "ingest",
    "POST /v1/retrieve": "read",
    "POST /v1/retrieve/graph": "read",
    "GET /v1/records": "read",
    "GET /v1/entities": "read",
    "GET /v1/entities/{id}": "read",
    "GET /v1/entities/{id}/mentions": "read",
    "POST /v1/entities/{id}/merge": "revise",
    "POST /v1/entities/{id}/split": "revise",
    "POST /v1/consolidate": "revise",
    "GET /v1/consolidations": "read",
    "GET /v1/threads/{thread_id}/state": "read",
    "GET /v1/receipts/{id}": "read",
    "GET /v1/metrics": "read",
    "GET /v1/records/{id}": "read",
    "GET /v1/records/{id}/audit": "read",
    "GET /v1/records/{id}/versions": "read",
    "DELETE /v1/records/{id}": "revise",
    "POST /v1/records/{id}/reinforce": "revise",
    "POST /v1/records/{id}/penalize": "revise",
    "POST /v1/records/{id}/pin": "revise",
    "POST /v1/records/{id}/unpin": "revise",
    "PATCH /v1/records/{id}/lifecycle": "revise",
    "PATCH /v1/records/{id}": "revise",
    "POST /v1/records/{id}/supersede": "revise",
    "POST /v1/records/{id}/fork": "revise",
    "POST /v1/records/{id}/retract": "revise",
    "POST /v1/records/{id}/contest": "revise",
    "POST /v1/records/{id}/resolve": "revise",
    "POST /v1/records/merge": "revise",
    "POST /v1/records/{id}/restore": "admin",
    "POST /v1/ingest": "ingest",
    "POST /v1/query": "read",
    "POST /v1/topics": "ingest",
    "GET /v1/topics": "read",
    "GET /v1/topics/{id}": "read",
    "PATCH /v1/topics/{id}": "revise",
    "DELETE /v1/topics/{id}": "revise",
    "POST /v1/topics/{id}/restore": "revise",
    "POST /v1/topics/{id}/relationships": "ingest",
    "DELETE /v1/topics/{id}/relationships": "revise",
    "POST /v1/topics/{id}/fields": "ingest",
    "GET /v1/topics/{id}/fields/{name}": "read",
    "DELETE /v1/topics/{id}/fields/{name}": "revise",
    "PUT /v1/topics/{id}/fields/{name}/ref": "revise",
    "POST /v1/topics/{id}/nest-fields": "revise",
    "POST /v1/topics/{id}/unnest-fields": "revise",
    "POST /v1/topics/{id}/promote-nested": "revise",
    "POST /v1/topics/{id}/undo-nested": "revise",
    "POST /v1/topics/{id}/unmerge": "revise",
    "GET /v1/graph": "read",
    "GET /v1/system-context": "read",
    "PUT /v1/system-context": "admin",
    "POST /v1/reason": "revise",
    "GET /v1/reason/actions": "read",
    "POST /v1/erasures": "admin",
    "GET /v1/erasures/{id}": "admin",
    "GET /v1/erasures/{id}/certificate": "admin",
    "POST /v1/exports": "admin",
    "GET /v1/exports": "admin",
    "GET /v1/exports/{id}": "admin",
    "POST /v1/chat": "read",
    "POST /v1/studies": "ingest",
    "GET /v1/studies/{id}": "read",
    "POST /v1/studies/{id}/cancel": "ingest",
    "POST /v1/studies/{id}/resume": "ingest",
    "POST /v1/studies/remove": "revise",
    "PUT /v1/documents/{path+}": "ingest",
    "GET /v1/documents/{path+}": "read",
    "DELETE /v1/documents/{path+}": "ingest",
    "POST /v1/documents/{path+}": "ingest",
    "POST /v1/documents/search": "read",
    "GET /v1/namespaces": "read",
    "GET /v1/document-operations": "read",
}
TOPIC_BODIES: dict[str, Any] = {
    "POST /v1/ingest": {"placement": "new_topic"},
    "POST /v1/query": {"q": ""},
    "POST /v1/topics": {},
    "PATCH /v1/topics/{id}": {"title": "other"},
    "POST /v1/topics/{id}/relationships": {"to_topic_id": "svc", "kind": "is"},
    "POST /v1/topics/{id}/fields": {"field_name": "a", "value": 1},
    "PUT /v1/topics/{id}/fields/{name}/ref": {},
    "POST /v1/topics/{id}/nest-fields": {"field_names": ["a"], "nest_key": "g"},
    "POST /v1/topics/{id}/unnest-fields": {"nest_key": "bundle"},
    "POST /v1/topics/{id}/promote-nested": {"field_names": ["a"], "child_title": "child"},
    "POST /v1/topics/{id}/undo-nested": {"child_topic_id": "child"},
    "PUT /v1/system-context": {"system_role": "helper", "runtime_context": "laptop"},
    "POST /v1/reason": {},
}
"""Of every route of topics that takes one, for the topic `svc`."""

FACT = {
    "type": "semantic",
    "sensitivity": "low",
    "payload": {
        "kind": "semantic",
        "subject": "service",
        "predicate": "uses",
        "object": "postgres",
        "validity": {"mode": "global"},
        "evidence": [{"source_type": "log", "source_id": "1", "timestamp": "2026-01-01T00:00:00Z"}],
    },
}
REVISIONS: dict[str, Any] = {
    "PATCH /v1/records/{id}": {"tags": ["new"]},
    "POST /v1/records/{id}/supersede": {"new_record": FACT},
    "POST /v1/records/{id}/fork": {"forked_record": FACT},
    "POST /v1/records/{id}/retract": {},
    "POST /v1/records/{id}/contest": {},
    "POST /v1/records/{id}/resolve": {"resolution": "keep"},
}
"""Every revision of one fact, with its body."""

STUDY: dict[str, Any] = {
    "title": "Tea",
    "document": "# Tea\n\nAda likes green tea.\n",
    "with_model": False,
}
OF_STATES = ("/unmerge", "/cancel", "/resume")
"""The ends of routes that are open and still refuse: nothing is merged, or the study has ended."""

OF_PARTS = {"GET /v1/tools", "POST /v1/tools/{name}", "POST /v1/documents/batch"}
"""Open to each key; the tool, or the operation in the batch, needs a permission."""

DOCUMENT_BODIES: dict[str, Any] = {
    "PUT /v1/documents/{path+}": {"value": {"n": 1}},
    "POST /v1/documents/{path+}": {"items": [1]},
    "POST /v1/documents/batch": {
        "operations": [{"op": "put", "namespace": ["notes"], "key": "tea", "value": 1}]
    },
    "POST /v1/documents/search": {"filter": {"n": 1}},
}
"""Of every route of documents that takes one."""

TOOLS: dict[str, tuple[Any, set[str]]] = {
    "recall": ({"query": "tea"}, {"read"}),
    "read": ({"id": "{id}"}, {"read"}),
    "about": ({"name": "service"}, {"read"}),
    "search": ({"query": "tea"}, {"read"}),
    "fetch": ({"id": "{id}"}, {"read"}),
    "remember": ({"text": "tea"}, {"ingest"}),
    "record_outcome": ({"task": "tea", "status": "success"}, {"ingest"}),
    "correct": ({"id": "{id}", "object": "sqlite"}, {"revise"}),
    "forget": ({"ids": ["{id}"]}, {"revise"}),
}
"""By tool the arguments, and the permissions that open the tool."""

ALSO = {"GET /v1/receipts/{id}": "admin", "POST /v1/chat": "ingest"}
CHANGES: dict[str, Any] = {
    "DELETE /v1/records/{id}": None,
    "DELETE /v1/records/{id}?erase=true": None,
    "POST /v1/records/{id}/reinforce": None,
    "POST /v1/records/{id}/penalize": {"amount": 0.1},
    "POST /v1/records/{id}/pin": None,
    "POST /v1/records/{id}/unpin": None,
    "PATCH /v1/records/{id}/lifecycle": {"deletion_policy": "never"},
    "POST /v1/records/{id}/restore": None,
}
"""Every change of one record, with its body."""


def test_the_permissions_cover_every_route() -> None:
    assert {operation.route for operation in ROWS} == {*NEEDED, *OF_PARTS}


def make_entity(api: Api, name: str, key: str | None = None, **fields: Any) -> str:
    """The id of a new entity."""
    payload = {"kind": "entity", "canonical_name": name}
    entity = {"type": "entity", "sensitivity": "low", "payload": payload, **fields}
    return str(api.post("/v1/records", entity, key=key).record["id"])


def studied_by(api: Api, key: str) -> dict[str, str]:
    """The reply about a new study, once the study has ended."""
    started = api.post("/v1/studies", STUDY, key=key)
    assert started.status == 202, started.body
    assert api.get("/_dev/queues?wait").status == 200
    return dict(started.body)


OF_TOPICS = [
    route
    for route in NEEDED
    if route.endswith(("/ingest", "/query", "/v1/graph", "/reason", "/actions", "/system-context"))
    or "/v1/topics" in route
]
OF_DOCUMENTS = [route for route in NEEDED if "/document" in route or "/namespaces" in route]
OF_RECORDS = [route for route in NEEDED if route not in {*OF_TOPICS, *OF_DOCUMENTS}]
PERMISSIONS = ["ingest", "read", "revise", "admin"]


def last_of(permissions: set[str | None]) -> list[str]:
    """Every permission, the refused ones first: a refused request must leave all as it was."""
    return sorted(PERMISSIONS, key=permissions.__contains__)


def refused_to(api: Api, permission: str, route: str, path: str, body: Any) -> bool:
    """Whether the route is closed to a key with that permission alone."""
    method = route.split(" ", maxsplit=1)[0]
    reply = api.call(method, path, body, key=api.key_for(permissions=(permission,)))
    if reply.status < 300 or (reply.status == 409 and route.endswith(OF_STATES)):
        return False
    assert (reply.status, reply.body["code"]) == (403, "PERMISSION_DENIED"), reply.body
    return True


@pytest.mark.parametrize("route", OF_RECORDS)
def test_a_route_opens_to_its_own_permission_alone(api: Api, route: str) -> None:
    record_id = api.post("/v1/ingest/event", EVENT).record["id"]
    state = api.post("/v1/ingest/working-state", REPORTS["working-state"]).record
    receipt_id = api.post("/v1/retrieve", {}, key=api.key_for()).body["receipt_id"]
    named = receipt_id if "receipts" in route else record_id
    if "erasures" in route:
        named = api.post("/v1/erasures", {"scope": "nobody", "dry_run": False}).body["id"]
        assert api.get("/_dev/queues?wait").status == 200
    if route == "GET /v1/exports/{id}":
        named = api.post("/v1/exports", {}, key=api.key_for()).body["export"]["id"]
    studied = studied_by(api, api.key_for()) if "/studies/" in route else {}
    named = studied.get("id", named)
    other = make_entity(api, "Bob")
    if "/entities/" in route:
        named = make_entity(api, "Robert Miller")
        if route.endswith("/split"):
            api.post(f"/v1/entities/{named}/merge", {"entity_ids": [other]})
    elif route in REVISIONS or route.endswith("/merge"):
        named = api.post("/v1/ingest/observation", REPORTS["observation"]).record["id"]
    if route.endswith("/resolve"):
        api.post(f"/v1/records/{named}/contest", {})
    thread_id = state["payload"]["thread_id"]
    path_of = route.replace("{id}", named).replace("{thread_id}", thread_id)
    path = path_of.split(" ")[1]
    bodies: dict[str, Any] = {f"/v1/ingest/{name}": body for name, body in REPORTS.items()}
    bodies["/v1/exports"] = None if route.startswith("GET") else {}
    bodies["/v1/ingest/outcome"] = {
        "source": "judge",
        "target_record_id": record_id,
        "outcome_status": "success",
    }
    bodies["/v1/consolidate"] = {}
    bodies["/v1/records"] = SKILL
    bodies["/v1/records/merge"] = {"ids": [named], "merged_record": FACT}
    bodies["/v1/retrieve"] = bodies["/v1/retrieve/graph"] = {}
    bodies["/v1/ingest/batch"] = {"items": []}
    bodies["/v1/messages"] = {"session": "s", "messages": [{"role": "user", "content": "Hi"}]}
    bodies["/v1/chat"] = {"messages": [{"role": "user", "content": "Who is Ada?"}]}
    bodies["/v1/capture"] = {"source": "agent", "content": {"project": "acme"}}
    bodies["/v1/studies"] = STUDY
    bodies["/v1/studies/remove"] = {"document_id": studied.get("document_id")}
    bodies["/v1/erasures"] = {"scope": "nobody"}
    bodies["/v1/uploads"] = {"size": 1, "sha256": "0" * 64}
    bodies["/v1/decay/preview"] = {"trust": {"scopes": ["project:alpha"]}}
    if "/entities/" in route and route.startswith("POST"):
        bodies[path] = {"entity_ids": [other]} if path.endswith("/merge") else {"entity_id": other}
    if path.endswith("/restore"):
        api.call("DELETE", f"/v1/records/{record_id}")
    query = "?scope=project:alpha" if path == "/v1/metrics" else ""
    body = bodies.get(path, {**CHANGES, **REVISIONS}.get(route))
    own = {NEEDED[route], ALSO.get(route)}

    refused = [held for held in last_of(own) if refused_to(api, held, route, path + query, body)]

    assert {*PERMISSIONS} - {*refused} == own - {None}


@pytest.mark.parametrize("route", OF_TOPICS)
def test_a_route_of_topics_opens_to_its_own_permission_alone(api: Api, route: str) -> None:
    api.post("/v1/topics", {"topic_id": "svc", "title": "svc"})
    for name in ("a", "b", "c"):
        api.post("/v1/topics/svc/fields", {"field_name": name, "value": 1})
    api.post("/v1/topics/svc/nest-fields", {"field_names": ["b"], "nest_key": "bundle"})
    child = {"field_names": ["c"], "child_title": "child", "child_topic_id": "child"}
    api.post("/v1/topics/svc/promote-nested", child)
    api.post("/v1/topics/svc/relationships", {"to_topic_id": "svc", "kind": "is"})
    if route.endswith("/restore"):
        api.call("DELETE", "/v1/topics/svc")
    method, path = route.replace("{id}", "svc").replace("{name}", "a").split(" ")
    query = "?to_topic_id=svc&kind=is" if (method, path[-5:]) == ("DELETE", "ships") else ""
    body = TOPIC_BODIES.get(route)

    refused = [
        held
        for held in last_of({NEEDED[route]})
        if refused_to(api, held, route, path + query, body)
    ]

    assert {*PERMISSIONS} - {*refused} == {NEEDED[route]}


def document_path(route: str) -> str:
    """The path of the route about the document `tea`, or about its list."""
    place = "notes/tea/items" if route.startswith("POST ") else "notes/tea"
    return route.split(" ")[1].replace("{path+}", place)


@pytest.mark.parametrize("route", OF_DOCUMENTS)
def test_a_route_of_documents_opens_to_its_own_permission_alone(api: Api, route: str) -> None:
    put = {"value": {"n": 1}, "operation_id": "first"}
    made = api.call("PUT", "/v1/documents/notes/tea", put, key=api.key_for())
    query = "?operation_id=first" if route.endswith("-operations") else ""
    body = DOCUMENT_BODIES.get(route)
    path = document_path(route) + query

    refused = [
        held for held in last_of({NEEDED[route]}) if refused_to(api, held, route, path, body)
    ]

    assert made.status == 200
    assert {*PERMISSIONS} - {*refused} == {NEEDED[route]}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_opens_to_its_own_permission_alone(api: Api, tool: str) -> None:
    fact = api.post("/v1/ingest/observation", REPORTS["observation"]).record["id"]
    given, own = TOOLS[tool]
    arguments = json.loads(json.dumps(given).replace("{id}", fact))
    opened, listed = set[str](), set[str]()

    for held in last_of({*own}):
        key = api.key_for(permissions=(held,))
        reply = api.post(f"/v1/tools/{tool}", {"arguments": arguments}, key=key)
        assert reply.status in {200, 404}, reply.body
        opened |= {held} if reply.status == 200 else set()
        profile = "search" if tool in {"search", "fetch"} else "agent"
        names = [
            each["name"] for each in api.get(f"/v1/tools?profile={profile}", key=key).body["tools"]
        ]
        listed |= {held} if tool in names else set()

    assert opened == listed == own


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [({"thread_id": "t1", "state": "executing"}, "ingest"), ({"thread_id": "t1"}, "read")],
    ids=["saves", "reads"],
)
def test_the_tool_for_states_saves_for_ingest_and_reads_for_read(
    api: Api, arguments: dict[str, str], needed: str
) -> None:
    saved = {"arguments": {"thread_id": "t1", "state": "executing"}}
    assert api.post("/v1/tools/working_state", saved).status == 200

    status = {
        held: api.post(
            "/v1/tools/working_state",
            {"arguments": arguments},
            key=api.key_for(permissions=(held,)),
        ).status
        for held in PERMISSIONS
    }

    closed = {held: 403 if held in {"ingest", "read"} else 404 for held in PERMISSIONS}
    assert status == {**closed, needed: 200}


def test_what_a_key_may_not_see_answers_like_what_is_not_there(api: Api) -> None:
    elsewhere = api.post("/v1/ingest/event", {**EVENT, "scope": "project:beta"}).record["id"]
    above = api.post(
        "/v1/ingest/event", {**EVENT, "scope": "project:alpha", "sensitivity": "high"}
    ).record["id"]
    key = api.key_for(scopes=("project:alpha",), max_sensitivity="medium")

    absent = api.get("/v1/records/absent", key=key)

    for record_id in (elsewhere, above):
        for path in ("", "?as_of=2026-01-01T00:00:00Z", "?resolve=latest", "/audit", "/versions"):
            hidden = api.get(f"/v1/records/{record_id}{path}", key=key)
            assert (hidden.status, hidden.problem) == (404, absent.problem)
        for route, body in CHANGES.items():
            method, path = route.replace("{id}", record_id).split(" ")
            change = api.call(method, path, body, key=key)
            assert (change.status, change.problem) == (404, absent.problem), route
        merge = {"ids": [record_id], "merged_record": FACT}
        revisions = {**REVISIONS, "POST /v1/records/merge": merge}
        for route, body in revisions.items():
            refusals = [
                _refusal(api, route.replace("{id}", each), _naming(body, each), key)
                for each in (record_id, "absent")
            ]
            assert [each.status for each in refusals] == [404, 404], route
            there, not_there = (_words(each.problem) for each in refusals)
            assert there.replace(record_id, "absent") == not_there


def test_a_key_reads_its_scopes_and_what_is_unscoped(api: Api) -> None:
    own = api.post("/v1/ingest/event", {**EVENT, "scope": "project:alpha"}).record["id"]
    unscoped = api.post("/v1/ingest/event", EVENT).record["id"]
    key = api.key_for(scopes=("project:alpha",))

    assert api.get(f"/v1/records/{own}", key=key).status == 200
    assert api.get(f"/v1/records/{unscoped}", key=key).status == 200
    assert api.get(f"/v1/records/{unscoped}?scope=nowhere", key=key).status == 200
    assert api.get(f"/v1/records/{own}?scope=nowhere", key=key).status == 403


def test_a_report_without_a_scope_goes_into_the_keys_first(api: Api) -> None:
    key = api.key_for(scopes=("project:b", "project:a"))

    record = api.post("/v1/ingest/event", EVENT, key=key).record

    assert record["scope"] == "project:b"
    assert record["audit_log"][0]["principal"] == "agent"


@pytest.mark.parametrize(
    "asked",
    [
        {"scope": "project:beta"},
        {"scope": "project:alph"},
        {"scope": "Project:alpha"},
        {"sensitivity": "high"},
        {"scope": "project", "sensitivity": "low"},
    ],
    ids=str,
)
def test_nobody_writes_outside_the_own_scopes_or_above_the_own_ceiling(
    api: Api, asked: dict[str, str]
) -> None:
    key = api.key_for(scopes=("project:alpha",), max_sensitivity="medium")
    before = api.stored()

    bodies = {**{f"ingest/{name}": body for name, body in REPORTS.items()}, "records": SKILL}
    for path, body in bodies.items():
        reply = api.post(f"/v1/{path}", {**body, **asked}, key=key)
        assert (reply.status, reply.body["code"]) == (403, "PERMISSION_DENIED")

    assert api.stored() == before


def test_the_default_sensitivity_is_no_way_around_the_ceiling(api: Api) -> None:
    key = api.key_for(max_sensitivity="public")

    assert api.post("/v1/ingest/event", EVENT, key=key).status == 403


def test_a_request_narrows_what_the_key_shows_and_never_widens_it(api: Api) -> None:
    key = api.key_for(scopes=("project:alpha",), max_sensitivity="medium")
    places = [{"scope": "project:alpha"}, {"scope": "project:beta"}, {"sensitivity": "high"}]
    own, elsewhere, above = (
        api.post("/v1/ingest/event", {**EVENT, **place}).record["id"] for place in places
    )
    api.call("DELETE", f"/v1/records/{elsewhere}")
    wide = "scope=*&scope=project:beta&max_sensitivity=hyper"

    def seen(record_id: str, query: str) -> set[int]:
        paths = (f"/v1/records/{record_id}?", f"/v1/records/{record_id}/audit?")
        return {api.get(path + query, key=key).status for path in paths}

    assert seen(own, "") == seen(own, wide) == seen(own, "scope=project:alpha") == {200}
    for narrower in ("max_sensitivity=public", "scope=shared", "scope=project:beta"):
        assert seen(own, narrower) == {403}
    assert seen(elsewhere, wide) == seen(above, wide) == {404}
    assert api.get(f"/v1/records/{elsewhere}/audit").status == 200


@pytest.mark.parametrize("route", CHANGES)
def test_an_unscoped_record_is_changed_only_by_a_key_for_all_scopes(api: Api, route: str) -> None:
    record_id = api.post("/v1/ingest/event", EVENT).record["id"]
    limited = api.key_for(scopes=("project:alpha",))
    method, path = route.replace("{id}", record_id).split(" ")
    before = api.stored()

    change = api.call(method, path, CHANGES[route], key=limited)

    assert (change.status, change.body["code"]) == (403, "PERMISSION_DENIED")
    assert api.stored() == before


@pytest.mark.parametrize("route", CHANGES)
def test_a_deleted_record_that_a_key_may_not_see_is_not_there_either(api: Api, route: str) -> None:
    record_id = api.post("/v1/ingest/event", {**EVENT, "scope": "project:beta"}).record["id"]
    api.call("DELETE", f"/v1/records/{record_id}")
    key = api.key_for(scopes=("project:alpha",))
    method, path = route.replace("{id}", record_id).split(" ")
    before = api.stored()

    change = api.call(method, path, CHANGES[route], key=key)

    assert (change.status, change.body["detail"]) == (404, "record not found")
    assert api.stored() == before


@pytest.mark.parametrize(
    ("permissions", "status"),
    [(("revise",), 403), (("read",), 403), (("admin",), 204)],
    ids=["revise", "read", "admin"],
)
def test_to_erase_takes_the_permission_admin_and_no_other(
    api: Api, permissions: tuple[str, ...], status: int
) -> None:
    record_id = api.post("/v1/ingest/event", EVENT).record["id"]
    key = api.key_for(permissions=permissions)

    assert api.call("DELETE", f"/v1/records/{record_id}?erase=true", key=key).status == status


@pytest.mark.parametrize(
    ("permissions", "query", "status"),
    [
        (("revise",), "?erase=true", 403),
        (("admin",), "?erase=true", 200),
        (("admin",), "", 403),
        (("revise",), "", 200),
    ],
)
def test_to_erase_a_topic_takes_admin_and_to_delete_one_revise(
    api: Api, permissions: tuple[str, ...], query: str, status: int
) -> None:
    topic_id = api.post("/v1/topics", {"title": "Ada"}).body["topic_id"]
    key = api.key_for(permissions=permissions)

    assert api.call("DELETE", f"/v1/topics/{topic_id}{query}", key=key).status == status


def test_an_actor_is_a_claim_beside_the_authenticated_principal(api: Api) -> None:
    record_id = api.post("/v1/ingest/event", EVENT).record["id"]
    key = api.key_for(actor_id="agent-7")

    api.call("DELETE", f"/v1/records/{record_id}", {"actor": "president"}, key=key)

    entry = api.get(f"/v1/records/{record_id}/audit").body["audit_log"][-1]
    assert (entry["actor"], entry["principal"]) == ("president", "agent-7")


def test_a_revoked_key_opens_nothing(api: Api) -> None:
    key = api.key_for(actor_id="gone")
    listed = api.get("/_dev/keys").body["keys"]
    key_id = next(each["key_id"] for each in listed if each["actor_id"] == "gone")

    api.call("DELETE", f"/_dev/keys/{key_id}")

    assert api.post("/v1/ingest/event", EVENT, key=key).status == 403


def test_an_expired_key_opens_nothing(api: Api) -> None:
    asked = {
        "actor_id": "guest",
        "permissions": ["ingest"],
        "scopes": ["*"],
        "max_sensitivity": "low",
        "expires_in_days": 1,
    }
    key = api.post("/_dev/keys", asked).body["secret"]
    assert api.post("/v1/ingest/event", EVENT, key=key).status == 201

    api.post("/_dev/clock", {"advance_seconds": 86_401})

    assert api.post("/v1/ingest/event", EVENT, key=key).status == 403
    api.post("/_dev/clock", {"advance_seconds": -86_401})


OWNER: dict[str, Any] = {
    "actor_id": "deputy",
    "permissions": ["admin", "ingest", "read", "revise"],
    "scopes": ["*"],
    "max_sensitivity": "hyper",
}


@pytest.mark.parametrize(
    "lesser",
    [
        {"permissions": ["ingest", "read", "revise"]},
        {"scopes": ["project:*"]},
        {"max_sensitivity": "high"},
        {"scopes": ["*", "user:*"], "user_prefix": "user:", "user_required": True},
    ],
)
def test_what_is_only_for_development_needs_the_rights_of_the_owner(
    api: Api, lesser: dict[str, Any]
) -> None:
    key = api.post("/_dev/keys", OWNER | lesser).body["secret"]
    key_id = api.get("/_dev/keys").body["keys"][0]["key_id"]

    statuses = {
        api.get("/_dev/keys", key=key).status,
        api.post("/_dev/keys", OWNER, key=key).status,
        api.call("DELETE", f"/_dev/keys/{key_id}", key=key).status,
        api.post("/_dev/invoke/RetrieveFunction", {}, key=key).status,
        api.post("/_dev/reset", None, key=key).status,
        api.call("PUT", "/_dev/imports/lines", {}, key=key).status,
    }

    assert statuses == {403}


def test_a_second_owner_may_make_keys(api: Api) -> None:
    key = api.post("/_dev/keys", OWNER).body["secret"]

    assert api.post("/_dev/keys", OWNER, key=key).status == 201


def _naming(body: Any, record_id: str) -> Any:
    """The same body, of a merge of that record."""
    return {**body, "ids": [record_id]} if "ids" in body else body


def _refusal(api: Api, route: str, body: Any, key: str) -> Reply:
    method, path = route.split(" ")
    return api.call(method, path, body, key=key)


def _words(body: Any) -> str:
    return json.dumps(body, sort_keys=True)


@pytest.mark.parametrize("scheme", ["bearer ", "BEARER ", "Bearer  "])
@pytest.mark.parametrize("path", ["/v1/retrieve", "/v1/chat/stream", "/mcp", "/_dev/queues"])
def test_every_kind_of_route_takes_the_scheme_in_any_case(api: Api, path: str, scheme: str) -> None:
    method = "GET" if path.startswith("/_dev/") else "POST"

    def status(authorization: str) -> int:
        headers = {"authorization": authorization, "accept": "application/json"}
        return api.send(method, path, b"{}", key="", headers=headers).status

    assert status(f"{scheme}{api.secret}") == status(f"Bearer {api.secret}")
    assert status(f"{scheme}other") in {401, 403}


# --- keys ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer unknown",
        "Bearerx {}",
        "Bearer\t{}",
        "Basic {}",
        "{}",
        " Bearer {}",
        "Bearer {} ",
        "Bearer {digest}",
    ],
)
def test_nothing_but_the_key_itself_opens_anything(api: Api, authorization: str) -> None:
    secret = api.key_for()
    digest = hashlib.sha256(secret.encode()).hexdigest()
    headers = {"authorization": authorization.format(secret, digest=digest)}

    replies = [
        api.send("POST", "/v1/ingest/event", json.dumps(EVENT).encode(), key="", headers=sent)
        for sent in ({"authorization": f"Bearer {secret}"}, headers)
    ]

    assert replies[0].status == 201
    assert replies[1].status in {401, 403}


def test_the_secret_of_a_key_is_stored_nowhere(api: Api) -> None:
    secret = api.key_for()
    pages = api.functions.store.dynamodb.get_paginator("scan").paginate(TableName="membrane")

    stored = str([page["Items"] for page in pages])

    assert secret not in stored
    assert hashlib.sha256(secret.encode()).hexdigest() in stored


@pytest.mark.parametrize("actor", ["feeding", "reason", "oidc:ana"])
def test_no_key_is_made_for_an_actor_of_the_service_or_of_access_tokens(
    api: Api, actor: str
) -> None:
    before = api.get("/_dev/keys").body

    assert api.post("/_dev/keys", {**OWNER, "actor_id": actor}).status == 400
    assert api.get("/_dev/keys").body == before


def test_an_id_that_no_key_has_revokes_nothing(api: Api) -> None:
    before = api.get("/_dev/keys").body

    assert api.call("DELETE", "/_dev/keys/g").status == 404
    assert api.get("/_dev/keys").body == before
