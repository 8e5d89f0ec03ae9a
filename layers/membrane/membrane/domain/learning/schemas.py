"""The schema of a tool's arguments, learned from the arguments of one call after the other.

The schema is JSON Schema: `properties` with `const` for an argument that every call gives the same
value, else with `type` and up to MAX_EXAMPLES `examples`; `required` names the arguments of every
call. The schema alone says all that the next call needs to change it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from membrane.domain.language.json_text import JsonObject, canonical_json
from membrane.domain.learning.likeness import json_type

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
    """The schema of an argument whose value varies."""
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
