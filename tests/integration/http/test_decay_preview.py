"""Previews through the gateway: what they say is what the sweep later does."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import pytest

from tests.integration.conftest import NO_SCHEDULES
from tests.worlds.api import Api, api_with
from tests.worlds.depth import cases

CURVE = {"steps": [[0, 1], [1, 0.5], [2, 0.5], [4, 0]]}
SCOPES = ("project:alpha", "shared")
PAYLOADS: Mapping[str, Mapping[str, Any]] = {
    "episodic": {"kind": "episodic", "timeline": []},
    "competence": {"kind": "competence", "skill_name": "deploy", "triggers": [], "recipe": []},
}
DECAYS: tuple[Mapping[str, Any], ...] = (
    {"half_life_seconds": 3_600},
    {"half_life_seconds": 7_200, "min_salience": 0.01},
    {"half_life_seconds": 7_200, "min_salience": 0.5, "max_age_seconds": 90_000},
    {"half_life_seconds": 20_000, "max_age_seconds": 10_000_000},
    {"half_life_seconds": 30_000, "curve": "linear"},
    {"half_life_seconds": 15_000, "curve": "custom", "custom_curve": "steps"},
)
KEPT: tuple[Mapping[str, Any], ...] = (
    {},
    {},
    {"deletion_policy": "manual_only"},
    {"deletion_policy": "never"},
    {"pinned": True},
)
LEVELS = ("public", "low", "medium", "high")
FEW = (*range(12), 20, 21)
"""Every way to fade and reason to be kept; 20 ends by its age, 21 fades between the sweeps."""
HOURS = (0, 1, 10, 24, 48, 60, 120)
PREVIEW = "/v1/decay/preview"

Pruned = list[Counter[tuple[str, str]]]
"""For each instant, how many of a scope and type."""


@pytest.fixture(scope="module")
def local_api() -> Iterator[Api]:
    """A stack with a custom curve."""
    with api_with({"CustomCurves": json.dumps(CURVE)} | NO_SCHEDULES) as found:
        yield found


def ingested(api: Api, scope: str, memory_type: str, number: int) -> str:
    """The id of a record that fades in one of many ways."""
    record = {
        "type": memory_type,
        "scope": scope,
        "sensitivity": LEVELS[number % len(LEVELS)],
        "salience": (0.5, 1.0, 4.0)[number % 3],
        "payload": PAYLOADS[memory_type],
        "lifecycle": {"decay": DECAYS[number % len(DECAYS)], **KEPT[number % len(KEPT)]},
    }
    return str(api.post("/v1/records", record).record["id"])


@pytest.fixture
def world(api: Api) -> dict[str, tuple[str, str]]:
    """Scope and type of records that were made over a while, none of them due, by their ids."""
    api.functions.clock.freeze(frozen=True)
    made = {}
    for number in cases(range(30), FEW):
        for scope, memory_type in product(SCOPES, PAYLOADS):
            made[ingested(api, scope, memory_type, number)] = (scope, memory_type)
        api.functions.clock.advance(timedelta(seconds=34.567))
    return made


@pytest.fixture
def key(api: Api) -> str:
    """A key for the two scopes, up to medium."""
    return api.key_for(permissions=("read",), scopes=SCOPES, max_sensitivity="medium")


def rfc3339(instant: datetime) -> str:
    return instant.isoformat(timespec="microseconds").split("+")[0].rstrip("0").rstrip(".") + "Z"


def previewed(api: Api, key: str, hours: tuple[float, ...] = HOURS, **asked: Any) -> Any:
    """The reply to a preview of so many hours from now."""
    now = api.functions.clock.now()
    instants = [rfc3339(now + timedelta(hours=each)) for each in hours]
    reply = api.post(PREVIEW, {"instants": instants, **asked}, key=key)
    assert reply.status == 200, reply.body
    return reply.body


def counted(body: Any, column: str) -> Pruned:
    """What a preview says would be pruned."""
    return [
        Counter({(each["scope"], each["type"]): each[column][n] for each in body["forecasts"]})
        for n in range(len(body["instants"]))
    ]


def swept(api: Api, key: str, world: Mapping[str, tuple[str, str]], instants: list[str]) -> Pruned:
    """What sweeps at these instants have pruned by each of them, of what the key may see."""
    for instant in instants:
        api.functions.clock.set_to(datetime.fromisoformat(instant))
        api.invoke("DecayFunction", {})
    audits = {each: api.get(f"/v1/records/{each}/audit", key=key) for each in world}
    deleted_at = {
        each: audit.body["deleted_at"]
        for each, audit in audits.items()
        if audit.status == 200 and audit.body["deleted_at"] is not None
    }
    return [
        Counter(world[each] for each, at in deleted_at.items() if at <= instant)
        for instant in instants
    ]


def test_what_is_previewed_is_what_the_sweep_prunes(
    api: Api, key: str, world: Mapping[str, tuple[str, str]]
) -> None:
    body = previewed(api, key)

    pruned = swept(api, key, world, body["instants"])

    assert counted(body, "today") == counted(body, "preview") == pruned
    assert body["exact"] is True
    assert 0 < pruned[2].total() < pruned[4].total() < pruned[-1].total() < body["candidates"]
    assert 0 < body["candidates"] < len(world)


def test_what_is_previewed_is_what_the_sweep_prunes_after_a_change_of_every_lifecycle(
    api: Api, key: str, world: Mapping[str, tuple[str, str]]
) -> None:
    body = previewed(api, key, half_life_seconds={"episodic": 40_000, "competence": 600})
    for record_id in world:
        seconds = 40_000 if world[record_id][1] == "episodic" else 600
        change = {"decay": {"half_life_seconds": seconds}}
        assert api.call("PATCH", f"/v1/records/{record_id}/lifecycle", change).status == 200

    pruned = swept(api, key, world, body["instants"])

    assert counted(body, "preview") == pruned
    assert counted(body, "today") != pruned


@pytest.mark.parametrize("policy", ["auto_prune", "manual_only"])
def test_what_is_previewed_is_what_the_sweep_prunes_after_a_change_of_every_deletion_policy(
    api: Api, key: str, world: Mapping[str, tuple[str, str]], policy: str
) -> None:
    body = previewed(api, key, deletion_policy=policy)
    for record_id in world:
        change = {"deletion_policy": policy}
        assert api.call("PATCH", f"/v1/records/{record_id}/lifecycle", change).status == 200

    pruned = swept(api, key, world, body["instants"])

    assert counted(body, "preview") == pruned
    assert (pruned[-1].total() > 0) is (policy == "auto_prune")


def test_a_preview_reads_of_records_the_credit_alone_and_writes_nothing(
    api: Api, key: str, world: Mapping[str, tuple[str, str]]
) -> None:
    before = api.stored()
    asked: list[tuple[str, Any]] = []
    client = api.functions.store.dynamodb
    client.meta.events.register(
        "provide-client-params.dynamodb",
        lambda params, model, **_: asked.append((model.name, params)),
        unique_id="seen",
    )

    previewed(api, key)

    client.meta.events.unregister("provide-client-params.dynamodb", unique_id="seen")
    own = [(name, params) for name, params in asked if not _is_of_the_authorizer(params)]
    *counting, (name, params) = own
    assert {each for each, _ in counting} == {"GetItem", "Query"}
    assert all(
        params["IndexName"] == "rank" if name == "Query" else params["Key"]["sk"]["S"] == "classes"
        for name, params in counting
    )
    assert name == "BatchGetItem"
    (asked_for,) = params["RequestItems"].values()
    assert len(asked_for["Keys"]) <= 100
    assert "document" not in asked_for["ExpressionAttributeNames"].values()
    assert api.stored() == before
    assert world


def _is_of_the_authorizer(params: Any) -> bool:
    return bool(params.get("Key", {}).get("pk") == {"S": "keys"})


def test_a_preview_says_what_it_counted_and_how_exactly(api: Api, key: str) -> None:
    api.functions.clock.freeze(frozen=True)
    ingested(api, "shared", "episodic", 0)

    body = previewed(api, key, (9, 10))

    now = api.functions.clock.now()
    assert body == {
        "now": rfc3339(now),
        "instants": [rfc3339(now + timedelta(hours=each)) for each in (9, 10)],
        "candidates": 1,
        "exact": True,
        "forecasts": [
            {
                "scope": "shared",
                "type": "episodic",
                "candidates": 1,
                "today": [1, 1],
                "preview": [1, 1],
                "error_bound": 0,
            }
        ],
        "used": [],
    }


def test_previewing_needs_the_permission_to_read(api: Api) -> None:
    key = api.key_for(permissions=("ingest",), scopes=SCOPES)

    assert api.post(PREVIEW, {}, key=key).status == 403


def test_a_key_for_every_scope_is_told_how_to_ask(api: Api) -> None:
    reply = api.post(PREVIEW, {})

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert "trust.scopes" in reply.body["detail"]
    assert api.post(PREVIEW, {"trust": {"scopes": ["shared"]}}).status == 200


# --- what is asked, and of whose records ---------------------------------------------------------

ALPHA = ("project:alpha", "shared")


@pytest.fixture
def still(api: Api) -> Api:
    api.functions.clock.freeze(frozen=True)
    return api


def made(api: Api, memory_type: str = "episodic", **fields: Any) -> str:
    """The id of a record that halves every hour."""
    decay = {"half_life_seconds": 3_600, **fields.pop("decay", {})}
    record = {
        "type": memory_type,
        "scope": "shared",
        "sensitivity": "low",
        "payload": PAYLOADS[memory_type],
        "lifecycle": {"decay": decay, **fields.pop("lifecycle", {})},
        **fields,
    }
    return str(api.post("/v1/records", record).record["id"])


def forecast(api: Api, key: str, hours: tuple[float, ...] = (10,), **asked: Any) -> Any:
    (only,) = previewed(api, key, hours, **asked)["forecasts"]
    return only


def test_without_instants_it_looks_a_day_a_week_a_month_and_a_quarter_ahead(
    still: Api, key: str
) -> None:
    made(still, decay={"half_life_seconds": 86_400})

    body = still.post(PREVIEW, {}, key=key).body

    now = still.functions.clock.now()
    assert body["instants"] == [rfc3339(now + timedelta(days=each)) for each in (1, 7, 30, 90)]
    assert body["forecasts"][0]["today"] == [0, 0, 1, 1]


def test_what_is_due_counts_at_once_and_what_is_kept_or_retracted_does_not(
    still: Api, key: str
) -> None:
    made(still)
    for kept in ({"deletion_policy": "manual_only"}, {"deletion_policy": "never"}):
        made(still, lifecycle=kept)
    made(still, lifecycle={"pinned": True})
    skill = made(still, "competence")
    assert still.post(f"/v1/records/{skill}/retract", {}).status == 200
    still.functions.clock.advance(timedelta(hours=11))

    only = forecast(still, key, (0, 1))

    assert (only["type"], only["candidates"], only["today"]) == ("episodic", 3, [1, 1])


def test_another_half_life_threshold_and_policy_change_the_preview_alone(
    still: Api, key: str
) -> None:
    made(still)
    still.functions.clock.advance(timedelta(hours=5))
    slower = {"half_life_seconds": {"episodic": 7_200, "working": 1}}
    rows: list[tuple[dict[str, Any], tuple[float, ...], list[int]]] = [
        (slower, (4.9, 5, 9.9, 10), [0, 0, 0, 1]),
        ({"threshold": 1 / 64}, (0.9, 1.1, 5), [0, 1, 1]),
        ({"deletion_policy": "never"}, (5,), [0]),
    ]

    for asked, hours, expected in rows:
        only = forecast(still, key, hours, **asked)
        assert only["preview"] == expected
        assert only["today"] == [int(each >= 5) for each in hours]


def test_forecasts_are_of_each_scope_and_type_that_the_trust_of_the_request_shows(
    still: Api, key: str
) -> None:
    for scope, memory_type, level in (
        ("shared", "episodic", "medium"),
        ("project:alpha", "competence", "low"),
        ("project:alpha", "episodic", "low"),
        ("", "competence", "low"),
        ("project:beta", "episodic", "low"),
        ("shared", "episodic", "high"),
    ):
        made(still, memory_type, scope=scope, sensitivity=level)

    def scopes(**asked: Any) -> list[tuple[str, str, int]]:
        found = previewed(still, key, (10,), **asked)["forecasts"]
        return [(each["scope"], each["type"], each["candidates"]) for each in found]

    unscoped = ("", "competence", 1)
    alpha = [("project:alpha", each, 1) for each in ("episodic", "competence")]
    shared = ("shared", "episodic", 1)
    assert scopes() == [unscoped, *alpha, shared]
    assert scopes(trust={"max_sensitivity": "hyper", "scopes": ["*"]}) == scopes()
    assert scopes(trust={"max_sensitivity": "low"}) == [unscoped, *alpha]
    assert scopes(trust={"scopes": ["shared"]}) == [unscoped, shared]
    assert scopes(trust={"scopes": ["project:beta"]}) == [unscoped]
    assert scopes(memory_types=["episodic", "episodic", "working"]) == [alpha[0], shared]


def test_more_scopes_than_fifty_are_to_be_named(still: Api) -> None:
    many = still.key_for(scopes=tuple(f"scope-{number}" for number in range(51)))
    made(still, scope="scope-50")
    fifty = {"scopes": [f"scope-{number}" for number in range(1, 51)]}

    reply = still.post(PREVIEW, {}, key=many)

    assert "50 scopes at most: name them in trust.scopes" in reply.body["detail"]
    assert forecast(still, many, trust=fifty)["scope"] == "scope-50"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"idempotency_key": "k"}, "idempotency_key"),
        ({"half_life": {"episodic": 1}}, "half_life"),
        ({"half_life_seconds": {"episodic": 0}}, "half_life_seconds.episodic"),
        ({"half_life_seconds": {"episodic": 1.5}}, "half_life_seconds.episodic"),
        ({"half_life_seconds": {"dream": 1}}, None),
        ({"threshold": 0}, "threshold"),
        ({"threshold": 1e-101}, "threshold"),
        ({"threshold": 1e101}, "threshold"),
        ({"deletion_policy": "sometimes"}, "deletion_policy"),
        ({"memory_types": ["dream"]}, "memory_types.0"),
        ({"instants": []}, "instants"),
        ({"instants": ["2026-01-01T00:00:00Z"] * 25}, "instants"),
        ({"instants": ["tomorrow"]}, "instants.0"),
        ({"trust": {"scope": "shared"}}, "trust.scope"),
    ],
    ids=str,
)
def test_what_is_no_preview_is_refused_by_its_field(
    api: Api, asked: Any, field: str | None
) -> None:
    reply = api.post(PREVIEW, asked)

    assert (reply.status, reply.body["code"]) == (400, "INVALID_ARGUMENT")
    assert field in (None, reply.body["errors"][0]["field"])


def test_records_that_were_used_and_would_go_are_named_the_most_useful_first(
    still: Api, key: str
) -> None:
    helped, pinned, failed = made(still), made(still, lifecycle={"pinned": True}), made(still)
    secret, later = made(still, sensitivity="high"), made(still)
    still.functions.clock.advance(timedelta(minutes=1))
    outcome = {"source": "agent", "used_ids": [helped, pinned, secret, later]}
    for status, used in (("success", outcome["used_ids"]), ("failure", [failed])):
        asked = {"memory_types": ["episodic"], "trust": {"scopes": ["shared"]}}
        receipt = still.post("/v1/retrieve", asked).body["receipt_id"]
        episode = {"source": "a", "event_kind": "build", "ref": status, "scope": "elsewhere"}
        target = still.post("/v1/ingest/event", episode).record["id"]
        told = {"target_record_id": target, "outcome_status": status, "receipt_id": receipt}
        assert still.post("/v1/ingest/outcome", {**outcome, **told, "used_ids": used}).status == 200
    assert still.post(f"/v1/records/{later}/reinforce", None).status == 200

    soon = previewed(still, key, (9,))["used"]
    used = previewed(still, key, (100,), half_life_seconds={"episodic": 60})["used"]

    assert soon == []
    named = [each["id"] for each in used]
    assert {*named[:2]} == {helped, later}
    assert failed in named[2:]
    assert not {pinned, secret} & {*named}
    assert used[0]["note"].startswith("used 2 times, last on 20")
    assert used[0]["usefulness"]["successes"] > used[-1]["usefulness"]["successes"]
