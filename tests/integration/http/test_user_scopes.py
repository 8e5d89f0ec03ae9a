"""A request that names a user acts in the scope of that user alone."""

from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.builders.requests import BLANKS
from tests.integration.http.test_routes import EVENT
from tests.worlds.agreed import ROWS
from tests.worlds.api import Api, Reply
from tests.worlds.depth import cases

USERS = ("alice", "bob", "al", "alice:x", "Alice", "globex:user:alice")
PLACES = ("tenant:acme:common", "tenant:acmes", "tenant:acme", "shared")
WITH_USERS_WITHIN = {"BatchDocuments", "IngestBatch", "CallTool", "ListTools"}
"""Requests whose parts may name the user: items, arguments, or the calls of a listed tool."""
PREFIX = "tenant:acme:user:"


@dataclass(frozen=True, slots=True)
class Key:
    """A key, what it holds, and the prefix of its users."""

    secret: str
    scopes: tuple[str, ...]
    prefix: str = ""
    required: bool = False

    def shows(self, user: str | None, scope: str) -> bool:
        """Whether the request may see the scope: told anew from the rule, not from the code."""
        if user is not None:
            return scope == f"{self.prefix}{user}"
        return any(
            entry in ("*", scope) or (entry.endswith(":*") and scope.startswith(entry[:-1]))
            for entry in self.scopes
        )


def tenant(api: Api, name: str, *, required: bool = False) -> Key:
    """A key of all that a tenant has."""
    scopes, prefix = (f"tenant:{name}:*",), f"tenant:{name}:user:"
    secret = api.key_for(actor_id=name, scopes=scopes, user_prefix=prefix, user_required=required)
    return Key(secret, scopes, prefix, required)


def limited(api: Api, *scopes: str) -> Key:
    return Key(api.key_for(actor_id="limited", scopes=scopes), scopes)


@pytest.fixture
def acme(api: Api) -> Key:
    return tenant(api, "acme")


def post(api: Api, path: str, body: dict[str, Any], key: Key, **asked: Any) -> Reply:
    return api.post(path, {**body, **asked}, key=key.secret)


def get(api: Api, path: str, key: Key, user: str | None = None, **query: Any) -> Reply:
    asked = {**query, **({} if user is None else {"user": user})}
    return api.get(f"{path}?{urlencode(asked)}", key=key.secret)


def told(api: Api, key: Key, **asked: Any) -> Reply:
    said = {**EVENT, "summary": "likes green tea"}
    return post(api, "/v1/ingest/event", said, key, **asked)


def ids(shown: Any) -> set[str]:
    return {each["id"] for each in shown}


def listed(api: Api, key: Key, user: str | None) -> dict[str, set[str]]:
    """The ids that each route shows which names none, by the route."""
    named = {} if user is None else {"user": user}
    about = {"task_descriptor": "green tea", "limit": 50}
    query = post(api, "/v1/query", {"q": "green tea", "k": 50}, key, **named).body
    return {
        "list": ids(get(api, "/v1/records", key, user, limit=50).body["records"]),
        "salient": ids(post(api, "/v1/retrieve", {"limit": 50}, key, **named).body["records"]),
        "task": ids(post(api, "/v1/retrieve", about, key, **named).body["records"]),
        "topics": {*get(api, "/v1/topics", key, user, limit=50).body["topic_ids"]},
        "graph": ids(get(api, "/v1/graph", key, user, limit=50).body["nodes"]),
        "query": {each["topic_id"] for each in query["candidates"]},
    }


@pytest.mark.parametrize("seed", cases(range(4), range(1)))
def test_a_request_sees_what_its_user_or_its_key_covers_and_nothing_else(
    api: Api, seed: int
) -> None:
    chosen = Random(seed)
    tenants = [tenant(api, "acme"), tenant(api, "globex"), tenant(api, "acme", required=True)]
    others = [
        limited(api, f"{PREFIX}alice"),
        limited(api, f"{PREFIX}*", "shared"),
        limited(api, "*"),
    ]
    writings: list[tuple[Key, dict[str, str]]] = [
        *((chosen.choice(tenants), {"user": chosen.choice(USERS)}) for _ in range(3)),
        (tenants[0], {"user": "alice"}),
        *((others[2], {"scope": place}) for place in PLACES),
    ]
    records, topics = dict[str, str](), dict[str, str]()
    for number, (writer, where) in enumerate(writings):
        made = told(api, writer, **where).record
        records[made["id"]] = made["scope"]
        title = {"title": f"green tea {number}"}
        topic_id = post(api, "/v1/topics", title, writer, **where).body["topic_id"]
        topics[topic_id] = made["scope"]
    assert api.get("/_dev/queues?wait").status == 200

    askings = [(key, user) for key in tenants for user in USERS]
    for key, user in [*askings, *((key, None) for key in (*tenants, *others))]:
        if key.required and user is None:
            assert get(api, "/v1/records", key).status == 403
            continue
        found = listed(api, key, user)
        for route, shown in found.items():
            every = records if route in ("list", "salient", "task") else topics
            assert shown == {each for each in every if key.shows(user, every[each])}, route
        for path, every in (
            *((f"/v1/records/{{}}{below}", records) for below in ("", "/audit", "/versions")),
            ("/v1/topics/{}", topics),
        ):
            for each, scope in chosen.sample([*every.items()], 3):
                status = get(api, path.format(each), key, user).status
                assert status == (200 if key.shows(user, scope) else 404), path


def test_nobody_changes_what_belongs_to_another_user(api: Api) -> None:
    acme, globex = tenant(api, "acme"), tenant(api, "globex")
    made = told(api, acme, user="alice").record
    path = f"/v1/records/{made['id']}"
    before = api.stored()

    for key, user in ((acme, "bob"), (globex, "alice"), (acme, "Alice"), (acme, "al")):
        for method, below, body in (
            ("POST", "/reinforce", {}),
            ("POST", "/pin", {}),
            ("PATCH", "", {"tags": ["x"]}),
            ("DELETE", "", {}),
        ):
            reply = api.call(method, f"{path}{below}", {**body, "user": user}, key=key.secret)
            assert reply.status == (404 if method != "DELETE" else reply.status)
            assert reply.status >= 400
    assert api.stored() == before
    assert api.call("PATCH", path, {"tags": ["x"], "user": "alice"}, key=acme.secret).status == 200


def test_a_forgotten_user_reads_as_the_tenant_and_writes_nowhere(api: Api, acme: Key) -> None:
    made = {told(api, acme, user=user).record["id"] for user in ("alice", "bob")}

    refused = told(api, acme)

    assert api.get("/_dev/queues?wait").status == 200
    assert ids(get(api, "/v1/records", acme).body["records"]) == made
    assert (refused.status, refused.body["errors"][0]["field"]) == (400, "scope")
    assert "scope or user is required" in refused.body["detail"]


ROUTES = [each for each in ROWS if each.rpc not in WITH_USERS_WITHIN]


def asked(api: Api, operation: Any, key: Key, body: dict[str, Any] | None) -> Reply:
    """The reply to a request of the route that says nothing else."""
    method, path = operation.route.split(" ")
    for name in ("{id}", "{thread_id}", "{name}"):
        path = path.replace(name, "some-id")
    path = path.replace("{path+}", "notes/tea/items" if method == "POST" else "notes/tea")
    return api.call(method, path, None if method == "GET" else body, key=key.secret)


def test_every_request_of_a_key_with_required_users_must_name_one(api: Api) -> None:
    strict, acme = tenant(api, "acme", required=True), tenant(api, "acme")

    for operation in ROUTES:
        for body in ({}, {"user": None}):
            reply = asked(api, operation, strict, body)
            assert reply.status == 403, operation
            assert "user is required by the key in every request" in reply.body["detail"]
        if not operation.route.startswith("GET"):
            refused = asked(api, operation, acme, {"user": None})
            assert (refused.status, refused.body["errors"][0]["field"]) == (400, "user")
            assert "user must not be null" in refused.body["detail"]


def test_a_key_without_a_user_prefix_takes_no_user(api: Api) -> None:
    for key in (limited(api, "*"), limited(api, f"{PREFIX}alice"), limited(api, f"{PREFIX}*")):
        refused = told(api, key, user="alice")
        assert (refused.status, "user is not taken" in refused.body["detail"]) == (403, True)
    assert told(api, limited(api, "*"), user=None).record.get("scope", "") == ""


def test_what_is_no_name_of_a_user_is_refused(api: Api, acme: Key) -> None:
    longest = "x" * (256 - len(PREFIX))
    unnamed: tuple[Any, ...] = (5, ["a"], {}, True)

    for user in (*BLANKS, *unnamed, "*", "team:*", "x*", "ü" * 120, f"{longest}x"):
        refused = told(api, acme, user=user)
        assert (refused.status, refused.body["errors"][0]["field"]) == (400, "user"), ascii(user)
    assert told(api, acme, user=longest).record["scope"] == PREFIX + longest


def test_beside_a_user_only_the_scope_of_the_user_is_taken(api: Api, acme: Key) -> None:
    assert told(api, acme, user="alice", scope=f"{PREFIX}alice").status == 201

    refused = told(api, acme, user="alice", scope="tenant:acme:common")

    assert (refused.status, refused.body["detail"]) == (403, "the key does not cover this scope")


def test_nobody_is_admin_over_all_scopes_for_a_user(api: Api) -> None:
    root = api.key_for(actor_id="root", scopes=("*",), user_prefix="user:")
    context = {"system_role": "x", "runtime_context": "y"}

    for_user = api.call("PUT", "/v1/system-context", {**context, "user": "alice"}, key=root)

    assert for_user.status == 403
    assert api.call("PUT", "/v1/system-context", context, key=root).status == 200


def test_users_share_neither_an_idempotency_key_nor_pages(api: Api, acme: Key) -> None:
    keyed = {"idempotency_key": "k"}
    alice, bob = (told(api, acme, user=user, **keyed).record["id"] for user in ("alice", "bob"))
    told(api, acme, user="alice")
    page = get(api, "/v1/records", acme, "alice", limit=1).body["next_cursor"]

    assert alice != bob
    assert told(api, acme, user="alice", **keyed).record["id"] == alice
    assert told(api, acme, user="alice", **{**keyed, "ref": "another"}).status == 409
    assert get(api, "/v1/records", acme, "alice", limit=1, cursor=page).status == 200
    for other in ("bob", None):
        refused = get(api, "/v1/records", acme, other, limit=1, cursor=page)
        assert (refused.status, "cursor" in str(refused.body)) == (400, True)


def test_each_item_of_a_batch_may_name_its_user_and_no_other_than_the_batch(api: Api) -> None:
    strict, acme = tenant(api, "acme", required=True), tenant(api, "acme")
    event = {"rpc": "IngestEvent", **EVENT}
    alice, bob = ({**event, "user": user} for user in ("alice", "bob"))

    alone = post(api, "/v1/ingest/batch", {"items": [alice, bob, event]}, strict).body["results"]
    within = {"items": [event, alice, bob], "user": "alice"}
    shared = post(api, "/v1/ingest/batch", within, acme).body["results"]

    for results in (alone, shared):
        assert [each["status"] for each in results] == [201, 201, 403]
    assert [each["record"]["scope"] for each in alone[:2]] == [f"{PREFIX}alice", f"{PREFIX}bob"]
    assert shared[2]["error"]["detail"] == (
        "user must be the same in the request and in its items or arguments"
    )


def test_scopes_behind_a_prefix_must_be_named_where_they_are_many_or_counted(
    api: Api, acme: Key
) -> None:
    told(api, acme, user="u7")
    for path, body in (
        ("/v1/metrics", None),
        ("/v1/decay/preview", {"half_life_seconds": {"episodic": 60}}),
    ):
        refused = api.call("GET" if body is None else "POST", path, body, key=acme.secret)
        assert (refused.status, "or a user" in str(refused.body)) == (400, True), refused.body
    assert get(api, "/v1/metrics", acme, "u7").status == 200
    for number in range(51):
        told(api, acme, user=f"u{number}")
    assert api.get("/_dev/queues?wait").status == 200
    many = get(api, "/v1/records", acme)
    assert (many.status, "or name a user" in many.body["detail"]) == (400, True)
    assert len(get(api, "/v1/records", acme, "u7").body["records"]) == 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/ingest/event", {**EVENT, "scope": "tenant:acme:*"}),
        ("/v1/retrieve", {"trust": {"scopes": ["tenant:acme:*"]}}),
        ("/v1/topics", {"title": "t", "scope": "tenant:acme:*"}),
    ],
)
def test_only_a_key_holds_prefixes_of_scopes(api: Api, path: str, body: dict[str, Any]) -> None:
    for reply in (api.post(path, body), api.get("/v1/records?scope=tenant:acme:*")):
        assert reply.status == 400
        assert "is a prefix, which only a key may hold" in reply.body["detail"]
