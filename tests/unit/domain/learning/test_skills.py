"""What skills and plans learn from their evidence, at once or trace by trace."""

import json
from collections.abc import Sequence
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.likeness import lookup_keys
from membrane.domain.learning.plans import (
    Flow,
    flows_of,
    later_plan,
    may_be_planned,
    new_plan,
    updated_plan,
)
from membrane.domain.learning.recipes import widened_schema
from membrane.domain.learning.skills import (
    Evidence,
    best_match,
    new_skill,
    skill_lookup_keys,
    updated_skill,
)
from membrane.domain.learning.traces import MAX_MODES, error_of
from membrane.domain.records.payloads import (
    CompetencePayload,
    EpisodicPayload,
    PlanGraphPayload,
    ToolNode,
)
from membrane.domain.records.records import as_json
from tests.builders.records import NOW
from tests.builders.traces import TASK, a_call, a_trace, an_evidence, matches

SUCCESS, FAILURE, PARTIAL = OutcomeStatus.SUCCESS, OutcomeStatus.FAILURE, OutcomeStatus.PARTIAL
TOOLS = ("build", "push", "roll_out")


def evidence_of(*traces: EpisodicPayload) -> list[Evidence]:
    return [an_evidence(trace, number) for number, trace in enumerate(traces, start=1)]


def a_skill(*traces: EpisodicPayload) -> CompetencePayload:
    return a_skill_of(evidence_of(*traces))


def a_skill_of(evidence: Sequence[Evidence]) -> CompetencePayload:
    skill = new_skill(evidence)
    assert skill is not None
    return skill


def schemas(*args: dict[str, Any]) -> Any:
    return reduce(widened_schema, args, dict[str, Any]())


def test_one_success_is_no_skill() -> None:
    assert new_skill(evidence_of(a_trace(), a_trace(outcome=FAILURE))) is None


def test_two_successes_without_a_common_step_are_no_skill() -> None:
    assert new_skill(evidence_of(a_trace("ab"), a_trace("cd"))) is None


def test_a_skill_has_what_its_successes_have_in_common() -> None:
    skill = a_skill(a_trace(task="Deploy the payment service"), a_trace(task="deploy service X"))

    assert [step.tool for step in skill.recipe] == [*TOOLS]
    assert skill.required_tools == TOOLS
    assert skill.triggers[0].signal == "deploy service"
    assert skill.triggers[0].conditions["event_kind"] == "task"
    assert skill.skill_name == "deploy service: build → push → roll_out"


def test_a_skill_is_a_payload_that_can_be_stored() -> None:
    skill = a_skill(a_trace([a_call("run", args={"at": "a"})] * 3), a_trace(["run"] * 3))

    assert validate(CompetencePayload, json.loads(canonical_json(as_json(skill)))) == skill


def test_of_two_successes_a_replaced_step_is_no_step_of_the_skill() -> None:
    skill = a_skill(a_trace("abxde"), a_trace("abcde"))

    assert [step.tool for step in skill.recipe] == [*"abde"]


def test_a_step_that_one_of_two_successes_skipped_is_doubtful() -> None:
    skill = a_skill(a_trace("abde"), a_trace("abcde"))

    assert [step.tool for step in skill.recipe] == [*"abcde"]
    assert all(matches(skill, a_trace(tools)) for tools in ("abcdxe", "abdxe"))
    assert set(lookup_keys("", a_trace("abde"))) <= set(skill_lookup_keys("", skill))


@pytest.mark.parametrize("tools", ["abcde", "abde"])
def test_the_third_success_decides_about_a_doubtful_step(tools: str) -> None:
    skill = a_skill(a_trace("abde"), a_trace("abcde"))

    decided = updated_skill(skill, an_evidence(a_trace(tools), 3))

    assert [step.tool for step in decided.recipe] == [*tools]
    assert decided.required_tools == tuple(tools)


def test_a_step_that_most_successes_come_to_skip_leaves_the_recipe() -> None:
    skipping = [an_evidence(a_trace("abd"), number) for number in range(3, 6)]

    skill = reduce(updated_skill, skipping, a_skill(a_trace("abcd"), a_trace("abcd")))

    assert [step.tool for step in skill.recipe] == [*"abd"]


def test_of_many_successes_a_step_of_most_stands_in_the_recipe() -> None:
    skill = a_skill(*map(a_trace, ("acde", "abcde", "abde", "abcdxe", "abcde")))

    assert [step.tool for step in skill.recipe] == [*"abcde"]


def test_a_later_success_that_skips_a_step_does_not_shorten_the_recipe() -> None:
    skill = updated_skill(a_skill(a_trace("abcd"), a_trace("abcd")), an_evidence(a_trace("abd")))

    assert [step.tool for step in skill.recipe] == [*"abcd"]


def test_arguments_are_constant_or_variable() -> None:
    schema = schemas({"mode": "r", "path": "a"}, {"mode": "r", "path": "b"})

    assert schema == {
        "type": "object",
        "properties": {"mode": {"const": "r"}, "path": {"type": "string", "examples": ["a", "b"]}},
        "required": ["mode", "path"],
    }


def test_a_constant_that_varies_later_gets_a_type_and_at_most_three_examples() -> None:
    (step,) = a_skill(
        *(a_trace([a_call("read", args={"line": line})]) for line in (1, 1, 2.5, 3, 4))
    ).recipe

    line = step.args_schema["properties"]["line"]
    assert line == {"type": ["integer", "number"], "examples": [1, 2.5, 3]}


def test_an_argument_that_some_calls_lack_is_neither_required_nor_constant() -> None:
    schema = schemas({"path": "a", "mode": "r"}, {"path": "a"}, {"path": "a", "depth": 2})

    assert schema["required"] == ["path"]
    assert schema["properties"] == {
        "path": {"const": "a"},
        "mode": {"type": "string", "examples": ["r"]},
        "depth": {"type": "integer", "examples": [2]},
    }


def test_a_step_says_which_arguments_every_call_has() -> None:
    calls = [a_call("read", args=args) for args in ({"path": "a", "mode": "r"}, {"path": "b"})]

    (step,) = a_skill(*(a_trace([call]) for call in calls)).recipe

    assert step.step == "Call read with path"


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2),
)
properties = st.dictionaries(st.sampled_from(["type", "examples", "const"]), junk)
schemas_of_callers = st.dictionaries(
    st.sampled_from(["properties", "required", "x-uses"]),
    junk | st.dictionaries(st.text(max_size=1), properties),
)


@given(schemas_of_callers, st.dictionaries(st.sampled_from(["event_kind", "task_words"]), junk))
def test_a_skill_that_a_caller_wrote_can_be_updated(schema: Any, conditions: Any) -> None:
    skill = a_skill(a_trace(["read"]), a_trace(["read"]))
    (step,), (trigger,) = skill.recipe, skill.triggers
    written = skill.model_copy(
        update={
            "recipe": (step.model_copy(update={"args_schema": schema}),),
            "triggers": (trigger.model_copy(update={"conditions": conditions}),),
            "performance": None,
        }
    )

    updated = updated_skill(written, an_evidence(a_trace([a_call("read", args={"": 1})])))

    assert validate(CompetencePayload, json.loads(canonical_json(as_json(updated)))) == updated


def test_true_and_one_are_different_constants() -> None:
    assert "const" not in schemas({"all": True}, {"all": 1})["properties"]["all"]


def test_long_values_are_neither_constants_nor_examples() -> None:
    assert schemas({"text": "x" * 300})["properties"]["text"] == {"type": "string"}


def test_successes_and_failures_count_and_the_rate_has_a_uniform_prior() -> None:
    skill = a_skill(*(a_trace(outcome=each) for each in (SUCCESS, SUCCESS, FAILURE, PARTIAL, None)))

    stats = skill.performance
    assert stats is not None
    assert (stats.success_count, stats.failure_count) == (2, 1)
    assert stats.success_rate == pytest.approx(3 / 5)
    assert stats.avg_latency_ms == 3_000
    assert stats.last_used_at == an_evidence(a_trace(), 5).ended_at


def test_an_earlier_use_does_not_move_the_last_use_back() -> None:
    skill = a_skill(a_trace(), a_trace())

    later = updated_skill(skill, Evidence(a_trace(), "trace-0", rfc3339(NOW)))

    assert later.performance is not None
    assert later.performance.last_used_at == an_evidence(a_trace(), 2).ended_at


def test_failures_tell_failure_modes() -> None:
    full = a_call("push", result={"error": "disk 1 is full"})
    full_again = a_call("push", result={"error": "disk 2 is full"})
    skill = a_skill(
        a_trace(),
        a_trace(),
        a_trace(["build", full], outcome=FAILURE),
        a_trace(["build", full_again], outcome=FAILURE),
        a_trace(["build"], outcome=FAILURE, outcome_reason="no rights"),
    )

    assert skill.failure_modes == ("push: disk 1 is full", "ended after build: no rights")


def test_failure_modes_are_bounded() -> None:
    reasons = [f"reason {chr(ord('a') + at)}" for at in range(2 * MAX_MODES)]
    failures = (a_trace(outcome=FAILURE, outcome_reason=reason) for reason in reasons)

    skill = a_skill(a_trace(), a_trace(), *failures)

    assert skill.failure_modes == tuple(f"ended after roll_out: {each}" for each in reasons[-8:])


def test_what_followed_a_failed_call_and_succeeded_is_a_fallback() -> None:
    full = a_call("push", result={"error": "full"})
    skill = a_skill(a_trace(["build", full, "clean", "roll_out"]), a_trace(["build", full, "push"]))

    assert skill.fallbacks == (
        "call clean when push fails: full",
        "call push again when push fails: full",
    )


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ({"error": {"message": "gone"}}, "gone"),
        ({"isError": True, "content": "gone"}, "gone"),
        ({"ok": False}, "failed"),
        ({"exit_code": 2, "stderr": "gone"}, "gone"),
        ({"status": "FAILED", "reason": "gone"}, "gone"),
        ("Error: gone", "Error: gone"),
        ({"error": None, "exit_code": 0, "status": "done"}, None),
        ({"success": True}, None),
        ("done", None),
        (None, None),
    ],
)
def test_results_tell_of_errors(result: object, error: str | None) -> None:
    assert error_of(result) == error


def test_a_word_that_most_tasks_lack_leaves_the_signal() -> None:
    places = ("payment", "payment", "ledger", "search", "mail")

    skill = a_skill(*(a_trace(task=f"Deploy the {place} service") for place in places))

    assert skill.triggers[0].signal == "deploy service"
    assert skill.triggers[0].conditions["task_words"]["payment"] == 2


def test_the_words_of_a_task_count_as_often_as_the_successes_named_them() -> None:
    tasks = ("deploy payment", "deploy payment urgent", "deploy payment today")
    skill = a_skill(*(a_trace(task=task) for task in tasks))

    assert matches(skill, a_trace(task="deploy search"))
    assert not matches(skill, a_trace(task="urgent search today"))


def test_tasks_without_a_word_in_most_have_the_most_frequent_words() -> None:
    skill = new_skill(evidence_of(a_trace(task="deploy"), a_trace(task="roll out")))

    assert skill is not None
    assert skill.triggers[0].signal == "deploy roll"


def test_the_best_match_has_the_most_words_in_common() -> None:
    tasks = ("deploy payment", "deploy payment ledger")
    skills = [a_skill(*[a_trace(task=task)] * 2) for task in tasks]

    assert best_match(skills, a_trace(task="deploy ledger payment")) == 1
    assert best_match(skills, a_trace(task="deploy payment")) == 0
    assert best_match(skills, a_trace(task="restore")) is None


def test_a_signal_without_spaces_between_words_reads_as_written() -> None:
    task = "決済サービスを本番環境に配備"

    skill = a_skill(a_trace(task=task), a_trace(task=task))

    assert skill.triggers[0].signal == "決済サービス 本番環境 配備"
    assert matches(skill, a_trace(task=task))


def test_a_skill_of_tasks_without_words_has_the_kind_as_its_signal() -> None:
    skill = a_skill(a_trace(task=""), a_trace(task=""))

    assert skill.triggers[0].signal == "task"
    assert matches(skill, a_trace(task=""))
    assert not matches(skill, a_trace(task="task"))


def test_a_trace_matches_as_a_second_trace_would() -> None:
    skill = a_skill(a_trace("abcd"), a_trace("abcd"))

    assert matches(skill, a_trace("abxcd", "Deploy another service"))
    assert matches(skill, a_trace("ab", outcome=FAILURE))
    assert not matches(skill, a_trace("ab"))
    assert not matches(skill, a_trace("abcd", "Restore a backup"))
    assert not matches(skill, a_trace("abcd", kind="alarm"))


traces = st.builds(
    a_trace,
    st.lists(st.sampled_from("abc"), min_size=1, max_size=6),
    st.sampled_from([TASK, "Deploy a service", "Deploy payment", "roll out", ""]),
    kind=st.sampled_from(["task", "alarm"]),
    outcome=st.sampled_from([SUCCESS, FAILURE, PARTIAL, None]),
)


@given(traces, traces, traces)
def test_a_skill_shares_a_key_with_each_trace_that_matches(
    first: EpisodicPayload, second: EpisodicPayload, trace: EpisodicPayload
) -> None:
    skill = new_skill(evidence_of(first, second))

    keys = set() if skill is None else set(skill_lookup_keys("team", skill))

    assert skill is None or not matches(skill, trace) or keys & set(lookup_keys("team", trace))


@given(st.lists(traces, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(found: list[EpisodicPayload], random: Any) -> None:
    evidence = evidence_of(*found)
    shuffled = random.sample(evidence, len(evidence))

    assert new_skill(shuffled) == new_skill(evidence)


@given(st.lists(traces.filter(lambda trace: trace.outcome is not SUCCESS), max_size=6))
def test_later_failures_change_a_skill_as_they_would_have_at_once(
    failures: list[EpisodicPayload],
) -> None:
    evidence = evidence_of(a_trace(), a_trace(), *failures)

    assert new_skill(evidence) == reduce(updated_skill, evidence[2:], a_skill_of(evidence[:2]))


def test_later_successes_change_a_skill_as_they_would_have_at_once() -> None:
    tasks = ("Deploy the payment service", "Deploy service X", "Deploy the ledger service")
    evidence = evidence_of(
        *(a_trace([a_call("a", args={task: 1})] * 3, task) for task in tasks * 2)
    )

    at_once, later = (
        new_skill(evidence),
        reduce(updated_skill, evidence[2:], a_skill_of(evidence[:2])),
    )

    assert at_once == later


FAILURE = OutcomeStatus.FAILURE


def a_flowing_trace(ticket: str, **fields: Any) -> EpisodicPayload:
    """Create a ticket, notify somebody, close the ticket."""
    calls = (
        a_call("create", args={"title": "disk"}, result={"key": ticket, "state": "open"}),
        a_call("notify", args={"to": "ops"}, result="sent"),
        a_call("close", args={"item": ticket}),
    )
    return a_trace(calls, **fields)


def a_plan_of(*traces: EpisodicPayload) -> PlanGraphPayload:
    plan = new_plan(evidence_of(*traces))
    assert plan is not None
    return plan


def edges_of(plan: PlanGraphPayload | None) -> list[tuple[str, str, str]]:
    return [] if plan is None else [(each.from_, each.to, each.kind.value) for each in plan.edges]


def between(result: Any, args: dict[str, Any], task: str = TASK) -> list[Flow]:
    return list(flows_of(a_trace([a_call("a", result=result), a_call("b", args=args)], task)))


@pytest.mark.parametrize(
    ("result", "argument", "value"),
    [
        ({"key": "OPS-17"}, "OPS-17", "OPS-17"),
        ([{"deep": [{"key": 4711}]}], 4711, "4711"),
        ("created OPS-17 at once", "OPS-17", "OPS-17"),
        ({"key": "tk-1f2e"}, "https://host/items/tk-1f2e?all=1", "tk-1f2e"),
        ({"key": "tk-1f2e"}, "items/tk-1f2e.json", "tk-1f2e"),
        ({"folder": "/srv/app"}, "/srv/app/main.py", "/srv/app"),
        ({"key": "OPS-17"}, {"deep": ["OPS-17"]}, "OPS-17"),
        ("請求書を作成: INV-2024", "INV-2024", "INV-2024"),
        ({"who": "山田 太郎"}, "山田 太郎", "山田 太郎"),
    ],
)
def test_an_argument_that_a_result_brought_up_is_a_flow(
    result: Any, argument: Any, value: str
) -> None:
    assert between(result, {"item": argument}) == [Flow(0, 1, "item", value)]


@pytest.mark.parametrize(
    ("result", "argument"),
    [
        ({"ok": True}, True),
        ({"count": 3}, 3),
        ({"key": "OPS-17"}, "OPS-170"),
        ({"key": "abc"}, "items/abc"),
        (None, None),
        ({}, "OPS-17"),
    ],
)
def test_chance_and_parts_of_words_are_no_flow(result: Any, argument: Any) -> None:
    assert between(result, {"item": argument}) == []


def test_a_value_that_the_task_gave_flows_from_no_result() -> None:
    assert between({"of": "kestrel-7"}, {"of": "kestrel-7"}, "Deploy kestrel-7") == []


def test_a_value_that_an_earlier_argument_gave_flows_from_no_result() -> None:
    calls = [
        a_call("a", args={"of": "kestrel-7"}, result={"of": "kestrel-7"}),
        a_call("b", args={"of": "kestrel-7"}),
    ]

    assert list(flows_of(a_trace(calls))) == []


def test_a_value_flows_from_the_call_that_brought_it_up_first() -> None:
    echo = [
        a_call("a", result="OPS-17"),
        *(a_call("b", f"b{at}", args={"of": "OPS-17"}, result="OPS-17") for at in (1, 2)),
    ]

    assert [(flow.source, flow.target) for flow in flows_of(a_trace(echo))] == [(0, 1), (0, 2)]


def test_a_plan_has_the_steps_and_the_flow_of_data() -> None:
    plan = a_plan_of(a_flowing_trace("OPS-17"), a_flowing_trace("OPS-18"))

    assert [node.op for node in plan.nodes] == ["create", "notify", "close"]
    assert edges_of(plan) == [("step-1", "step-3", "data")]
    assert plan.intent == "deploy payment service"
    assert plan.nodes[0].params["properties"] == {"title": {"const": "disk"}}
    assert plan.nodes[2].params["properties"]["item"] == {
        "type": "string",
        "examples": ["OPS-17", "OPS-18"],
        "description": "from the result of step-1",
    }


def test_a_plan_is_a_payload_that_can_be_stored() -> None:
    plan = a_plan_of(a_flowing_trace("OPS-17"), a_flowing_trace("OPS-18"))

    assert validate(PlanGraphPayload, json.loads(canonical_json(as_json(plan)))) == plan


def test_stated_dependencies_are_edges() -> None:
    calls: list[ToolNode] = [
        a_call("a"),
        a_call("b", depends_on=("call-a", "call-c", "gone")),
        a_call("c", depends_on=("call-a",)),
    ]

    plan = new_plan(evidence_of(a_trace(calls), a_trace(calls)))

    assert edges_of(plan) == [("step-1", "step-2", "control"), ("step-1", "step-3", "control")]


def test_steps_without_edges_are_no_plan() -> None:
    assert new_plan(evidence_of(a_trace(), a_trace())) is None


def test_two_steps_are_no_plan() -> None:
    calls = [a_call("a"), a_call("b", depends_on=("call-a",))]

    assert new_plan(evidence_of(a_trace(calls), a_trace(calls))) is None


def test_one_success_is_no_plan() -> None:
    assert new_plan(evidence_of(a_flowing_trace("OPS-17"))) is None


def test_a_flow_in_few_of_the_successes_is_chance() -> None:
    unlike = a_flowing_trace("OPS-17").tool_graph
    calls = (*unlike[:2], a_call("close", args={"item": "OPS-99"}))

    evidence = evidence_of(
        a_flowing_trace("OPS-17"), a_flowing_trace("OPS-18"), *[a_trace(calls)] * 2
    )

    assert new_plan(evidence) is None


def test_a_value_that_never_varies_is_a_constant_and_no_flow() -> None:
    assert new_plan(evidence_of(a_flowing_trace("OPS-17"), a_flowing_trace("OPS-17"))) is None


def test_metrics_count_successes_and_failures() -> None:
    broken_off = a_trace(["create", "notify"], outcome=FAILURE)
    plan = a_plan_of(a_flowing_trace("OPS-17"), a_flowing_trace("OPS-18"), broken_off)

    assert plan.metrics is not None
    assert plan.metrics.execution_count == 3
    assert plan.metrics.failure_rate == pytest.approx(1 / 3)
    assert plan.metrics.avg_latency_ms == 3_000
    assert plan.metrics.last_executed_at == an_evidence(broken_off, 3).ended_at


def test_later_evidence_changes_a_plan_as_it_would_have_at_once() -> None:
    outcomes = (OutcomeStatus.SUCCESS, FAILURE, OutcomeStatus.PARTIAL, None, OutcomeStatus.SUCCESS)
    evidence = evidence_of(
        a_flowing_trace("OPS-17"),
        a_flowing_trace("OPS-18"),
        *(a_flowing_trace(f"OPS-{at}", outcome=each) for at, each in enumerate(outcomes, 19)),
    )

    first = a_plan_of(*(each.trace for each in evidence[:2]))

    assert reduce(updated_plan, evidence[2:], first) == new_plan(evidence)


def test_a_skill_may_be_planned_by_a_success_whose_calls_depend_on_each_other() -> None:
    skill = a_skill(a_flowing_trace("OPS-1"), a_flowing_trace("OPS-1"))
    failed = a_flowing_trace("OPS-2", outcome=FAILURE)
    stated = a_trace([a_call("a", "1"), a_call("b", "2", depends_on=("1",))])

    assert may_be_planned(skill, evidence_of(a_flowing_trace("OPS-2")))
    assert may_be_planned(skill, evidence_of(stated))
    assert not may_be_planned(skill, evidence_of(failed, a_trace()))


def test_a_skill_of_two_steps_may_not_be_planned() -> None:
    skill = a_skill(a_trace(["a", "b"]), a_trace(["a", "b"]))

    assert not may_be_planned(skill, evidence_of(a_flowing_trace("OPS-2")))


def test_a_later_plan_has_the_steps_of_the_skill() -> None:
    evidence = evidence_of(a_flowing_trace("OPS-1"), a_flowing_trace("OPS-2"))
    flowing = a_skill(a_flowing_trace("OPS-1"), a_flowing_trace("OPS-1"))
    another = a_skill(a_trace(), a_trace())

    assert later_plan(flowing, evidence) == new_plan(evidence)
    assert later_plan(another, evidence) is None
