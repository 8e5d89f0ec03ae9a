"""GET /v1/metrics over the local stack."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.integration.http.test_routes import EVENT, SKILL
from tests.worlds.api import Api

PATH = "/v1/metrics"


def remembered(api: Api, **fields: Any) -> str:
    """The id of a new record."""
    return str(api.post("/v1/ingest/event", {**EVENT, **fields}).record["id"])


def measured(api: Api, query: str = "", *, key: str | None = None) -> dict[str, Any]:
    """The snapshot, counted anew."""
    api.functions.worlds["MetricsFunction"].snapshots.clear()
    reply = api.get(f"{PATH}{query}", key=key)
    assert reply.status == 200, reply.body
    return dict(reply.body["snapshot"])


def test_an_empty_store_has_nothing_and_says_so_in_every_field(api: Api) -> None:
    snapshot = measured(api)

    numbers = {name: value for name, value in snapshot.items() if isinstance(value, (int, float))}
    assert set(numbers.values()) == {0}
    assert (snapshot["records_by_type"], snapshot["error_bounds"], snapshot["sampled"]) == (
        {},
        {},
        {},
    )
    assert snapshot["salience_distribution"] == dict.fromkeys(
        ("0.0-0.2", "0.2-0.4", "0.4-0.6", "0.6-0.8", "0.8-1.0"), 0
    )


def test_the_metrics_follow_what_happens_to_records(api: Api) -> None:
    api.functions.clock.freeze(frozen=True)
    first, second, third = (remembered(api) for _ in range(3))
    api.post("/v1/records", SKILL)
    api.post(f"/v1/records/{first}/reinforce", {})
    api.post(f"/v1/records/{second}/pin", {})
    api.call("DELETE", f"/v1/records/{third}")

    snapshot = measured(api)

    assert snapshot["records_by_type"] == {"episodic": 2, "competence": 1}
    assert (snapshot["total_records"], snapshot["pinned_records"]) == (3, 1)
    assert snapshot["active_records"] == 3
    assert snapshot["avg_salience"] == pytest.approx(1, rel=1e-9)
    assert snapshot["total_audit_entries"] == 5
    assert snapshot["retrieval_usefulness"] == 0.2
    assert snapshot["memory_growth_rate"] == 1


def test_salience_is_as_of_now_and_what_was_born_a_day_ago_is_growth_no_more(api: Api) -> None:
    api.functions.clock.freeze(frozen=True)
    api.post("/v1/ingest/event", EVENT)

    api.post("/_dev/clock", {"advance_seconds": 3_600})
    hour = measured(api)
    api.post("/_dev/clock", {"advance_seconds": 90_000 - 3_600})
    day = measured(api)

    assert hour["avg_salience"] == pytest.approx(0.5, rel=1e-9)
    assert (hour["memory_growth_rate"], day["memory_growth_rate"]) == (1, 0)


def test_a_key_is_told_of_its_own_scopes_up_to_its_ceiling(api: Api) -> None:
    for scope in ("project:alpha", "project:beta", ""):
        for sensitivity in ("low", "high"):
            remembered(api, scope=scope, sensitivity=sensitivity)
    alpha = api.key_for(permissions=("read",), scopes=("project:alpha",), max_sensitivity="low")
    every = api.key_for(permissions=("read",))

    assert measured(api)["total_records"] == 6
    assert measured(api, "?max_sensitivity=low")["total_records"] == 3
    assert measured(api, key=alpha)["total_records"] == 2
    assert measured(api, "?scope=project:beta", key=alpha)["total_records"] == 1
    assert measured(api, "?scope=project:beta&scope=project:alpha", key=every)["total_records"] == 6


def test_a_key_for_every_scope_names_scopes_or_administers(api: Api) -> None:
    reader = api.key_for(permissions=("read",))
    keeper = api.key_for(permissions=("admin",))

    refused = api.get(PATH, key=reader)
    denied = api.get(f"{PATH}?scope=project:alpha", key=keeper)

    assert (refused.status, refused.body["code"]) == (400, "INVALID_ARGUMENT")
    assert "?scope=name" in refused.body["detail"]
    assert (denied.status, denied.body["code"]) == (403, "PERMISSION_DENIED")
    assert api.get(PATH, key=keeper).status == 200


def test_what_is_no_question_of_the_metrics_is_refused(api: Api) -> None:
    assert api.get(f"{PATH}?type=episodic").status == 400
    assert api.get(f"{PATH}?max_sensitivity=secret").status == 400


def test_a_snapshot_takes_as_many_requests_of_more_records(api: Api) -> None:
    asked: list[str] = []
    costs = []
    for _ in range(2):
        for number in range(20):
            remembered(api, ref=f"build:{number}")
        api.functions.worlds["MetricsFunction"].snapshots.clear()
        assert api.get("/_dev/queues?wait").status == 200
        with counted(api, asked):
            assert api.get(PATH).status == 200
        costs.append(len(asked))
        asked.clear()

    # the key of the caller, a page of each segment, and the audit of the records
    assert costs == [18, 18]


def test_an_answer_is_given_again_without_a_request_until_the_stack_is_reset(api: Api) -> None:
    asked: list[str] = []
    api.functions.clock.freeze(frozen=True)
    remembered(api)
    first = measured(api)
    remembered(api, ref="another")
    assert api.get("/_dev/queues?wait").status == 200

    with counted(api, asked):
        again = api.get(PATH).body["snapshot"]
    api.post("/_dev/reset", {})

    assert (again, asked) == (first, ["GetItem"])
    assert api.get(PATH).body["snapshot"]["total_records"] == 0


@contextmanager
def counted(api: Api, asked: list[str]) -> Iterator[None]:
    """Remembers the requests to the table meanwhile."""
    events = api.functions.store.dynamodb.meta.events
    events.register("before-call.dynamodb", lambda model, **_: asked.append(model.name), "counted")
    try:
        yield
    finally:
        events.unregister("before-call.dynamodb", unique_id="counted")
