"""What is learned of threads: traces, skills, plans and facts, once each, and as far as seen."""

from itertools import chain, repeat
from typing import Any

import pytest

from membrane_local.storage.stores import TABLE
from tests.integration.http.test_metrics import counted
from tests.worlds.api import Api
from tests.worlds.learner import LISTS, TEAM, TOOLS, Learner, triple

MARK = "zedekiah"
"""A word of evidence that is withdrawn, and of nothing else."""


@pytest.fixture
def agent(api: Api) -> Learner:
    """An agent with an empty memory, a standing clock, and a stream that nobody reads."""
    api.functions.clock.freeze(frozen=True)
    api.post("/_dev/stream", {"paused": True})
    return Learner(api)


def member(agent: Learner, **rights: Any) -> str:
    """A key of the team up to low."""
    usual = {"permissions": ("ingest", "read", "revise"), "scopes": (TEAM,)}
    return agent.api.key_for(**{**usual, "max_sensitivity": "low", **rights})


# --- threads become traces -----------------------------------------------------------------------


def test_a_quiet_thread_becomes_a_trace_of_all_its_steps(agent: Learner) -> None:
    steps = agent.release("t-1")
    assert agent.made(quiet_minutes=11)["traces"] == []
    agent.later(600)
    assert len(agent.made(quiet_minutes=10, dry_run=True)["traces"]) == 1

    assert agent.run()["traces"] == 1

    (found,) = agent.listed()
    trace = agent.record(found["id"])
    assert [each["tool"] for each in trace["payload"]["tool_graph"]] == [*TOOLS]
    assert (trace["payload"]["outcome"], trace["payload"]["thread_id"]) == ("success", "t-1")
    assert agent.sources(trace["id"]) == steps
    assert all(trace["id"] in agent.record(each)["audit_log"][-1]["rationale"] for each in steps)


def test_a_step_that_came_to_nothing_returns_with_its_outcome(agent: Learner) -> None:
    step = agent.call("t-1", "pump", {"litres": 2}, "ok")
    assert agent.made()["traces"] == []

    agent.end(step)

    assert len(agent.made()["traces"]) == 1


def test_the_reported_outcome_counts_and_not_the_status_of_a_later_call(agent: Learner) -> None:
    task = agent.event("t-1", "Water the plants")
    agent.call("t-1", "pump", {"litres": 2}, "ok", status="success")
    agent.end(task, "failure", reason="flooded")

    (trace,) = agent.made()["traces"]

    payload = agent.record(trace["id"])["payload"]
    assert (payload["outcome"], payload["outcome_reason"]) == ("failure", "flooded")


def test_a_late_outcome_reaches_the_trace_and_is_learned_from(agent: Learner) -> None:
    skill = agent.skill("t-1", "t-2")
    steps = [agent.event("t-3", "Release the parser version 1.7")]
    steps += [agent.call("t-3", tool, {"suite": "unit"}, {"ok": 1}) for tool in TOOLS]
    (trace,) = agent.made()["traces"]
    assert agent.counts(skill) == (2, 0)

    agent.end(steps[0], "failure")
    done = agent.made()

    assert agent.record(trace["id"])["payload"]["outcome"] == "failure"
    assert [each["id"] for each in done["grown"]] == [skill]
    assert agent.counts(skill) == (2, 1)
    assert {name: agent.made()[name] for name in LISTS} == {name: [] for name in LISTS}


def test_a_thread_that_never_rests_becomes_traces_of_the_most_steps(agent: Learner) -> None:
    for number in range(67):
        agent.call("t-1", "poll", {"n": number}, "ok")
        agent.later(60)

    (trace,) = agent.made(quiet_minutes=30)["traces"]

    assert trace["steps"] == 64


def test_the_message_that_set_the_task_is_evidence_of_one_trace_and_takes_the_trace_along(
    agent: Learner,
) -> None:
    def conversed(*tools: str, text: str = "") -> list[Any]:
        said: list[Any] = [{"role": "user", "content": text}] if text else []
        for name in tools:
            function = {"name": name, "arguments": "{}"}
            calls = [{"id": name, "type": "function", "function": function}]
            said += [
                {"role": "assistant", "content": "", "tool_calls": calls},
                {"role": "tool", "tool_call_id": name, "content": f"{name} done"},
            ]
        body = {"thread_id": "t", "scope": TEAM, "messages": said, "sensitivity": "low"}
        reply = agent.api.post("/v1/messages", body)
        agent.later(60)
        return list(reply.body["records"])

    opening = conversed("run_tests", "build", text=f"Release for {MARK}")[0]["id"]
    (first,) = agent.made()["traces"]
    conversed("deploy", "announce")
    (second,) = agent.made()["traces"]

    assert [opening in agent.sources(each["id"]) for each in (first, second)] == [True, False]
    assert MARK in str(agent.record(first["id"])["payload"])
    assert MARK not in str(agent.record(second["id"])["payload"])
    reason = agent.record(opening)["audit_log"][-1]["rationale"]
    assert reason == f"set the task of trace {first['id']}"
    agent.delete(opening, erase=True)
    assert (agent.status(first["id"]), agent.status(second["id"])) == ("gone", "active")


# --- traces become skills and plans --------------------------------------------------------------


def test_a_dry_run_shows_what_the_run_then_makes_and_writes_nothing(agent: Learner) -> None:
    agent.skill("t-1", "t-2")
    agent.release("t-3", "failure")
    for number in range(2):
        agent.event(f"w-{number}", "Water the plants")
        stated = triple("pump", 2, "holds")
        agent.call(f"w-{number}", "pump", {"litres": number}, stated, status="success")
    agent.event("alone", "Alone")
    before = agent.api.stored()

    shown = agent.made(dry_run=True)

    assert agent.api.stored() == before
    done = agent.made()
    assert {name: shown[name] for name in LISTS} == {name: done[name] for name in LISTS}
    assert (len(done["traces"]), len(done["skills"])) == (3, 1)
    (grown,) = done["grown"]
    assert (grown["successes"], grown["failures"]) == (2, 1)
    assert (done["skills"][0]["success_rate"], done["skills"][0]["why"]) == (
        0.75,
        "Learned from 2 traces",
    )
    assert all(each["why"] for each in done["traces"])


def test_a_thread_that_ends_counts_in_a_known_skill_at_once(agent: Learner) -> None:
    skill = agent.skill("t-1", "t-2")
    agent.release("t-3")

    event = {"membrane-consolidate": {"scope": TEAM, "thread_id": "t-3"}}
    done = agent.api.invoke("ConsolidateFunction", event)

    assert (done["traces"], done["grown"]) == (1, 1)
    assert agent.counts(skill) == (3, 0)


def test_runs_and_traces_that_are_not_alike_make_nothing_more(agent: Learner) -> None:
    agent.skill("t-1", "t-2")
    agent.event("w", "Water the plants")
    agent.call("w", "pump", {"litres": 2}, "ok", status="success")
    assert len(agent.made()["unmatched"]) == 1
    before = agent.api.stored()

    for _ in range(2):
        assert set(agent.run().values()) == {0}
    assert agent.api.stored() == before


def test_a_plan_comes_with_the_trace_whose_values_show_the_flow_and_grows_once(
    agent: Learner,
) -> None:
    for thread in ("t-1", "t-2"):
        agent.release(thread, word="1.2")
    first = agent.made()
    assert (len(first["skills"]), first["plans"]) == (1, [])

    agent.release("t-3", word="1.3")
    (plan,) = agent.made()["plans"]
    agent.release("t-4", word="1.4")
    assert agent.made()["plans"] == []

    kept = agent.record(plan["id"])["payload"]
    assert [each["op"] for each in kept["nodes"]] == [*TOOLS]
    assert kept["metrics"]["execution_count"] == 4
    agent.delete(first["traces"][0]["id"], erase=True)
    assert agent.record(plan["id"])["payload"]["metrics"]["execution_count"] == 3


@pytest.mark.parametrize("end", ["deleted", "erased", "retracted", "without evidence"])
def test_a_plan_that_ended_is_not_made_again(agent: Learner, end: str) -> None:
    for thread in ("t-1", "t-2"):
        agent.release(thread, word="1.2")
    (skill,) = agent.made()["skills"]
    agent.release("t-3", word="1.3")
    done = agent.made()
    (plan,) = done["plans"]
    if end == "retracted":
        assert agent.api.post(f"/v1/records/{plan['id']}/retract", {}).status == 200
    elif end == "without evidence":  # the trace that alone made the flow vary
        agent.delete(done["traces"][0]["id"], erase=True)
    else:
        agent.delete(plan["id"], erase=end == "erased")

    agent.release("t-4", word="1.4")
    again = agent.made()

    assert ([each["id"] for each in again["grown"]], again["plans"]) == ([skill["id"]], [])


def test_many_uses_at_once_fit_the_transactions(agent: Learner) -> None:
    for thread in ("t-1", "t-2"):
        agent.release(thread, word="1.2")
    (skill,) = agent.made()["skills"]
    for number in range(21):
        agent.release(f"many-{number}")

    done = agent.made()

    assert (done["is_left"], len(done["plans"])) == (False, 1)
    assert agent.counts(skill["id"]) == (23, 0)
    assert len(agent.sources(skill["id"])) == 23


@pytest.mark.parametrize("more", [2, 1])
def test_a_skill_that_a_caller_deleted_does_not_come_back_but_one_that_lost_its_evidence(
    agent: Learner, more: int
) -> None:
    skill = agent.skill("t-1", "t-2")
    agent.delete(skill if more == 2 else agent.sources(skill)[0])
    for number in range(more):
        agent.release(f"later-{number}")

    done = agent.made()

    assert done["grown"] == []
    assert len(done["skills"]) == (0 if more == 2 else 1)


# --- facts ---------------------------------------------------------------------------------------


def stating(agent: Learner, thread: str, *triples: Any) -> str:
    """The id of the trace of a successful call with the triples as the result."""
    agent.end(agent.call(thread, "owners", {"of": thread}, [*triples]))
    (trace,) = agent.made()["traces"]
    return str(trace["id"])


def evidence_of(agent: Learner, record_id: str) -> list[str]:
    return [each["source_id"] for each in agent.record(record_id)["payload"]["evidence"]]


def test_successful_traces_state_the_triples_of_their_results_once(agent: Learner) -> None:
    owned = triple("parser", "Ada")
    for thread in ("t-1", "t-2"):
        agent.event(thread, "Look up the owner of the parser")
        agent.call(thread, "owners", {"path": "p"}, [owned, triple("lexer", 2)], status="success")
    traces = [each["id"] for each in agent.made()["traces"]]

    found = {
        (each["payload"]["subject"], each["payload"]["predicate"], each["payload"]["object"]): each
        for each in agent.facts()
    }
    observed = ("task", "observed_in", "Look up the owner of the parser")
    assert set(found) == {("parser", "owned_by", "Ada"), ("lexer", "owned_by", 2), observed}
    for each in found.values():
        assert sorted(evidence_of(agent, each["id"])) == sorted(traces)
    third = stating(agent, "t-3", owned, triple("linker", "Eve"))
    assert evidence_of(agent, found["parser", "owned_by", "Ada"]["id"])[-1] == third
    assert len(agent.facts()) == 4


def reported(agent: Learner, subject: str, value: Any) -> str:
    """The id of a fact that an agent reports."""
    asked = {"source": "agent", "scope": TEAM, "sensitivity": "low", **triple(subject, value)}
    return str(agent.api.post("/v1/ingest/observation", asked).record["id"])


def with_a_later_outcome(agent: Learner, trace_id: str) -> None:
    agent.end(trace_id)
    assert len(agent.made()["unmatched"]) == 1


def with_a_like_trace(agent: Learner, trace_id: str) -> None:
    agent.end(agent.call("again", "owners", {"of": "again"}, "none"))
    (skill,) = agent.made()["skills"]
    assert trace_id in skill["traces"]


@pytest.mark.parametrize("again", [with_a_later_outcome, with_a_like_trace])
def test_a_trace_that_is_learned_from_again_states_its_facts_no_second_time(
    agent: Learner, again: Any
) -> None:
    """A number is the same fact in two spellings: the agent reports 2, the result has 2.0."""
    known = reported(agent, "pump", 2)
    trace = stating(agent, "t-1", triple("pump", 2.0), triple("pump", 2))
    before = agent.lasting(known)
    assert evidence_of(agent, known)[1:] == [trace]

    again(agent, trace)

    assert agent.lasting(known) == before
    assert len(agent.facts()) == 1


@pytest.mark.parametrize("again", [with_a_later_outcome, with_a_like_trace])
@pytest.mark.parametrize("erase", [False, True])
def test_a_trace_brings_no_fact_back_that_a_caller_removed(
    agent: Learner, again: Any, *, erase: bool
) -> None:
    known = reported(agent, "pump", "Ada")
    trace = stating(agent, "t-1", triple("pump", "Ada"), triple("pump", "Bob"))
    agent.delete(known, erase=erase)

    again(agent, trace)

    assert [each["payload"]["object"] for each in agent.facts()] == ["Bob"]
    assert stating(agent, "t-9", triple("pump", "Ada"))
    assert sorted(each["payload"]["object"] for each in agent.facts()) == ["Ada", "Bob"]


# --- rights --------------------------------------------------------------------------------------


def test_a_scope_is_consolidated_alone_and_by_keys_that_may_write_it(agent: Learner) -> None:
    agent.event("t-1", "Water the plants", scope="other")
    agent.call("t-1", "pump", {"litres": 2}, "ok", scope="other")
    prefixes = member(agent, scopes=("user:*",))

    own = agent.api.post("/v1/consolidate", {"dry_run": False}, key=member(agent)).body

    assert (own["scope"], own["traces"]) == (TEAM, [])
    assert agent.made(scope="")["traces"] == []
    assert agent.api.post("/v1/consolidate", {}, key=prefixes).status == 400
    assert [each["thread_id"] for each in agent.made(scope="other")["traces"]] == ["t-1"]


def test_what_lies_above_the_ceiling_is_left_alone(agent: Learner) -> None:
    key = member(agent)
    agent.event("t-1", "Water the plants", sensitivity="medium")
    agent.call("t-1", "pump", {}, "ok")
    for thread in ("t-2", "t-3"):
        agent.release(thread)
        agent.event(thread, "secret", ref="s", sensitivity="medium")
    assert agent.made(key=key)["traces"] == []
    (skill,) = agent.made()["skills"]
    before = agent.lasting(skill["id"])
    assert before["sensitivity"] == "medium"
    agent.release("t-4")

    done = agent.made(key=key)

    assert [each["thread_id"] for each in done["unmatched"]] == ["t-4"]
    assert (done["skills"], done["grown"]) == ([], [])
    later = agent.made()
    assert (later["grown"], len(later["unmatched"])) == ([], 1)
    assert agent.lasting(skill["id"]) == before


def test_the_list_shows_what_the_reader_may_see_page_by_page(agent: Learner) -> None:
    key = member(agent)
    agent.skill("t-1", "t-2", "t-3")
    agent.release("t-4", "failure")
    agent.run()
    before = agent.api.get("/v1/consolidations?limit=100", key=key).body
    agent.event("w", "Water the plants", sensitivity="medium")
    agent.call("w", "pump", {}, "ok", sensitivity="medium")
    agent.event("o", "Water the plants", scope="other")
    agent.call("o", "pump", {}, "ok", scope="other")
    agent.run()
    forged = {"kind": "episodic", "timeline": [], "thread_id": "forged"}
    record = {"type": "episodic", "scope": TEAM, "sensitivity": "low", "payload": forged}
    agent.api.post("/v1/records", {**record, "provenance": {"created_by": "consolidation"}})

    pages = [agent.api.get("/v1/consolidations?limit=1", key=key).body]
    while cursor := pages[-1].get("next_cursor"):
        path = f"/v1/consolidations?limit=1&cursor={cursor}"
        pages.append(agent.api.get(path, key=key).body)

    found = [each for page in pages for each in page["consolidations"]]
    assert found == before["consolidations"]
    assert len(found) == 6  # four traces, a skill and a plan
    (skill,) = [each for each in found if each["type"] == "competence"]
    assert [each["outcome"] for each in skill["evidence"]] == [*["success"] * 3, "failure"]
    assert skill["reasons"][1].startswith("1 more uses")
    assert len(agent.listed("other")) == 1
    for each in found:
        if each["type"] == "competence":
            assert agent.api.post(f"/v1/records/{each['id']}/retract", {}).status == 200
    agent.delete(found[0]["id"])
    left = agent.api.get("/v1/consolidations?limit=100", key=key).body["consolidations"]
    assert {each["type"] for each in left} <= {"episodic", "plan_graph"}
    evidence = [each["id"] for listed in left for each in listed["evidence"]]
    assert found[0]["id"] not in [*evidence, *(each["id"] for each in left)]


def test_the_outcome_of_evidence_that_the_reader_may_not_see_is_not_told(agent: Learner) -> None:
    agent.skill("t-1", "t-2")
    key = member(agent)

    def outcomes(**options: Any) -> dict[str, Any]:
        path = f"/v1/consolidations?limit=100&scope={TEAM}"
        made = agent.api.get(path, **options).body["consolidations"]
        (skill,) = [each for each in made if each["type"] == "competence"]
        return {each["id"]: each["outcome"] for each in skill["evidence"]}

    hidden, seen = outcomes(key=key)
    raised = agent.api.call("PATCH", f"/v1/records/{hidden}", {"sensitivity": "hyper"})

    assert raised.status == 200, raised.body
    assert outcomes(key=key) == {hidden: None, seen: "success"}
    assert outcomes() == {hidden: "success", seen: "success"}


def test_a_skill_grows_beside_a_plan_above_the_ceiling(agent: Learner) -> None:
    skill = agent.skill("t-1", "t-2")
    (plan,) = [each["id"] for each in agent.listed() if each["type"] == "plan_graph"]
    raised = agent.api.call("PATCH", f"/v1/records/{plan}", {"sensitivity": "hyper"})
    assert raised.status == 200, raised.body
    agent.release("t-3")

    done = agent.made(key=member(agent))

    assert ([each["id"] for each in done["grown"]], done["plans"]) == ([skill], [])
    assert agent.counts(skill) == (3, 0)


# --- evidence that goes --------------------------------------------------------------------------


@pytest.mark.parametrize("erase", [False, True])
def test_a_step_takes_its_trace_along_and_a_skill_counts_the_trace_no_longer(
    agent: Learner, *, erase: bool
) -> None:
    skill = agent.skill("t-1", "t-2", "t-3")
    sources = agent.sources(skill)

    agent.delete(agent.sources(sources[0])[2], erase=erase)

    assert agent.status(sources[0]) == "gone"
    assert agent.sources(skill) == sources[1:]
    assert agent.counts(skill) == (2, 0)
    agent.delete(sources[1], erase=erase)
    assert agent.status(skill) == ("gone" if erase else "retracted")


def test_an_erased_step_leaves_no_copy_in_a_trace_above_the_ceiling(agent: Learner) -> None:
    task = agent.event("t-1", f"Water the plants of {MARK}")
    agent.call("t-1", "pump", {"litres": 2}, "ok", sensitivity="medium")
    (trace,) = agent.made()["traces"]
    low = member(agent, permissions=("ingest", "read", "revise", "admin"))

    agent.delete(task, low, erase=True)

    assert agent.status(trace["id"]) == "gone"
    assert MARK not in str(agent.api.stored())


def test_faded_traces_count_and_an_erasure_without_living_ones_ends_a_skill(
    agent: Learner,
) -> None:
    skill = agent.skill(*(f"t-{number}" for number in range(6)))
    *several, last = agent.sources(skill)
    recipe = agent.record(skill)["payload"]["recipe"]
    agent.fade(several[:3])
    assert agent.counts(skill) == (6, 0)

    agent.delete(last)
    assert agent.counts(skill) == (5, 0)
    found = agent.record(skill)["payload"]["recipe"]
    assert [each["tool"] for each in found] == [each["tool"] for each in recipe]
    agent.release("t-10")
    assert [each["id"] for each in agent.made()["grown"]] == [skill]
    assert agent.counts(skill) == (6, 0)

    *others, newest = agent.sources(skill)
    agent.fade([each for each in others if agent.status(each) == "active"])
    agent.delete(newest, erase=True)
    assert agent.status(skill) == "gone"


@pytest.mark.parametrize("deleted_before", [False, True])
def test_a_trace_erased_with_its_steps_leaves_nothing_and_the_past_goes_on(
    agent: Learner, *, deleted_before: bool
) -> None:
    agent.release("t-0", word=MARK)
    skill = agent.skill("t-1", "t-2")
    for number in range(20):  # more changes than the item of the skill has room for
        asked = {"tags": [f"{number}"]}
        assert agent.api.call("PATCH", f"/v1/records/{skill}", asked).status == 200
    (trace,) = [each for each in agent.sources(skill) if MARK in str(agent.record(each))]
    steps = agent.sources(trace)
    if deleted_before:
        agent.delete(trace)

    for each in [trace, *steps]:
        agent.api.call("DELETE", f"/v1/records/{each}?erase=true")

    assert agent.counts(skill) == (2, 0)
    assert MARK not in str(agent.record(skill))
    assert MARK not in str(agent.api.get(f"/v1/records/{skill}/versions").body)
    agent.release("t-4")
    agent.made()
    assert agent.counts(skill) == (3, 0)
    versions = agent.api.get(f"/v1/records/{skill}/versions").body["versions"]
    assert len(versions) >= 2


def test_a_deleted_skill_goes_for_good_with_erased_evidence(agent: Learner) -> None:
    skill = agent.skill("t-1", "t-2", "t-3")
    trace = agent.sources(skill)[0]
    agent.delete(skill)

    agent.delete(trace, erase=True)

    refused = agent.api.post(f"/v1/records/{skill}/restore", {})
    assert "was erased" in refused.body["detail"]


# --- damage and time -----------------------------------------------------------------------------


def test_a_damaged_trace_keeps_back_no_other(agent: Learner) -> None:
    for thread in ("t-1", "t-2"):
        agent.release(thread, scope="other")
    odd = agent.call("t-9", "pump", {"litres": 2}, "ok", status="success")
    table = agent.api.functions.store.dynamodb
    item: Any = {**agent.api.stored()[f"record#{odd} record"], "document": {"S": "{"}}
    table.put_item(TableName=TABLE, Item=item)
    agent.later()

    done = agent.api.invoke("ConsolidateFunction", {"membrane-consolidate": {}})

    assert done["skills"] == 1


def test_a_call_ends_before_the_gateway_ends_it(agent: Learner) -> None:
    agent.release("t-1")
    services, times = agent.api.functions.worlds, chain((0.0,), repeat(20.0))
    agent.api.serve(elapsed_s=lambda: next(times))

    late = agent.made()
    agent.api.functions.worlds = services

    assert (late["is_left"], late["traces"]) == (True, [])
    assert len(agent.made()["traces"]) == 1


# --- costs ---------------------------------------------------------------------------------------


def requests(agent: Learner) -> int:
    """The requests to the table of a run of the schedule."""
    agent.later()
    asked: list[str] = []
    with counted(agent.api, asked):
        done = agent.api.invoke("ConsolidateFunction", {"membrane-consolidate": {}})
    assert (done["failed"], done["left"]) == (0, False)
    return len(asked)


def test_a_trace_takes_few_requests_beside_the_listing_whatever_it_comes_to(
    agent: Learner,
) -> None:
    idle = requests(agent)
    found = []
    for number, status in enumerate(["success", "success", "failure", "success"]):
        agent.release(f"t-{number}", status)
        found.append(requests(agent) - idle)

    assert idle <= 17
    assert max(found) <= 13


@pytest.mark.parametrize(("facts", "most"), [(0, 9), (1, 13), (2, 14), (5, 17)])
def test_a_trace_takes_a_request_more_for_each_further_fact(
    agent: Learner, facts: int, most: int
) -> None:
    idle = requests(agent)
    stated = [triple(f"module {number}", "Ada") for number in range(facts)]
    agent.event("t-1", "Look up owners")
    agent.end(agent.call("t-1", "owners", {"path": "src"}, stated))

    assert requests(agent) - idle <= most
