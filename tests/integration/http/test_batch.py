"""Many requests in one, over HTTP: each as if it came alone, in order."""

import hashlib
import json
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.fakes.chat_models import Reports
from tests.worlds.agreed import MAX_ITEMS
from tests.worlds.api import Api

EVENT = {"rpc": "IngestEvent", "source": "ci", "event_kind": "build", "ref": "1"}
FACT = {
    "rpc": "IngestObservation",
    "source": "agent",
    "subject": "user",
    "predicate": "likes",
    "object": "tea",
}
OUTCOME = {"rpc": "IngestOutcome", "source": "judge", "outcome_status": "success"}
EPISODE = {
    "id": "first",
    "type": "episodic",
    "sensitivity": "low",
    "payload": {
        "kind": "episodic",
        "timeline": [{"t": "2026-01-01T00:00:00Z", "event_kind": "build", "ref": "1"}],
    },
}
SKILL = {
    "rpc": "IngestRecord",
    "record": {
        "type": "competence",
        "sensitivity": "low",
        "payload": {"kind": "competence", "skill_name": "s", "triggers": [], "recipe": []},
    },
}


def results(api: Api, items: list[Any], **options: Any) -> list[dict[str, Any]]:
    """The entries of a batch's reply."""
    reply = api.post("/v1/ingest/batch", {"items": items}, **options)
    assert reply.status == 200, reply.body
    return list(reply.body["results"])


def test_each_item_is_answered_in_order(api: Api) -> None:
    entries = results(api, [EVENT, FACT, SKILL])

    assert [entry["status"] for entry in entries] == [201, 201, 201]
    assert [entry["record"]["type"] for entry in entries] == ["episodic", "semantic", "competence"]


def test_what_is_refused_fails_alone(api: Api) -> None:
    bad: list[Any] = [
        {**EVENT, "ref": ""},
        {**EVENT, "rpc": "DeleteRecord"},
        {"source": "ci"},
        "IngestEvent",
        None,
        {**EVENT, "surprise": 1},
        {
            "rpc": "IngestOutcome",
            "source": "j",
            "target_record_id": "x",
            "outcome_status": "failure",
        },
        {**EVENT, "scope": "*"},
    ]

    entries = results(api, [*bad, EVENT])

    assert [entry["status"] for entry in entries] == [400, 400, 400, 400, 400, 400, 404, 400, 201]
    assert all(entry["error"]["status"] == entry["status"] for entry in entries[:-1])
    assert len([key for key in api.stored() if key.startswith("record#")]) == 1


def test_later_items_see_what_earlier_ones_wrote(api: Api) -> None:
    items = [
        {"rpc": "IngestRecord", "record": EPISODE},
        {**OUTCOME, "target_record_id": "first"},
    ]

    entries = results(api, items)

    assert [entry["status"] for entry in entries] == [201, 200]
    assert entries[1]["record"]["payload"]["outcome"] == "success"


def test_a_repeated_batch_changes_nothing(api: Api) -> None:
    items = [{**EVENT, "ref": str(n)} for n in range(5)]
    first = results(api, items, headers={"idempotency-key": "batch"})
    stored = api.stored()

    again = results(api, items, headers={"idempotency-key": "batch"})

    assert {entry["status"] for entry in again} == {200}
    assert [e["record"]["id"] for e in again] == [e["record"]["id"] for e in first]
    assert api.stored() == stored


def test_under_one_key_another_item_is_another_record(api: Api) -> None:
    first = results(api, [EVENT], headers={"idempotency-key": "batch"})

    second = results(api, [{**EVENT, "ref": "2"}, EVENT], headers={"idempotency-key": "batch"})

    assert [entry["status"] for entry in second] == [201, 200]
    assert second[1]["record"]["id"] == first[0]["record"]["id"]


def test_an_items_own_key_wins(api: Api) -> None:
    keyed = {**EVENT, "idempotency_key": "own"}
    results(api, [keyed], headers={"idempotency-key": "batch"})

    alone = api.post("/v1/ingest/event", {k: v for k, v in keyed.items() if k != "rpc"})
    other = results(api, [{**keyed, "ref": "2"}], headers={"idempotency-key": "batch"})

    assert alone.status == 200
    assert (other[0]["status"], other[0]["error"]["code"]) == (409, "ALREADY_EXISTS")


def test_the_rights_of_the_key_hold_for_every_item(api: Api) -> None:
    key = api.key_for(permissions=("ingest",), scopes=("project:alpha",), max_sensitivity="low")
    items = [
        EVENT,
        {**EVENT, "scope": "project:beta"},
        {**EVENT, "sensitivity": "high"},
    ]

    entries = results(api, items, key=key)

    assert [entry["status"] for entry in entries] == [201, 403, 403]
    assert entries[0]["record"]["scope"] == "project:alpha"


def test_a_batch_has_100_items_at_most(api: Api) -> None:
    assert len(results(api, [EVENT] * MAX_ITEMS)) == MAX_ITEMS
    stored = api.stored()

    reply = api.post("/v1/ingest/batch", {"items": [EVENT] * (MAX_ITEMS + 1)})

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert api.stored() == stored


@pytest.mark.parametrize("body", [{}, {"items": {}}, {"items": [], "more": 1}, [], None])
def test_what_is_no_batch_is_400(api: Api, body: Any) -> None:
    assert api.post("/v1/ingest/batch", body).status == 400


def test_an_item_may_be_as_deep_as_a_request_of_its_own(api: Api) -> None:
    def nested(levels: int) -> Any:
        return json.loads("[" * levels + "]" * levels)

    entries = results(api, [{**FACT, "object": nested(63)}, {**FACT, "object": nested(64)}])

    assert [entry["status"] for entry in entries] == [201, 400]


def test_large_values_of_all_items_share_the_reply(api: Api) -> None:
    items = []
    for letter in "abcdefgh":
        content = json.dumps(letter * 1_000_000).encode()
        declared = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        upload = api.post("/v1/uploads", declared).body
        name = urlsplit(upload["url"]).path.partition("/membrane-blobs/")[2]
        api.functions.store.blobs.write(name, content)
        items.append({**FACT, "object": {"$upload": upload["upload_id"]}})

    objects = [entry["record"]["payload"]["object"] for entry in results(api, items)]

    links = [value for value in objects if isinstance(value, dict)]
    assert [len(value) for value in objects if isinstance(value, str)] == [1_000_000] * 6
    assert len(links) == 2


def test_where_the_records_are_too_large_their_ids_are_told_and_that_one_is_gone(api: Api) -> None:
    keyed = {**FACT, "idempotency_key": "1"}
    (first,) = results(api, [keyed])
    assert api.call("DELETE", f"/v1/records/{first['record']['id']}").status == 204
    longer_when_printed = f"[{','.join(['1E5'] * 14_000)}]"  # 1E5 comes back as 100000.0
    item = json.dumps({**FACT, "object": None}).replace("null", longer_when_printed)
    body = f'{{"items": [{",".join([json.dumps(keyed), *[item] * 52])}]}}'

    reply = api.send("POST", "/v1/ingest/batch", body.encode())

    assert reply.status == 200
    gone, *others = reply.body["results"]
    assert set(gone["record"]) == {"id", "deleted_at"}
    assert [set(entry["record"]) for entry in others] == [{"id"}] * 52


def test_items_that_time_runs_out_for_are_not_begun_and_told_so(api: Api) -> None:
    api.functions.clock.freeze(frozen=True)
    start, looks = api.functions.clock.now(), count()

    def now() -> datetime:
        """Every look at the clock takes a second."""
        return start + timedelta(seconds=next(looks))

    api.serve("IngestBatchFunction", now=now)

    entries = results(api, [{**EVENT, "ref": str(number)} for number in range(20)])

    statuses = [entry["status"] for entry in entries]
    assert statuses == sorted(statuses)
    assert set(statuses) == {201, 503}
    made = [key for key in api.stored() if key.endswith(" record")]
    assert statuses.count(201) == len(made) <= 10
    assert entries[-1]["error"]["code"] == "UNAVAILABLE"


def test_what_was_just_written_is_not_read_again_for_the_reply(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[str] = []
    monkeypatch.setattr(type(api.functions.store.blobs), "get", lambda _, name: reads.append(name))

    entries = results(api, [{**FACT, "object": letter * 1_000_000} for letter in "abcde"])

    in_place = [entry for entry in entries if isinstance(entry["record"]["payload"]["object"], str)]
    assert (len(in_place), reads) == (5, [])


def test_a_fault_in_one_item_hides_nothing_of_the_others_and_is_reported_as_of_its_rpc(
    api: Api,
) -> None:
    reports = Reports()
    api.serve("IngestBatchFunction", report=reports)
    first = api.post(
        "/v1/ingest/event",
        {k: v for k, v in EVENT.items() if k != "rpc"},
        headers={"idempotency-key": "1"},
    ).record
    damage(api, first["id"])

    entries = results(api, [EVENT, {**EVENT, "idempotency_key": "1"}, FACT])

    assert [entry["status"] for entry in entries] == [201, 500, 201]
    assert entries[1]["error"]["code"] == "INTERNAL"
    assert ("IngestEvent", "FAULT") in reports.told
    assert len(reports.faults) == 1


def damage(api: Api, record_id: str) -> None:
    """Take the document out of a record's item."""
    item = api.stored()[f"record#{record_id} record"]
    del item["document"]
    api.functions.store.dynamodb.put_item(TableName="membrane", Item=item)


def test_equal_items_of_a_keyed_batch_are_records_of_their_own(api: Api) -> None:
    items = {"items": [{"rpc": "IngestEvent", **EVENT}] * 5}

    first, again = (
        api.post("/v1/ingest/batch", items, headers={"idempotency-key": "b"}).body["results"]
        for _ in range(2)
    )

    assert [entry["status"] for entry in first] == [201] * 5
    assert [entry["status"] for entry in again] == [200] * 5
    made = [entry["record"]["id"] for entry in first]
    assert len(set(made)) == 5
    assert [entry["record"]["id"] for entry in again] == made


def test_a_repeated_batch_recognises_its_items_in_another_order(api: Api) -> None:
    one, other = ({"rpc": "IngestEvent", **EVENT, "ref": ref} for ref in ("1", "2"))
    headers = {"idempotency-key": "b"}
    first = api.post("/v1/ingest/batch", {"items": [one, other, one]}, headers=headers)

    again = api.post("/v1/ingest/batch", {"items": [other, one, one]}, headers=headers)

    assert [entry["status"] for entry in again.body["results"]] == [200] * 3
    ids = [{entry["record"]["id"] for entry in each.body["results"]} for each in (first, again)]
    assert ids[0] == ids[1]


HALF = "Tea \ud83c"
"""A text that was cut in the middle of an emoji."""


def test_half_a_character_loses_its_item_alone(api: Api) -> None:
    entries = results(
        api,
        [EVENT, {**FACT, "object": {"says": HALF}}, {**FACT, "object": "mate"}, HALF],
        headers={"idempotency-key": "k"},
    )

    assert [entry["status"] for entry in entries] == [201, 400, 201, 400]
    assert entries[1]["error"]["detail"].startswith("object.says has a lone surrogate")
    assert entries[1]["error"]["errors"][0]["field"] == "object.says"


def test_half_a_character_loses_its_operation_on_documents_alone(api: Api) -> None:
    put = {"op": "put", "namespace": ["notes"], "key": "tea", "value": "Assam"}
    body = {"operations": [put, {**put, "key": "mate", "value": {"note": HALF}}]}

    entries = api.post("/v1/documents/batch", body).body["results"]

    assert [entry["status"] for entry in entries] == [200, 400]
    assert "value.note has a lone surrogate" in entries[1]["error"]["detail"]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/ingest/observation", {**FACT, "object": HALF}, "object"),
        (
            "/v1/messages",
            {"session": "s", "messages": [{"role": "user", "content": HALF}]},
            "messages.0.content",
        ),
        ("/v1/tools/remember", {"arguments": {"text": HALF}}, "arguments.text"),
        ("/v1/ingest/batch", {"items": [EVENT], "idempotency_key": HALF}, "idempotency_key"),
    ],
)
def test_half_a_character_is_refused_by_the_name_of_the_field(
    api: Api, path: str, body: dict[str, Any], field: str
) -> None:
    before = api.stored()
    reply = api.post(path, {name: each for name, each in body.items() if name != "rpc"})

    assert reply.status == 400
    assert reply.body["detail"].startswith(f"{field} has a lone surrogate: half of a character")
    assert [each["field"] for each in reply.body["errors"]] == [field]
    assert api.stored() == before


def test_mcp_answers_half_a_character_under_the_id_of_the_request(api: Api) -> None:
    params = {"name": "remember", "arguments": {"text": HALF}}
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}

    reply = api.post("/mcp", message, headers={"accept": "application/json"})

    assert (reply.body["id"], reply.body["error"]["code"]) == (7, -32602)
    assert reply.body["error"]["message"].startswith("params.arguments.text has a lone surrogate")
