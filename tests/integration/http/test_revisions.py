"""Revisions from gateway event to reply: replies, links, retrieval, races."""

from functools import partial
from typing import Any

import pytest

from tests.integration.http.test_routes import EVENT, REPORTS
from tests.worlds.api import Api, Reply
from tests.worlds.threads import at_once

WHY = {"actor": "eval", "rationale": "update"}


def a_fact(**fields: Any) -> dict[str, Any]:
    """A record to be of a revision, with evidence."""
    evidence = {"source_type": "eval", "source_id": "1", "timestamp": "2026-01-02T03:04:05Z"}
    return {
        "type": "semantic",
        "sensitivity": "low",
        "payload": {
            "kind": "semantic",
            "subject": "user",
            "predicate": "likes",
            "object": "Rust",
            "validity": {"mode": "global"},
            "evidence": [evidence],
        },
        **fields,
    }


def observed(api: Api, **fields: Any) -> str:
    """The id of a new fact."""
    return str(
        api.post("/v1/ingest/observation", {**REPORTS["observation"], **fields}).record["id"]
    )


def revise(api: Api, record_id: str, how: str, body: dict[str, Any], **options: Any) -> Reply:
    return api.post(f"/v1/records/{record_id}/{how}", {**WHY, **body}, **options)


def supersede(api: Api, record_id: str, **options: Any) -> Reply:
    return revise(api, record_id, "supersede", {"new_record": a_fact()}, **options)


def fork(api: Api, record_id: str, **options: Any) -> Reply:
    return revise(api, record_id, "fork", {"forked_record": a_fact()}, **options)


def merge(api: Api, *record_ids: str, **options: Any) -> Reply:
    body = {"ids": list(record_ids), "merged_record": a_fact(), **WHY}
    return api.post("/v1/records/merge", body, **options)


def read(api: Api, record_id: str) -> dict[str, Any]:
    return api.get(f"/v1/records/{record_id}").record


def audited(api: Api, record_id: str) -> list[tuple[str, str]]:
    """Action and reason of each entry of an intact trail."""
    trail = api.get(f"/v1/records/{record_id}/audit?verify=true").body
    assert trail["verified"] is True
    return [(entry["action"], entry["rationale"]) for entry in trail["audit_log"]]


def found(api: Api, **asked: Any) -> set[str]:
    """The ids that a retrieval gives, once the index has caught up."""
    assert api.get("/_dev/queues?wait").status == 200
    reply = api.post("/v1/retrieve", asked)
    assert reply.status == 200, reply.body
    return {record["id"] for record in reply.body["records"]}


# --- what each does ------------------------------------------------------------------------------


def test_superseding_answers_201_with_the_new_record_and_each_names_the_other(api: Api) -> None:
    old_id = observed(api)

    reply = supersede(api, old_id)

    new, old = reply.record, read(api, old_id)
    assert (reply.status, reply.body.keys()) == (201, {"record", "consistency_token"})
    assert new["payload"]["revision"]["supersedes"] == old_id
    assert [edge["target_id"] for edge in new["relations"]] == [old_id]
    assert old["payload"]["revision"]["superseded_by"] == new["id"]
    assert (old["payload"]["revision"]["status"], old["salience"]) == ("retracted", 0)
    assert audited(api, old_id)[1:] == [("revise", f"superseded by {new['id']}: update")]
    assert audited(api, new["id"]) == [("create", f"supersedes {old_id}: update")]


def test_forking_answers_201_with_the_variant_and_leaves_the_source_active(api: Api) -> None:
    source_id = observed(api)
    before = read(api, source_id)

    reply = fork(api, source_id)

    assert reply.status == 201
    variant, after = reply.record, read(api, source_id)
    assert [edge["predicate"] for edge in variant["relations"]] == ["derived_from"]
    assert after["payload"] == before["payload"]
    assert audited(api, source_id)[1:] == [("fork", f"forked to {variant['id']}: update")]


def test_as_many_records_as_a_merge_takes_are_merged_in_one_write(api: Api) -> None:
    ids = [observed(api, object=number) for number in range(22)]

    reply = merge(api, *ids)

    assert reply.status == 201
    assert [edge["target_id"] for edge in reply.record["relations"]] == ids
    revisions = [read(api, each)["payload"]["revision"] for each in ids]
    assert {(each["status"], each["superseded_by"]) for each in revisions} == {
        ("retracted", reply.record["id"])
    }


def test_a_record_is_reclassified_and_taken_up_again(api: Api) -> None:
    record_id = observed(api)
    revise(api, record_id, "retract", {})

    reply = api.call(
        "PATCH",
        f"/v1/records/{record_id}",
        {"scope": "team", "sensitivity": "medium", "tags": ["a"], "retracted": False},
    )

    assert reply.status == 200
    record = read(api, record_id)
    assert (record["scope"], record["sensitivity"], record["tags"]) == ("team", "medium", ["a"])
    assert (record["payload"]["revision"]["status"], record["salience"] > 0.99) == ("active", True)


# --- what is found afterwards --------------------------------------------------------------------


@pytest.mark.parametrize("task", ["", "What does the user like?"])
def test_what_was_replaced_is_found_no_more_and_its_successor_is(api: Api, task: str) -> None:
    old, merged_away, kept = observed(api), observed(api), observed(api)
    new = supersede(api, old).record["id"]
    union = merge(api, merged_away).record["id"]
    variant = fork(api, kept).record["id"]

    assert found(api, task_descriptor=task) == {new, union, variant, kept}
    everything = found(api, task_descriptor=task, include_retracted=True)
    assert everything == {old, merged_away, kept, new, union, variant}


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"task_descriptor": "What does the user like?"},
        {"subject": "user", "predicate": "likes"},
    ],
    ids=["by salience", "by task", "by subject"],
)
def test_a_record_that_moved_is_found_in_its_new_scope_alone(api: Api, asked: Any) -> None:
    record_id = observed(api, scope="old")
    assert found(api, **asked, trust={"scopes": ["old"]}) == {record_id}

    moved = api.call("PATCH", f"/v1/records/{record_id}", {"scope": "new"})

    assert moved.status == 200
    assert found(api, **asked, trust={"scopes": ["old"]}) == set()
    assert found(api, **asked, trust={"scopes": ["new"]}) == {record_id}


def test_a_record_that_became_more_sensitive_is_shown_to_fewer(api: Api) -> None:
    record_id = observed(api, scope="team")
    reader = api.key_for(permissions=("read",), scopes=("team",), max_sensitivity="low")
    assert api.get(f"/v1/records/{record_id}", key=reader).status == 200

    api.call("PATCH", f"/v1/records/{record_id}", {"sensitivity": "high"})

    assert api.get(f"/v1/records/{record_id}", key=reader).status == 404
    assert api.get("/_dev/queues?wait").status == 200
    body = {"task_descriptor": "What does the user like?"}
    assert api.post("/v1/retrieve", body, key=reader).body["records"] == []


# --- refusals ------------------------------------------------------------------------------------

OF_ONE: dict[str, dict[str, Any]] = {
    "supersede": {"new_record": a_fact()},
    "fork": {"forked_record": a_fact()},
    "retract": {},
    "contest": {},
    "resolve": {"resolution": "keep"},
}


@pytest.mark.parametrize("how", [*OF_ONE, "merge"])
def test_an_episode_is_409(api: Api, how: str) -> None:
    episode = api.post("/v1/ingest/event", EVENT).record["id"]

    reply = revise(api, episode, how, OF_ONE[how]) if how in OF_ONE else merge(api, episode)

    assert (reply.status, reply.body["code"]) == (409, "FAILED_PRECONDITION")
    prefix = "" if how == "contest" else f"{how}: "
    words = "episodic memory is immutable and cannot be revised: record"
    assert reply.body["detail"] == f"{prefix}{words} {episode}"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (None, "validation error for record: record is required"),
        (a_fact(payload=None), "validation error for payload: payload is required"),
        (a_fact(payload={"kind": "mystery"}), "validation error for payload: payload is required"),
        (a_fact(confidence=1.5), "confidence must be in range [0, 1]"),
        (a_fact(relations=[{"predicate": "a", "target_id": "b"}] * 31), "relations"),
    ],
)
@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/v1/records/nothing/supersede", "new_record"),
        ("/v1/records/nothing/fork", "forked_record"),
        ("/v1/records/merge", "merged_record"),
    ],
)
def test_a_record_that_is_none_is_refused_before_its_source_is_looked_for(
    api: Api, path: str, field: str, record: dict[str, Any] | None, message: str
) -> None:
    ids = {"ids": ["nothing"]} if field == "merged_record" else {}

    reply = api.post(path, {**WHY, **ids, field: record})

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert any(message in error["message"] for error in reply.body["errors"]), reply.body


def test_a_record_nested_as_deep_as_may_be_is_taken(api: Api) -> None:
    value: Any = 1
    for _ in range(63):
        value = [value]
    record = a_fact()
    record["payload"]["object"] = value

    reply = revise(api, observed(api), "supersede", {"new_record": record})

    assert reply.status == 201
    assert reply.record["payload"]["object"] == value


# --- keys and races ------------------------------------------------------------------------------


def test_of_many_that_supersede_one_record_at_once_one_does(api: Api) -> None:
    old = observed(api)

    replies = at_once([partial(supersede, api, old)] * 16)

    made = [reply.record["id"] for reply in replies if reply.status == 201]
    refused = [reply.body["code"] for reply in replies if reply.status != 201]
    assert len(made) == 1
    assert refused == ["FAILED_PRECONDITION"] * 15
    assert read(api, old)["payload"]["revision"]["superseded_by"] == made[0]
    assert len(audited(api, old)) == 2


def test_of_many_calls_under_one_key_one_makes_the_record(api: Api) -> None:
    old = observed(api)

    replies = at_once([partial(supersede, api, old, headers={"idempotency-key": "k-1"})] * 8)

    assert sorted(reply.status for reply in replies) == [200] * 7 + [201]
    assert len({reply.record["id"] for reply in replies}) == 1


def test_records_that_are_merged_and_superseded_at_once_have_one_successor(api: Api) -> None:
    ids = [observed(api, object=number) for number in range(3)]

    merging, superseding = partial(merge, api, *ids), partial(supersede, api, ids[0])
    replies = at_once([merging, merging, superseding, superseding])

    (made,) = [reply.record for reply in replies if reply.status == 201]
    targets = {edge["target_id"] for edge in made["relations"]}
    for record_id in ids:
        revision = read(api, record_id)["payload"].get("revision", {})
        assert (revision.get("superseded_by") == made["id"]) is (record_id in targets)
