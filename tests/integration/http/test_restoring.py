"""Deleted, restored and erased over HTTP: what comes back, and what is gone for good."""

import random
import string
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.integration.http.test_routes import EVENT, SKILL
from tests.worlds.api import Api, Reply
from tests.worlds.stored_items import texts

SECRET = "the-name-of-ms-smith"


@pytest.fixture
def still(api: Api) -> Iterator[Api]:
    """The stack with its clock frozen, and the machine's time again afterwards."""
    api.post("/_dev/clock", {"frozen": True})
    yield api
    api.post("/_dev/clock", {"set": datetime.now(UTC).isoformat()})


def advance(api: Api, days: float) -> None:
    """Let so much time pass, and sweep at its end."""
    api.post("/_dev/clock", {"advance_seconds": days * 86_400})
    assert api.post("/_dev/invoke/DecayFunction", {}).body["failed"] == 0


def made(api: Api, **fields: Any) -> str:
    """The id of a record that halves every hour and says what nobody else shall know."""
    lifecycle = {"decay": {"half_life_seconds": 3_600}, "deletion_policy": "manual_only"}
    payload = {**SKILL["payload"], "skill_name": SECRET}
    sent = {**SKILL, "payload": payload, "lifecycle": lifecycle, "tags": [SECRET], **fields}
    return str(api.post("/v1/records", sent).record["id"])


def deleted(api: Api, record_id: str, query: str = "", body: Any = None, **options: Any) -> Reply:
    return api.call("DELETE", f"/v1/records/{record_id}{query}", body, **options)


def restored(api: Api, record_id: str, **options: Any) -> Reply:
    return api.call("POST", f"/v1/records/{record_id}/restore", **options)


# --- restoring -----------------------------------------------------------------------------------


def test_a_deleted_record_comes_back_as_salient_as_a_new_one(still: Api) -> None:
    record_id = made(still)
    before = still.get(f"/v1/records/{record_id}").record
    advance(still, days=1)
    deleted(still, record_id)
    advance(still, days=29)

    reply = restored(still, record_id)

    assert (reply.status, reply.record["salience"]) == (200, 1.0)
    assert still.get(f"/v1/records/{record_id}").record == reply.record
    assert reply.record["payload"] == before["payload"]
    trail = still.get(f"/v1/records/{record_id}/audit?verify=true").body
    assert [entry["action"] for entry in trail["audit_log"]] == ["create", "delete", "revise"]
    assert (trail["deleted_at"], trail["verified"]) == (None, True)


def test_a_pruned_record_comes_back_and_the_next_sweep_leaves_it(still: Api) -> None:
    record_id = made(still, lifecycle={"decay": {"half_life_seconds": 3_600}})
    advance(still, days=1)
    assert still.get(f"/v1/records/{record_id}").status == 404

    restored(still, record_id)

    advance(still, days=0)
    assert still.get(f"/v1/records/{record_id}").record["salience"] == 1.0
    advance(still, days=1)
    assert still.get(f"/v1/records/{record_id}").status == 404


def test_a_record_with_relations_comes_back_with_them(still: Api) -> None:
    target = made(still)
    record_id = made(still, relations=[{"predicate": "cites", "target_id": target}])
    before = still.get(f"/v1/records/{record_id}").record
    deleted(still, record_id)

    assert restored(still, record_id).record["relations"] == before["relations"]


@pytest.mark.parametrize("query", ["", "?erase=true"])
def test_a_repeated_restoration_is_a_replay_also_of_what_is_gone_again(
    still: Api, query: str
) -> None:
    record_id = made(still)
    deleted(still, record_id)
    key = {"idempotency-key": "k-1"}
    first = restored(still, record_id, headers=key)

    again = restored(still, record_id, headers=key)
    deleted(still, record_id, query)
    late = restored(still, record_id, headers=key)

    assert (again.status, again.headers["idempotency-replayed"]) == (200, "true")
    assert again.record == first.record
    assert (late.status, set(late.record)) == (200, {"id", "deleted_at"})


def test_what_cannot_be_restored_is_409_and_says_why(still: Api) -> None:
    living, erased, forgotten = made(still), made(still), made(still)
    deleted(still, erased, "?erase=true")
    deleted(still, forgotten)
    advance(still, days=30.001)

    replies = [restored(still, each) for each in (living, erased, forgotten)]

    assert [(reply.status, reply.body["code"]) for reply in replies] == [
        (409, "FAILED_PRECONDITION")
    ] * 3
    assert [reply.body["detail"] for reply in replies] == [
        "the record is not deleted",
        "the record was erased; nothing is left to restore",
        "the time in which the record could be restored is over",
    ]
    assert restored(still, "never-made").status == 404


def test_the_audit_outlives_the_document(still: Api) -> None:
    record_id = made(still)
    deleted(still, record_id, body={"rationale": "no longer true"})
    advance(still, days=31)

    assert SECRET not in texts(still)
    trail = still.get(f"/v1/records/{record_id}/audit?verify=true").body
    assert [entry["action"] for entry in trail["audit_log"]] == ["create", "delete", "delete"]
    assert trail["audit_log"][1]["rationale"] == "no longer true"
    last = trail["audit_log"][2]
    assert (last["actor"], last["rationale"], trail["verified"]) == (
        "decay-service",
        "document removed: it could be restored no longer",
        True,
    )


# --- erasing -------------------------------------------------------------------------------------


def test_erasing_leaves_nothing_of_what_was_said(still: Api) -> None:
    record_id = made(still)
    still.post(f"/v1/records/{record_id}/penalize", {"amount": 0.1, "rationale": SECRET})
    assert SECRET in texts(still)

    reply = deleted(still, record_id, "?erase=true", {"actor": "officer", "rationale": "by law"})

    assert (reply.status, reply.body) == (204, None)
    assert SECRET not in texts(still)
    trail = still.get(f"/v1/records/{record_id}/audit?verify=true").body
    assert [entry["rationale"] for entry in trail["audit_log"]] == ["", "", "by law"]
    assert [entry["actor"] for entry in trail["audit_log"]] == ["", "", "officer"]
    assert (trail["verified"], bool(trail["deleted_at"])) == (True, True)
    assert still.get(f"/v1/records/{record_id}").status == 404


def test_erasing_removes_what_lies_in_the_bucket(still: Api) -> None:
    blobs = still.functions.store.blobs
    large = "".join(random.Random(7).choices(string.printable, k=99_000))
    recipe = [{"step": SECRET, "validation": large}]
    record_id = made(still, payload={**SKILL["payload"], "recipe": recipe})
    assert list(blobs.list_blobs(record_id))

    deleted(still, record_id, "?erase=true")

    assert list(blobs.list_blobs(record_id)) == []


def test_what_may_never_be_deleted_may_be_erased(still: Api) -> None:
    record_id = made(still, lifecycle={"deletion_policy": "never"})

    assert deleted(still, record_id).status == 409
    assert deleted(still, record_id, "?erase=true").status == 204
    assert still.get(f"/v1/records/{record_id}").status == 404


@pytest.mark.parametrize("days", [0, 31])
def test_what_is_deleted_or_forgotten_already_may_be_erased(still: Api, days: int) -> None:
    record_id = made(still)
    deleted(still, record_id, body={"rationale": SECRET})
    advance(still, days)

    assert deleted(still, record_id, "?erase=true").status == 204
    assert SECRET not in texts(still)


def test_to_erase_again_changes_nothing(still: Api) -> None:
    record_id = made(still)
    key = {"idempotency-key": "k-1"}
    deleted(still, record_id, "?erase=true", headers=key)
    before = still.stored()

    replies = [deleted(still, record_id, "?erase=true", headers=headers) for headers in (key, None)]

    assert [reply.status for reply in replies] == [204, 204]
    assert ["idempotency-replayed" in reply.headers for reply in replies] == [True, False]
    assert still.stored() == before


def test_a_report_repeated_after_its_record_was_erased_makes_no_other(still: Api) -> None:
    key = {"idempotency-key": "k-1"}
    record_id = still.post("/v1/ingest/event", EVENT, headers=key).record["id"]
    deleted(still, record_id, "?erase=true")

    again = still.post("/v1/ingest/event", EVENT, headers=key)

    assert (again.status, again.record["id"]) == (200, record_id)
    assert again.record["deleted_at"]


def test_to_erase_false_is_to_delete(still: Api) -> None:
    record_id = made(still)

    assert deleted(still, record_id, "?erase=false").status == 204
    assert restored(still, record_id).status == 200


@pytest.mark.parametrize(
    ("query", "body"),
    [
        ("?erase=maybe", None),
        ("?erase=", None),
        ("?erase", None),
        ("?erase=TRUE", None),
        ("?erase=1", None),
        ("?erase=true&erase=true", None),
        ("?erased=true", None),
        ("", {"erase": True}),
        ("?erase=true", {"erase": False}),
        ("", {"id": "another"}),
        ("", []),
    ],
    ids=str,
)
def test_a_deletion_that_is_not_asked_for_plainly_is_400(api: Api, query: str, body: Any) -> None:
    record_id = made(api)
    before = api.stored()

    reply = deleted(api, record_id, query, body)

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert api.stored() == before


# --- lists of removed records --------------------------------------------------------------------


def test_a_record_is_listed_by_its_state_until_the_tombstone_expires(still: Api) -> None:
    record_id = made(still, id=f"listed-{random.randrange(10**9)}")
    deleted(still, record_id)

    (row,) = [
        each
        for each in still.get("/v1/records?state=deleted&limit=1000").body["records"]
        if each["id"] == record_id
    ]

    assert row.keys() == {
        "id",
        "type",
        "scope",
        "sensitivity",
        "deleted_at",
        "reason",
        "restorable_until",
        "expires_at",
    }
    assert row["reason"] == "deleted"
    assert row["restorable_until"] > row["deleted_at"]
    restored(still, record_id)
    listed = still.get("/v1/records?state=deleted&limit=1000").body["records"]
    assert record_id not in [each["id"] for each in listed]


@pytest.mark.parametrize("state", ["erased", "alive"])
def test_a_state_that_no_list_has_is_refused(api: Api, state: str) -> None:
    assert api.get(f"/v1/records?state={state}").status == 400
