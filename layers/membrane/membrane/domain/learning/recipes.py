"""The recipe of like traces: the steps that most successes have in common, with their arguments."""

from collections.abc import Iterator, Sequence

from membrane.domain.learning.likeness import Step, normalised_tool, same_step, shape_of
from membrane.domain.learning.schemas import required_of, types_of, widened_schema
from membrane.domain.records.payloads import EpisodicPayload, RecipeStep

MAX_COMPARED = 8
"""Successes from which a recipe is made: the first ones; later ones add to the arguments."""

USES = "x-uses"
"""In the schema of a step's arguments: the successes that had the step."""


def bare_recipe(successes: Sequence[EpisodicPayload]) -> tuple[RecipeStep, ...]:
    """The steps of the most typical success that stand, in order, in most of the successes.

    A step in half of the successes stays if the other half is shorter and so skipped the step;
    `with_most_steps` takes the step away once most successes lack it. No step has arguments yet:
    `with_arguments` adds the arguments of one trace.
    """
    shapes = [shape_of(trace) for trace in successes[:MAX_COMPARED]]
    if not shapes:
        return ()
    at = max(range(len(shapes)), key=lambda at: (_commonness(shapes[at], shapes), len(shapes[at])))
    typical, calls = shapes[at], successes[at].tool_graph
    support = [0.0] * len(typical)
    for shape in shapes:
        for position, _ in alignment(typical, shape):
            support[position] += 1
    least = len(shapes) / 2
    is_tie_enough = sum(len(shape) < len(typical) for shape in shapes) >= least
    return tuple(
        RecipeStep(step=_sentence(call.tool, ()), tool=call.tool)
        for call, count in zip(calls, support, strict=True)
        if count > least or (count == least and is_tie_enough)
    )


def with_arguments(recipe: Sequence[RecipeStep], trace: EpisodicPayload) -> tuple[RecipeStep, ...]:
    """The recipe whose schemas also describe the calls of a success."""
    positions = dict(alignment(steps_of(recipe), shape_of(trace)))
    return tuple(
        _with_call(step, trace.tool_graph[positions[at]].args) if at in positions else step
        for at, step in enumerate(recipe)
    )


def with_most_steps(recipe: Sequence[RecipeStep], successes: int) -> tuple[RecipeStep, ...]:
    """The recipe without the steps that more than half of the successes lack.

    A step without a count is no learned step, and stays.
    """
    return tuple(step for step in recipe if 2 * _uses(step, successes) >= successes)


def doubtful_steps(recipe: Sequence[RecipeStep], successes: int) -> frozenset[int]:
    """The positions of the steps that half of the successes lack."""
    uses = [_uses(step, successes) for step in recipe]
    return frozenset(at for at, each in enumerate(uses) if 2 * each <= successes)


def _uses(step: RecipeStep, otherwise: int) -> int:
    """The successes that had the step; `otherwise` for a step without a count."""
    found = step.args_schema.get(USES) if isinstance(step.args_schema, dict) else None
    return found if isinstance(found, int) else otherwise


def steps_of(recipe: Sequence[RecipeStep]) -> tuple[Step, ...]:
    return tuple(Step(normalised_tool(each.tool), types_of(each.args_schema)) for each in recipe)


def alignment(a: Sequence[Step], b: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """The positions in `a` and `b` of a longest common subsequence; of several, the earliest."""
    if a == b:  # most replays: the table below costs the product of both lengths
        yield from ((at, at) for at in range(len(a)))
        return
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for at_a in reversed(range(len(a))):
        for at_b in reversed(range(len(b))):
            longest[at_a][at_b] = (
                longest[at_a + 1][at_b + 1] + 1
                if same_step(a[at_a], b[at_b])
                else max(longest[at_a + 1][at_b], longest[at_a][at_b + 1])
            )
    at_a = at_b = 0
    while at_a < len(a) and at_b < len(b):
        if same_step(a[at_a], b[at_b]):
            yield at_a, at_b
            at_a, at_b = at_a + 1, at_b + 1
        elif longest[at_a + 1][at_b] >= longest[at_a][at_b + 1]:
            at_a += 1
        else:
            at_b += 1


def _commonness(shape: Sequence[Step], shapes: Sequence[Sequence[Step]]) -> int:
    """Steps in common with the shapes, less the steps that differ."""
    common = sum(len(list(alignment(shape, each))) for each in shapes)
    return 3 * common - sum(len(shape) + len(each) for each in shapes)


def _with_call(step: RecipeStep, args: object) -> RecipeStep:
    schema = widened_schema(step.args_schema, args)
    sentence = _sentence(step.tool, required_of(schema))
    return step.model_copy(
        update={"args_schema": {**schema, USES: _uses(step, 0) + 1}, "step": sentence}
    )


def _sentence(tool: str, arguments: Sequence[str]) -> str:
    return f"Call {tool} with {', '.join(arguments)}" if arguments else f"Call {tool}"
