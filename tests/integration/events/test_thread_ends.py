"""Threads of the local stack: an outcome or a quiet time makes a trace of the steps."""

from typing import Any

import pytest

from membrane_local.dev_options import DevOptions
from tests.worlds.api import Api, api_over
from tests.worlds.quick_folders import quick_folder
from tests.worlds.tuning import tuned

CONSOLIDATE = "membrane-consolidate"
NOTHING = {"traces": 0, "skills": 0, "plans": 0, "grown": 0, "unmatched": 0}
TOOLS = ("run_tests", "build", "deploy")


def settle(api: Api) -> None:
    """Wait until every change is followed, and every function has run."""
    assert api.get("/_dev/queues?wait").status == 200


def take_steps(api: Api, thread_id: str) -> list[str]:
    """The ids of a thread's records: a task, and three calls of which each succeeds."""
    step = {"source": "agent", "scope": "team", "thread_id": thread_id}
    task = {"event_kind": "task", "ref": thread_id, "summary": f"Release {thread_id} of the parser"}
    asked: list[tuple[str, Any]] = [("event", {**step, **task})]
    for tool in TOOLS:
        call = {"tool_name": tool, "args": {"tag": thread_id}, "result": {"ok": True}}
        asked.append(("tool-output", {**step, **call, "status": "success"}))
    return [api.post(f"/v1/ingest/{kind}", each).record["id"] for kind, each in asked]


def end(api: Api, record_id: str, status: str = "failure") -> None:
    """Report how the task of the thread ended."""
    outcome = {"source": "judge", "target_record_id": record_id, "outcome_status": status}
    assert api.post("/v1/ingest/outcome", outcome).status == 200


def traces(api: Api) -> list[dict[str, Any]]:
    """The traces of the scope."""
    listed = api.get("/v1/records?scope=team&type=episodic").body["records"]
    return [each for each in listed if each["payload"]["timeline"][0]["event_kind"] == "trace"]


def skills(api: Api) -> list[dict[str, Any]]:
    """The skills of the scope."""
    listed = api.get("/v1/records?scope=team&type=competence").body["records"]
    return list(listed)


def test_an_outcome_makes_a_trace_of_the_thread(api: Api) -> None:
    *_, last = take_steps(api, "1.2")
    settle(api)
    assert traces(api) == []

    end(api, last)
    settle(api)

    (trace,) = traces(api)
    assert [each["tool"] for each in trace["payload"]["tool_graph"]] == [*TOOLS]
    assert (trace["payload"]["thread_id"], trace["payload"]["outcome"]) == ("1.2", "failure")


def test_a_run_makes_a_skill_of_two_successes_and_a_third_counts_at_its_end(api: Api) -> None:
    for thread_id in ("1.2", "1.3"):
        *_, last = take_steps(api, thread_id)
        end(api, last, "success")
        settle(api)
    assert len(traces(api)) == 2
    assert skills(api) == []
    assert api.invoke("ConsolidateFunction", {CONSOLIDATE: {}})["skills"] == 1
    *_, last = take_steps(api, "1.4")

    end(api, last, "success")
    settle(api)

    (skill,) = skills(api)
    assert [each["tool"] for each in skill["payload"]["recipe"]] == [*TOOLS]
    assert skill["payload"]["performance"]["success_count"] == 3


def test_the_end_of_a_thread_may_be_told_again_and_again(api: Api) -> None:
    *_, last = take_steps(api, "1.2")
    end(api, last)
    settle(api)
    before = api.stored()

    event = {CONSOLIDATE: {"scope": "team", "thread_id": "1.2"}}
    replies = [api.invoke("ConsolidateFunction", event) for _ in range(2)]

    assert replies == [{**NOTHING, "failed": 0, "left": False}] * 2
    assert api.stored() == before


def test_without_an_outcome_the_schedule_makes_a_trace_of_a_quiet_thread() -> None:
    parameters = tuned({"ThreadQuietMinutes": "50", "ConsolidateSchedule": "rate(1 hour)"})
    with (
        quick_folder() as folder,
        api_over(DevOptions(store=str(folder / "memory.db"), parameters=parameters)) as api,
    ):
        take_steps(api, "1.2")
        api.post("/_dev/clock?wait", {"advance_seconds": 49 * 60})
        assert api.invoke("ConsolidateFunction", {CONSOLIDATE: {}})["traces"] == 0

        api.post("/_dev/clock?wait", {"advance_seconds": 11 * 60})
        settle(api)

        assert len(traces(api)) == 1


@pytest.mark.parametrize("thread_id", ["", "another"])
def test_an_outcome_of_what_is_no_step_starts_nothing(api: Api, thread_id: str) -> None:
    body = {"source": "agent", "event_kind": "build", "ref": "1", "scope": "team"}
    record_id = api.post("/v1/ingest/event", body).record["id"]
    if thread_id:
        take_steps(api, thread_id)

    end(api, record_id)
    settle(api)

    assert traces(api) == []
