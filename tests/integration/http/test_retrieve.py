"""Retrieval over HTTP: the four routes of the function that retrieves, and tokens of writes."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from membrane_client.values.retrieval import Selection
from tests.integration.http.test_routes import EVENT, REPORTS, SKILL
from tests.worlds.api import Api, Reply

FACT = REPORTS["observation"]
STATE = REPORTS["working-state"]
TOOL = REPORTS["tool-output"]


@pytest.fixture
def paused(api: Api) -> Iterator[Api]:
    """The stack with its stream standing still, and running again afterwards."""
    assert api.post("/_dev/stream", {"paused": True}).status == 200
    yield api
    assert api.post("/_dev/stream", {"paused": False}).status == 200


def told(api: Api, path: str, body: Any, **fields: Any) -> Reply:
    """The reply to a write."""
    reply = api.post(path, {**body, **fields})
    assert reply.status < 300, reply.body
    return reply


def fact(api: Api, subject: str, **fields: Any) -> Reply:
    """The reply to a report of a fact."""
    return told(api, "/v1/ingest/observation", FACT, subject=subject, **fields)


def settle(api: Api) -> None:
    """Wait until what was written is in the search index."""
    assert api.get("/_dev/queues?wait").status == 200


def ids(reply: Reply) -> list[str]:
    """Of the records of a page."""
    assert reply.status == 200, reply.body
    return [record["id"] for record in reply.body["records"]]


def test_what_fits_a_task_is_found_and_the_receipt_says_why(api: Api) -> None:
    fitting = fact(api, "linker cache", predicate="was", object="broken").record["id"]
    fact(api, "office", predicate="has", object="a new lamp")
    settle(api)

    reply = api.post("/v1/retrieve", {"task_descriptor": "Why did the linker fail?", "limit": 1})

    assert ids(reply) == [fitting]
    assert reply.body.keys() - {"next_cursor"} == {"records", "receipt_id", "scores"}
    assert reply.body["scores"].keys() == {fitting}
    receipt = api.get(f"/v1/receipts/{reply.body['receipt_id']}").body
    assert receipt["query"] == {"task_descriptor": "Why did the linker fail?", "limit": 1}
    assert receipt["candidates"][0]["id"] == fitting
    assert receipt["candidates"][0]["parts"]["lexical"] == 1


def test_what_filters_let_through_is_measured_where_a_search_finds_others_alone(api: Api) -> None:
    said = "the linker cache was broken"
    nearer = [
        {**EVENT, "source": "me", "ref": f"r{number}", "summary": said} for number in range(210)
    ]
    for start in range(0, len(nearer), 70):
        items = [{"rpc": "IngestEvent", **each} for each in nearer[start : start + 70]]
        assert api.post("/v1/ingest/batch", {"items": items}).status == 200
    wanted = [
        fact(api, subject, predicate="is", object=value, tags=["wanted"]).record["id"]
        for subject, value in (
            ("linker", "kept beside a cache in the cellar of the old town hall"),
            ("cache of the linker", "painted by Marta each spring with her best brush"),
            ("Marta", "fond of plants"),
        )
    ]
    settle(api)
    asked = {"task_descriptor": said, "min_score": 0.15, "tags": ["wanted"]}

    whole = api.post("/v1/retrieve", asked)
    first = api.post("/v1/retrieve", {**asked, "limit": 1})
    rest = api.post("/v1/retrieve", {**asked, "cursor": first.body["next_cursor"]})

    assert sorted(ids(whole)) == sorted(wanted[:2])
    assert whole.body["scores"].keys() == set(wanted[:2])
    assert all(0.15 <= score <= 1.0 for score in whole.body["scores"].values())
    assert ids(first) + ids(rest) == ids(whole)
    assert first.body["scores"] | rest.body["scores"] == whole.body["scores"]
    receipt = api.get(f"/v1/receipts/{whole.body['receipt_id']}").body
    assert wanted[2] in {each["id"] for each in receipt["candidates"]}
    assert receipt["left_out"] >= 1


def test_a_retrieval_without_a_limit_gives_ten_and_a_list_goes_on_at_a_hundred(api: Api) -> None:
    items = [{"rpc": "IngestEvent", **EVENT, "ref": f"r{number}"} for number in range(110)]
    for half in (items[:55], items[55:]):
        assert api.post("/v1/ingest/batch", {"items": half}).status == 200

    retrieved = api.post("/v1/retrieve", {})
    listed = api.get("/v1/records")
    rest = api.get(f"/v1/records?cursor={quote(listed.body['next_cursor'])}")

    assert [len(ids(reply)) for reply in (retrieved, listed, rest)] == [10, 100, 10]
    assert "next_cursor" in retrieved.body
    assert "next_cursor" not in rest.body


def test_a_selection_says_what_it_rests_on_and_what_would_change_the_choice(api: Api) -> None:
    often = {"success_count": 9, "failure_count": 1}
    for name, performance in [("often", often), ("once", {"success_count": 1})]:
        payload = {**SKILL["payload"], "performance": performance}
        told(api, "/v1/records", SKILL, id=name, payload=payload)

    answer = api.post("/v1/retrieve", {"memory_types": ["competence"]}).body

    selection = Selection(answer["selection"])
    first, second = selection.reasons
    assert (first.id, first.track_record.successes, first.track_record.failures) == ("often", 9, 1)
    assert first.parts.success > second.parts.success
    (other,) = selection.otherwise
    assert (other.id, other.behind_in) == ("once", "success")
    assert other.successes is not None
    assert f"{other.successes} more successes of once" in selection.why


# --- Reading one's own writes -------------------------------------------------------------------


@pytest.mark.parametrize("task", ["", "Why did the linker fail?"])
def test_a_write_is_seen_at_once_by_who_has_its_token(paused: Api, task: str) -> None:
    fact(paused, "office", predicate="has", object="a new linker lamp")
    reply = fact(paused, "linker cache", predicate="was", object="broken", tags=["new"])

    asked = {"task_descriptor": task, "consistency_tokens": [reply.body["consistency_token"]]}
    answer = paused.post("/v1/retrieve", {**asked, "tags": ["new"]})

    assert ids(answer) == [reply.record["id"]]
    if task:
        receipt = paused.get(f"/v1/receipts/{answer.body['receipt_id']}").body
        assert receipt["candidates"][0]["parts"]["lexical"] == 1


def test_every_write_answers_with_a_token(api: Api) -> None:
    made = told(api, "/v1/ingest/event", EVENT, idempotency_key="k")
    again = told(api, "/v1/ingest/event", EVENT, idempotency_key="k")
    record_id = made.record["id"]
    changed = api.post(f"/v1/records/{record_id}/reinforce", {})
    batch = api.post("/v1/ingest/batch", {"items": [{"rpc": "IngestEvent", **EVENT}]})
    deleted = api.call("DELETE", f"/v1/records/{record_id}")

    tokens = [
        made.body["consistency_token"],
        changed.body["consistency_token"],
        batch.body["results"][0]["consistency_token"],
    ]
    assert len(set(tokens)) == 3
    assert again.body["consistency_token"] == tokens[0]
    assert deleted.status == 204
    assert not deleted.body
    assert "consistency_token" not in api.get(f"/v1/records/{record_id}").body


def test_at_most_a_hundred_tokens_are_taken(api: Api) -> None:
    token = fact(api, "a").body["consistency_token"]

    assert api.post("/v1/retrieve", {"consistency_tokens": [token] * 100}).status == 200
    for tokens in ([token] * 101, ["nonsense"], [token + "A"], [7]):
        refused = api.post("/v1/retrieve", {"consistency_tokens": tokens})
        assert (refused.status, refused.body["code"]) == (400, "INVALID_ARGUMENT")


# --- Lists and threads --------------------------------------------------------------------------


def test_a_list_is_of_one_scope_or_of_all_that_may_be_seen(api: Api) -> None:
    a = fact(api, "a", scope="project").record["id"]
    b = told(api, "/v1/ingest/event", EVENT, scope="project").record["id"]
    c = fact(api, "c", scope="").record["id"]
    settle(api)
    key = api.key_for(scopes=("project",), permissions=("read",))

    assert set(ids(api.get("/v1/records"))) == {a, b, c}
    assert set(ids(api.get("/v1/records?scope=project", key=key))) == {a, b}
    assert ids(api.get("/v1/records?scope=project&type=semantic&type=working", key=key)) == [a]
    assert ids(api.get("/v1/records?scope=elsewhere", key=key)) == []
    first = api.get("/v1/records?limit=2", key=key)
    assert len(ids(first)) == 2
    cursor = quote(first.body["next_cursor"])
    rest = api.get(f"/v1/records?limit=2&cursor={cursor}", key=key)
    assert set(ids(first)) | set(ids(rest)) == {a, b, c}
    assert rest.body.keys() == {"records"}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("limit=-1", "limit must be between 0 and 10000"),
        ("limit=ten", "limit must be an integer"),
        ("limit=10001", "limit must be between 0 and 10000"),
        ("limit=1&limit=2", "limit may be given once"),
        ("scope=a&scope=b", "scope may be given once"),
        ("type=bogus", "types[0] must be one of"),
        ("cursor=nonsense", "cursor"),
        ("view=prompt", "view must be one of: full, brief"),
        ("max_sensitivity=low", "unknown query parameter"),
    ],
)
def test_a_list_that_is_asked_for_wrongly_is_refused(api: Api, query: str, message: str) -> None:
    reply = api.get(f"/v1/records?{query}")

    assert reply.status == 400
    assert message in reply.body["detail"]


def test_a_thread_has_its_latest_state_and_the_earlier_ones(api: Api) -> None:
    thread_id = "thread/7 ü"
    states = [
        told(api, "/v1/ingest/working-state", STATE, thread_id=thread_id, context_summary=text)
        for text in ("first", "second", "third")
    ]
    path = f"/v1/threads/{quote(thread_id, safe='')}/state"

    reply = api.get(f"{path}?limit=1")

    made = [state.record["id"] for state in states]
    assert reply.record["id"] == made[2]
    assert [record["id"] for record in reply.body["earlier"]] == [made[1]]
    further = api.get(f"{path}?limit=1&cursor={quote(reply.body['next_cursor'])}")
    assert [record["id"] for record in further.body["earlier"]] == [made[0]]
    assert "next_cursor" not in further.body
    assert api.get("/v1/threads/unknown/state").status == 404
    assert api.get(f"{path}?scope=elsewhere&max_sensitivity=public").status == 404


# --- Rights -------------------------------------------------------------------------------------


def test_a_receipt_is_for_its_asker_and_for_an_admin(api: Api) -> None:
    fact(api, "a", sensitivity="hyper", scope="project")
    settle(api)
    asker = api.key_for(
        actor_id="asker", permissions=("read",), scopes=("project",), max_sensitivity="low"
    )
    other = api.key_for(actor_id="other", permissions=("read",))
    admin = api.key_for(actor_id="root", permissions=("admin",))

    receipt_id = api.post("/v1/retrieve", {}, key=asker).body["receipt_id"]

    path = f"/v1/receipts/{receipt_id}"
    assert "hidden" not in api.get(path, key=asker).body
    assert api.get(path, key=admin).body["hidden"] == 1
    assert api.get(path, key=other).status == 404


def test_large_values_come_in_place_while_there_is_room(api: Api) -> None:
    value = "x" * 2_000_000
    for number in range(4):
        fact(api, f"large {number}", object=value)

    records = api.post("/v1/retrieve", {"memory_types": ["semantic"]}).body["records"]

    shown = [record["payload"]["object"] for record in records]
    assert shown.count(value) == 3
    assert sum(isinstance(each, dict) and "$blob" in each for each in shown) == 1
