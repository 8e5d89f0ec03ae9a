"""Alternatives in JSON Schemas: one of two schemas, with or without null."""

from membrane.domain.language.json_text import JsonObject

NULL = {"type": "null"}
EMPTY = {"const": ""}


def either(schema: JsonObject, other: JsonObject) -> JsonObject:
    """Either schema; a schema that fits everything stays unchanged."""
    if schema.keys() <= {"description"}:
        return schema
    if "anyOf" in schema:
        known = [one for one in schema["anyOf"] if one != other]
        return schema | {"anyOf": [*known, other]}
    if other == NULL and isinstance(schema.get("type"), str) and "enum" not in schema:
        return schema | {"type": [schema["type"], "null"]}
    outer = {name: schema[name] for name in ("description", "default") if name in schema}
    inner = {name: value for name, value in schema.items() if name not in outer}
    return outer | {"anyOf": [inner, other]}


def without_null(schema: JsonObject) -> JsonObject:
    """The schema without the alternative null."""
    (found,) = (one for one in schema["anyOf"] if one != NULL)
    return dict(found)


def present(schema: JsonObject) -> JsonObject:
    """The schema without the alternatives null and empty text."""
    if "anyOf" in schema:
        (schema,) = (one for one in schema["anyOf"] if one not in (NULL, EMPTY))
    return schema | {"minLength": 1} if schema.get("type") == "string" else schema
