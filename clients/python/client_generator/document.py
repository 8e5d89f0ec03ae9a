"""The OpenAPI document, and the parts of its schemas."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml

Schema: TypeAlias = Mapping[str, Any]

ROOT = Path(__file__).parents[3]
DOCUMENT: Schema = yaml.safe_load((ROOT / "infra" / "openapi.yaml").read_text())
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
REFERENCE = "#/components/schemas/"

SCHEMAS["Payload"] = {"properties": {"kind": {"type": "string"}}, "required": ["kind"]}
SCHEMAS["DocumentResult"] = {
    "properties": {"status": {"type": "integer"}, "error": {"$ref": f"{REFERENCE}Problem"}},
    "required": ["status"],
}
SCHEMAS["BatchedDocuments"]["properties"]["results"]["items"] = {
    "$ref": f"{REFERENCE}DocumentResult"
}
"""Schemas the document leaves open: a payload of a later kind, the reply to an operation."""


def schema_of(name: str) -> Schema:
    """The schema with properties; of several forms the first."""
    schema: Schema = SCHEMAS[name]
    forms = [each for each in schema.get("anyOf", ()) if "properties" in each]
    return schema if "properties" in schema or not forms else forms[0]


def properties_of(name: str) -> Mapping[str, Schema]:
    properties: Mapping[str, Schema] = schema_of(name).get("properties", {})
    return properties


def name_of(node: Schema) -> str:
    """The name of the schema that the node refers to; empty for a schema in place."""
    return str(node.get("$ref", "")).removeprefix(REFERENCE)


def target_of(node: Schema) -> Schema:
    while "$ref" in node:
        found: Any = DOCUMENT
        for key in node["$ref"].split("/")[1:]:
            found = found[key]
        node = found
    return node


def operations() -> Iterator[tuple[str, str, Schema]]:
    """Method, path and description of every operation."""
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def replies(operation: Schema) -> Iterator[Schema]:
    """The bodies of a success."""
    for status, reply in operation["responses"].items():
        if status.startswith("2"):
            for content in target_of(reply).get("content", {}).values():
                yield content["schema"]


def schema_of_reply(reply: Schema) -> str:
    """The name of the first schema that the reply, or a form of the reply, refers to; else ""."""
    forms = (reply, *target_of(reply).get("anyOf", ()))
    return next(filter(None, map(name_of, forms)), "")


def types_in(node: Schema) -> Sequence[str]:
    types = target_of(node).get("type", ())
    return [types] if isinstance(types, str) else types


def may_be_null(node: Schema) -> bool:
    options = target_of(node).get("anyOf", ())
    return "null" in types_in(node) or any("null" in types_in(each) for each in options)


def properties(node: Schema) -> Mapping[str, Schema]:
    found: Mapping[str, Schema] = target_of(node).get("properties", {})
    return found
