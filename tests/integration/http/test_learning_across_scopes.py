"""Skills across scopes: what no scope learns alone, without a word that one scope alone has."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from membrane_local.template import read_template
from tests.integration.conftest import NO_SCHEDULES, stilled
from tests.integration.erasure.test_erasures import run, start
from tests.worlds.api import EVERYTHING, Api, api_with
from tests.worlds.depth import examples
from tests.worlds.faults import killed_at
from tests.worlds.learner import Learner, triple
from tests.worlds.template import TEMPLATE
from tests.worlds.tuning import tuned

CROSSING = tuned({"ConsolidateAcrossScopes": "true", **NO_SCHEDULES})
SINGLE = ("zedekiah", "obadiah", "habakkuk", "examples", "'task':")


@pytest.fixture(scope="module")
def stack() -> Iterator[Api]:
    with api_with(CROSSING) as api:
        yield api


@pytest.fixture
def agents(stack: Api) -> Iterator[Learner]:
    """Agents of several scopes with an empty memory, and a stream that nobody reads."""
    template = stack.functions.template
    stilled(stack)
    yield Learner(stack)
    set_template(stack, template)


def set_template(api: Api, template: Any) -> None:
    api.functions.template = template
    api.functions.start_afresh()


def turn_off(agents: Learner) -> None:
    """Turn ConsolidateAcrossScopes off."""
    set_template(agents.api, read_template(TEMPLATE, NO_SCHEDULES))


def owner(agents: Learner, *scopes: str) -> str:
    """The key of who may do everything in the scopes."""
    return agents.api.key_for(actor_id="owner", permissions=EVERYTHING, scopes=scopes)


def released(agents: Learner, **scopes: int) -> None:
    """So many releases in each scope."""
    for scope, number in scopes.items():
        for _ in range(number):
            agents.release(f"{scope}-{next(agents.numbers)}", scope=scope)


def skills(agents: Learner, scope: str = "") -> list[str]:
    return [each["id"] for each in agents.listed(scope) if each["type"] == "competence"]


def learned(agents: Learner, *scopes: str) -> str:
    """The id of the unscoped skill of a release in each scope."""
    released(agents, **dict.fromkeys(scopes, 1))
    assert agents.run()["skills"] == 1
    (skill,) = skills(agents)
    return skill


def scopes_of(agents: Learner, record_id: str) -> list[str]:
    """The scopes of the evidence."""
    found = [agents.record(each) for each in agents.sources(record_id)]
    return sorted(each.get("scope", "") for each in found)


def plan(agents: Learner, scope: str = "") -> str:
    (found,) = [each["id"] for each in agents.listed(scope) if each["type"] == "plan_graph"]
    return str(found)


def shown(agents: Learner, skill: str) -> str:
    """The content of the skill and the plan, which readers of all scopes see."""
    both = (skill, plan(agents, agents.record(skill).get("scope", "")))
    return " ".join(str(agents.record(each)["payload"]) for each in both)


# --- founding ------------------------------------------------------------------------------------


def test_an_unscoped_skill_and_plan_show_nothing_that_one_scope_alone_has(agents: Learner) -> None:
    for scope, word in (("a", "zedekiah"), ("b", "obadiah")):
        agents.release(f"for-{word}", word=word, scope=scope)
    assert agents.run()["skills"] == 1
    (skill,) = skills(agents)
    founded = shown(agents, skill)
    agents.release("for-habakkuk", word="habakkuk", scope="c")
    assert agents.run()["grown"] == 1
    grown = shown(agents, skill)

    record = agents.record(skill)
    assert record["audit_log"][0]["rationale"] == "Learned from 2 traces of 2 scopes"
    assert (record.get("scope", ""), agents.counts(skill)) == ("", (3, 0))
    assert scopes_of(agents, skill) == scopes_of(agents, plan(agents)) == ["a", "b", "c"]
    for each in (founded, grown):
        assert [word for word in SINGLE if word in each] == []
        assert "{'const': 'unit'}" in each
        assert "release parser version: run_tests" in each


def test_the_scopes_of_one_prefix_make_no_unscoped_skill_and_show_nothing_in_one(
    agents: Learner,
) -> None:
    for user in ("ann", "bob:1", "cat:2"):
        agents.release(f"of-{user}", word="evilcmd", scope=f"e:{user}")
    assert agents.run()["skills"] == 0

    agents.release("of-dan", scope="t:dan")

    assert agents.run()["skills"] == 1
    assert "evilcmd" not in shown(agents, skills(agents)[0])


def test_a_scope_with_enough_traces_keeps_the_skill_with_examples(agents: Learner) -> None:
    for word in ("zedekiah", "obadiah"):
        agents.release(f"for-{word}", word=word, scope="a")
    released(agents, b=1)

    done = agents.run()

    assert (done["skills"], done["unmatched"]) == (1, 1)
    (skill,) = skills(agents, "a")
    assert scopes_of(agents, skill) == ["a", "a"]
    content = shown(agents, skill)
    assert content.count("'examples': ['") == 4  # two arguments, in the skill and in the plan
    assert "zedekiah" in content
    released(agents, c=1)
    assert agents.run()["skills"] == 1
    (across,) = skills(agents)
    assert scopes_of(agents, across) == ["b", "c"]


def test_without_the_parameter_scopes_share_nothing_and_a_former_skill_stays_as_it_is(
    agents: Learner,
) -> None:
    skill = learned(agents, "a", "b")
    before = agents.lasting(skill)
    turn_off(agents)
    released(agents, a=1, c=1, d=1)

    done = agents.run()

    assert (done["skills"], done["grown"], done["unmatched"]) == (0, 0, 3)
    assert agents.lasting(skill) == before


def test_unscoped_traces_are_a_scope_of_their_own(agents: Learner) -> None:
    for number in range(2):
        agents.release(f"own-{number}", scope="")
    released(agents, a=1)

    done = agents.run()

    assert (done["skills"], done["unmatched"]) == (1, 1)
    assert scopes_of(agents, skills(agents)[0]) == ["", ""]


def test_a_skill_is_as_sensitive_as_the_most_sensitive_trace_and_has_the_tags_of_all(
    agents: Learner,
) -> None:
    for scope, level in (("a", "low"), ("b", "medium")):
        tags = ["release", f"of-{scope}"]
        agents.release(f"of-{scope}", scope=scope, sensitivity=level, tags=tags)
    assert agents.run()["skills"] == 1
    released(agents, c=1)

    done = agents.run()

    record = agents.record(skills(agents)[0])
    assert (record["sensitivity"], record["tags"]) == ("medium", ["release"])
    assert (done["grown"], done["unmatched"]) == (0, 1)


def test_a_failure_of_another_scope_founds_nothing_and_counts_beside_successes(
    agents: Learner,
) -> None:
    released(agents, a=1)
    agents.release("failed", "failure", scope="b")
    assert agents.run()["skills"] == 0
    released(agents, c=1)

    assert agents.run()["skills"] == 1

    (skill,) = skills(agents)
    assert (scopes_of(agents, skill), agents.counts(skill)) == (["a", "b", "c"], (2, 1))


def test_facts_stay_in_the_scope_of_the_trace(agents: Learner) -> None:
    for scope in ("a", "b"):
        stated = [triple("parser", f"Ada of {scope}")]
        agents.event(f"of-{scope}", "Look up the owner of the parser", scope=scope)
        agents.end(agents.call(f"of-{scope}", "owners", {"path": "p"}, stated, scope=scope))

    assert agents.run()["skills"] == 1

    for scope in ("a", "b"):
        payloads = [each["payload"] for each in agents.facts(scope)]
        owned = [each for each in payloads if each["predicate"] == "owned_by"]
        assert [each["object"] for each in owned] == [f"Ada of {scope}"]
        (trace,) = owned[0]["evidence"]
        assert agents.record(trace["source_id"])["scope"] == scope


def test_the_end_of_a_thread_counts_in_the_skill_of_the_scope_first(agents: Learner) -> None:
    across = learned(agents, "a", "b")
    agents.release("t-1", scope="c")
    event = {"membrane-consolidate": {"scope": "c", "thread_id": "t-1"}}
    assert agents.api.invoke("ConsolidateFunction", event)["grown"] == 1
    assert agents.counts(across) == (3, 0)
    turn_off(agents)
    released(agents, d=2)
    assert agents.run()["skills"] == 1
    set_template(agents.api, read_template(TEMPLATE, CROSSING))
    (own,) = skills(agents, "d")

    released(agents, d=1)
    agents.run()

    assert (agents.counts(own), agents.counts(across)) == ((3, 0), (3, 0))


# --- dismissed -----------------------------------------------------------------------------------


def test_a_skill_that_a_scope_has_dismissed_comes_not_back_unscoped(agents: Learner) -> None:
    released(agents, a=2)
    agents.run()
    (dismissed,) = skills(agents, "a")
    agents.delete(dismissed)
    released(agents, a=24)
    assert agents.run()["unmatched"] == 24
    released(agents, a=1, b=1)
    assert (agents.run()["skills"], skills(agents)) == (0, [])
    assert agents.api.post(f"/v1/records/{dismissed}/restore", {}).status == 200
    released(agents, c=1)

    done = agents.run()

    assert (done["skills"], done["grown"]) == (1, 0)
    assert scopes_of(agents, skills(agents)[0]) == ["b", "c"]


def test_a_dismissed_skill_across_scopes_comes_not_back_but_in_a_scope(agents: Learner) -> None:
    agents.delete(learned(agents, "a", "b"))
    released(agents, c=1, d=1)
    assert agents.run()["skills"] == 0
    released(agents, d=1)

    assert agents.run()["skills"] == 1

    assert scopes_of(agents, skills(agents, "d")[0]) == ["d", "d"]


def test_a_fence_around_one_scope_holds_the_skill_back(agents: Learner) -> None:
    released(agents, a=1)
    assert agents.run()["unmatched"] == 1
    released(agents, b=1)
    erasure = start(agents.api, scope="a")
    with killed_at(12, agents.api.functions.store.dynamodb):
        run(agents.api, erasure)

    agents.later()
    agents.api.invoke("ConsolidateFunction", {"membrane-consolidate": {}})

    assert skills(agents) == []
    run(agents.api, erasure)
    released(agents, c=1)
    assert agents.run()["skills"] == 1
    assert scopes_of(agents, skills(agents)[0]) == ["b", "c"]


# --- by request ----------------------------------------------------------------------------------


def test_a_key_of_some_scopes_leaves_like_traces_to_the_schedule(agents: Learner) -> None:
    two = owner(agents, "a", "b")
    released(agents, a=1, b=1)

    for scope in ("a", "b", "a"):
        done = agents.made(scope, two)
        assert (done["skills"], len(done["unmatched"])) == ([], 1)
    assert agents.run()["skills"] == 1
    (skill,) = skills(agents)
    before = agents.lasting(skill)
    released(agents, a=1)

    done = agents.made("a", two)

    assert (done["grown"], len(done["unmatched"])) == ([], 1)
    assert agents.lasting(skill) == before
    assert agents.run()["grown"] == 1


@pytest.mark.parametrize("ceiling", ["hyper", "low"])
def test_a_key_for_all_scopes_founds_and_grows_unscoped_skills(
    agents: Learner, ceiling: str
) -> None:
    key = agents.api.key_for(permissions=EVERYTHING, max_sensitivity=ceiling)
    released(agents, a=1)
    agents.run()
    released(agents, b=1)

    before = agents.api.stored()
    shown_before = agents.made("b", key, dry_run=True)
    assert agents.api.stored() == before
    (skill,) = agents.made("b", key)["skills"]
    released(agents, c=1)
    (grown,) = agents.made("c", key)["grown"]

    assert [each["id"] for each in shown_before["skills"]] == [skill["id"]] == [grown["id"]]
    assert skill["why"] == "Learned from 2 traces of 2 scopes"
    assert agents.counts(skill["id"]) == (3, 0)


def test_a_trace_above_the_ceiling_founds_nothing(agents: Learner) -> None:
    low = agents.api.key_for(permissions=EVERYTHING, max_sensitivity="low")
    agents.release("t-1", scope="a", sensitivity="medium")
    agents.run()
    released(agents, b=1)

    done = agents.made("b", low)

    assert (done["skills"], len(done["unmatched"])) == ([], 1)
    assert agents.run()["skills"] == 1


# --- evidence that goes --------------------------------------------------------------------------


def withdraw(agents: Learner, record_id: str, scope: str, *, erase: bool) -> None:
    agents.delete(record_id, owner(agents, scope), erase=erase)


def trace_of(agents: Learner, scope: str, skill: str) -> str:
    (found,) = [each for each in agents.sources(skill) if agents.record(each)["scope"] == scope]
    return found


@pytest.mark.parametrize("erase", [False, True])
def test_the_owner_of_a_trace_withdraws_it_from_the_skill_which_tells_nobody(
    agents: Learner, *, erase: bool
) -> None:
    skill = learned(agents, "a", "b", "c")

    withdraw(agents, trace_of(agents, "a", skill), "a", erase=erase)

    assert agents.counts(skill) == (2, 0)
    for each in (skill, plan(agents)):
        assert scopes_of(agents, each) == ["b", "c"]
        assert "owner" not in str(agents.record(each)["audit_log"])


@pytest.mark.parametrize("erase", [False, True])
@pytest.mark.parametrize("more", [0, 2])
def test_a_skill_whose_successes_are_left_in_one_scope_ends(
    agents: Learner, more: int, *, erase: bool
) -> None:
    skill = learned(agents, "a", "b")
    both = (skill, plan(agents))
    released(agents, b=more)
    agents.run()

    withdraw(agents, trace_of(agents, "a", skill), "a", erase=erase)

    assert {agents.status(each) for each in both} == {"gone" if erase else "retracted"}


def test_a_skill_with_successes_of_two_scopes_left_stays_without_single_values(
    agents: Learner,
) -> None:
    for scope, word in (("a", "zedekiah"), ("b", "obadiah")):
        agents.release(f"for-{word}", word=word, scope=scope)
    agents.run()
    (skill,) = skills(agents)
    released(agents, b=1)
    agents.run()
    left = [each for each in agents.sources(skill) if agents.record(each)["scope"] == "b"]

    withdraw(agents, left[0], "b", erase=False)

    assert scopes_of(agents, skill) == ["a", "b"]
    assert [word for word in SINGLE if word in shown(agents, skill)] == []


def test_a_trace_that_faded_counts_until_its_owner_erases_it(agents: Learner) -> None:
    skill = learned(agents, "a", "b", "c", "d")
    faded = trace_of(agents, "a", skill)
    agents.fade([faded])
    assert agents.counts(skill) == (4, 0)

    withdraw(agents, faded, "a", erase=True)

    assert agents.counts(skill) == (3, 0)
    assert scopes_of(agents, skill) == ["b", "c", "d"]


def test_a_deleted_skill_goes_for_good_with_erased_evidence(agents: Learner) -> None:
    skill = learned(agents, "a", "b", "c")
    trace = trace_of(agents, "a", skill)
    agents.delete(skill)

    withdraw(agents, trace, "a", erase=True)

    refused = agents.api.post(f"/v1/records/{skill}/restore", {})
    assert "was erased" in refused.body["detail"]


@pytest.mark.parametrize("erase", [False, True])
def test_a_record_that_only_claims_to_be_evidence_withdraws_nothing(
    agents: Learner, *, erase: bool
) -> None:
    skill = learned(agents, "a", "b")
    before = agents.lasting(skill)
    event = {"t": "2026-01-01T00:00:00Z", "event_kind": "trace", "ref": "trace:t", "summary": ""}
    forged = {
        "type": "episodic",
        "scope": "c",
        "sensitivity": "low",
        "payload": {"kind": "episodic", "timeline": [event], "outcome": "success"},
        "relations": [{"predicate": "derived_competence", "target_id": skill}],
        "provenance": {"created_by": "consolidation", "sources": []},
    }
    key = owner(agents, "c")
    made = agents.api.post("/v1/records", forged, key=key).record

    agents.delete(made["id"], key, erase=erase)

    assert agents.lasting(skill) == before


# --- everything ----------------------------------------------------------------------------------

TASKS = st.lists(
    st.tuples(
        st.sampled_from(("", "a", "b")),
        st.sampled_from(("success", "success", "failure")),
        st.sampled_from(("low", "low", "medium")),
        st.sampled_from(("nothing", "thread", "scope", "all")),
    ),
    min_size=2,
    max_size=7,
)


@settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(TASKS, st.sampled_from((CROSSING, NO_SCHEDULES)))
def test_scopes_share_nothing_but_unscoped_skills_and_plans(
    stack: Api, agents: Learner, tasks: Any, parameters: dict[str, str]
) -> None:
    stack.application.reset()
    stack.post("/_dev/stream", {"paused": True})
    set_template(stack, read_template(TEMPLATE, parameters))
    for number, (scope, status, sensitivity, then) in enumerate(tasks):
        place = {"scope": scope, "sensitivity": sensitivity}
        thread, stated = f"t-{number}", [triple("parser", scope)]
        agents.event(thread, "Look up the owner of the parser", **place)
        called = [agents.call(thread, each, {"of": number}, stated, **place) for each in "xyz"]
        agents.end(called[-1], status)
        if then == "thread":
            event = {"membrane-consolidate": {"scope": scope, "thread_id": thread}}
            stack.invoke("ConsolidateFunction", event)
        elif then == "scope":
            agents.made(scope)
        elif then == "all":
            agents.run()
    for _ in range(2):
        agents.run()

    for scope in ("", "a", "b"):
        for each in [*agents.listed(scope), *agents.facts(scope)]:
            record = agents.record(each["id"])
            evidence = [
                *(one["ref"] for one in record["provenance"]["sources"]),
                *(one["source_id"] for one in record["payload"].get("evidence", [])),
            ]
            scopes = {agents.record(one).get("scope", "") for one in evidence}
            if scopes != {scope}:
                assert parameters is CROSSING
                assert record["type"] in ("competence", "plan_graph")
                assert (scope, len(scopes) > 1) == ("", True)
