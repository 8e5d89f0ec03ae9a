"""A retrieval answers alike whether the table removes expired items at once or two days late."""

from pathlib import Path
from typing import Any, NamedTuple

from membrane_local.dev_options import DevOptions
from tests.worlds.api import Api, api_over
from tests.worlds.metering import meter, spent_by

NOON = "2030-01-01T12:00:00Z"
TWO_DAYS_S = 172_800
TASK = "the deployment of the payment service failed"
PAST, LIVE = 110, 10
"""A search returns 100 hits: fewer than the past events, which all fit the task better."""


class Found(NamedTuple):
    """The answer to a task; `withheld` is of the same question without a task."""

    refs: list[str]
    withheld: int
    examined_bytes: float
    """By the vector search for the task."""


def report(api: Api, refs: range, words: str) -> None:
    items = [
        {
            "rpc": "IngestEvent",
            "source": "ci",
            "event_kind": "build",
            "ref": f"build:{number}",
            "summary": f"{words}, number {number}",
            "scope": "project:alpha",
            "sensitivity": "high" if number % 5 == 0 else "low",
        }
        for number in refs
    ]
    for first in range(0, len(items), 100):
        reply = api.post("/v1/ingest/batch", {"items": items[first : first + 100]})
        assert {each["status"] for each in reply.body["results"]} == {201}


def found_by_task(folder: Path, ttl_lag_s: float) -> Found:
    """What retrievals find after 13 hours, in which the past events were pruned."""
    options = DevOptions(store=str(folder / f"{ttl_lag_s}.db"), ttl_lag_s=ttl_lag_s)
    with api_over(options) as api:
        api.call("POST", "/_dev/clock", {"frozen": True})
        api.call("POST", "/_dev/clock?wait", {"set": NOON})
        report(api, range(PAST), TASK)
        assert api.get("/_dev/queues?wait").status == 200
        api.call("POST", "/_dev/clock?wait", {"advance_seconds": 13 * 3_600})
        api.invoke("DecayFunction", {})
        assert api.get("/_dev/queues?wait").status == 200
        report(api, range(PAST, PAST + LIVE), "the payment service was deployed")
        assert api.get("/_dev/queues?wait").status == 200

        spent = meter(api.functions.store.dynamodb)
        cost = spent_by(lambda: retrieve(api, task_descriptor=TASK), spent)
        by_task, in_order = retrieve(api, task_descriptor=TASK), retrieve(api)
        receipt = api.get(f"/v1/receipts/{in_order['receipt_id']}").body
        refs = [each["payload"]["timeline"][0]["ref"] for each in by_task["records"]]
        return Found(sorted(refs), receipt["withheld"], cost.examined_bytes)


def retrieve(api: Api, **asked: str) -> Any:
    narrowed = {"max_sensitivity": "low", "scopes": ["project:alpha"]}
    reply = api.post("/v1/retrieve", {**asked, "trust": narrowed, "limit": 50})
    assert reply.status == 200, reply.body
    return reply.body


def test_vectors_of_pruned_events_take_no_place_in_a_search_while_ttl_is_late(
    tmp_path: Path,
) -> None:
    prompt = found_by_task(tmp_path, 0)

    late = found_by_task(tmp_path, TWO_DAYS_S)

    assert late == prompt
    assert (len(late.refs), late.withheld) == (LIVE - LIVE // 5, LIVE // 5)
    assert late.examined_bytes > 0
