"""JSON schemas of the arguments and answers of tools, as short as language models need them.

Every property has a single type: clients leave out, or refuse, a tool with any other property.
"""

import re
from enum import StrEnum
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import Field, TypeAdapter

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.fields import Part
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.language.requests import names_of

USER: JsonObject = {"type": "string", "description": "The user whose memories these are."}

_KEPT = ("type", "description", "enum", "items")
"""Words of an argument's schema; limits are checked at the call and named in the errors."""

_NULL = {"type": "null"}

_SENTENCE = re.compile(r"""\A(\[[^\[\]{}"]*\]|"[^"\\]*")\s*[^\s,:\[\]{}"]""")
"""Words behind brackets or quotation marks: `[urgent] call Bob`, `"Tea" is hot`."""

AS_TEXT = Field(json_schema_extra={"type": "string"})
"""The type that a schema names for any JSON value; a value of another type is taken, too."""


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
    """The schema of the structured content: the type of each field, and the required fields.

    A field of several types, null among them, is left out: the schema allows further fields.
    """
    whole = TypeAdapter(reply).json_schema()
    definitions = whole.get("$defs", {})
    shapes = {
        name: _short(each, definitions, ("type",))
        for name, each in whole["properties"].items()
        if _NULL not in each.get("anyOf", ())
    }
    return _object_with({name: each for name, each in shapes.items() if each}, whole)


def as_schema_says(arguments: type[Part], given: JsonObject) -> JsonObject:
    """The arguments, with lists sent as JSON text and words of another case read by their types.

    Raises InvalidArgument for a text that begins as JSON and is neither an array nor one text.
    """
    names, fields = names_of(arguments), arguments.model_fields
    return {
        name: _read(name, value, fields[names[name]].annotation) if name in names else value
        for name, value in given.items()
    }


def container_in(value: Any) -> Any:
    """The list or object in a JSON text, else the value: 1.10 may be a version."""
    if not (isinstance(value, str) and value.lstrip()[:1] in ("[", "{")):
        return value
    try:
        return parse_json(value)
    except InvalidArgument:
        return value


def for_user(schema: JsonObject, *, required: bool) -> JsonObject:
    """The schema of arguments with the `user`, for a key whose requests name a user."""
    named = {**schema, "properties": {**schema["properties"], "user": USER}}
    if required:
        named["required"] = [*schema.get("required", ()), "user"]
    return named


def _object_with(properties: JsonObject, whole: JsonObject) -> JsonObject:
    required = [name for name in whole.get("required", ()) if name in properties]
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
    }


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


def _read(name: str, value: Any, annotation: Any) -> Any:
    """The types decide: for the JSON schema of a tool pydantic takes 20 ms, the first time."""
    if _is_array(annotation):
        value = _list_in(name, value)
    if isinstance(value, list):
        return [_word_in(each, annotation) for each in value]
    return _word_in(value, annotation)


def _is_array(annotation: Any) -> bool:
    return tuple in (get_origin(annotation), *map(get_origin, get_args(annotation)))


def _list_in(name: str, value: Any) -> Any:
    """The list of a JSON text; None for null. A text that does not begin as JSON stays as sent.

    A list stays, but for the only element that is the JSON text of a list of texts. Raises
    InvalidArgument for a text that begins as JSON and is neither an array nor one text.
    """
    match value:
        case str():
            found = _array_in(name, value)
            return _list_in(name, found) if isinstance(found, list) else found
        case [str() as only] if _is_list_of_texts(found := container_in(_without_mark(only))):
            return found
        case _:
            return value


def _array_in(name: str, value: str) -> Any:
    """The list of a JSON text, of one text in quotation marks, too; None for null."""
    text = _without_mark(value)
    if not text:
        return None
    if text != "null" and (text[:1] not in ("[", "{", '"') or _SENTENCE.match(text)):
        return value
    try:
        found = parse_json(text)
    except InvalidArgument as error:
        raise InvalidArgument(f"{name} must be an array: {error}").at(name) from error
    if isinstance(found, dict):
        raise InvalidArgument(f"{name} must be an array, and is an object").at(name)
    if isinstance(found, str):
        return [found] if found else None
    return found


def _without_mark(text: str) -> str:
    """The text without the mark of the byte order and without white space around."""
    return text.strip().removeprefix("\ufeff").lstrip()


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _word_in(value: Any, annotation: Any) -> Any:
    """The word of an enumeration in the annotation, for a text of any case."""
    meant = value.strip().casefold() if isinstance(value, str) else None
    return meant if meant in _words_in(annotation) else value


def _words_in(annotation: Any) -> list[str]:
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return [*annotation]
    return [word for each in get_args(annotation) for word in _words_in(each)]
