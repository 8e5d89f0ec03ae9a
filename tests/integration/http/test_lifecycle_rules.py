"""What each change of a lifecycle makes of a record, its salience, its audit and its end."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.conftest import NO_SCHEDULES
from tests.integration.http.test_revision_rules import refused, unchanged
from tests.integration.http.test_revisions import observed, revise
from tests.integration.http.test_routes import EVENT, REPORTS, SKILL
from tests.worlds.api import Api, Reply, api_with

HOUR_S, DAY_S = 3_600, 86_400
OPERATORS = {
    "CustomCurves": json.dumps({"steps": [[0, 1], [1, 0.5], [4, 0]], "level": [[0, 1], [1, 0.5]]}),
    "DefaultInitialSalience": "0.75",
    "ReinforcementGain": "0.125",
    "RestoreDays": "2",
    "EpisodicTombstoneDays": "3",
    "TombstoneDays": "5",
    "RetractedDays": "10",
}
"""What an operator may set otherwise than the template."""


@pytest.fixture(scope="module")
def local_api() -> Iterator[Api]:
    """A stack of an operator with settings of its own."""
    with api_with(OPERATORS | NO_SCHEDULES) as found:
        yield found


def advance(api: Api, hours: float) -> None:
    assert api.post("/_dev/clock", {"advance_seconds": hours * HOUR_S}).status == 200


def sweep(api: Api) -> dict[str, int]:
    """What a sweep prunes, by type."""
    return dict(api.invoke("DecayFunction", {})["pruned"])


def made(api: Api, **fields: Any) -> str:
    """The id of a skill that halves every hour from 1, with `decay` and `lifecycle` of its own."""
    decay = {"half_life_seconds": HOUR_S, "reinforcement_gain": 0.25, **fields.pop("decay", {})}
    lifecycle = {"decay": decay, **fields.pop("lifecycle", {})}
    skill = {**SKILL, "salience": 1.0, "lifecycle": lifecycle, **fields}
    return str(api.post("/v1/records", skill).record["id"])


def change(api: Api, record_id: str, how: str, body: Any = None, **options: Any) -> Reply:
    if how in ("delete", "erase"):
        query = "?erase=true" if how == "erase" else ""
        return api.call("DELETE", f"/v1/records/{record_id}{query}", body, **options)
    method = "PATCH" if how == "lifecycle" else "POST"
    return api.call(method, f"/v1/records/{record_id}/{how}", body, **options)


def salience(api: Api, record_id: str) -> float:
    return float(api.get(f"/v1/records/{record_id}").record["salience"])


def trail(api: Api, record_id: str) -> list[dict[str, Any]]:
    """The entries of an intact trail."""
    told = api.get(f"/v1/records/{record_id}/audit?verify=true").body
    assert told["verified"] is True
    return list(told["audit_log"])


def is_gone(api: Api, record_id: str) -> bool:
    return api.get(f"/v1/records/{record_id}").status == 404


# --- what moves the salience ---------------------------------------------------------------------

STEPS = {"curve": "custom", "custom_curve": "steps"}
WHY = {"rationale": "so"}


def lifecycle(policy: str = "", **decay: Any) -> dict[str, Any]:
    return {
        **({"decay": decay} if decay else {}),
        **({"deletion_policy": policy} if policy else {}),
    }


Row = tuple[dict[str, Any], float, str, dict[str, Any], str, float | None, float, float]
CHANGES: list[Row] = [
    # made so, hours later, changed so; the reason in the audit, before, after, and an hour later
    ({}, 0, "reinforce", {}, "so", 1.0, 1.0, 0.5),
    ({}, 1, "reinforce", {}, "so", 0.5, 0.75, 0.375),
    ({}, 9_000, "reinforce", {}, "so", 0.0, 0.25, 0.125),
    ({"decay": {"reinforcement_gain": 0.0625}}, 1, "reinforce", {}, "so", 0.5, 0.5625, 0.28125),
    ({"salience": 4.0}, 1, "reinforce", {}, "so", 2.0, 1.0, 0.5),
    ({"lifecycle": {"pinned": True}, "salience": 0.5}, 9, "reinforce", {}, "so", 0.5, 0.75, 0.75),
    ({}, 1, "penalize", {"amount": 0}, "penalty: so", 0.5, 0.5, 0.25),
    ({}, 1, "penalize", {"amount": 0.25}, "penalty: so", 0.5, 0.25, 0.125),
    ({}, 1, "penalize", {"amount": 10}, "penalty: so", 0.5, 0.0, 0.0),
    (
        {"decay": {"min_salience": 0.25}},
        1,
        "penalize",
        {"amount": 5},
        "penalty: so",
        0.5,
        0.25,
        0.25,
    ),
    (
        {"decay": {"min_salience": 0.25}, "salience": 0.125},
        *(0, "penalize", {"amount": 5}, "penalty: so", 0.125, 0.125, 0.125),
    ),
    ({}, 1, "pin", {}, "pinned: so", 0.5, 0.5, 0.5),
    ({"decay": STEPS}, 1, "pin", {}, "pinned: so", 0.5, 0.5, 0.5),
    ({"lifecycle": {"pinned": True}}, 9, "pin", {}, "pinned: so", None, 1.0, 1.0),
    (
        {"lifecycle": {"pinned": True}, "salience": 0.5},
        9,
        "unpin",
        {},
        "unpinned: so",
        0.5,
        0.5,
        0.25,
    ),
    (
        {"lifecycle": {"pinned": True}, "decay": {"max_age_seconds": 60}},
        *(9, "unpin", {}, "unpinned: so", 1.0, 0.0, 0.0),
    ),
    ({}, 1, "unpin", {}, "unpinned: so", None, 0.5, 0.25),
    (
        *({}, 1, "lifecycle", lifecycle(half_life_seconds=60)),
        *("lifecycle half_life_seconds 3600 -> 60: so", 0.5, 0.5, 0.5**61),
    ),
    (
        *({"decay": {"curve": "linear"}}, 1, "lifecycle", lifecycle("manual_only")),
        *("lifecycle deletion_policy auto_prune -> manual_only: so", None, 0.5, 0.0),
    ),
    (
        *({"decay": {"curve": "linear"}}, 1, "lifecycle", lifecycle(reinforcement_gain=0.5)),
        *("lifecycle reinforcement_gain 0.25 -> 0.5: so", None, 0.5, 0.0),
    ),
    (
        *({}, 1, "lifecycle", lifecycle("never", min_salience=0.5)),
        *("lifecycle min_salience 0.0 -> 0.5, deletion_policy auto_prune -> never: so",),
        *(0.5, 0.5, 0.5),
    ),
    (
        *({}, 2, "lifecycle", lifecycle(min_salience=0.5)),
        *("lifecycle min_salience 0.0 -> 0.5: so", 0.25, 0.25, 0.25),
    ),
    (
        *({"decay": {"max_age_seconds": 60}}, 1, "lifecycle", lifecycle(max_age_seconds=0)),
        *("lifecycle max_age_seconds 60 -> 0: so", 0.0, 0.0, 0.0),
    ),
    (
        *({}, 1, "lifecycle", lifecycle(max_age_seconds=HOUR_S)),
        *("lifecycle max_age_seconds 0 -> 3600: so", 0.5, 0.0, 0.0),
    ),
    (
        *({}, 1, "lifecycle", lifecycle(**STEPS)),
        *("lifecycle curve exponential -> custom, custom_curve  -> steps: so", 0.5, 0.5, 0.25),
    ),
    (
        *({"decay": STEPS}, 1, "lifecycle", lifecycle(curve="linear")),
        *("lifecycle curve custom -> linear, custom_curve steps -> : so", 0.5, 0.5, 0.25),
    ),
    (
        *({}, 1, "lifecycle", lifecycle("auto_prune", half_life_seconds=HOUR_S)),
        *("lifecycle confirmed: so", None, 0.5, 0.25),
    ),
]


@pytest.mark.parametrize("row", CHANGES, ids=str)
def test_a_change_moves_the_salience_as_of_now_and_says_so(still: Api, row: Row) -> None:
    given, hours, how, asked, reason, before, after, later = row
    record_id = made(still, **json.loads(json.dumps(given)))
    advance(still, hours)

    record = change(still, record_id, how, {**asked, **WHY, "actor": "ann"}).record

    advance(still, 1)
    entry = trail(still, record_id)[-1]
    assert record["salience"] == pytest.approx(after, abs=1e-9)
    assert salience(still, record_id) == pytest.approx(later, abs=1e-9)
    assert (entry["actor"], entry["principal"], entry["rationale"]) == ("ann", "local", reason)
    moved = [entry.get("salience_before"), entry.get("salience_after")]
    assert moved == pytest.approx([None, None] if before is None else [before, after], abs=1e-9)


def test_what_is_reinforced_every_hour_settles_where_the_gain_makes_up_for_decay(
    still: Api,
) -> None:
    record_id = made(still)
    for _ in range(40):
        advance(still, 1)
        change(still, record_id, "reinforce")

    assert salience(still, record_id) == pytest.approx(0.5, abs=1e-9)


def test_penalties_at_one_instant_add_up(still: Api) -> None:
    one, other = made(still), made(still)
    change(still, one, "penalize", {"amount": 0.25})
    twice = change(still, one, "penalize", {"amount": 0.5})

    assert (
        twice.record["salience"]
        == (change(still, other, "penalize", {"amount": 0.75}).record["salience"])
    )


def test_a_clock_that_was_set_back_brings_no_salience_back(still: Api) -> None:
    record_id = made(still)
    advance(still, 2)
    change(still, record_id, "penalize", {"amount": 0})
    advance(still, -2)

    assert change(still, record_id, "reinforce").record["salience"] == pytest.approx(0.5)
    advance(still, 3)
    assert salience(still, record_id) == pytest.approx(0.25)


def test_the_operator_says_how_salient_a_new_record_is_and_how_much_it_gains(still: Api) -> None:
    made_so = [still.post(f"/v1/ingest/{each}", body).record for each, body in REPORTS.items()]
    first = str(made_so[0]["id"])
    advance(still, 1)

    gained = [change(still, each["id"], "reinforce").record["salience"] for each in made_so]

    assert {each["salience"] for each in made_so} == {0.75}
    assert gained[0] == pytest.approx(0.375 + 0.125)
    change(still, first, "delete")
    assert change(still, first, "restore").record["salience"] == 0.75


# --- entities ------------------------------------------------------------------------------------


def an_entity(api: Api, scope: str) -> str:
    payload = {"kind": "entity", "canonical_name": "Bob"}
    entity = {"type": "entity", "sensitivity": "low", "payload": payload, "scope": scope}
    return str(api.post("/v1/records", entity).record["id"])


def actions(api: Api, record_id: str) -> list[str]:
    return [each["action"] for each in trail(api, record_id)]


def about(api: Api, entity_id: str, scope: str = "project:alpha") -> str:
    mention = {"predicate": "mentions_entity", "target_id": entity_id}
    return made(api, scope=scope, relations=[mention], lifecycle={"pinned": True})


def test_use_of_a_record_is_use_of_its_entities_once_a_day(still: Api) -> None:
    bob = an_entity(still, "project:alpha")
    note = about(still, bob)
    advance(still, 24)
    for _ in range(3):
        change(still, note, "reinforce")
    once = trail(still, bob)
    advance(still, 25)
    change(still, note, "reinforce")

    assert [each["action"] for each in once] == ["create", "reinforce"]
    assert once[-1]["rationale"] == f"used with {note}"
    assert actions(still, bob) == ["create", "reinforce", "reinforce"]


@pytest.mark.parametrize("gone", ["retract", "delete", "unscoped"])
def test_an_entity_that_is_gone_or_not_to_be_written_is_in_the_way_of_no_use(
    still: Api, gone: str
) -> None:
    bob = an_entity(still, "" if gone == "unscoped" else "project:alpha")
    note = about(still, bob)
    if gone != "unscoped":
        change(still, bob, gone, WHY)
    before = actions(still, bob)
    advance(still, 24)
    key = still.key_for(scopes=("project:alpha",))

    assert change(still, note, "reinforce", key=key).status == 200
    assert actions(still, bob) == before
    assert actions(still, note) == ["create", "reinforce"]


# --- the sweep -----------------------------------------------------------------------------------

FADING: dict[str, tuple[dict[str, Any], float]] = {
    "faded": ({}, 10),
    "a longer half-life": ({"half_life_seconds": 2 * HOUR_S}, 20),
    "a floor below the threshold": ({"min_salience": 0.0009}, 10),
    "linear": ({"curve": "linear"}, 2),
    "custom": (STEPS, 4),
    "max age": ({"max_age_seconds": HOUR_S}, 1),
    "max age, whatever the floor": ({"max_age_seconds": HOUR_S, "min_salience": 0.5}, 1),
}
"""With the hours after which it is due."""
SPARED: list[dict[str, Any]] = [
    {"lifecycle": {"deletion_policy": "manual_only"}},
    {"lifecycle": {"deletion_policy": "never"}, "decay": {"max_age_seconds": HOUR_S}},
    {"lifecycle": {"pinned": True}, "decay": {"max_age_seconds": HOUR_S}},
    {"decay": {"min_salience": 0.001}},
    {"decay": {"curve": "custom", "custom_curve": "level"}},
]


def test_what_has_faded_or_reached_its_max_age_is_pruned_and_nothing_else(still: Api) -> None:
    spared = [made(still, **json.loads(json.dumps(each))) for each in SPARED]
    fading = {made(still, decay=dict(decay)): hours for decay, hours in FADING.values()}
    now = 0.0
    for hours in sorted({*fading.values()}):
        advance(still, hours - 0.1 - now)
        assert sweep(still) == {}
        advance(still, 0.1)
        now = hours
        due = [each for each, at in fading.items() if at == hours]
        assert sweep(still) == {"competence": len(due)}
        assert all(is_gone(still, each) for each in due)

    advance(still, 20 * 365 * 24)
    with unchanged(still):
        assert sweep(still) == {}
    assert not any(is_gone(still, each) for each in spared)


def test_a_pruned_record_says_why_and_with_what_salience(still: Api) -> None:
    faded, aged = made(still), made(still, decay={"max_age_seconds": HOUR_S})
    advance(still, 10)
    sweep(still)

    decay, deletion = trail(still, faded)[1:]
    assert decay["rationale"] == "decay applied: 1.0000 -> 0.0010 (elapsed 36000s)"
    assert (decay["salience_before"], decay["salience_after"]) == (1.0, 2.0**-10)
    assert {each["actor"] for each in (decay, deletion)} == {"decay-service"}
    assert deletion["rationale"] == "auto-pruned: salience fell to 0.001"
    assert trail(still, aged)[-2]["salience_after"] == 0.0
    listed = still.get("/v1/records?state=pruned").body["records"]
    assert sorted(each["reason"] for each in listed) == [
        "reached its max age",
        "salience fell to 0.001",
    ]


@pytest.mark.parametrize("pinned", [False, True])
def test_what_is_retracted_is_kept_for_the_operators_time_and_pruned_then(
    still: Api,
    pinned: bool,  # noqa: FBT001 - a parameter
) -> None:
    fields = {"decay": {"half_life_seconds": HOUR_S}, "pinned": pinned}
    dead, restored = (observed(still, lifecycle=fields) for _ in range(2))
    kept = observed(still, lifecycle={"deletion_policy": "never"})
    for each in (dead, restored, kept):
        revise(still, each, "retract", {})
    change(still, restored, "delete")
    advance(still, 24)
    change(still, restored, "restore")

    advance(still, 10 * 24 - 25)
    assert sweep(still) == {}
    advance(still, 1)
    assert sweep(still) == {"semantic": 1}
    advance(still, 24)
    assert sweep(still) == {"semantic": 1}
    assert not is_gone(still, kept)


def test_a_damaged_record_stops_no_other_and_is_looked_at_again_in_an_hour(still: Api) -> None:
    damaged, sound = made(still), made(still)
    table, name = still.functions.store.dynamodb, f"record#{damaged} record"
    own = still.stored()[name]
    table.put_item(TableName="membrane", Item={**own, "document": {"S": "{"}})
    advance(still, 10)

    first = still.invoke("DecayFunction", {})
    second = still.invoke("DecayFunction", {})
    advance(still, 1.01)
    third = still.invoke("DecayFunction", {})
    left = still.stored()[name]
    table.put_item(TableName="membrane", Item={**left, "document": own["document"]})
    advance(still, 1.01)

    assert [each["failed"] for each in (first, second, third)] == [1, 0, 1]
    assert first["pruned"] == {"competence": 1}
    assert is_gone(still, sound)
    assert sweep(still) == {"competence": 1}


# --- deleting, erasing, restoring ----------------------------------------------------------------


def test_a_tombstone_stands_for_the_operators_time(still: Api) -> None:
    made_so = [still.post("/v1/ingest/event", EVENT).record["id"], made(still)]
    key = {"idempotency-key": "k-1"}
    for each in made_so:
        assert change(still, each, "delete", headers=key).status == 204
        refused(change(still, each, "delete", headers={"idempotency-key": "k-2"}), 404, "not found")
    listed = still.get("/v1/records?state=deleted").body["records"]
    ends = {each["type"]: (each["restorable_until"], each["expires_at"]) for each in listed}

    assert ends == {
        "episodic": ("2026-03-03T12:00:00Z", "2026-03-04T12:00:00Z"),
        "competence": ("2026-03-03T12:00:00Z", "2026-03-06T12:00:00Z"),
    }
    advance(still, 72.001)
    assert [still.get(f"/v1/records/{each}/audit").status for each in made_so] == [404, 200], (
        "nothing tells of what has expired"
    )


def test_a_record_is_deleted_and_restored_again_and_again_and_its_max_age_taken_off(
    still: Api,
) -> None:
    pinned = made(still, lifecycle={"pinned": True})
    aged = made(still, decay={"max_age_seconds": HOUR_S})
    for _ in range(3):
        change(still, pinned, "delete")
        change(still, pinned, "restore")
    advance(still, 1)
    assert sweep(still) == {"competence": 1}

    record = change(still, aged, "restore", WHY).record

    assert actions(still, pinned) == ["create", *["delete", "revise"] * 3]
    assert record["salience"] == 0.75
    assert record["lifecycle"]["decay"].get("max_age_seconds", 0) == 0
    assert trail(still, aged)[-1]["rationale"] == "restored, max_age_seconds 3600 -> 0: so"
    assert sweep(still) == {}


def test_where_its_profile_would_be_one_too_many_a_restored_record_fades_as_its_type_does(
    still: Api,
) -> None:
    usual = still.post("/v1/records", SKILL).record["lifecycle"]["decay"]
    profiles = [{"half_life_seconds": 600, "max_age_seconds": 600 + each} for each in range(14)]
    first, *_ = [made(still, decay=each) for each in profiles]
    advance(still, 24)
    assert sweep(still) == {"competence": 14}
    for each in range(14):
        made(still, decay={"half_life_seconds": 1_000_000 + each})

    record = change(still, first, "restore").record

    own = {"half_life_seconds", "max_age_seconds", "curve"}
    assert {name: record["lifecycle"]["decay"].get(name) for name in own} == {
        name: usual.get(name) for name in own
    }
    assert "half_life_seconds 600 -> " in trail(still, first)[-1]["rationale"]
    assert sweep(still) == {}


def test_a_profile_that_is_in_use_is_never_one_too_many(still: Api) -> None:
    several = [made(still) for _ in range(15)]
    for number, each in enumerate(several[:13], start=1):
        assert change(still, each, "lifecycle", lifecycle(half_life_seconds=number)).status == 200

    statuses = [
        change(still, several[13], "lifecycle", lifecycle(half_life_seconds=number)).status
        for number in (99, 13)
    ]

    assert statuses == [400, 200]


# --- keys ----------------------------------------------------------------------------------------

EVERY: dict[str, dict[str, Any] | None] = {
    "reinforce": None,
    "penalize": {"amount": 0.25},
    "pin": None,
    "unpin": None,
    "lifecycle": {"deletion_policy": "manual_only"},
    "delete": None,
    "erase": None,
    "restore": None,
}


@pytest.mark.parametrize("how", EVERY)
def test_a_key_is_one_principals_for_one_change_also_once_the_record_is_gone(
    still: Api, how: str
) -> None:
    record_id, body, key = made(still), EVERY[how], {"idempotency-key": "k-1"}
    if how == "restore":
        change(still, record_id, "delete")
    change(still, record_id, how, body, headers=key)

    assert trail(still, record_id)[-1]["actor"] == "local", "who does not say who it is"
    refused(change(still, record_id, how, {**(body or {}), **WHY}, headers=key), 409, "used before")
    if how == "delete":
        refused(change(still, record_id, "erase", headers=key), 409, "used before")
    if how in ("delete", "erase", "restore"):
        return
    advance(still, 1)
    now = change(still, record_id, "penalize", {"amount": 0}).record["salience"]
    assert change(still, record_id, how, body, headers=key).record["salience"] == now
    other = still.key_for(actor_id="somebody")
    before = len(trail(still, record_id))
    change(still, record_id, how, body, headers=key, key=other)
    assert len(trail(still, record_id)) == before + 1
    change(still, record_id, "delete")
    with unchanged(still):
        late = change(still, record_id, how, body, headers=key)
    assert late.record == {"id": record_id, "deleted_at": "2026-03-01T13:00:00Z"}
