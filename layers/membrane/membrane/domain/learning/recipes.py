"""The recipe of like traces: the steps that most successes have in common, with their arguments.

The schema of a tool's arguments is learned from the arguments of one call after the other. The
schema is JSON Schema: `properties` with `const` for an argument that every call gives the same
value, else with `type` and up to MAX_EXAMPLES `examples`; `required` names the arguments of every
call. The schema alone says all that the next call needs to change it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from membrane.domain.language.json_text import JsonObject, canonical_json
from membrane.domain.learning.likeness import Step, json_type, normalised_tool, same_step, shape_of
from membrane.domain.records.payloads import EpisodicPayload, RecipeStep

MAX_ARGUMENTS = 32
"""Arguments in a schema; the arguments seen first are kept."""

MAX_EXAMPLES = 3

MAX_CONSTANT_BYTES = 256
"""Bytes of the JSON of a constant; a longer value is described by its type."""

MAX_EXAMPLE_BYTES = 64
"""Bytes of the JSON of an example; a longer value is no example."""


_VALUE_KEYS = ("const", "type", "examples")


def widened_schema(schema: Any, args: Any) -> JsonObject:
    """The schema that also describes a call with `args`; an empty schema describes no call yet."""
    given = args if isinstance(args, dict) else {}
    known = properties_of(schema)
    required = [name for name in required_of(schema) if name in given] if schema else list(given)
    properties = {
        name: _property_schema(known.get(name), given, name, is_first=not schema)
        for name in list(dict.fromkeys((*known, *given)))[:MAX_ARGUMENTS]
    }
    kept = [name for name in required if name in properties]
    return {"type": "object", "properties": properties, **({"required": kept} if kept else {})}


def without_values(schema: Any, constants: Collection[str]) -> JsonObject:
    """The schema without examples, and with a constant for the arguments `constants` alone."""
    properties = {
        name: each if name in constants else _notes(each) | _variable(_types(each), ())
        for name, each in properties_of(schema).items()
    }
    return {**schema, "properties": properties} if properties else schema


def properties_of(schema: Any) -> dict[str, JsonObject]:
    """The schemas of the arguments, by name; whatever has another form is left out."""
    found = schema.get("properties") if isinstance(schema, dict) else None
    named = found.items() if isinstance(found, dict) else ()
    return {name: each for name, each in named if isinstance(each, dict)}


def required_of(schema: Any) -> Sequence[str]:
    """The arguments of every call, in the order of the first call."""
    found = schema.get("required") if isinstance(schema, dict) else None
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else ()


def types_of(schema: Any) -> frozenset[tuple[str, str]]:
    """The name and each JSON type of every argument."""
    properties = properties_of(schema)
    return frozenset((name, kind) for name, each in properties.items() for kind in _types(each))


def is_constant(schema: Mapping[str, Any]) -> bool:
    return "const" in schema


def _property_schema(
    known: JsonObject | None, given: Mapping[str, Any], name: str, *, is_first: bool
) -> JsonObject:
    before = known or {}
    if name not in given:
        return _notes(before) | _variable(_types(before), _examples(before))
    value = given[name]
    text = canonical_json(value)
    if is_first and len(text) <= MAX_CONSTANT_BYTES:
        return {"const": value}
    if is_constant(before) and canonical_json(before["const"]) == text:
        return before
    types = dict.fromkeys((*_types(before), json_type(value)))
    return _notes(before) | _variable(types, (*_examples(before), value))


def _notes(schema: JsonObject) -> JsonObject:
    """What the schema says beside value and type, such as a description."""
    return {key: each for key, each in schema.items() if key not in _VALUE_KEYS}


def _variable(types: Iterable[str], values: Iterable[Any]) -> JsonObject:
    names = list(types)
    texts = {canonical_json(value): value for value in values}
    examples = [value for text, value in texts.items() if len(text) <= MAX_EXAMPLE_BYTES]
    found: JsonObject = {"type": names[0] if len(names) == 1 else names}
    return found | ({"examples": examples[:MAX_EXAMPLES]} if examples else {})


def _types(schema: Mapping[str, Any]) -> tuple[str, ...]:
    if is_constant(schema):
        return (json_type(schema["const"]),)
    match schema.get("type"):
        case str(kind):
            return (kind,)
        case list(kinds):
            return tuple(each for each in kinds if isinstance(each, str))
        case _:
            return ()


def _examples(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    if is_constant(schema):
        return (schema["const"],)
    found = schema.get("examples")
    return tuple(found) if isinstance(found, list) else ()


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
    """The recipe without counted steps that more than half of the successes lack."""
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
