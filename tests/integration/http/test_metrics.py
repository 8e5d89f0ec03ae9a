"""GET /v1/metrics and `membrane reconcile` over the local stack: counters follow the stream."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.json_text import JsonObject
from membrane_cli import cli
from membrane_cli.http_client import Answer, HttpClient
from membrane_cli.index_jobs import reconcile as command
from membrane_cli.index_jobs.places import LocalIndex
from membrane_cli.index_jobs.reconcile import reconcile_all
from membrane_local.storage.stores import TABLE
from tests.integration.http.test_routes import EVENT, SKILL
from tests.worlds.api import Api

PATH = "/v1/metrics"
RECONCILE: JsonObject = {"membrane-reconcile": {"once": True}}


@dataclass(frozen=True, slots=True)
class Client(HttpClient):
    """Of the stack in this process."""

    api: Api | None = None

    def call(self, method: str, path: str, body: Any = None, headers: Any = None) -> Answer:
        assert self.api is not None
        reply = self.api.call(method, path, body, headers=headers)
        return Answer(reply.status, reply.headers, reply.body)


def remembered(api: Api, **fields: Any) -> str:
    """The id of a new record."""
    return str(api.post("/v1/ingest/event", {**EVENT, **fields}).record["id"])


def measured(api: Api, query: str = "", *, key: str | None = None) -> dict[str, Any]:
    """The snapshot, once the counters have caught up."""
    assert api.get("/_dev/queues?wait").status == 200
    reply = api.get(f"{PATH}{query}", key=key)
    assert reply.status == 200, reply.body
    return dict(reply.body["snapshot"])


def test_an_empty_store_has_nothing_and_says_so_in_every_field(api: Api) -> None:
    snapshot = measured(api)

    numbers = {name: value for name, value in snapshot.items() if isinstance(value, (int, float))}
    assert set(numbers.values()) == {0}
    assert (snapshot["records_by_type"], snapshot["error_bounds"]) == ({}, {})
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


def test_a_snapshot_takes_few_requests_however_many_records_there_are(api: Api) -> None:
    asked: list[str] = []
    costs = []
    for _ in range(2):
        for number in range(20):
            remembered(api, ref=f"build:{number}")
        measured(api)
        with counted(api, asked):
            assert api.get(PATH).status == 200
        costs.append(len(asked))
        asked.clear()

    # the key of the caller, the generations twice, and one page of cells
    assert costs == [4, 4]


@contextmanager
def counted(api: Api, asked: list[str]) -> Iterator[None]:
    """Remembers the requests to the table meanwhile."""
    events = api.functions.store.dynamodb.meta.events
    events.register("before-call.dynamodb", lambda model, **_: asked.append(model.name), "counted")
    try:
        yield
    finally:
        events.unregister("before-call.dynamodb", unique_id="counted")


# --- membrane reconcile ---------------------------------------------------------------------------


def test_reconciling_finds_counters_that_are_right(api: Api) -> None:
    remembered(api)
    before = measured(api)
    said = StringIO()

    told = reconcile_all(LocalIndex(Client("", api=api)), Console(file=said))

    assert (told["records"], told["failed"], told["drift"]) == (1, 0, 0)
    assert "the counters were off by 0" in said.getvalue()
    assert {**measured(api), "collected_at": 0, "avg_salience": 0} == {
        **before,
        "collected_at": 0,
        "avg_salience": 0,
    }


def test_reconciling_makes_wrong_counters_right(api: Api) -> None:
    remembered(api)
    measured(api)
    client = api.functions.store.dynamodb
    for name in [name for name in api.stored() if name.startswith("counters#1 *#total")]:
        pk, sk = name.split(" ", 1)
        client.update_item(
            TableName=TABLE,
            Key={"pk": {"S": pk}, "sk": {"S": sk}},
            UpdateExpression="ADD low_records :wrong",
            ExpressionAttributeValues={":wrong": {"N": "41"}},
        )
    wrong = measured(api)["total_records"]

    told = reconcile_all(LocalIndex(Client("", api=api)), Console(file=StringIO()))

    assert (wrong, told["drift"]) == (42, 41)
    assert measured(api)["total_records"] == 1
    assert not any(name.startswith("counters#1 ") for name in api.stored())


def test_the_scheduled_event_goes_on_by_itself_until_all_is_done(api: Api) -> None:
    remembered(api)
    measured(api)

    reply = api.invoke("IndexFunction", {"membrane-reconcile": {}})

    assert (reply["done"], reply["records"]) == (True, 1)


@dataclass(slots=True)
class Steps:
    """Tells what was prepared, one after the other."""

    told: Iterator[JsonObject | Exception]
    asked: list[JsonObject] = field(default_factory=list)

    def invoke(self, event: JsonObject) -> JsonObject:
        """See Place."""
        self.asked.append(event)
        answer = next(self.told)
        if isinstance(answer, Exception):
            raise answer
        return answer


def progress(*, done: bool, drift: int = 0, failed: int = 0) -> JsonObject:
    return {
        "done": done,
        "stage": "done" if done else "records",
        "records": 7,
        "failed": failed,
        "drift": drift,
        "started_at": "2026-03-01T09:00:00Z",
        "done_at": "2026-03-01T09:00:01Z" if done else None,
    }


def test_steps_follow_each_other_and_one_that_is_refused_for_a_while_is_tried_again() -> None:
    place = Steps(iter([progress(done=False), Unavailable("no answer"), progress(done=True)]))
    said, pauses = StringIO(), list[float]()

    reconcile_all(place, Console(file=said), pause=pauses.append)

    assert (place.asked, pauses) == ([RECONCILE] * 3, [1])
    assert "records, 7 records, 0 failed" in said.getvalue()
    assert "no answer; the next try is in 1 s" in said.getvalue()


@pytest.mark.parametrize(("drift", "failed", "code"), [(0, 0, 0), (3, 0, 1), (0, 1, 1)])
def test_the_command_tells_by_its_code_whether_all_was_right(
    monkeypatch: pytest.MonkeyPatch, drift: int, failed: int, code: int
) -> None:
    place = Steps(iter([progress(done=True, drift=drift, failed=failed)]))
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setattr(command, "index_of_stack", lambda _stack: place)

    assert cli.main(["reconcile", "--stack", "memory"]) == code
