"""The rules within payloads, and how a payload is printed."""

import json
from itertools import pairwise
from typing import Any

import pytest

from membrane.domain.ingest.full_records import IngestRecord
from membrane.domain.records.payloads import Payload
from tests.builders.records import (
    a_fact,
    a_given_record,
    a_plan,
    a_sent_record,
    printed,
    refusal,
)
from tests.builders.whole_payloads import WHOLE

EPISODE = {"kind": "episodic", "timeline": []}
WORKING = {"kind": "working", "thread_id": "session-42", "state": "done"}
SKILL = {"kind": "competence", "skill_name": "fix", "triggers": [], "recipe": []}
ENTITY = {"kind": "entity", "canonical_name": "Project Orion"}


def payload_of(sent: dict[str, Any]) -> Payload:
    return a_given_record(type=sent["kind"], payload=sent).payload


def complaint_about(sent: dict[str, Any]) -> str:
    return str(refusal(IngestRecord, {"record": a_sent_record(type=sent["kind"], payload=sent)}))


def nodes(*ids: str) -> list[dict[str, Any]]:
    return [{"id": node_id, "op": "step"} for node_id in ids]


def edges(*pairs: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"from": source, "to": target, "kind": "data"} for source, target in pairs]


@pytest.mark.parametrize("memory_type", list(WHOLE))
def test_a_whole_payload_is_printed_as_it_was_sent(memory_type: str) -> None:
    payload = payload_of(WHOLE[memory_type])

    assert printed(payload) == WHOLE[memory_type]


@pytest.mark.parametrize("memory_type", list(WHOLE))
def test_an_unknown_field_in_a_payload_is_refused(memory_type: str) -> None:
    sent = WHOLE[memory_type] | {"extra": 1}

    complaint = complaint_about(sent)

    assert complaint == "validation error for payload.extra: payload.extra unknown field"


@pytest.mark.parametrize(
    ("least", "optional"),
    [
        (
            EPISODE,
            {
                "tool_graph": [],
                "environment": None,
                "outcome": None,
                "artifacts": [],
                "tool_graph_ref": "",
            },
        ),
        (
            WORKING,
            {
                "active_constraints": [],
                "next_actions": [],
                "open_questions": [],
                "context_summary": "",
            },
        ),
        (a_fact(), {"evidence": [], "revision_policy": "", "revision": None}),
        (
            SKILL,
            {
                "required_tools": [],
                "failure_modes": [],
                "fallbacks": [],
                "performance": None,
                "version": "",
            },
        ),
        (
            a_plan(),
            {
                "intent": "",
                "constraints": {},
                "inputs_schema": {},
                "outputs_schema": {},
                "metrics": None,
            },
        ),
        (
            ENTITY,
            {"primary_type": "", "types": [], "aliases": [], "identifiers": [], "summary": ""},
        ),
    ],
    ids=list(WHOLE),
)
def test_what_is_optional_and_empty_is_not_printed(
    least: dict[str, Any], optional: dict[str, Any]
) -> None:
    payload = payload_of(least | optional)

    assert printed(payload) == least


@pytest.mark.parametrize(
    ("whole", "place", "optional"),
    [
        ("episodic", ("timeline", 0), {"summary": ""}),
        ("episodic", ("tool_graph", 0), {"args": {}, "result": None, "depends_on": []}),
        (
            "episodic",
            ("environment",),
            {
                "os": "",
                "os_version": "",
                "tool_versions": {},
                "working_directory": "",
                "context": {},
            },
        ),
        ("working", ("active_constraints", 0), {"required": False}),
        ("semantic", ("validity",), {"conditions": {}, "start": None, "end": None}),
        ("semantic", ("revision",), {"supersedes": "", "superseded_by": "", "status": None}),
        ("competence", ("triggers", 0), {"conditions": {}}),
        ("competence", ("recipe", 0), {"tool": "", "args_schema": {}, "validation": ""}),
        (
            "competence",
            ("performance",),
            {
                "success_count": 0,
                "failure_count": 0,
                "success_rate": 0,
                "avg_latency_ms": 0.0,
                "last_used_at": None,
            },
        ),
        ("plan_graph", ("nodes", 0), {"params": {}, "guards": {}}),
        (
            "plan_graph",
            ("metrics",),
            {
                "avg_latency_ms": 0,
                "failure_rate": 0.0,
                "execution_count": 0,
                "last_executed_at": None,
            },
        ),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_what_is_optional_and_empty_in_a_part_is_not_printed(
    whole: str, place: tuple[str | int, ...], optional: dict[str, Any]
) -> None:
    sent = json.loads(json.dumps(WHOLE[whole]))
    part = sent
    for step in place:
        part = part[step]
    part.update(optional)

    written = printed(payload_of(sent))

    for step in place:
        written = written[step]
    assert written == {name: value for name, value in part.items() if name not in optional}


@pytest.mark.parametrize("value", [False, 0, 0.0, "", [], {}], ids=repr)
def test_a_value_of_any_type_is_printed_even_where_it_is_empty(value: Any) -> None:
    tool_node = {"id": "n", "tool": "t", "result": value}
    constraint = {"type": "t", "key": "k", "value": value}

    episode = printed(payload_of(EPISODE | {"tool_graph": [tool_node]}))
    working = printed(payload_of(WORKING | {"active_constraints": [constraint]}))
    fact = printed(payload_of(a_fact(object=value)))

    assert episode["tool_graph"] == [tool_node]
    assert working["active_constraints"] == [constraint]
    assert fact["object"] == value


def test_the_object_of_a_fact_and_the_value_of_a_constraint_are_printed_even_where_null() -> None:
    fact = printed(payload_of(a_fact(object=None)))
    working = printed(payload_of(WORKING | {"active_constraints": [{"type": "t", "key": "k"}]}))

    assert fact == a_fact(object=None)
    assert working["active_constraints"] == [{"type": "t", "key": "k", "value": None}]


def test_a_fact_without_an_object_is_a_fact_about_null() -> None:
    sent = {name: value for name, value in a_fact().items() if name != "object"}

    payload = payload_of(sent)

    assert printed(payload) == a_fact(object=None)


def test_the_empty_lists_that_make_a_payload_what_it_is_are_printed() -> None:
    plan, skill, episode = payload_of(a_plan()), payload_of(SKILL), payload_of(EPISODE)

    assert printed(plan) == a_plan()
    assert printed(skill) == SKILL
    assert printed(episode) == EPISODE


@pytest.mark.parametrize(
    ("sent", "written"),
    [
        ("Orion", "Orion"),
        ({"value": "Orion"}, "Orion"),
        ({"value": "Orion", "kind": "", "locale": ""}, "Orion"),
        ({"value": "Orion", "kind": "name"}, {"value": "Orion", "kind": "name"}),
        ({"value": "Orion", "locale": "de"}, {"value": "Orion", "locale": "de"}),
        ({"value": "", "locale": "de"}, {"value": "", "locale": "de"}),
        ("", ""),
    ],
    ids=str,
)
def test_an_alias_with_neither_kind_nor_locale_is_a_bare_string(sent: Any, written: Any) -> None:
    entity = payload_of(ENTITY | {"aliases": [sent]})

    assert printed(entity)["aliases"] == [written]


@pytest.mark.parametrize("alias", [5, None, ["Orion"], {"kind": "name"}], ids=str)
def test_an_alias_of_another_shape_is_refused(alias: Any) -> None:
    complaint = complaint_about(ENTITY | {"aliases": [alias]})

    assert complaint.startswith("validation error for payload.aliases.0")


@pytest.mark.parametrize(
    "plan",
    [
        a_plan(),
        a_plan(nodes=nodes("a")),
        a_plan(nodes=nodes("a", "b", "c"), edges=edges(("a", "c"), ("b", "c"))),
        a_plan(nodes=nodes("c", "b", "a"), edges=edges(("a", "b"), ("b", "c"), ("a", "c"))),
        a_plan(nodes=nodes("a", "b"), edges=edges(("a", "b"), ("a", "b"))),
    ],
    ids=["empty", "one node", "join", "in any order", "parallel edges"],
)
def test_a_plan_whose_nodes_can_be_put_in_order_is_accepted(plan: dict[str, Any]) -> None:
    payload = payload_of(plan)

    assert printed(payload) == plan


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        (
            a_plan(nodes=nodes("a", "b", "a")),
            "two nodes of the plan have the same id",
        ),
        (
            a_plan(nodes=nodes("a"), edges=edges(("a", "ghost"))),
            "an edge of the plan names an unknown node",
        ),
        (
            a_plan(nodes=nodes("a"), edges=edges(("ghost", "a"))),
            "an edge of the plan names an unknown node",
        ),
        (
            a_plan(nodes=nodes("a"), edges=edges(("a", "a"))),
            "the plan's edges form a cycle",
        ),
        (
            a_plan(nodes=nodes("a", "b"), edges=edges(("a", "b"), ("b", "a"))),
            "the plan's edges form a cycle",
        ),
        (
            a_plan(
                nodes=nodes("a", "b", "c", "d"),
                edges=edges(("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")),
            ),
            "the plan's edges form a cycle",
        ),
    ],
    ids=["same id", "to nowhere", "from nowhere", "self", "two nodes", "behind a way in"],
)
def test_a_plan_that_cannot_be_followed_is_refused(plan: dict[str, Any], fault: str) -> None:
    complaint = complaint_about(plan)

    assert complaint == f"validation error for payload: {fault}"


def test_a_plan_of_10_000_nodes_is_accepted_and_no_larger_one() -> None:
    ids = [f"n{number}" for number in range(10_001)]

    payload = payload_of(a_plan(nodes=nodes(*ids[:10_000])))
    complaint = complaint_about(a_plan(nodes=nodes(*ids)))

    assert len(printed(payload)["nodes"]) == 10_000
    assert complaint == (
        "validation error for payload.nodes: payload.nodes has more than 10000 elements"
    )


def test_a_count_may_be_as_large_as_a_64_bit_integer() -> None:
    payload = payload_of(SKILL | {"performance": {"success_count": 2**63 - 1}})

    assert printed(payload)["performance"] == {"success_count": 2**63 - 1}


def test_data_and_control_together_must_have_no_cycle() -> None:
    there, back = edges(("a", "b"), ("b", "a"))
    plan = a_plan(nodes=nodes("a", "b"), edges=[there, back | {"kind": "control"}])

    complaint = complaint_about(plan)

    assert complaint == "validation error for payload: the plan's edges form a cycle"


def test_a_chain_of_5_000_nodes_is_followed_to_its_end() -> None:
    ids = [f"n{number}" for number in range(5_000)]
    plan = a_plan(nodes=nodes(*ids), edges=edges(*pairwise(ids)))

    payload = payload_of(plan)

    assert printed(payload) == plan


def test_a_cycle_of_5_000_nodes_is_found() -> None:
    ids = [f"n{number}" for number in range(5_000)]
    plan = a_plan(nodes=nodes(*ids), edges=edges(*zip(ids, [*ids[1:], ids[0]], strict=True)))

    complaint = complaint_about(plan)

    assert complaint == "validation error for payload: the plan's edges form a cycle"


@pytest.mark.parametrize(
    ("least", "change", "field"),
    [
        (SKILL, {"performance": {"success_rate": 1.5}}, "performance.success_rate"),
        (SKILL, {"performance": {"success_count": -1}}, "performance.success_count"),
        (SKILL, {"performance": {"success_count": 2**63}}, "performance.success_count"),
        (SKILL, {"performance": {"success_count": 1.0}}, "performance.success_count"),
        (SKILL, {"performance": {"avg_latency_ms": -1}}, "performance.avg_latency_ms"),
        (a_plan(), {"metrics": {"failure_rate": -0.1}}, "metrics.failure_rate"),
        (a_plan(), {"edges": [{"from": "a", "to": "a"}]}, "edges.0.kind"),
        (EPISODE, {"outcome": "failed"}, "outcome"),
        (EPISODE, {"environment": {"tool_versions": {"go": 1}}}, "environment.tool_versions.go"),
        (a_fact(), {"validity": {"mode": "sometimes"}}, "validity.mode"),
        (a_fact(), {"validity": {}}, "validity.mode"),
        (a_fact(), {"revision": {"status": "dead"}}, "revision.status"),
        (a_fact(), {"subject": None}, "subject"),
    ],
    ids=lambda value: json.dumps(value)[:70] if isinstance(value, dict) else "",
)
def test_a_value_out_of_range_is_refused_by_its_place(
    least: dict[str, Any], change: dict[str, Any], field: str
) -> None:
    complaint = complaint_about(least | change)

    assert complaint.startswith(f"validation error for payload.{field}: payload.{field} ")
