"""Credit over HTTP: from a retrieval through an outcome to the record, and what ends the credit."""

from typing import Any

import pytest

from tests.integration.http.test_routes import EVENT
from tests.worlds.api import Api, Reply, repeated

FACT: dict[str, Any] = {
    "id": "tea",
    "type": "semantic",
    "sensitivity": "low",
    "salience": 0.5,
    "lifecycle": {"pinned": False},
    "payload": {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": "tea",
        "validity": {"mode": "global"},
    },
}


@pytest.fixture
def receipt_id(api: Api) -> str:
    """The receipt of a retrieval that handed out a fact."""
    assert api.post("/v1/records", {"record": FACT}).status == 201
    reply = api.post("/v1/retrieve", {"memory_types": ["semantic"]})
    assert [each["id"] for each in reply.body["records"]] == ["tea"]
    return str(reply.body["receipt_id"])


def ends(api: Api, status: str, **rests_on: Any) -> Reply:
    episode_id = api.post("/v1/ingest/event", EVENT).record["id"]
    outcome = {"source": "agent", "target_record_id": episode_id, "outcome_status": status}
    return api.post("/v1/ingest/outcome", {**outcome, **rests_on})


def test_the_writer_without_revise_gives_no_credit(api: Api) -> None:
    key = api.key_for(permissions=("ingest", "read"))
    api.post("/v1/records", {"record": FACT}, key=key)
    episode_id = api.post("/v1/ingest/event", EVENT, key=key).record["id"]
    outcome = {"source": "agent", "target_record_id": episode_id, "outcome_status": "success"}

    assert api.post("/v1/ingest/outcome", {**outcome, "used_ids": ["tea"]}, key=key).status == 200

    assert "usefulness" not in api.get("/v1/records/tea").record


def test_an_outcome_gives_credit_that_every_reply_with_the_record_shows(
    api: Api, receipt_id: str
) -> None:
    assert ends(api, "success", receipt_id=receipt_id, used_ids=["tea"]).status == 200

    record = api.get("/v1/records/tea").record
    assert record["salience"] == pytest.approx(0.7, abs=1e-3)
    usefulness = record["usefulness"]
    assert (usefulness["successes"], usefulness["failures"], usefulness["used"]) == (1.0, 0.0, 1)
    brief = {"memory_types": ["semantic"], "view": "brief"}
    (found,) = api.post("/v1/retrieve", brief).body["records"]
    assert found["usefulness"] == usefulness
    public = api.key_for(permissions=("read",), max_sensitivity="public")
    for view in ("full", "brief"):
        asked = {"memory_types": ["semantic"], "view": view}
        (redacted,) = api.post("/v1/retrieve", asked, key=public).body["records"]
        assert "usefulness" not in redacted
    (candidate,) = api.get(f"/v1/receipts/{receipt_id}").body["candidates"]
    assert candidate["handed_out"] is True


def test_a_foreign_receipt_is_not_found_and_the_field_of_an_unknown_record_is_named(
    api: Api, receipt_id: str
) -> None:
    assert ends(api, "success", receipt_id="another").status == 404
    refused = ends(api, "success", receipt_id=receipt_id, used_ids=["ale"])

    assert refused.status == 400
    assert "used_ids.0" in str(refused.body)
    assert "usefulness" not in api.get("/v1/records/tea").record


def test_a_usefulness_in_a_request_is_ignored_and_a_successor_has_none(
    api: Api, receipt_id: str
) -> None:
    ends(api, "failure", receipt_id=receipt_id)
    shown = api.get("/v1/records/tea").record

    new = {**FACT, "id": "ale", "usefulness": shown["usefulness"]}
    new["provenance"] = {"sources": [{"kind": "event", "ref": "talk:1"}]}
    new["payload"] = {**FACT["payload"], "object": "ale"}
    body = {"new_record": new, "rationale": "changed"}
    assert api.post("/v1/records/tea/supersede", body).status in (200, 201)

    assert "usefulness" not in api.get("/v1/records/ale").record


def test_an_erased_record_leaves_no_credit(api: Api, receipt_id: str) -> None:
    ends(api, "success", receipt_id=receipt_id)

    assert repeated(lambda: api.call("DELETE", "/v1/records/tea?erase=true")).status == 204

    assert "credit" not in api.stored()["record#tea record"]
