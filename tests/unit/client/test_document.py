"""The requests of the operations against infra/openapi.yaml: method, path, query, body and key."""

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml

from membrane_client import Membrane
from tests.builders.filled_stores import an_api, sent_by

Schema = Mapping[str, Any]

DOCUMENT: Schema = yaml.safe_load(
    (Path(__file__).parents[3] / "infra" / "openapi.yaml").read_text()
)
OPERATIONS: Mapping[str, tuple[str, str, Schema]] = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}
SAMPLES: Mapping[str, Any] = {
    "items": [{"rpc": "IngestEvent"}],
    "record": {"type": "semantic"},
    "operations": [{"op": "get"}],
    "arguments": {"q": "tea"},
    **{name: ["given-label"] for name in ("namespace", "namespace_prefix", "prefix", "suffix")},
}
"""For parameters with a structure."""

PLACE = "given-label/given-key(/items)?"
"""The path of a document or of the list beside the value."""


def method_of(operation: str) -> str:
    """`RetrieveByID` is `retrieve_by_id`."""
    return "_".join(re.findall(r"[A-Z][a-z]+|[A-Z]+(?![a-z])", operation)).lower()


def resolved(schema: Schema) -> Schema:
    while "$ref" in schema:
        found: Any = DOCUMENT
        for key in schema["$ref"].split("/")[1:]:
            found = found[key]
        schema = found
    return schema


def fields_of(operation: Schema) -> Iterator[tuple[str, str]]:
    """Place and name of the parameters outside the path."""
    for each in map(resolved, operation.get("parameters", ())):
        yield each["in"], each["name"]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        body = resolved(content["schema"])
        for name in (body if "properties" in body else resolved(body["anyOf"][0]))["properties"]:
            yield "body", name


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_call_sends_each_parameter_where_the_document_says(operation: str) -> None:
    method, path, described = OPERATIONS[operation]
    _, *parameters = inspect.signature(getattr(Membrane, method_of(operation))).parameters
    given = {each: SAMPLES.get(each, f"given-{each}") for each in parameters}

    request, body = sent_by(getattr(an_api(), method_of(operation))(**given))

    address = urlsplit(request.url)
    path = re.sub(r"{\w+}", r"given-[\\w]+", path.replace("{path}", PLACE))
    assert request.method == method
    assert re.fullmatch(path, address.path)
    sent = {*(("query", each) for each in dict(parse_qsl(address.query)))}
    sent |= {("body", each) for each in body or {}}
    fields = {*fields_of(described)}
    assert sent <= fields
    assert {name for _, name in sent} == {
        name for place, name in fields if place in {"query", "body"} and name != "idempotency_key"
    }
    has_key = ("header", "Idempotency-Key") in fields
    key = "given-idempotency_key" if has_key else None
    assert request.headers.get("idempotency-key") == key
