"""Learning over HTTP: what worked last time is there on the next day, and after a month."""

from datetime import timedelta
from typing import Any

import pytest

from tests.worlds.api import Api

SCOPE = "team:parser"
TASK = "Release the parser"
TOOLS = ["run_tests", "build", "deploy"]


@pytest.fixture
def agent(api: Api) -> str:
    """A key of the scope up to low."""
    return api.key_for(
        actor_id="agent",
        permissions=("ingest", "read", "revise"),
        scopes=(SCOPE,),
        max_sensitivity="low",
    )


def release(api: Api, key: str, version: str, status: str = "success", **fields: Any) -> None:
    """Report a task of three calls, with an outcome."""
    step = {"source": "agent", "thread_id": f"release-{version}", **fields}
    task = {"event_kind": "task", "ref": version, "summary": f"{TASK}, version {version}"}
    assert api.post("/v1/ingest/event", {**step, **task}, key=key).status == 201
    calls = [
        {"tool_name": tool, "args": {"tag": version}, "result": {"of": tool}} for tool in TOOLS
    ]
    made = [api.post("/v1/ingest/tool-output", {**step, **each}, key=key).record for each in calls]
    outcome = {"source": "agent", "target_record_id": made[-1]["id"], "outcome_status": status}
    assert api.post("/v1/ingest/outcome", outcome, key=key).status == 200


def consolidated(api: Api, key: str, **asked: Any) -> Any:
    assert api.get("/_dev/queues?wait").status == 200
    return api.post("/v1/consolidate", {"quiet_minutes": 0, **asked}, key=key).body


def found(api: Api, key: str, memory_type: str) -> list[Any]:
    """The payloads that a retrieval finds for the task, once the index has caught up."""
    assert api.get("/_dev/queues?wait").status == 200
    asked = {"task_descriptor": TASK, "memory_types": [memory_type], "limit": 50}
    return [each["payload"] for each in api.post("/v1/retrieve", asked, key=key).body["records"]]


def require_the_way(api: Api, key: str) -> None:
    """Require the skill, and both traces with the steps in order and the outcome."""
    (skill,) = found(api, key, "competence")
    assert [step["tool"] for step in skill["recipe"]] == TOOLS
    assert skill["performance"]["success_count"] == 2
    episodes = found(api, key, "episodic")
    traces = [each for each in episodes if each["timeline"][0]["event_kind"] == "trace"]
    assert {each["thread_id"] for each in traces} == {"release-1.2", "release-1.3"}
    for trace in traces:
        assert [call["tool"] for call in trace["tool_graph"]] == TOOLS
        assert trace["outcome"] == "success"


def test_what_worked_last_time_is_there_on_the_next_day_and_after_a_month(
    api: Api, agent: str
) -> None:
    clock = api.functions.clock
    for version in ("1.2", "1.3"):
        release(api, agent, version)
        consolidated(api, agent, dry_run=False)
        clock.advance(timedelta(days=1))

    require_the_way(api, agent)
    clock.advance(timedelta(days=31))
    assert api.invoke("DecayFunction", {})["failed"] == 0
    require_the_way(api, agent)


def test_what_was_made_is_listed_with_evidence_and_reasons(api: Api, agent: str) -> None:
    for version in ("1.2", "1.3"):
        release(api, agent, version)
    consolidated(api, agent, dry_run=False)

    first = api.get("/v1/consolidations?limit=1", key=agent).body
    cursor = first["next_cursor"]
    rest = api.get(f"/v1/consolidations?cursor={cursor}", key=agent).body
    elsewhere = api.get(f"/v1/consolidations?scope={SCOPE}&cursor={cursor}", key=agent)
    page = api.get("/v1/consolidations", key=agent).body["consolidations"]

    assert page == first["consolidations"] + rest["consolidations"]
    assert elsewhere.status == 400
    (skill,) = [each for each in page if each["type"] == "competence"]
    assert [each["outcome"] for each in skill["evidence"]] == ["success", "success"]
    assert skill["reasons"][0] == "Learned from 2 traces"


@pytest.mark.parametrize(
    "body",
    [{"dry_run": "no"}, {"quiet_minutes": -1}, {"quiet_minutes": 0.5}, {"unknown": 1}, []],
)
def test_a_request_that_is_wrong_is_refused(api: Api, body: Any) -> None:
    assert api.post("/v1/consolidate", body).status == 400
