"""Previews through the gateway: what they say is what the sweep later does."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from itertools import product
from typing import Any

import pytest

from membrane.domain.language.timestamps import rfc3339
from membrane_local.dev_options import DevOptions
from tests.worlds.api import Api, api_over
from tests.worlds.depth import cases
from tests.worlds.quick_folders import quick_folder

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
    parameters = {"CustomCurves": json.dumps(CURVE)}
    with quick_folder() as folder:
        options = DevOptions(store=str(folder / "memory.db"), parameters=parameters)
        with api_over(options) as found:
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
