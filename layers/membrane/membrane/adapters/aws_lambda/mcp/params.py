"""Params of a request by name and type; a refusal names the field."""

from collections.abc import Mapping

from membrane.adapters.aws_lambda.mcp.errors import INVALID_PARAMS, McpError
from membrane.domain.language.json_text import JsonObject


def text_of(params: JsonObject, name: str, path: str = "params") -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise _not_valid(f"{path}.{name} must be a string")
    return value


def optional_text(params: JsonObject, name: str) -> str | None:
    return text_of(params, name) if name in params else None


def object_of(params: JsonObject, name: str, path: str = "params") -> JsonObject:
    """The object of the name; an absent object is empty."""
    value = params.get(name, {})
    if not isinstance(value, dict):
        raise _not_valid(f"{path}.{name} must be a JSON object")
    return value


def texts_of(params: JsonObject, name: str, path: str = "params") -> Mapping[str, str]:
    """The object of the name, of which every value is a string; null is no value."""
    values = object_of(params, name, path)
    return {
        key: text_of(values, key, f"{path}.{name}")
        for key, value in values.items()
        if value is not None
    }


def objects_of(params: JsonObject, name: str) -> Mapping[str, JsonObject]:
    """The object of the name, of which every value is an object."""
    values = object_of(params, name)
    return {key: object_of(values, key, f"params.{name}") for key in values}


def _not_valid(why: str) -> McpError:
    return McpError(INVALID_PARAMS, why)
