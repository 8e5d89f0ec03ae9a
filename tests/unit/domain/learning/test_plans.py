"""What a plan learns from its evidence, and where data flows."""

import json
from functools import reduce
from typing import Any

import pytest

from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import OutcomeStatus
from membrane.domain.learning.flow import Flow, flows_of
from membrane.domain.learning.plans import later_plan, may_be_planned, new_plan, updated_plan
from membrane.domain.learning.skills import Evidence, new_skill
from membrane.domain.records.payloads import (
    CompetencePayload,
    EpisodicPayload,
    PlanGraphPayload,
    ToolNode,
)
from membrane.domain.records.records import as_json
from tests.builders.traces import TASK, a_call, a_trace, an_evidence

FAILURE = OutcomeStatus.FAILURE


def evidence_of(*traces: EpisodicPayload) -> list[Evidence]:
    return [an_evidence(trace, number) for number, trace in enumerate(traces, start=1)]


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
    skill = a_skill_of(a_flowing_trace("OPS-1"), a_flowing_trace("OPS-1"))
    failed = a_flowing_trace("OPS-2", outcome=FAILURE)
    stated = a_trace([a_call("a", "1"), a_call("b", "2", depends_on=("1",))])

    assert may_be_planned(skill, evidence_of(a_flowing_trace("OPS-2")))
    assert may_be_planned(skill, evidence_of(stated))
    assert not may_be_planned(skill, evidence_of(failed, a_trace()))


def test_a_skill_of_two_steps_may_not_be_planned() -> None:
    skill = a_skill_of(a_trace(["a", "b"]), a_trace(["a", "b"]))

    assert not may_be_planned(skill, evidence_of(a_flowing_trace("OPS-2")))


def test_a_later_plan_has_the_steps_of_the_skill() -> None:
    evidence = evidence_of(a_flowing_trace("OPS-1"), a_flowing_trace("OPS-2"))
    flowing = a_skill_of(a_flowing_trace("OPS-1"), a_flowing_trace("OPS-1"))
    another = a_skill_of(a_trace(), a_trace())

    assert later_plan(flowing, evidence) == new_plan(evidence)
    assert later_plan(another, evidence) is None


def a_skill_of(*traces: EpisodicPayload) -> CompetencePayload:
    skill = new_skill(evidence_of(*traces))
    assert skill is not None
    return skill
