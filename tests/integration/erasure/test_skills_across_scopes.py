"""What a scope gave to an unscoped skill over the local stack: who sees it, and how it ends."""

from collections.abc import Iterator
from typing import Any

import pytest

from membrane.domain.learning import learned_records
from membrane.usecases.revision import evidence
from membrane.usecases.revision.withdraw_evidence import FEWER
from tests.integration.conftest import NO_SCHEDULES, emptied
from tests.integration.erasure.test_erasures import by_hand, run
from tests.integration.http.test_learning import release
from tests.worlds.api import EVERYTHING, Api, api_with
from tests.worlds.planted_person import bucket_of, places_with

MARK = "zedekiah"
OWN, OTHERS = "tenant:a", ("tenant:b", "tenant:c")
TENANTS = (OWN, *OTHERS)
DAY_S = 86_400


@pytest.fixture(scope="module")
def crossing() -> Iterator[Api]:
    """A local stack with ConsolidateAcrossScopes."""
    with api_with({"ConsolidateAcrossScopes": "true"} | NO_SCHEDULES) as api:
        yield api


@pytest.fixture
def crossing_api(crossing: Api) -> Api:
    """The stack with an empty store and the machine's time."""
    return emptied(crossing)


def key_of(api: Api, scope: str) -> str:
    """The key of a tenant, who may do everything in the scope."""
    return api.key_for(actor_id=f"agent-of-{scope}", permissions=EVERYTHING, scopes=(scope,))


def release_of(api: Api, scope: str, version: str) -> None:
    release(api, key_of(api, scope), version, tags=[f"tag-{version}"])
    assert api.get("/_dev/queues?wait").status == 200


def consolidate(api: Api) -> None:
    assert api.invoke("ConsolidateFunction", {"membrane-consolidate": {}})["failed"] == 0


def listed(api: Api, key: str, memory_type: str) -> list[Any]:
    body = api.get("/v1/consolidations", key=key).body
    return [each for each in body["consolidations"] if each["type"] == memory_type]


def learned(api: Api, *scopes: str) -> str:
    """The id of the skill of a release in each scope; that of OWN has the mark."""
    for scope in scopes:
        release_of(api, scope, MARK if scope == OWN else f"1.{scope[-1]}")
    api.post("/_dev/clock?wait", {"advance_seconds": 3_600})
    consolidate(api)
    (skill,) = listed(api, key_of(api, OTHERS[0]), "competence")
    assert skill["scope"] == ""
    return str(skill["id"])


def erase_own(api: Api, **target: Any) -> None:
    """Erase as the tenant, whose key may write no unscoped record."""
    with by_hand(api):
        asked = {"dry_run": False, **target}
        reply = api.post("/v1/erasures", asked, key=key_of(api, OWN))
    assert reply.status == 202, reply.body
    run(api, str(reply.body["id"]))


def test_an_erased_scope_leaves_nothing_in_the_unscoped_skill(crossing_api: Api) -> None:
    api = crossing_api
    skill_id = learned(api, *TENANTS)
    assert f"release-{MARK}" not in str(api.get(f"/v1/records/{skill_id}").record["payload"])

    erase_own(api, scope=OWN)

    skill = api.get(f"/v1/records/{skill_id}").record
    assert skill["payload"]["performance"]["success_count"] == 2
    assert len(skill["provenance"]["sources"]) == 2
    assert places_with(MARK, api, bucket_of(api)) == []
    assert "agent-of" not in str(skill["audit_log"])


def test_an_erased_trace_leaves_nothing_in_the_unscoped_skill(crossing_api: Api) -> None:
    api = crossing_api
    skill_id = learned(api, *TENANTS)
    (trace,) = listed(api, key_of(api, OWN), "episodic")
    steps = [each["id"] for each in trace["evidence"]]

    erase_own(api, ids=[trace["id"], *steps])

    skill = api.get(f"/v1/records/{skill_id}").record
    assert skill["payload"]["performance"]["success_count"] == 2
    assert places_with(MARK, api, bucket_of(api)) == []


@pytest.mark.parametrize("later", [0, 2])
def test_an_unscoped_skill_ends_with_all_but_one_of_its_scopes(
    crossing_api: Api, later: int
) -> None:
    api = crossing_api
    skill_id = learned(api, *TENANTS[:2])
    for number in range(later):
        release_of(api, OTHERS[0], f"2.{number}")
    api.post("/_dev/clock?wait", {"advance_seconds": 3_600})
    consolidate(api)
    skill = api.get(f"/v1/records/{skill_id}").record
    assert skill["payload"]["performance"]["success_count"] == 2 + later

    erase_own(api, scope=OWN)

    assert api.get(f"/v1/records/{skill_id}").status == 404
    items = [str(item) for place, item in api.stored().items() if skill_id in place]
    assert items
    assert not any("agent-of" in each for each in items)
    assert places_with(MARK, api, bucket_of(api)) == []


def test_a_tenant_may_not_erase_the_skill_itself(crossing_api: Api) -> None:
    api = crossing_api
    skill_id = learned(api, *TENANTS)

    reply = api.post("/v1/erasures", {"ids": [skill_id]}, key=key_of(api, OWN))

    assert reply.status == 403


def test_a_tenant_sees_the_skill_and_of_other_tenants_no_trace(crossing_api: Api) -> None:
    api = crossing_api
    skill_id = learned(api, *TENANTS)
    key = key_of(api, OTHERS[0])
    own = {each["id"] for each in listed(api, key, "episodic")}

    (skill,) = listed(api, key, "competence")
    asked = {"task_descriptor": "Release the parser", "max_hops": 2}
    graph = api.post("/v1/retrieve/graph", asked, key=key).body

    assert len(own) == 1
    assert {each["id"] for each in skill["evidence"] if each["outcome"] == "success"} == own
    hidden = [each["id"] for each in skill["evidence"] if each["id"] not in own]
    assert len(hidden) == 2
    assert {api.get(f"/v1/records/{each}", key=key).status for each in hidden} == {404}
    nodes = {each["record"]["id"] for each in graph["nodes"]}
    assert skill_id in nodes
    assert nodes.isdisjoint(hidden)
    assert {scope for scope in TENANTS if scope in str(graph)} == {OTHERS[0]}
    assert not any(each in str(graph["edges"]) for each in hidden)


@pytest.mark.parametrize("is_scope", [False, True])
def test_an_erased_trace_that_the_skill_no_longer_lists_leaves_nothing(
    crossing_api: Api, monkeypatch: pytest.MonkeyPatch, *, is_scope: bool
) -> None:
    api = crossing_api
    skill_id = learned(api, *TENANTS)
    monkeypatch.setattr(learned_records, "MAX_EVIDENCE", 2)
    monkeypatch.setattr(evidence, "MAX_EVIDENCE", 2)
    for scope in OTHERS:
        release_of(api, scope, f"2.{scope[-1]}")
    api.post("/_dev/clock?wait", {"advance_seconds": 3_600})
    consolidate(api)
    (trace,) = listed(api, key_of(api, OWN), "episodic")
    before = api.get(f"/v1/records/{skill_id}").record
    assert trace["id"] not in str(before["provenance"])
    assert before["payload"]["performance"]["success_count"] == 5

    steps = [each["id"] for each in trace["evidence"]]
    erase_own(api, **({"scope": OWN} if is_scope else {"ids": [trace["id"], *steps]}))

    after = api.get(f"/v1/records/{skill_id}").record
    assert after["payload"]["performance"]["success_count"] == 4
    assert "agent-of" not in str(after["audit_log"])
    assert places_with(MARK, api, bucket_of(api)) == []


def test_an_erased_trace_that_faded_with_a_long_trail_leaves_nothing(
    crossing_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = crossing_api
    skill_id = learned(api, *TENANTS)
    monkeypatch.setattr(learned_records, "MAX_EVIDENCE", 2)
    monkeypatch.setattr(evidence, "MAX_EVIDENCE", 2)
    key = key_of(api, OWN)
    (trace,) = listed(api, key, "episodic")
    for _ in range(40):
        reinforced = api.post(f"/v1/records/{trace['id']}/reinforce", {}, key=key)
        assert reinforced.status == 200
    for version, days in enumerate((200, 150, 40), 2):
        for scope in OTHERS:
            release_of(api, scope, f"{version}.{scope[-1]}")
        api.post("/_dev/clock?wait", {"advance_seconds": days * DAY_S})
        consolidate(api)
        assert api.invoke("DecayFunction", {})["failed"] == 0
    left = api.stored()[f"record#{trace['id']} record"]
    assert "facts" in left
    assert "document" not in left
    assert trace["id"] not in str(api.get(f"/v1/records/{skill_id}").record)

    erase_own(api, ids=[trace["id"]])

    skill = api.get(f"/v1/records/{skill_id}").record
    assert skill["audit_log"][-1]["rationale"].endswith(f"{FEWER}: {trace['id']}")
    assert places_with(MARK, api, bucket_of(api)) == []
