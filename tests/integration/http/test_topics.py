"""Topics over HTTP, from the first observation to what becomes of it."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.worlds.api import Api
from tests.worlds.memory_client import MemoryClient

SOON_S = 31
"""Longer than changes of a scope are gathered before it is reasoned about."""


@pytest.fixture
def memory(api: Api) -> MemoryClient:
    return MemoryClient(api)


def field(name: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "value": value, **more}


def settle(api: Api) -> None:
    """Wait until what was written can be found."""
    assert api.get("/_dev/queues?wait").status == 200


def reason(api: Api) -> None:
    """Wait until what was written has been reasoned about, too."""
    settle(api)
    assert api.post("/_dev/clock", {"advance_seconds": SOON_S}).status == 200
    settle(api)


def read(api: Api, topic_id: str, **options: Any) -> dict[str, Any]:
    reply = api.get(f"/v1/topics/{topic_id}", **options)
    assert reply.status == 200, reply.body
    return dict(reply.body)


def values(topic: dict[str, Any], name: str) -> list[Any]:
    """Of a field, the newest first."""
    return [each["value"] for each in topic["fields"][name]["history"]]


# --- Ingest and query ---------------------------------------------------------------------------


def test_what_is_ingested_comes_back_by_a_query_with_its_history(memory: MemoryClient) -> None:
    made = memory.ingest(
        "new_topic", title="Payment service", topic_kind="service", fields=[field("region", "eu")]
    )
    topic_id = made["topic_id"]
    moved = memory.ingest(
        "version_field", topic_id=topic_id, fields=[field("region", "us", why_changed="moved")]
    )
    settle(memory.api)

    answer = memory.query("where does the payment service run?", explain=True)

    (candidate,) = answer["candidates"]
    assert made["applied"] == [f"created_topic:{topic_id}", "field:region"]
    assert moved["applied"] == ["version:region"]
    assert (candidate["topic_id"], candidate["title"]) == (topic_id, "Payment service")
    (region,) = candidate["fields"]
    assert region["current"]["id"] == moved["version_ids"]["region"]
    assert [each["value"] for each in region["history"]] == ["us", "eu"]
    assert answer["summary_text"].splitlines()[0] == (
        "Top topics for 'where does the payment service run?':"
    )


def test_an_observation_without_a_placement_goes_where_it_belongs(memory: MemoryClient) -> None:
    first = memory.ingest(title="Alice", topic_kind="person", fields=[field("city", "Oslo")])
    again = memory.ingest(title=" alice ", topic_kind="person", fields=[field("city", "Bergen")])
    same = memory.ingest(title="Alice", topic_kind="person", fields=[field("city", "Bergen")])
    other = memory.ingest(title="Alice", topic_kind="ship", fields=[field("city", "Oslo")])

    topic = read(memory.api, first["topic_id"])

    assert again["topic_id"] == same["topic_id"] == first["topic_id"]
    assert again["placement"]["fields"] == {"city": "version"}
    assert same["placement"]["fields"] == {"city": "unchanged"}
    assert other["topic_id"] != first["topic_id"]
    assert values(topic, "city") == ["Bergen", "Oslo"]


def test_a_query_that_carries_a_writes_token_sees_that_write(memory: MemoryClient) -> None:
    memory.api.post("/_dev/stream", {"paused": True})
    made = memory.ingest("new_topic", title="Harbour", fields=[field("depth", 12)])

    answer = memory.query("harbour depth", consistency_tokens=[made["consistency_token"]])
    memory.api.post("/_dev/stream", {"paused": False})

    assert [each["topic_id"] for each in answer["candidates"]] == [made["topic_id"]]


def test_a_repeat_under_one_key_is_answered_alike_and_changes_nothing(
    memory: MemoryClient,
) -> None:
    body = {"placement": "new_topic", "title": "Once", "fields": [field("n", 1)]}

    first, again = (memory.try_ingest(body, **{"idempotency-key": "k"}) for _ in range(2))
    other = memory.try_ingest({**body, "title": "Twice"}, **{"idempotency-key": "k"})

    assert (first.status, again.status, other.status) == (200, 200, 409)
    assert again.body == first.body
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert values(read(memory.api, first.body["topic_id"]), "n") == [1]


@pytest.mark.parametrize("route", ["/v1/ingest", "/v1/query"])
def test_the_two_calls_pass_over_what_they_do_not_know(memory: MemoryClient, route: str) -> None:
    body = {"placement": "new_topic", "title": "t", "q": "", "stages": [], "study_ingest": True}

    assert memory.api.post(route, body).status == 200


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"placement": "somewhere"}, "unknown placement"),
        ({"placement": "extend_topic", "topic_id": "absent"}, "topic not found"),
        ({"placement": "version_field", "topic_id": "absent"}, "topic not found"),
    ],
)
def test_what_cannot_be_placed_is_refused_in_the_words_of_the_peer(
    memory: MemoryClient, body: dict[str, Any], said: str
) -> None:
    reply = memory.try_ingest({**body, "fields": [field("a", 1)]})

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert reply.body["detail"] == said


# --- What becomes of it -------------------------------------------------------------------------


def test_two_topics_of_one_title_become_one_and_can_be_taken_apart_again(
    memory: MemoryClient,
) -> None:
    keeper = memory.ingest(
        "new_topic", title="Billing", fields=[field("owner", "a"), field("port", 1)]
    )["topic_id"]
    twin = memory.ingest("new_topic", title="Billing", fields=[field("owner", "b")])["topic_id"]
    api = memory.api

    reason(api)

    merged = read(api, keeper)
    assert read(api, twin)["id"] == keeper
    assert values(merged, "owner") == ["b", "a"]
    assert twin in merged["absorbed"]
    (action,) = api.get("/v1/reason/actions").body["actions"]
    assert action["action"] == f"merged:{twin}->:{keeper}:Billing"
    assert api.post(f"/v1/topics/{twin}/unmerge", {}).status == 200
    assert values(read(api, keeper), "owner") == ["a"]
    assert values(read(api, twin), "owner") == ["b"]
    assert api.post(f"/v1/topics/{twin}/unmerge", {}).status == 409
    reason(api)
    assert read(api, twin)["id"] == twin
    assert read(api, keeper)["id"] == keeper


def test_being_found_adds_to_a_topics_salience_and_changes_nothing_else(
    memory: MemoryClient,
) -> None:
    api = memory.api
    api.post("/_dev/clock", {"frozen": True})
    topic_id = memory.ingest("new_topic", title="Asked for", salience=0.5)["topic_id"]
    settle(api)
    before = read(api, topic_id)

    memory.query("asked for")
    settle(api)

    after = read(api, topic_id)
    assert after["salience"] == pytest.approx(before["salience"] + 0.1)
    assert after["updated_at"] == before["updated_at"]
    assert after["topic_history"] == before["topic_history"]


def test_a_topic_that_nobody_asks_for_is_archived_in_the_end_and_found_by_its_id(
    memory: MemoryClient,
) -> None:
    api = memory.api
    topic_id = memory.ingest("new_topic", title="Forgotten", fields=[field("a", 1)])["topic_id"]
    settle(api)

    for _ in range(2):
        api.post("/_dev/clock", {"advance_seconds": 365 * 86_400})
        api.invoke("ReasonFunction", {"membrane-reason": {}})
        settle(api)

    assert read(api, topic_id)["archived"] is True
    assert memory.query("forgotten")["candidates"] == []
    named = memory.query(stages=["temporal"], topic_ids=[topic_id], reinforce=False)
    assert [each["topic_id"] for each in named["candidates"]] == [topic_id]


# --- Editors ------------------------------------------------------------------------------------


def test_an_editor_makes_changes_links_and_hides_a_topic(api: Api) -> None:
    for topic_id in ("svc", "team"):
        made = api.post("/v1/topics", {"title": topic_id, "topic_id": topic_id})
        assert made.body["topic_id"] == topic_id

    linked = api.post("/v1/topics/svc/relationships", {"to_topic_id": "team", "kind": "owned_by"})
    changed = api.call("PATCH", "/v1/topics/svc", {"summary": "serves", "archived": False})
    graph = api.get("/v1/graph?topic_id=svc&depth=1").body
    unlinked = api.call("DELETE", "/v1/topics/svc/relationships?to_topic_id=team&kind=owned_by")
    again = api.call("DELETE", "/v1/topics/svc/relationships?to_topic_id=team&kind=owned_by")
    hidden = api.call("DELETE", "/v1/topics/team")

    assert linked.body["ok"] is True
    assert changed.body["topic_id"] == "svc"
    assert read(api, "svc")["summary"] == "serves"
    assert {each["id"] for each in graph["nodes"]} == {"svc", "team"}
    assert [(each["from"], each["to"], each["kind"]) for each in graph["edges"]] == [
        ("svc", "team", "owned_by")
    ]
    assert (unlinked.status, again.status) == (200, 404)
    assert hidden.body["deleted"] == "team"
    assert api.get("/v1/topics/team").status == 404
    assert api.post("/v1/topics/team/restore", {}).status == 200
    assert read(api, "team")["title"] == "team"


@pytest.mark.parametrize("name", ["a/b", "with space", "a.b", "größe", "50%", "a+b", "?&#", "名"])
def test_a_field_may_have_any_name(api: Api, name: str) -> None:
    api.post("/v1/topics", {"topic_id": "svc"})
    path = f"/v1/topics/svc/fields/{quote(name, safe='')}"

    written = api.post("/v1/topics/svc/fields", {"field_name": name, "value": 1})
    found = api.get(f"{path}?with_history=true")
    pointed = api.call("PUT", f"{path}/ref", {"ref_topic_id": "svc"})
    deleted = api.call("DELETE", path)

    assert found.body["history"][0]["id"] == written.body["version_id"]
    assert (pointed.status, deleted.body["deleted"]) == (200, name)
    assert api.get(path).status == 404


@pytest.mark.parametrize(
    "query", ["with_history=1", "with_history=true&with_history=true", "archived=", "depth=1"]
)
def test_what_stands_in_a_query_is_read_strictly(api: Api, query: str) -> None:
    api.post("/v1/topics", {"topic_id": "svc"})
    api.post("/v1/topics/svc/fields", {"field_name": "a", "value": 1})

    reply = api.get(f"/v1/topics/svc/fields/a?{query}")

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")


@pytest.mark.parametrize("query", ["limit=-1", "limit=x", "depth=0", "depth=1.0", "limit=1e3"])
def test_numbers_in_a_query_are_whole_and_within_limits(api: Api, query: str) -> None:
    assert api.get(f"/v1/graph?{query}").status == 400


def test_the_names_in_the_path_are_given_once(api: Api) -> None:
    api.post("/v1/topics", {"topic_id": "svc"})

    by_id = api.call("PUT", "/v1/topics/svc/fields/a/ref", {"id": "other"})
    by_name = api.call("PUT", "/v1/topics/svc/fields/a/ref", {"name": "other"})
    by_kind = api.call("DELETE", "/v1/topics/svc/relationships?kind=a", {"kind": "b"})

    assert (by_id.status, by_name.status, by_kind.status) == (400, 400, 400)


def test_topics_are_listed_page_by_page(api: Api) -> None:
    for number in range(5):
        api.post("/v1/topics", {"topic_id": f"t-{number}", "salience": number})
    settle(api)
    listed: list[str] = []
    cursor = ""

    while True:
        page = api.get(f"/v1/topics?limit=2{cursor}").body
        listed += page["topic_ids"]
        if "next_cursor" not in page:
            break
        cursor = f"&cursor={quote(page['next_cursor'])}"

    assert listed == [f"t-{number}" for number in (4, 3, 2, 1, 0)]


def test_the_system_context_is_the_administrators_to_change(api: Api) -> None:
    said = {"system_role": " helper ", "runtime_context": "laptop"}
    editor = api.key_for(permissions=("ingest", "read", "revise"))

    empty = api.get("/v1/system-context").body
    refused = api.call("PUT", "/v1/system-context", said, key=editor)
    api.call("PUT", "/v1/system-context", said)

    told = api.get("/v1/system-context", key=editor).body
    assert empty == {"configured": False, "system_context": None}
    assert refused.status == 403
    assert told["configured"] is True
    assert told["system_context"]["system_role"] == "helper"


# --- Rights -------------------------------------------------------------------------------------


def test_without_a_key_there_is_no_answer(api: Api) -> None:
    stranger = MemoryClient(api, key="")

    assert stranger.try_ingest({"placement": "new_topic"}).status == 401
    assert api.post("/v1/query", {"q": ""}, key="nobody's").status == 403


def test_what_a_key_may_not_see_is_not_there(memory: MemoryClient) -> None:
    api = memory.api
    hidden = memory.ingest("new_topic", title="Secret harbour", scope="other")["topic_id"]
    above = memory.ingest("new_topic", title="Secret harbour", scope="own", sensitivity="high")[
        "topic_id"
    ]
    own = MemoryClient(api, key=api.key_for(scopes=("own",), max_sensitivity="low"))
    seen = own.ingest("new_topic", title="Open harbour")["topic_id"]
    settle(api)

    found = own.query("harbour", topic_ids=None)

    assert [each["topic_id"] for each in found["candidates"]] == [seen]
    for topic_id in (hidden, above, "absent"):
        reply = api.get(f"/v1/topics/{topic_id}", key=own.key)
        assert (reply.status, reply.body["detail"]) == (404, "topic not found")
        refused = own.try_ingest({"placement": "extend_topic", "topic_id": topic_id})
        assert (refused.status, refused.body["detail"]) == (400, "topic not found")


def test_nobody_writes_topics_outside_the_own_scopes_or_above_the_own_ceiling(api: Api) -> None:
    own = MemoryClient(api, key=api.key_for(scopes=("own",), max_sensitivity="low"))
    before = api.stored()

    elsewhere = own.try_ingest({"placement": "new_topic", "scope": "other"})
    above = own.try_ingest({"placement": "new_topic", "sensitivity": "high"})

    assert (elsewhere.status, above.status) == (403, 403)
    assert api.stored() == before
