"""Salience over HTTP: as of now at every read, whatever sweeps ran, and what moves it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from tests.integration.http.test_routes import EVENT, REPORTS, SKILL
from tests.worlds.api import Api, Reply, repeated
from tests.worlds.depth import cases, crowd
from tests.worlds.recall import NOON
from tests.worlds.threads import at_once

EXACT = 1e-9
HOUR_S = 3_600
CHANGES: dict[str, Any] = {
    "reinforce": None,
    "penalize": {"amount": 0.1},
    "pin": None,
    "unpin": None,
}


def advance(api: Api, seconds: float) -> None:
    """Let so much time pass."""
    assert api.post("/_dev/clock", {"advance_seconds": seconds}).status == 200


def sweep(api: Api) -> dict[str, Any]:
    """Run the sweep, and wait for its end."""
    reply = api.post("/_dev/invoke/DecayFunction", {})
    assert "x-amz-function-error" not in reply.headers, reply.body
    return dict(reply.body)


def made(api: Api, deletion_policy: str = "manual_only", **decay: Any) -> str:
    """The id of a record that halves every hour."""
    lifecycle = {
        "decay": {"half_life_seconds": HOUR_S, **decay},
        "deletion_policy": deletion_policy,
    }
    return str(api.post("/v1/records", {**SKILL, "lifecycle": lifecycle}).record["id"])


def salience_of(api: Api, record_id: str) -> float:
    """As it is read now."""
    return float(api.get(f"/v1/records/{record_id}").record["salience"])


def change(api: Api, record_id: str, route: str, body: Any = None, **options: Any) -> Reply:
    method = "PATCH" if route == "lifecycle" else "POST"
    return api.call(method, f"/v1/records/{record_id}/{route}", body, **options)


# --- decay ---------------------------------------------------------------------------------------

STEP = cases(1, 10)
"""Minutes by which the clock moves."""

OFTEN = range(STEP, 601, STEP)
"""The minutes of ten hours at which a sweep runs."""


@pytest.mark.parametrize("swept", [[], [30], OFTEN], ids=["never", "once", "often"])
def test_salience_is_exact_whatever_sweeps_ran_in_between(still: Api, swept: Sequence[int]) -> None:
    record_id = made(still)
    read = {}

    for minute in range(STEP, 601, STEP):
        advance(still, STEP * 60)
        if minute in swept:
            sweep(still)
        if minute % 60 == 0:
            read[minute // 60] = salience_of(still, record_id)

    expected = {1: 0.5, 2: 0.25, 5: 0.03125, 10: 0.0009765625}
    assert {hours: read[hours] for hours in expected} == pytest.approx(expected, abs=EXACT)
    assert still.get(f"/v1/records/{record_id}").record["updated_at"] == NOON


@pytest.mark.parametrize("fraction", ["", ".25", ".999999"])
def test_what_has_faded_is_pruned_by_the_first_sweep_and_by_none_before(
    still: Api, fraction: str
) -> None:
    still.post("/_dev/clock", {"set": f"2026-03-01T12:00:00{fraction}Z"})
    record_id = made(still, "auto_prune")

    advance(still, 35_876)
    sweep(still)
    assert salience_of(still, record_id) == pytest.approx(0.001, rel=1e-3)
    advance(still, 1)
    assert salience_of(still, record_id) < 0.001
    sweep(still)

    assert still.get(f"/v1/records/{record_id}").status == 404
    trail = still.get(f"/v1/records/{record_id}/audit?verify=true").body
    assert [entry["action"] for entry in trail["audit_log"]] == ["create", "decay", "delete"]
    assert (trail["verified"], trail["deleted_at"]) == (True, trail["audit_log"][2]["timestamp"])
    decay, deletion = trail["audit_log"][1:]
    assert (decay["salience_before"], decay["salience_after"]) == (1.0, pytest.approx(0.001, 1e-3))
    assert deletion["rationale"] == "auto-pruned: salience fell to 0.001"


def test_what_was_reinforced_in_time_is_not_pruned(still: Api) -> None:
    record_id = made(still, "auto_prune")

    advance(still, 35_876)
    change(still, record_id, "reinforce")
    advance(still, 1)
    sweep(still)

    assert salience_of(still, record_id) == pytest.approx(0.201, rel=1e-3)


# --- what moves it -------------------------------------------------------------------------------


def test_a_pinned_record_neither_fades_nor_is_pruned_until_it_is_unpinned(still: Api) -> None:
    record_id = made(still, "auto_prune")
    advance(still, HOUR_S)
    change(still, record_id, "pin")

    advance(still, 1_000 * HOUR_S)
    sweep(still)
    assert salience_of(still, record_id) == 0.5
    change(still, record_id, "unpin")
    advance(still, HOUR_S)

    assert salience_of(still, record_id) == pytest.approx(0.25, abs=EXACT)


def test_the_decay_profile_of_a_reply_may_be_sent_back(still: Api) -> None:
    record_id = made(still)
    profile = still.get(f"/v1/records/{record_id}").record["lifecycle"]["decay"]

    reply = change(still, record_id, "lifecycle", {"decay": profile})

    assert (reply.status, reply.record["lifecycle"]["decay"]) == (200, profile)


@pytest.mark.parametrize("route", [*CHANGES, "lifecycle"])
def test_a_repeat_under_the_same_key_changes_nothing_more(still: Api, route: str) -> None:
    record_id = made(still)
    body = CHANGES.get(route, {"decay": {"half_life_seconds": 60}})
    key = {"idempotency-key": "k-1"}
    first = change(still, record_id, route, body, headers=key)
    before = still.stored()

    again = change(still, record_id, route, body, headers=key)
    other = change(still, record_id, route, {**(body or {}), "rationale": "x"}, headers=key)

    assert (again.status, again.headers["idempotency-replayed"]) == (200, "true")
    assert again.record == first.record
    assert (other.status, other.body["code"]) == (409, "ALREADY_EXISTS")
    assert still.stored() == before


def test_as_many_effects_are_there_as_callers_at_once(still: Api) -> None:
    record_id = made(still)

    penalizing = partial(change, still, record_id, "penalize", {"amount": 0.01})
    replies = at_once([partial(repeated, penalizing)] * crowd())

    assert [reply.status for reply in replies] == [200] * crowd()
    assert salience_of(still, record_id) == pytest.approx(1.0 - crowd() * 0.01, abs=EXACT)
    trail = still.get(f"/v1/records/{record_id}/audit?verify=true").body
    assert (len(trail["audit_log"]), trail["verified"]) == (1 + crowd(), True)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        None,
        {},
        {"rationale": "just so"},
        {"decay": {}},
        {"decay": None, "deletion_policy": None},
        {"decay": {"curve": None}},
    ],
    ids=str,
)
def test_a_lifecycle_change_of_nothing_is_400(api: Api, body: Any) -> None:
    record_id = made(api)
    before = api.stored()

    reply = change(api, record_id, "lifecycle", body)

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert "nothing is to be changed" in reply.body["detail"]
    assert api.stored() == before


@pytest.mark.parametrize(
    "body",
    [
        {"decay": {"curve": "custom", "custom_curve": "gone"}},
        {"decay": {"half_life_seconds": 0}},
        {"deletion_policy": "always"},
        {"pinned": True},
        {"id": "another", "deletion_policy": "never"},
        [],
    ],
    ids=str,
)
def test_a_lifecycle_that_cannot_be_is_400(api: Api, body: Any) -> None:
    record_id = made(api)
    before = api.stored()

    assert change(api, record_id, "lifecycle", body).status == 400
    assert api.stored() == before


def test_a_seventeenth_decay_profile_is_400_and_names_those_of_the_settings_alone(api: Api) -> None:
    record_ids = [made(api) for _ in range(14)]
    for number, record_id in enumerate(record_ids[:13], start=1):
        body = {"decay": {"half_life_seconds": number}}
        assert change(api, record_id, "lifecycle", body).status == 200

    reply = change(api, record_ids[13], "lifecycle", {"decay": {"half_life_seconds": 14}})

    assert reply.status == 400
    assert reply.body["detail"].endswith("of the settings: exponential:2592000:0:0, pinned")
    assert change(api, record_ids[13], "pin").status == 200


# --- every read is as of now ---------------------------------------------------------------------


def reported(api: Api, name: str) -> Callable[[], Reply]:
    """A report under a key."""
    return lambda: api.post(
        f"/v1/ingest/{name}", REPORTS[name], headers={"idempotency-key": f"key of {name}"}
    )


def changed(api: Api, route: str, body: Any) -> Callable[[], Reply]:
    """A change of a record, under a key."""
    record_id = made(api)
    return lambda: change(api, record_id, route, body, headers={"idempotency-key": "k-1"})


def restored(api: Api) -> Callable[[], Reply]:
    """A restoration under a key."""
    record_id = made(api)
    api.call("DELETE", f"/v1/records/{record_id}")
    return lambda: change(api, record_id, "restore", headers={"idempotency-key": "k-1"})


def completed(api: Api) -> Callable[[], Reply]:
    """An outcome under a key."""
    target = api.post("/v1/ingest/event", EVENT).record["id"]
    outcome = {"source": "judge", "target_record_id": target, "outcome_status": "success"}
    return lambda: api.post("/v1/ingest/outcome", {**outcome, "idempotency_key": "k-1"})


def sent(api: Api) -> Callable[[], Reply]:
    """A full record under a key."""
    return lambda: api.post("/v1/records", {**SKILL, "idempotency_key": "k-1"})


CALLS: dict[str, Callable[[Api], Callable[[], Reply]]] = {
    **{name: partial(reported, name=name) for name in REPORTS},
    "outcome": completed,
    "record": sent,
    **{
        route: partial(changed, route=route, body=CHANGES[route])
        for route in ("reinforce", "penalize", "unpin")
    },
    "lifecycle": partial(changed, route="lifecycle", body={"decay": {"half_life_seconds": 60}}),
    "restore": restored,
}


@pytest.mark.parametrize("prepared", CALLS.values(), ids=CALLS)
def test_a_replay_shows_the_salience_as_of_now(
    still: Api, prepared: Callable[[Api], Callable[[], Reply]]
) -> None:
    call = prepared(still)
    first = call().record
    advance(still, 1_800)

    again = call()

    assert again.headers["idempotency-replayed"] == "true"
    half_lives = 1_800 / first["lifecycle"]["decay"]["half_life_seconds"]
    assert again.record["salience"] == pytest.approx(first["salience"] * 2**-half_lives, abs=EXACT)
    assert again.record == {**first, "salience": again.record["salience"]}
    assert again.record == still.get(f"/v1/records/{first['id']}").record


def test_the_replay_of_a_pin_shows_what_it_held(still: Api) -> None:
    call = changed(still, "pin", None)
    first = call().record
    advance(still, HOUR_S)

    assert call().record == first


def test_an_outcome_is_answered_with_the_salience_as_of_now(still: Api) -> None:
    call = completed(still)
    advance(still, HOUR_S)

    record = call().record

    assert record["salience"] == pytest.approx(0.5, abs=EXACT)
    assert "salience_before" not in record["audit_log"][-1], "an outcome moves none"


def test_the_entries_of_a_batch_and_of_its_replay_show_the_salience_as_of_now(still: Api) -> None:
    target = still.post("/v1/ingest/event", EVENT).record["id"]
    advance(still, HOUR_S)
    outcome = {"source": "judge", "target_record_id": target, "outcome_status": "success"}
    batch = {"items": [{"rpc": "IngestEvent", **EVENT}, {"rpc": "IngestOutcome", **outcome}]}
    key = {"idempotency-key": "k-1"}

    first = still.post("/v1/ingest/batch", batch, headers=key).body["results"]
    advance(still, HOUR_S)
    again = still.post("/v1/ingest/batch", batch, headers=key).body["results"]

    assert [each["record"]["salience"] for each in first] == pytest.approx([1.0, 0.5], abs=EXACT)
    assert [each["record"]["salience"] for each in again] == pytest.approx([0.5, 0.25], abs=EXACT)
    assert [each["status"] for each in again] == [200, 200]


def test_the_audit_tells_each_salience_as_it_was_then(still: Api) -> None:
    record_id = made(still)
    for _ in range(3):
        advance(still, HOUR_S)
        change(still, record_id, "reinforce")
    advance(still, 100 * HOUR_S)

    trail = still.get(f"/v1/records/{record_id}/audit?verify=true").body

    told = [(each["salience_before"], each["salience_after"]) for each in trail["audit_log"][1:]]
    assert told == [pytest.approx(pair) for pair in [(0.5, 0.7), (0.35, 0.55), (0.275, 0.475)]]
    assert trail["verified"] is True
