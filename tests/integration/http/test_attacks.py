"""Requests made to hurt: floods, amplifiers, cut trails, odd envelopes."""

import json
import os
import tracemalloc
import zlib
from typing import Any

import pytest

from membrane_local.functions import FunctionError
from membrane_local.storage.objects import Folder
from tests.builders.stored_records import noise
from tests.integration.http.test_routes import EVENT, REPORTS, SKILL
from tests.worlds.api import Api
from tests.worlds.depth import cases
from tests.worlds.stored_items import change, own_item, text_of

TABLE = "membrane"
FIELDS = cases(300_000, 60_000)
FLOODS: dict[str, tuple[str, dict[str, Any]]] = {
    "elements of a wrong type": ("tool-output", {"depends_on": [0] * cases(1_000_000, 200_000)}),
    "empty elements": ("working-state", {"active_constraints": [{}] * cases(500_000, 100_000)}),
    "unknown fields": ("event", {f"f{number}": 0 for number in range(FIELDS)}),
    "unknown fields of an element": (
        "working-state",
        {"active_constraints": [{f"f{number}": 0 for number in range(FIELDS)}]},
    ),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_of_mistakes_costs_no_more_than_a_few_times_its_body(api: Api, flood: str) -> None:
    name, parts = FLOODS[flood]
    body = json.dumps({**REPORTS[name], **parts}).encode()
    tracemalloc.start()

    reply = api.send("POST", f"/v1/ingest/{name}", body)

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert reply.status == 400
    assert len(reply.body["errors"]) <= 20
    assert peak < 60 * len(body)


def test_the_largest_record_can_still_be_deleted(api: Api) -> None:
    largest = {**REPORTS["observation"], "object": "x" * 6_224_000}
    record_id = api.post("/v1/ingest/observation", largest).record["id"]

    reply = api.call("DELETE", f"/v1/records/{record_id}", {"rationale": "r" * 100_000})

    assert reply.status == 204
    assert api.get(f"/v1/records/{record_id}/audit").status == 200


def blobs(api: Api) -> list[str]:
    return [blob.name for blob in api.functions.store.blobs.list_blobs()]


def test_a_replay_leaves_no_blob_behind(api: Api) -> None:
    report = {**REPORTS["tool-output"], "result": noise(60_000), "idempotency_key": "k"}
    api.post("/v1/ingest/tool-output", report)
    before = blobs(api)

    again = api.post("/v1/ingest/tool-output", report)

    assert again.headers["idempotency-replayed"] == "true"
    assert blobs(api) == before
    assert len(before) == 1


def test_a_refusal_leaves_no_blob_in_somebody_elses_place(api: Api) -> None:
    api.post("/v1/records", {"id": "taken", **SKILL})
    stranger = api.key_for(actor_id="stranger", scopes=("elsewhere",))
    large = {"id": "taken", **SKILL, "tags": ["x"], "payload": {
        "kind": "semantic", "subject": noise(60_000), "predicate": "p",
        "validity": {"mode": "global"}}, "type": "semantic"}  # fmt: skip

    reply = api.post("/v1/records", large, key=stranger)

    assert (reply.status, reply.body["code"]) == (409, "ALREADY_EXISTS")
    assert blobs(api) == []


def test_orphaned_blobs_are_collected_and_named_ones_stay(api: Api) -> None:
    report = {**REPORTS["tool-output"], "result": noise(60_000)}
    record = api.post("/v1/ingest/tool-output", report).record
    store = api.functions.store.blobs
    store.write("blobs/nobody/0", b"orphan")
    assert isinstance(store, Folder)
    for name in blobs(api):
        os.utime(store.root / name, (0, 0))

    counts = api.invoke("CollectBlobsFunction", {})

    assert counts == {"listed": 2, "removed": 1}
    assert api.get(f"/v1/records/{record['id']}").status == 200


def test_what_topics_and_documents_name_stays_and_no_blob_of_less_than_a_day_is_collected(
    api: Api,
) -> None:
    store = api.functions.store.blobs
    assert isinstance(store, Folder)
    value = noise(200_000)
    api.post("/v1/topics", {"topic_id": "svc", "title": "svc"})
    api.post("/v1/topics/svc/fields", {"field_name": "log", "value": value})
    api.call("PUT", "/v1/documents/notes/tea", {"value": value})
    named = blobs(api)
    owners = {name.rpartition("/")[0] for name in named}
    for owner in (*owners, "blobs/topic@gone", "blobs/gone"):
        store.write(f"{owner}/{'0' * 64}", b"of a write that lost")

    young = api.invoke("CollectBlobsFunction", {})
    for name in blobs(api):
        os.utime(store.root / name, (0, 0))
    old = api.invoke("CollectBlobsFunction", {})

    lost = len(owners) + 2
    assert len(owners) >= 2
    assert young == {"listed": len(named) + lost, "removed": 0}
    assert old == {"listed": len(named) + lost, "removed": lost}
    assert sorted(blobs(api)) == sorted(named)
    assert api.get("/v1/documents/notes/tea").status == 200


def test_a_trail_whose_end_is_cut_off_does_not_verify(api: Api) -> None:
    record_id = api.post("/v1/ingest/event", EVENT).record["id"]
    outcome = {"source": "judge", "target_record_id": record_id, "outcome_status": "success"}
    api.post("/v1/ingest/outcome", outcome)
    own = own_item(api, record_id)
    entries = json.loads(text_of(api, own, "audit"))
    change(api, own, audit={"S": json.dumps(entries[:1])})

    trail = api.get(f"/v1/records/{record_id}/audit?verify=true").body

    assert (trail["verified"], trail["broken_at"]) == (False, 1)


def test_relations_that_are_not_ours_are_an_error_and_not_left_out(api: Api) -> None:
    target = api.post("/v1/ingest/event", EVENT).record["id"]
    relation = {"predicate": "cites", "target_id": target}
    api.post("/v1/records", {"id": "skill-1", **SKILL, "relations": [relation]})
    change(api, own_item(api, "skill-1"), relations={"S": json.dumps([["cites"]])})

    assert api.get("/v1/records/skill-1").status == 500


@pytest.mark.parametrize("event", [[], "text", None, 5, {"Records": {"a": 1}}, {"Records": [1]}])
@pytest.mark.parametrize("function", ["IngestEventFunction", "IngestOutcomeFunction"])
def test_an_event_of_no_known_shape_is_refused_in_a_sentence(
    api: Api, function: str, event: Any
) -> None:
    before = api.stored()

    with pytest.raises(FunctionError) as caught:
        api.invoke(function, event)

    assert caught.value.error_type == "InvalidArgument"
    assert api.stored() == before


def test_a_bus_event_without_an_id_is_refused_in_a_sentence(api: Api) -> None:
    with pytest.raises(FunctionError, match="needs an id"):
        api.invoke("IngestEventFunction", {"detail-type": "IngestEvent", "detail": EVENT})


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_the_deepest_value_that_is_accepted_may_come_back_in_its_record(api: Api) -> None:
    deepest = {**REPORTS["tool-output"], "result": nested(63)}
    record = api.post("/v1/ingest/tool-output", deepest).record

    again = api.post("/v1/records", {**record, "id": "copy"})
    deeper = api.post("/v1/ingest/tool-output", {**deepest, "result": nested(64)})

    assert again.record["payload"] == record["payload"]
    assert deeper.status == 400


def test_a_changed_half_life_setting_does_not_stand_in_an_outcomes_way(api: Api) -> None:
    episode = {"kind": "episodic", "timeline": []}
    full = {"type": "episodic", "sensitivity": "low", "payload": episode}
    for number in range(14):
        lifecycle = {"decay": {"half_life_seconds": 100 + number}}
        assert api.post("/v1/records", {**full, "lifecycle": lifecycle}).status == 201
    target = api.post("/v1/ingest/event", EVENT).record["id"]
    outcome = {"source": "judge", "target_record_id": target, "outcome_status": "success"}

    refused = api.post(
        "/v1/records",
        {**full, "lifecycle": {"decay": {"half_life_seconds": 99}}},
    )

    assert refused.status == 400
    assert "exponential:3600:0:0" in refused.body["detail"]
    assert api.post("/v1/ingest/outcome", outcome).status == 200


def test_memory_does_not_reach_the_log_of_a_fault(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    record_id = api.post("/v1/ingest/event", {**EVENT, "summary": "TOP-SECRET"}).record["id"]
    own = own_item(api, record_id)
    document = text_of(api, own, "document").replace('"timeline"', '"line"')
    change(api, own, document={"S": document})

    reply = api.get(f"/v1/records/{record_id}")

    logged = capsys.readouterr().err
    assert reply.status == 500
    assert "not a record of ours" in logged
    assert "TOP-SECRET" not in logged


def test_a_record_of_very_many_outcomes_can_still_be_read_and_completed(api: Api) -> None:
    record_id = api.post("/v1/ingest/event", EVENT).record["id"]
    own = own_item(api, record_id)
    document = json.loads(text_of(api, own, "document"))
    document["provenance"]["sources"] *= 10_001
    change(api, own, document={"B": zlib.compress(json.dumps(document).encode())})
    outcome = {"source": "judge", "target_record_id": record_id, "outcome_status": "success"}

    reply = api.post("/v1/ingest/outcome", outcome)

    assert reply.status == 200
    assert len(api.get(f"/v1/records/{record_id}").record["provenance"]["sources"]) == 10_002
