"""Plans learned from like traces whose steps depend on each other.

A plan has the steps of the skill of the same traces. An edge is a flow of data, or else a
dependency that the agent stated; it must hold in most of the successes. A flow whose value is the
same in all successes is a constant, not a flow. Later evidence changes parameters and metrics.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from membrane.domain.language.vocabulary import EdgeKind
from membrane.domain.learning import recipes, skills
from membrane.domain.learning.likeness import Step, normalised_tool, shape_of, task_of
from membrane.domain.learning.shared_content import SharedContent, constants_of
from membrane.domain.records import payloads

MIN_TOKEN_CHARACTERS = 4
"""Characters of a part of a text that counts as a value of its own: an id, a path, a name."""

MIN_VALUE_CHARACTERS = 2
"""Characters of a whole value; shorter values are equal by chance."""

MAX_LEAVES = 200
"""Values of a result, or of an argument, that are looked at."""

MAX_LEAF_CHARACTERS = 1_024
"""Characters of a value that are looked at."""

MAX_FOLDERS = 16
"""Parts of a path whose beginnings are looked at."""

_RUN = re.compile(r"[^\s\"'`<>(){}\[\],;|…]+")
_PIECE = re.compile(r"\w+(?:[-+@.:]\w+)*")
_NAME = re.compile(r"\w+(?:-\w+)*")


class Flow(NamedTuple):
    """A value that passes from the result of a call to an argument of a later call."""

    source: int
    """The position of the call whose result brought up the value."""
    target: int
    argument: str
    value: str


def flows_of(trace: payloads.EpisodicPayload) -> Iterator[Flow]:
    """The flows of a trace, each from the call that brought up the value first.

    A value that the task or the arguments of an earlier call gave flows from no result.
    """
    given = set(_tokens(task_of(trace)))
    origin = dict[str, int]()
    for position, call in enumerate(trace.tool_graph):
        named = call.args.items() if isinstance(call.args, dict) else ()
        arguments = [(name, _tokens_in(value)) for name, value in named]
        for name, tokens in arguments:
            known = next((token for token in tokens if token in origin), None)
            if known is not None:
                yield Flow(origin[known], position, name, known)
        given.update(token for _, tokens in arguments for token in tokens)
        for token in _tokens_in(call.result):
            if token not in given:
                origin.setdefault(token, position)


def _tokens_in(value: Any) -> list[str]:
    """The values and the parts of texts in a JSON value, each value before its parts."""
    found = dict[str, None]()
    for leaf in _leaves(value):
        found.update(dict.fromkeys(_tokens(leaf)))
    return list(found)


def _leaves(value: Any) -> Iterator[str]:
    left, seen = [value], 0
    while left and seen < MAX_LEAVES:
        match left.pop():
            case dict() as fields:
                left.extend(reversed(fields.values()))
            case list() as elements:
                left.extend(reversed(elements))
            case bool() | None:
                continue
            case leaf:
                seen += 1
                yield str(leaf)


def _tokens(text: str) -> Iterator[str]:
    whole = text[:MAX_LEAF_CHARACTERS].strip()
    if len(whole) >= MIN_VALUE_CHARACTERS:
        yield whole
    for run in _RUN.findall(whole):
        parts = run.rstrip(".:/").split("/")
        beginnings = ("/".join(parts[:end]) for end in range(min(len(parts), MAX_FOLDERS), 0, -1))
        for token in (*beginnings, *_PIECE.findall(run), *_NAME.findall(run)):
            if len(token) >= MIN_TOKEN_CHARACTERS:
                yield token


MIN_STEPS = 3
"""Steps of a plan; fewer are a skill alone."""

MAX_EXAMINED = 16
"""Successes in which edges are looked for: the first ones."""

MIN_DISTINCT_VALUES = 2
"""Distinct values of a flow over the successes."""

Edge = tuple[int, int]
"""The positions of two steps in the recipe, the earlier one first."""


def new_plan(evidence: Sequence[skills.Evidence]) -> payloads.PlanGraphPayload | None:
    """The plan of like traces; None without a skill, MIN_STEPS steps, or edges."""
    skill = skills.new_skill(evidence)
    if skill is None or len(skill.recipe) < MIN_STEPS:
        return None
    successes = [each.trace for each in skills.in_order(evidence) if each.is_success][:MAX_EXAMINED]
    data = _data_edges(skill.recipe, successes)
    edges = dict.fromkeys(data, EdgeKind.DATA)
    for edge in _stated_edges(skill.recipe, successes):
        edges.setdefault(edge, EdgeKind.CONTROL)
    if not edges:
        return None
    return payloads.PlanGraphPayload(
        kind="plan_graph",
        plan_id=skill.skill_name,
        version=skills.FIRST_VERSION,
        nodes=tuple(_nodes(skill.recipe, data)),
        edges=tuple(_edge(*edge, kind) for edge, kind in sorted(edges.items())),
        intent=skill.triggers[0].signal,
        metrics=metrics_of(skill.performance or payloads.PerformanceStats()),
    )


def later_plan(
    skill: payloads.CompetencePayload, evidence: Sequence[skills.Evidence]
) -> payloads.PlanGraphPayload | None:
    """The plan of a known skill by some of the traces; None also for steps unlike the skill's."""
    plan = new_plan(evidence)
    if plan is None:
        return None
    planned = [normalised_tool(each.op) for each in plan.nodes]
    return plan if planned == [normalised_tool(each.tool) for each in skill.recipe] else None


def may_be_planned(skill: payloads.CompetencePayload, evidence: Sequence[skills.Evidence]) -> bool:
    """Whether the skill has the steps of a plan, and further evidence may add an edge."""
    if len(skill.recipe) < MIN_STEPS:
        return False
    successes = [each.trace for each in evidence if each.is_success]
    return any(
        any(flows_of(each)) or any(call.depends_on for call in each.tool_graph)
        for each in successes
    )


def updated_plan(
    plan: payloads.PlanGraphPayload, evidence: skills.Evidence, *, is_shared: bool = False
) -> payloads.PlanGraphPayload:
    """The plan after one more trace, which must match the skill and be new to the plan.

    With `is_shared`, the plan is of several scopes, and shows no value that it does not know.
    """
    nodes = plan.nodes
    if evidence.is_success:
        shape = shape_of(evidence.trace)
        steps = [Step(normalised_tool(each.op), recipes.types_of(each.params)) for each in nodes]
        calls = {
            at: evidence.trace.tool_graph[call] for at, call in recipes.alignment(steps, shape)
        }
        nodes = tuple(
            node.model_copy(update={"params": recipes.widened_schema(node.params, calls[at].args)})
            if at in calls
            else node
            for at, node in enumerate(nodes)
        )
    if is_shared:
        shared = SharedContent(
            constants=constants_of((each.op, each.params) for each in plan.nodes)
        )
        nodes = tuple(
            each.model_copy(update={"params": shared.of_schema(each.op, each.params)})
            for each in nodes
        )
    before = performance_of(plan.metrics or payloads.PlanMetrics())
    metrics = metrics_of(skills.performance_after(before, evidence))
    return plan.model_copy(update={"nodes": nodes, "metrics": metrics})


# --- edges --------------------------------------------------------------------------------------


def _data_edges(
    recipe: Sequence[payloads.RecipeStep], successes: Sequence[payloads.EpisodicPayload]
) -> dict[Edge, set[str]]:
    """The arguments that each edge carries: an argument may have been renamed."""
    values: dict[Edge, dict[int, str]] = defaultdict(dict)
    arguments: dict[Edge, set[str]] = defaultdict(set)
    for number, trace in enumerate(successes):
        steps = _steps_by_call(recipe, trace)
        for flow in flows_of(trace):
            if flow.source in steps and flow.target in steps:
                edge = (steps[flow.source], steps[flow.target])
                values[edge][number] = flow.value
                arguments[edge].add(flow.argument)
    return {
        edge: arguments[edge]
        for edge, by_success in values.items()
        if _is_in_most(len(by_success), successes)
        and len(set(by_success.values())) >= MIN_DISTINCT_VALUES
    }


def _stated_edges(
    recipe: Sequence[payloads.RecipeStep], successes: Sequence[payloads.EpisodicPayload]
) -> Iterator[Edge]:
    counts: dict[Edge, int] = defaultdict(int)
    for trace in successes:
        steps = _steps_by_call(recipe, trace)
        positions = {call.id: at for at, call in enumerate(trace.tool_graph)}
        stated = {
            (steps[positions[name]], steps[at])
            for at, call in enumerate(trace.tool_graph)
            for name in call.depends_on
            if at in steps and positions.get(name, at) < at and positions[name] in steps
        }
        for edge in stated:
            counts[edge] += 1
    yield from (edge for edge, count in counts.items() if _is_in_most(count, successes))


def _steps_by_call(
    recipe: Sequence[payloads.RecipeStep], trace: payloads.EpisodicPayload
) -> dict[int, int]:
    return {
        call: step for step, call in recipes.alignment(recipes.steps_of(recipe), shape_of(trace))
    }


def _is_in_most(count: int, successes: Sequence[payloads.EpisodicPayload]) -> bool:
    return 2 * count > len(successes)


def _nodes(
    recipe: Sequence[payloads.RecipeStep], data: Mapping[Edge, AbstractSet[str]]
) -> Iterator[payloads.PlanNode]:
    """The steps as operations; an argument that a result gives says so in its description."""
    for position, step in enumerate(recipe):
        params = {key: each for key, each in step.args_schema.items() if key != recipes.USES}
        sources = {
            argument: source
            for (source, target), arguments in data.items()
            for argument in arguments
            if target == position
        }
        properties = {
            name: {**schema, "description": f"from the result of {_node_id(sources[name])}"}
            if name in sources
            else schema
            for name, schema in recipes.properties_of(params).items()
        }
        described = {**params, "properties": properties} if params else params
        yield payloads.PlanNode(id=_node_id(position), op=step.tool, params=described)


def _edge(source: int, target: int, kind: EdgeKind) -> payloads.PlanEdge:
    return payloads.PlanEdge.model_validate(
        {"from": _node_id(source), "to": _node_id(target), "kind": kind.value}
    )


def _node_id(position: int) -> str:
    return f"step-{position + 1}"


# --- metrics ------------------------------------------------------------------------------------


def metrics_of(performance: payloads.PerformanceStats) -> payloads.PlanMetrics:
    """The metrics of one use or more."""
    executions = performance.success_count + performance.failure_count
    return payloads.PlanMetrics(
        avg_latency_ms=performance.avg_latency_ms,
        failure_rate=performance.failure_count / executions,
        execution_count=executions,
        last_executed_at=performance.last_used_at,
    )


def performance_of(metrics: payloads.PlanMetrics) -> payloads.PerformanceStats:
    """The counts behind the metrics; the inverse of `metrics_of`, without the rate."""
    failures = round(metrics.failure_rate * metrics.execution_count)
    return payloads.PerformanceStats(
        success_count=metrics.execution_count - failures,
        failure_count=failures,
        avg_latency_ms=metrics.avg_latency_ms,
        last_used_at=metrics.last_executed_at,
    )
