"""An outcome gives credit to the records that it rests on: by a receipt, or by ids."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.integration.http.test_routes import EVENT
from tests.worlds.api import Api, Reply, api_with, repeated

NOW = "2026-03-01T09:00:00.25Z"
DAY_S = 86_400
FACT: dict[str, Any] = {
    "id": "tea",
    "type": "semantic",
    "sensitivity": "low",
    "salience": 0.5,
    "lifecycle": {"pinned": False},
    "payload": {
        "kind": "semantic",
        "subject": "user",
        "predicate": "likes",
        "object": "tea",
        "validity": {"mode": "global"},
    },
}
NOT_HANDED_OUT = "used_ids must be among the records that the receipt shows as handed out"


@dataclass(slots=True)
class World:
    """Facts that the owner writes, and an agent without `revise` that uses them."""

    api: Api
    agent: str = field(init=False)
    episode_id: str = field(init=False)

    def __post_init__(self) -> None:
        self.agent = self.api.key_for(permissions=("ingest", "read"))
        self.episode_id = self.episode_of(self.agent)

    def episode_of(self, key: str) -> str:
        return str(self.api.post("/v1/ingest/event", EVENT, key=key).record["id"])

    def fact(self, name: str, **fields: Any) -> None:
        payload = {**FACT["payload"], "object": name}
        made = self.api.post("/v1/records", {**FACT, "id": name, "payload": payload, **fields})
        assert made.status == 201, made.body

    def receipt(self, key: str | None = None, **asked: Any) -> str:
        body = {"memory_types": ["semantic"], **asked}
        return str(self.api.post("/v1/retrieve", body, key=key or self.agent).body["receipt_id"])

    def ends(self, status: str = "success", key: str | None = None, **rests_on: Any) -> Reply:
        """The outcome of the episode."""
        ended = {"source": "a", "target_record_id": self.episode_id, "outcome_status": status}
        return self.api.post("/v1/ingest/outcome", {**ended, **rests_on}, key=key or self.agent)

    def shown(self, name: str) -> dict[str, Any]:
        return self.api.get(f"/v1/records/{name}").record

    def salience(self, name: str) -> float:
        return float(self.shown(name)["salience"])

    def has_credit(self, *names: str) -> list[bool]:
        return ["usefulness" in self.shown(each) for each in names]

    def advance(self, days: int) -> None:
        self.api.post("/_dev/clock", {"advance_seconds": days * DAY_S})


@pytest.fixture
def world(api: Api) -> Iterator[World]:
    """At one instant, from which a test may go on; the machine's time again afterwards."""
    api.post("/_dev/clock", {"frozen": True})
    api.post("/_dev/clock", {"set": NOW})
    yield World(api)
    api.post("/_dev/clock", {"set": datetime.now(UTC).isoformat()})


@pytest.mark.parametrize(
    ("status", "salience", "successes", "failures"),
    [
        ("success", 0.7, 1.0, 0.0),
        ("partial", 0.5 + 0.2 / 3, 1 / 3, 0.0),
        ("failure", 0.3, 0.0, 1.0),
    ],
)
def test_an_outcome_moves_salience_and_usefulness_of_what_was_handed_out(
    world: World, status: str, salience: float, successes: float, failures: float
) -> None:
    world.fact("tea")
    receipt_id = world.receipt()

    assert world.ends(status, receipt_id=receipt_id).status == 200

    shown = world.shown("tea")
    assert shown["salience"] == pytest.approx(salience, abs=1e-5)
    useful = shown["usefulness"]
    assert useful["successes"] == pytest.approx(successes, abs=1e-5)
    assert useful["failures"] == pytest.approx(failures, abs=1e-5)
    assert (useful["used"], useful["last_used_at"]) == (1, NOW)
    trail = world.api.get("/v1/records/tea/audit?verify=true").body
    entry = trail["audit_log"][-1]
    moved = ("decay", "penalty") if status == "failure" else ("reinforce", "reinforcement")
    assert (trail["verified"], entry["action"], entry["actor"]) == (True, moved[0], "agent")
    assert entry["rationale"].endswith(
        f"credit for an outcome: {status}, episode {world.episode_id}, receipt {receipt_id}"
    )
    assert (entry["salience_before"], entry["salience_after"]) == pytest.approx((0.5, salience))


def test_the_audit_hides_an_episode_that_not_every_reader_may_see(world: World) -> None:
    world.fact("tea", scope="project:alpha")
    trust = {"scopes": ["project:alpha"], "max_sensitivity": "low"}

    world.ends(receipt_id=world.receipt(trust=trust))

    assert world.has_credit("tea") == [True]
    assert world.episode_id not in str(world.shown("tea")["audit_log"])


def test_records_share_by_score_or_equally_and_the_named_one_gets_more(world: World) -> None:
    for name in ("tea", "ale"):
        world.fact(name, salience=0.4)
    receipt_id = world.receipt()
    for name in ("other-tea", "other-ale"):
        world.fact(name)

    world.ends(receipt_id=receipt_id, used_ids=["ale"])
    world.ends(used_ids=["other-tea", "other-ale", "other-tea"])

    assert world.salience("ale") == pytest.approx(0.55, abs=1e-5)
    assert world.salience("tea") == pytest.approx(0.45, abs=1e-5)
    assert world.salience("other-tea") == world.salience("other-ale") == pytest.approx(0.6)


def test_ten_of_many_records_get_credit_and_none_that_was_not_on_the_page(world: World) -> None:
    names = [f"fact-{number:02}" for number in range(14)]
    for number, name in enumerate(names):
        world.fact(name, salience=0.5 - number / 100)

    world.ends(receipt_id=world.receipt(limit=2))
    assert world.has_credit(*names) == [True] * 2 + [False] * 12
    world.ends(receipt_id=world.receipt(limit=14))
    assert world.has_credit(*names) == [True] * 10 + [False] * 4


def test_a_receipt_gives_its_credit_once(world: World) -> None:
    world.fact("tea")
    receipt_id = world.receipt()

    for _ in range(5):
        world.ends("partial", receipt_id=receipt_id)

    shown = world.shown("tea")
    assert shown["salience"] == pytest.approx(0.7, abs=1e-5)
    assert shown["usefulness"]["successes"] == pytest.approx(1.0, abs=1e-4)
    assert shown["usefulness"]["used"] == 3


def test_a_repeat_under_the_key_changes_nothing_also_when_the_receipt_is_over(
    world: World,
) -> None:
    world.fact("tea")
    asked = {"receipt_id": world.receipt(), "idempotency_key": "k"}
    world.ends("partial", **asked)
    before = world.api.stored()

    assert world.ends("partial", **asked).headers["idempotency-replayed"] == "true"
    assert world.ends("failure", **asked).status == 409
    assert world.api.stored() == before
    world.advance(days=8)
    assert world.ends("partial", **asked).headers["idempotency-replayed"] == "true"


def test_a_receipt_serves_its_own_principal_for_a_week(world: World) -> None:
    world.fact("tea")
    receipt_id, rival = world.receipt(), world.api.key_for(actor_id="rival")

    found = [world.ends(key=each, receipt_id=receipt_id) for each in (rival, world.api.secret)]
    found += [world.ends(receipt_id=each) for each in ("absent", "a/b", "x" * 500)]
    world.advance(days=7)
    found += [world.ends(receipt_id=receipt_id)]

    assert {(each.status, each.body["detail"]) for each in found} == {(404, "receipt not found")}
    assert world.has_credit("tea") == [False]


def test_a_named_record_must_have_been_handed_out_or_be_visible(world: World) -> None:
    world.fact("tea", salience=0.9)
    world.fact("ale", salience=0.4)
    world.fact("deleted", scope="project:alpha")
    world.fact("hidden", scope="project:beta")
    world.api.call("DELETE", "/v1/records/deleted")

    foreign = world.ends(receipt_id=world.receipt(limit=1), used_ids=["tea", "ale"])
    many = world.ends(used_ids=[str(number) for number in range(11)])
    scoped = world.api.key_for(permissions=("ingest", "read"), scopes=("project:alpha",))
    world.episode_id = world.episode_of(scoped)
    unseen = [world.ends(key=scoped, used_ids=[each]) for each in ("absent", "a/b")]
    unseen += [world.ends(key=scoped, used_ids=[each]) for each in ("hidden", "deleted")]

    assert (foreign.status, foreign.body["detail"]) == (400, NOT_HANDED_OUT)
    assert [each["field"] for each in foreign.body["errors"]] == ["used_ids.1"]
    assert (many.status, many.body["errors"][0]["field"]) == (400, "used_ids")
    assert {(each.status, each.body["detail"]) for each in unseen} == {(404, "record not found")}
    assert world.has_credit("tea", "ale") == [False, False]


def test_a_record_takes_no_more_than_the_limit_of_a_day_through_one_principal(
    world: World,
) -> None:
    world.fact("tea", salience=0.1)
    for _ in range(4):
        world.ends(receipt_id=world.receipt())
    assert world.salience("tea") == pytest.approx(0.5)
    assert len(world.shown("tea")["audit_log"]) == 3

    world.advance(days=1)
    world.ends(receipt_id=world.receipt())

    assert world.shown("tea")["usefulness"]["successes"] == pytest.approx(3.0, abs=0.1)


def test_many_failures_of_a_rival_move_a_record_little(world: World) -> None:
    world.fact("tea", salience=1.0)
    for _ in range(10):
        world.ends(receipt_id=world.receipt())
        world.ends(receipt_id=world.receipt())
        world.advance(days=1)
    before = world.shown("tea")
    rival = world.api.key_for(actor_id="rival", permissions=("ingest", "read"))
    world.episode_id = world.episode_of(rival)

    for _ in range(12):
        world.ends("failure", rival, receipt_id=world.receipt(rival))

    after = world.shown("tea")
    assert before["salience"] - after["salience"] == pytest.approx(0.4, abs=1e-5)
    failures = after["usefulness"]["failures"] - before["usefulness"]["failures"]
    assert failures == pytest.approx(2.0)
    assert before["usefulness"]["mean"] - after["usefulness"]["mean"] < 0.1


def test_the_writer_of_a_record_gives_it_no_credit_however_long_its_trail(world: World) -> None:
    payload = {**FACT["payload"], "object": "tea"}
    world.api.post("/v1/records", {**FACT, "payload": payload}, key=world.agent)
    for _ in range(30):
        world.api.post("/v1/records/tea/penalize", {"amount": 0})
    written = world.shown("tea")["audit_count"]

    world.ends(receipt_id=world.receipt())

    assert (written, world.shown("tea")["audit_count"]) == (31, 31)
    assert world.has_credit("tea") == [False]


def test_what_may_not_be_written_or_is_gone_gets_nothing_and_the_others_keep_their_share(
    world: World,
) -> None:
    for name in ("tea", "ale", "milk", "rum"):
        world.fact(name, salience=0.4)
    receipt_id = world.receipt()
    world.api.call("DELETE", "/v1/records/ale")
    world.api.post("/v1/records/milk/retract", {"rationale": "spilt"})
    world.api.call("DELETE", "/v1/records/rum?erase=true")
    world.fact("shared")
    world.fact("own", scope="project:alpha")
    scoped = world.api.key_for(permissions=("ingest", "read"), scopes=("project:alpha",))

    world.ends(receipt_id=receipt_id)
    world.episode_id = world.episode_of(scoped)
    world.ends(key=scoped, used_ids=["shared", "own"])

    assert world.salience("tea") == pytest.approx(0.45, abs=1e-5)
    assert world.salience("own") == pytest.approx(0.6)
    assert world.has_credit("milk", "shared") == [False, False]


def test_a_pin_a_high_salience_and_the_episode_itself_stay(world: World) -> None:
    world.fact("tea")
    world.fact("ale", salience=3.0)
    world.api.post("/v1/records/tea/pin", None)

    world.ends(used_ids=["tea", "ale", world.episode_id])

    shown = world.shown("tea")
    assert (shown["salience"], shown["audit_log"][-1]["action"]) == (0.5, "reinforce")
    assert shown["usefulness"]["used"] == 1
    assert world.salience("ale") == pytest.approx(3.0)
    assert world.has_credit(world.episode_id) == [False]


def test_every_reply_with_the_record_shows_its_credit_and_none_takes_any(world: World) -> None:
    world.fact("tea")
    receipt_id = world.receipt()
    world.ends(receipt_id=receipt_id, used_ids=["tea"])

    shown = world.shown("tea")
    useful = shown["usefulness"]
    brief = {"memory_types": ["semantic"], "view": "brief"}
    (found,) = world.api.post("/v1/retrieve", brief).body["records"]
    receipt = world.api.get(f"/v1/receipts/{receipt_id}").body
    new = {**FACT, "id": "ale", "usefulness": useful}
    new["provenance"] = {"sources": [{"kind": "event", "ref": "talk:1"}]}
    new["payload"] = {**FACT["payload"], "object": "ale"}
    superseded = world.api.post(
        "/v1/records/tea/supersede", {"new_record": new, "rationale": "changed"}
    )

    assert found["usefulness"] == useful
    assert receipt["candidates"][0]["handed_out"] is True
    assert superseded.status in (200, 201)
    assert world.has_credit("ale") == [False], "a successor begins anew"


def test_an_erased_record_leaves_no_credit(world: World) -> None:
    world.fact("tea")
    world.ends(receipt_id=world.receipt())

    assert repeated(lambda: world.api.call("DELETE", "/v1/records/tea?erase=true")).status == 204

    assert "credit" not in world.api.stored()["record#tea record"]


@pytest.fixture(scope="module")
def weighed() -> Iterator[Api]:
    """A stack whose ranking weighs usefulness."""
    with api_with({"RankingWeights": '{"usefulness": 0.2, "salience": 0}'}) as found:
        yield found


@pytest.mark.parametrize(("status", "best"), [("success", "second"), ("failure", "first")])
def test_where_usefulness_has_a_weight_what_helped_rises_and_what_failed_sinks(
    weighed: Api, status: str, best: str
) -> None:
    weighed.post("/_dev/reset", {})
    world = World(weighed)
    for name in ("first", "second"):
        world.fact(name, payload={**FACT["payload"], "object": "tea"}, scope=name)
    weighed.get("/_dev/queues?wait")
    asked = {"task_descriptor": "tea", "memory_types": ["semantic"], "limit": 1}

    for _ in range(3):
        assert world.ends(status, used_ids=["second"]).status == 200

    (shown,) = weighed.post("/v1/retrieve", asked).body["records"]
    assert shown["id"] == best
