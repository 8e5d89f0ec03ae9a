"""Observations that conflict, from the request to what a reader then believes."""

import json
from typing import Any

import pytest

from tests.integration.http.test_large_values import uploaded
from tests.worlds.api import Api, Reply
from tests.worlds.recall import advance

OBSERVATION = {
    "source": "agent",
    "subject": "user",
    "predicate": "likes",
    "object": "tea",
    "scope": "project:alpha",
}


def observe(api: Api, value: Any = "tea", *, key: str | None = None, **fields: Any) -> Reply:
    """The reply to an observation."""
    headers = None if key is None else {"idempotency-key": key}
    return api.post(
        "/v1/ingest/observation", {**OBSERVATION, "object": value, **fields}, headers=headers
    )


def believed(api: Api, **filters: Any) -> list[Any]:
    """The objects of the facts that a retrieval finds, once the index knows of their scope."""
    assert api.get("/_dev/queues?wait").status == 200
    reply = api.post("/v1/retrieve", {"subject": "user", "predicate": "likes", **filters})
    assert reply.status == 200, reply.body
    return sorted(str(each["payload"]["object"]) for each in reply.body["records"])


def test_a_fact_is_contested_by_the_next_however_many_younger_ones_there_are(api: Api) -> None:
    for number in range(22):
        observe(api, f"{number}", on_conflict="contest")
    advance(api, days=-1)
    slow = observe(api, "of a machine whose clock is late", on_conflict="contest").record["id"]
    advance(api, days=1)

    observe(api, "last", on_conflict="contest")

    revision = api.get(f"/v1/records/{slow}").record["payload"]["revision"]
    assert revision["status"] == "contested"


def test_a_word_of_its_own_needs_the_right_to_revise(api: Api) -> None:
    watcher = api.key_for(permissions=("ingest", "read"))

    reply = api.post(
        "/v1/ingest/observation", {**OBSERVATION, "on_conflict": "replace"}, key=watcher
    )

    assert (reply.status, reply.body["code"]) == (403, "PERMISSION_DENIED")
    assert api.post("/v1/ingest/observation", OBSERVATION, key=watcher).status == 201
    said = {**OBSERVATION, "on_conflict": "keep"}
    assert api.post("/v1/ingest/observation", said, key=watcher).status == 201


def test_an_unknown_word_is_refused(api: Api) -> None:
    reply = observe(api, on_conflict="overwrite")

    assert (reply.status, reply.body["errors"][0]["field"]) == (400, "on_conflict")


@pytest.mark.parametrize("end", ["2026-01-01T00:00:00Z", "2025-12-31T23:59:59Z"])
def test_a_window_must_end_after_its_start(api: Api, end: str) -> None:
    window = {"start": "2026-01-01T00:00:00Z", "end": end}
    payload = {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": "tea",
        "validity": {"mode": "timeboxed", **window},
    }
    old = observe(api).record

    replies = [
        observe(api, **window),
        api.post("/v1/records", {"type": "semantic", "sensitivity": "low", "payload": payload}),
        api.post(
            f"/v1/records/{old['id']}/supersede",
            {
                "new_record": {
                    "type": "semantic",
                    "sensitivity": "low",
                    "payload": {
                        **payload,
                        "evidence": [
                            {
                                "source_type": "eval",
                                "source_id": "1",
                                "timestamp": "2026-01-01T00:00:00Z",
                            }
                        ],
                    },
                }
            },
        ),
    ]

    for reply in replies:
        assert reply.status == 400, reply.body
        assert reply.body["detail"] == "validation error for validity: end must be after start"


def test_a_batch_is_done_in_order_and_tells_what_was_reinforced(api: Api) -> None:
    items = [
        {"rpc": "IngestObservation", **OBSERVATION, "object": value, "on_conflict": "replace"}
        for value in ("tea", "coffee", "coffee")
    ]

    reply = api.post("/v1/ingest/batch", {"items": items})

    assert [each["status"] for each in reply.body["results"]] == [201, 201, 200]
    assert believed(api) == ["coffee"]


def test_a_large_object_that_was_uploaded_is_compared_too(api: Api) -> None:
    value = {"menu": ["tea"] * 40_000}
    content = json.dumps(value, indent=1).encode()

    first = observe(api, value, on_conflict="replace")
    again = observe(api, uploaded(api, content), on_conflict="replace")
    other = observe(api, uploaded(api, content[:-1] + b', "x": 1}'), on_conflict="replace")

    assert (first.status, again.status, other.status) == (201, 200, 201)
    assert again.record["id"] == first.record["id"]
    assert other.record["payload"]["revision"]["supersedes"] == first.record["id"]
