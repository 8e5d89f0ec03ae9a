"""The HTTP contract of every route: statuses, bodies, headers."""

import random
import string
from typing import Any

import pytest

from tests.builders.whole_payloads import WHOLE
from tests.worlds.agreed import ROWS
from tests.worlds.api import Api
from tests.worlds.stored_items import change, own_item, text_of

EVENT = {"source": "agent", "event_kind": "build", "ref": "evt-1", "summary": "ran build"}
REPORTS: dict[str, dict[str, Any]] = {
    "event": EVENT,
    "tool-output": {"source": "agent", "tool_name": "bash", "args": {"cmd": "ls"}, "result": 0},
    "observation": {"source": "agent", "subject": "user", "predicate": "likes", "object": "Go"},
    "working-state": {"source": "agent", "thread_id": "t-1", "state": "planning"},
}
SKILL: dict[str, Any] = {
    "type": "competence",
    "sensitivity": "low",
    "payload": {"kind": "competence", "skill_name": "fix", "triggers": [], "recipe": []},
}


@pytest.mark.parametrize("report", REPORTS)
def test_a_report_is_answered_with_201_and_its_record(api: Api, report: str) -> None:
    reply = api.post(f"/v1/ingest/{report}", REPORTS[report])

    assert reply.status == 201
    assert reply.headers["content-type"] == "application/json"
    assert api.get(f"/v1/records/{reply.record['id']}").record["payload"] == reply.record["payload"]


def test_the_source_of_a_report_without_one_is_the_actor_of_the_key(api: Api) -> None:
    key = api.key_for(actor_id="deploy-agent")
    sourceless = {name: {**report, "source": ""} for name, report in REPORTS.items()}
    made = [api.post(f"/v1/ingest/{each}", sourceless[each], key=key) for each in sourceless]
    batch = {"items": [{"rpc": "IngestEvent", "event_kind": "build", "ref": "evt-2"}]}
    (item,) = api.post("/v1/ingest/batch", batch, key=key).body["results"]
    ended = {"target_record_id": made[0].record["id"], "outcome_status": "partial"}
    completed = api.post("/v1/ingest/outcome", ended, key=key)
    seen = {"source": "", "content": "a crane"}
    captured = api.post("/v1/capture", seen, key=key).body["primary_record"]

    records = [*(each.record for each in (*made, completed)), item["record"], captured]
    sources = [source for each in records for source in each["provenance"]["sources"]]
    assert {each["created_by"] for each in sources} == {"deploy-agent"}
    assert len(sources) == len(records) + 1


def test_an_outcome_is_answered_with_200_and_the_completed_record(api: Api) -> None:
    target = api.post("/v1/ingest/event", EVENT).record["id"]

    reply = api.post(
        "/v1/ingest/outcome",
        {"source": "judge", "target_record_id": target, "outcome_status": "partial"},
    )

    assert reply.status == 200
    assert reply.record["payload"]["outcome"] == "partial"


def test_an_outcome_for_a_fact_is_409_failed_precondition(api: Api) -> None:
    fact = api.post("/v1/ingest/observation", REPORTS["observation"]).record["id"]

    reply = api.post(
        "/v1/ingest/outcome",
        {"source": "judge", "target_record_id": fact, "outcome_status": "success"},
    )

    assert (reply.status, reply.body["code"]) == (409, "FAILED_PRECONDITION")
    assert reply.body["detail"] == f"ingestion: target record {fact} is not episodic"


def test_a_full_record_may_be_sent_bare_or_in_the_envelope_of_a_reply(api: Api) -> None:
    bare = api.post("/v1/records", {"id": "skill-1", **SKILL})

    enveloped = api.post("/v1/records", {"record": {**bare.record, "id": "skill-2"}})

    assert (bare.status, enveloped.status) == (201, 201)
    assert enveloped.record["payload"] == bare.record["payload"]


def test_what_the_server_owns_in_a_record_that_is_sent_is_not_stored(api: Api) -> None:
    forged = {
        "id": "skill-1",
        **SKILL,
        "created_at": "1999-01-01T00:00:00Z",
        "updated_at": "nonsense",
        "audit_log": [{"action": "create", "actor": "forger", "rationale": "forged"}],
        "provenance": {"sources": [{"kind": "artifact", "ref": "a", "hash": "forged"}]},
    }

    record = api.post("/v1/records", forged).record

    assert "forge" not in str(record)
    assert record["created_at"] == record["updated_at"] != "1999-01-01T00:00:00Z"
    assert len(record["audit_log"]) == 1


def test_a_deleted_record_is_gone_but_its_audit_stays(api: Api) -> None:
    record_id = api.post("/v1/ingest/event", EVENT).record["id"]

    deletion = api.call("DELETE", f"/v1/records/{record_id}", {"actor": "me", "rationale": "old"})

    assert (deletion.status, deletion.body) == (204, None)
    assert api.get(f"/v1/records/{record_id}").status == 404
    trail = api.get(f"/v1/records/{record_id}/audit?verify=true").body
    assert [entry["action"] for entry in trail["audit_log"]] == ["create", "delete"]
    assert trail["deleted_at"] == trail["audit_log"][1]["timestamp"]
    assert trail["verified"] is True


def test_a_record_that_may_never_be_deleted_is_409(api: Api) -> None:
    lasting = {"id": "skill-1", **SKILL, "lifecycle": {"deletion_policy": "never"}}
    api.post("/v1/records", lasting)

    reply = api.call("DELETE", "/v1/records/skill-1")

    assert (reply.status, reply.body["code"]) == (409, "FAILED_PRECONDITION")
    assert api.get("/v1/records/skill-1").status == 200


def test_an_altered_audit_entry_shows(api: Api) -> None:
    record_id = api.post("/v1/ingest/event", EVENT).record["id"]
    own = own_item(api, record_id)
    change(api, own, audit={"S": text_of(api, own, "audit").replace("agent", "angel")})

    trail = api.get(f"/v1/records/{record_id}/audit?verify=true").body

    assert (trail["verified"], trail["broken_at"]) == (False, 0)


def test_a_damaged_item_is_a_500_that_the_error_metric_sees(api: Api) -> None:
    record_id = api.post("/v1/ingest/event", EVENT).record["id"]
    change(api, own_item(api, record_id), document={"S": "{"})

    reply = api.get(f"/v1/records/{record_id}")

    assert (reply.status, reply.body) == (500, {"message": "Internal Server Error"})


def test_health_needs_no_key(api: Api) -> None:
    reply = api.get("/health", key="")

    assert (reply.status, reply.body) == (200, {"status": "ok"})


@pytest.mark.parametrize("operation", ROWS, ids=lambda operation: operation.rpc)
def test_every_other_route_needs_a_live_key(api: Api, operation: Any) -> None:
    method, path = operation.route.replace("{id}", "some-id").split(" ")

    assert api.call(method, path, key="").status == 401
    assert api.call(method, path, key="unknown").status == 403


def test_an_unknown_route_is_the_gateways_own_404(api: Api) -> None:
    assert api.get("/v2/records/some-id").body == {"message": "Not Found"}
    assert api.call("PUT", "/v1/records").status == 404


def test_a_refusal_is_a_problem_that_names_fields_and_never_repeats_values(api: Api) -> None:
    reply = api.post(
        "/v1/ingest/event", {**EVENT, "sensitivity": "top-secret-value", "tags": [1], "extra": 2}
    )

    assert reply.status == 400
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.body["code"] == "INVALID_ARGUMENT"
    assert {error["field"] for error in reply.body["errors"]} == {"sensitivity", "tags.0", "extra"}
    assert "top-secret-value" not in str(reply.body)


def test_a_required_field_that_is_missing_or_empty_gets_the_policys_words(api: Api) -> None:
    missing = api.post("/v1/ingest/event", {"source": "agent", "event_kind": "build"})
    empty = api.post("/v1/ingest/event", {**EVENT, "ref": ""})

    assert missing.body["detail"] == "event ref is required for event candidates"
    assert empty.problem == missing.problem


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("max_sensitivity=low", 200),
        ("max_sensitivity=public", 403),
        ("scope=project:alpha&scope=project:beta", 200),
        ("scope=project:beta", 403),
        ("max_sensitivity=secret", 400),
        ("max_sensitivity=low&max_sensitivity=low", 400),
        ("sensitivity=low", 400),
        ("scope=%ff", 400),
    ],
)
def test_the_query_narrows_the_trust(api: Api, query: str, status: int) -> None:
    record_id = api.post("/v1/ingest/event", {**EVENT, "scope": "project:alpha"}).record["id"]

    assert api.get(f"/v1/records/{record_id}?{query}").status == status


@pytest.mark.parametrize("path", ["%00", "a%2Fb", "x" * 3000, "%F0%9F%92%A9", "record%23x"])
def test_an_id_that_no_record_can_have_is_simply_not_found(api: Api, path: str) -> None:
    assert api.get(f"/v1/records/{path}").status == 404


def test_a_large_document_comes_back_as_it_was(api: Api) -> None:
    chosen = random.Random(7)
    texts = ["".join(chosen.choices(string.printable, k=100_000)) for _ in range(4)]

    record = api.post(
        "/v1/ingest/working-state",
        {"source": "agent", "thread_id": "1", "state": "planning", "next_actions": texts},
    ).record

    read = api.get(f"/v1/records/{record['id']}").record
    assert read["payload"]["next_actions"] == texts
    assert "M" in api.stored()[f"record#{record['id']} record"]["document"]


def test_a_record_that_no_reply_could_carry_is_413_and_leaves_nothing(api: Api) -> None:
    before = api.stored()
    quadrupled_by_escaping = ['"' * 100_000] * 16

    reply = api.post(
        "/v1/ingest/working-state",
        {
            "source": "agent",
            "thread_id": "1",
            "state": "planning",
            "next_actions": quadrupled_by_escaping,
        },
    )

    assert (reply.status, reply.body["code"]) == (413, "INVALID_ARGUMENT")
    state = {"source": "agent", "thread_id": "1", "state": "planning"}
    little = api.post("/v1/ingest/working-state", {**state, "next_actions": ["x" * 99_000] * 63})
    assert little.status == 413
    assert little.body["detail"] == "the record would be larger than 6225920 bytes in a reply"
    assert api.stored() == before


# --- how a record is printed ---------------------------------------------------------------------


@pytest.mark.parametrize("memory_type", WHOLE)
def test_a_record_that_was_returned_may_be_sent_again_and_is_the_same(
    api: Api, memory_type: str
) -> None:
    target = api.post("/v1/ingest/event", EVENT).record["id"]
    sources = [
        {"kind": "artifact", "ref": "a", "created_by": "b", "timestamp": "2026-01-01T00:00:00Z"},
        {"kind": "event", "ref": ""},
    ]
    lifecycle = {
        "decay": {
            "curve": "linear",
            "half_life_seconds": 60,
            "min_salience": 0.01,
            "max_age_seconds": 600,
            "reinforcement_gain": 0,
        },
        "last_reinforced_at": "2026-01-01T00:00:00Z",
        "pinned": True,
        "deletion_policy": "manual_only",
    }
    sent = {
        "type": memory_type,
        "sensitivity": "high",
        "confidence": 0,
        "salience": 3.5,
        "scope": "team",
        "tags": ["b", "a"],
        "lifecycle": lifecycle,
        "provenance": {"sources": sources, "created_by": "importer"},
        "relations": [{"predicate": "supports", "target_id": target, "weight": 0.5}],
        "payload": WHOLE[memory_type],
    }

    record = api.post("/v1/records", sent).record
    again = api.post("/v1/records", {**record, "id": "again"}).record

    assert list(record) == [
        *("id", "type", "sensitivity", "confidence", "salience", "scope", "tags", "created_at"),
        *("updated_at", "lifecycle", "provenance", "relations", "payload", "audit_log"),
        "audit_count",
    ]
    assert {name: record[name] for name in ("type", "confidence", "salience", "tags")} == {
        name: sent[name] for name in ("type", "confidence", "salience", "tags")
    }
    own = {name: part for name, part in WHOLE[memory_type].items() if name != "revision"}
    assert record["payload"] == own, "where it stands is the server's to say"
    assert {**record["lifecycle"], "last_reinforced_at": ""} == {
        **lifecycle,
        "last_reinforced_at": "",
    }
    for each in ("type", "sensitivity", "confidence", "salience", "scope", "tags", "payload"):
        assert again[each] == record[each]
    assert again["lifecycle"]["decay"] == record["lifecycle"]["decay"]
    assert [
        {name: each[name] for name in ("predicate", "target_id", "weight")}
        for each in again["relations"]
    ] == sent["relations"]


def test_what_is_empty_or_the_default_is_not_printed(api: Api) -> None:
    decay = {"half_life_seconds": 60, "min_salience": 0, "max_age_seconds": 0}
    sent = {**SKILL, "salience": 0, "tags": [], "scope": "", "lifecycle": {"decay": decay}}

    record = api.post("/v1/records", sent).record

    assert not record.keys() & {"scope", "tags", "relations"}
    assert record["salience"] == 0
    assert record["provenance"]["sources"] == []
    assert record["lifecycle"].keys() == {"decay", "last_reinforced_at", "deletion_policy"}
    assert record["lifecycle"]["decay"] == {
        "curve": "exponential",
        "half_life_seconds": 60,
        "reinforcement_gain": 0.2,
    }


@pytest.mark.parametrize("report", REPORTS)
def test_the_record_of_a_report_may_be_sent_again(api: Api, report: str) -> None:
    record = api.post(f"/v1/ingest/{report}", REPORTS[report]).record

    again = api.post("/v1/records", {**record, "id": "again"}).record

    assert again["payload"] == record["payload"]
    assert [each["ref"] for each in again["provenance"]["sources"]] == [
        each["ref"] for each in record["provenance"]["sources"]
    ]
