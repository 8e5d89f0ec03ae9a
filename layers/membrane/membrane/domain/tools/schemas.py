"""JSON schemas of the arguments and answers of tools, as short as language models need them."""

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import JsonObject

USER: JsonObject = {"type": "string", "description": "The user whose memories these are."}

_KEPT = ("type", "description", "enum", "items")
"""Words of an argument's schema; limits are checked at the call and named in the errors."""

_NULL = {"type": "null"}


@cache
def input_schema(arguments: type[Part]) -> JsonObject:
    """The schema of the arguments, by the names of the model's fields."""
    whole = TypeAdapter(arguments).json_schema()
    definitions = whole.get("$defs", {})
    properties = {
        name: _short(each, definitions, _KEPT) for name, each in whole["properties"].items()
    }
    return _object_with(properties, whole)


@cache
def output_schema(reply: type) -> JsonObject:
    """The schema of the structured content: the type of each field, and the required fields."""
    whole = TypeAdapter(reply).json_schema()
    definitions = whole.get("$defs", {})
    properties = {
        name: _shape_of_answer(each, definitions) for name, each in whole["properties"].items()
    }
    return _object_with(properties, whole)


def for_user(schema: JsonObject, *, required: bool) -> JsonObject:
    """The schema of arguments with the `user`, for a key whose requests name a user."""
    named = {**schema, "properties": {**schema["properties"], "user": USER}}
    if required:
        named["required"] = [*schema.get("required", ()), "user"]
    return named


def _object_with(properties: JsonObject, whole: JsonObject) -> JsonObject:
    required = {"required": whole["required"]} if "required" in whole else {}
    return {"type": "object", "properties": properties, **required}


def _shape_of_answer(part: JsonObject, definitions: JsonObject) -> JsonObject:
    """The type of a part of an answer; a client checks the answer, so null is a type of its own."""
    shown = _short(part, definitions, ("type",))
    if _NULL in part.get("anyOf", ()):
        return {"type": [shown["type"], "null"]}
    return shown


def _short(part: JsonObject, definitions: JsonObject, kept: tuple[str, ...]) -> JsonObject:
    """The part with references in place, without null as an alternative, and without other words.

    The description of a named type is left out: the description of the argument says more.
    """
    if "$ref" in part:
        named = definitions[part["$ref"].rpartition("/")[2]]
        rest = {name: each for name, each in part.items() if name != "$ref"}
        return _short({**named, "description": None, **rest}, definitions, kept)
    if "anyOf" in part:
        (present,) = (each for each in part["anyOf"] if each != _NULL)
        rest = {name: each for name, each in part.items() if name != "anyOf"}
        return _short({**present, **rest}, definitions, kept)
    shown: dict[str, Any] = {name: part[name] for name in kept if part.get(name) is not None}
    if "items" in shown:
        shown["items"] = _short(shown["items"], definitions, kept)
    return shown
