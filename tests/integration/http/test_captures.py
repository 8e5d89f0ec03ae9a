"""POST /v1/capture at the edges: every way in, batches, repeats, and large contents."""

import json
from typing import Any

import pytest

from tests.integration.events.test_event_sources import bus_event, message
from tests.integration.events.test_import import PATH, put, text
from tests.integration.http.test_large_values import uploaded
from tests.worlds.api import Api, Reply

FACT = {
    "subject": "checkout-service",
    "predicate": "is_owned_by",
    "object": "platform team",
    "project": "acme",
}
OWNERSHIP: dict[str, Any] = {"source": "agent", "source_kind": "observation", "content": FACT}
"""States a fact, and names a service and a project."""

FUNCTION = "CaptureFunction"


@pytest.fixture(autouse=True)
def _standing_still(api: Api) -> None:
    """Salience is that of the same instant in every reply, and nothing is indexed until a reset."""
    api.functions.clock.freeze(frozen=True)
    api.post("/_dev/stream", {"paused": True})


def captured(api: Api, body: Any = OWNERSHIP, **options: Any) -> Reply:
    return api.post("/v1/capture", body, **options)


def names_in(reply: Any) -> list[str]:
    """The names of the entities among the new records."""
    payloads = (each["payload"] for each in reply["created_records"])
    return [each["canonical_name"] for each in payloads if each["kind"] == "entity"]


def test_a_capture_is_answered_with_the_evidence_what_it_made_and_the_edges(api: Api) -> None:
    reply = captured(api)

    assert reply.status == 201
    assert reply.body.keys() == {
        *("primary_record", "created_records", "edges", "consistency_tokens"),
    }
    primary = reply.body["primary_record"]
    assert primary["interpretation"]["status"] == "resolved"
    assert names_in(reply.body) == ["checkout-service", "acme"]
    assert [each["type"] for each in reply.body["created_records"]] == [
        *("entity", "entity", "semantic"),
    ]
    assert len(reply.body["consistency_tokens"]) == 1 + len(reply.body["created_records"])


def test_every_edge_is_listed_from_both_ends(api: Api) -> None:
    edges = captured(api).body["edges"]

    ends = {(each["source_id"], each["target_id"]) for each in edges}
    assert edges
    assert ends == {(target, source) for source, target in ends}


def test_a_repeat_under_the_key_finds_what_the_first_call_stored(api: Api) -> None:
    key = {"idempotency-key": "k"}

    first = captured(api, headers=key)
    again = captured(api, headers=key)

    assert (first.status, again.status) == (201, 200)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.body == first.body


def test_a_repeat_under_the_key_with_other_content_is_refused(api: Api) -> None:
    key = {"idempotency-key": "k"}
    captured(api, headers=key)

    other = captured(api, {**OWNERSHIP, "content": "something else"}, headers=key)

    assert (other.status, other.body["code"]) == (409, "ALREADY_EXISTS")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"content": None}, "content"),
        ({"proposed_type": "memory"}, "proposed_type"),
        (
            {"source_kind": "tool_output", "content": {"tool_name": "cat", "depends_on": 1}},
            "content.depends_on",
        ),
        ({"source_kind": "working_state", "content": "running"}, "content"),
        (
            {"source_kind": "working_state", "content": {"thread_id": "t", "state": "nonsense"}},
            "content.state",
        ),
        ({"content": {"ref": "r" * 100_001}}, "content.ref"),
    ],
)
def test_a_bad_capture_is_refused_by_field(api: Api, fields: Any, field: str) -> None:
    before = api.stored()

    reply = captured(api, {**OWNERSHIP, **fields})

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert [each["field"] for each in reply.body["errors"]] == [field]
    assert api.stored() == before


def test_a_capture_has_a_source_which_may_be_empty_for_the_actor_of_the_key(api: Api) -> None:
    silent = {name: each for name, each in OWNERSHIP.items() if name != "source"}

    refused = api.post("/v1/capture", silent)
    kept = captured(api, {**silent, "source": ""}).body["primary_record"]

    assert refused.status == 400
    assert "candidate source is required" in refused.body["detail"]
    assert kept["provenance"]["sources"][0]["created_by"] == kept["audit_log"][0]["principal"]


def test_a_large_content_is_captured_from_an_upload(api: Api) -> None:
    content = {"project": "acme", "text": "x" * 200_000}

    reply = captured(api, {**OWNERSHIP, "content": uploaded(api, json.dumps(content).encode())})

    assert reply.status == 201, reply.body
    assert names_in(reply.body) == ["acme"]


def test_a_batch_takes_captures_beside_other_requests(api: Api) -> None:
    event = {"rpc": "IngestEvent", "source": "ci", "event_kind": "build", "ref": "1"}
    items = [event, {"rpc": "CaptureMemory", **OWNERSHIP}, {"rpc": "CaptureMemory"}]
    key = {"idempotency-key": "k"}

    first = api.post("/v1/ingest/batch", {"items": items}, headers=key).body["results"]
    again = api.post("/v1/ingest/batch", {"items": items}, headers=key).body["results"]

    assert [entry["status"] for entry in first] == [201, 201, 400]
    assert [entry["status"] for entry in again] == [200, 200, 400]
    assert again[1] == {**first[1], "status": 200}
    assert names_in(first[1]) == ["checkout-service", "acme"]


def test_a_batch_too_large_for_its_reply_is_answered_with_the_ids_of_captured_records(
    api: Api,
) -> None:
    tags = [f"{number:0256}" for number in range(100)]
    items = [
        {
            "rpc": "CaptureMemory",
            **OWNERSHIP,
            "tags": tags,
            "content": {**FACT, "subject": f"{number}"},
        }
        for number in range(100)
    ]

    entries = api.post("/v1/ingest/batch", {"items": items}).body["results"]

    assert {entry["status"] for entry in entries} == {201}
    for entry in entries:
        assert entry["primary_record"].keys() == {"id"}
        assert all(each.keys() == {"id"} for each in entry["created_records"])
        assert entry["edges"]
    assert len(entries[0]["created_records"]) == 3
    assert len(entries[1]["created_records"]) == 2, "the project is known"


def test_a_file_with_captures_is_imported_once(api: Api) -> None:
    lines = [
        {"rpc": "CaptureMemory", **OWNERSHIP, "content": {"project": "acme", "text": str(n)}}
        for n in range(20)
    ]

    put(api, text(*lines))
    first = api.get(PATH).body
    put(api, text(*lines))
    again = api.get(PATH).body

    assert (first["created"], first["refused"]) == (20, 0)
    assert (again["created"], again["replayed"]) == (0, 20)
    listed = api.get("/v1/records?type=entity").body["records"]
    assert [each["payload"]["canonical_name"] for each in listed] == ["acme"]


def test_captures_come_by_bus_queue_and_direct_invocation(api: Api) -> None:
    by_bus = api.invoke(FUNCTION, bus_event("CaptureMemory", OWNERSHIP))
    batch = {"Records": [message(json.dumps(OWNERSHIP), "m-1"), message("{}", "m-2")]}
    by_queue = api.invoke(FUNCTION, batch)
    directly = api.invoke(FUNCTION, OWNERSHIP)

    assert by_bus["primary_record"]["audit_log"][0]["principal"] == "event-bus"
    assert by_queue == {"batchItemFailures": [{"itemIdentifier": "m-2"}]}
    assert directly["primary_record"]["interpretation"]["status"] == "resolved"


def test_a_message_that_comes_twice_is_captured_once(api: Api) -> None:
    batch = {"Records": [message(json.dumps(OWNERSHIP), "m-1")]}

    for _ in range(2):
        api.invoke(FUNCTION, batch)

    listed = api.get("/v1/records?scope=events").body["records"]
    assert sorted(each["type"] for each in listed) == [
        *("entity", "entity", "episodic", "semantic"),
    ]
