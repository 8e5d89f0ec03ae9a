"""The OpenAPI document: valid, complete, kept as the models have it, and served."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from membrane_openapi.document import as_yaml, document, method_and_path
from membrane_openapi.examples import EXAMPLES, request_line
from membrane_openapi.requests_page import as_markdown
from tests.worlds.agreed import ROWS
from tests.worlds.api import Api
from tests.worlds.template import functions, routes

ROOT = Path(__file__).parents[3]
KEPT = ROOT / "infra" / "openapi.yaml"
WITH_BODY = [operation for operation in ROWS if not operation.route.startswith("GET ")]
WITHOUT_BODY = [operation for operation in ROWS if operation.route.startswith("GET ")]


def test_the_document_is_openapi_3_1() -> None:
    errors = [error.message for error in OPENAPI_31_VALIDATOR.iter_errors(document())]

    assert errors == []


def compiled(schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(
        {**schema, "components": document()["components"]}, validate_formats=True
    )


@pytest.mark.parametrize("operation", WITH_BODY, ids=lambda operation: operation.rpc)
def test_the_example_of_a_request_fits_its_schema(operation: Any) -> None:
    method, path = method_and_path(operation)
    body = document()["paths"][path][method.lower()]["requestBody"]["content"]["application/json"]

    errors = list(compiled(body["schema"]).iter_errors(body["examples"]["usual"]["value"]))

    assert errors == []


@pytest.mark.parametrize("operation", WITHOUT_BODY, ids=lambda operation: operation.rpc)
def test_the_example_of_a_read_is_a_line_that_the_route_takes(api: Api, operation: Any) -> None:
    method, path = request_line(operation).split(" ")

    assert api.call(method, path).status in (200, 404)


@pytest.mark.parametrize("operation", WITH_BODY, ids=lambda operation: operation.rpc)
def test_a_body_is_documented_as_required_where_the_route_requires_one(
    api: Api, operation: Any
) -> None:
    method, path = method_and_path(operation)
    record_id = api.post("/v1/ingest/event", EXAMPLES["IngestEvent"]).record["id"]

    documented = document()["paths"][path][method.lower()]
    asked = [each["name"] for each in documented.get("parameters", []) if each.get("required")]
    query = "&".join(f"{name}=any" for name in asked)

    named = path.replace("{id}", record_id).replace("{path}", "notes/tea")
    reply = api.call(method, f"{named}?{query}")

    assert (reply.status == 400) is documented["requestBody"]["required"]


IN_EITHER = {"DeleteDocument": {"scope"}}
"""By operation what the query or the body may have: a client may be unable to send a body."""


def test_what_stands_in_path_or_query_is_no_field_of_a_body() -> None:
    for path, methods in document()["paths"].items():
        for operation in methods.values():
            elsewhere = {each.get("name", "id") for each in operation.get("parameters", [])}
            for media in operation.get("requestBody", {}).get("content", {}).values():
                name = media["schema"].get("$ref", "").rpartition("/")[2]
                fields = document()["components"]["schemas"].get(name, {}).get("properties", {})
                assert elsewhere & set(fields) <= IN_EITHER.get(operation["operationId"], set()), (
                    path
                )


def test_no_schema_is_malformed_or_refers_to_nothing() -> None:
    schemas = document()["components"]["schemas"]

    broken = []
    for name in schemas:
        try:
            compiled({"$ref": f"#/components/schemas/{name}"})
        except ValueError as error:
            broken.append(f"{name}: {error}")

    assert broken == []


def test_the_kept_document_is_what_the_models_say() -> None:
    kept = KEPT.read_text("utf-8")

    assert kept == as_yaml(), "infra/openapi.yaml is out of date; run `make openapi`"


def test_the_kept_reference_of_requests_is_what_the_models_say() -> None:
    kept = (ROOT / "docs" / "requests.md").read_text("utf-8")

    assert kept == as_markdown(), "docs/requests.md is out of date; run `make openapi`"


def test_every_link_of_the_reference_leads_to_a_heading() -> None:
    page = as_markdown()
    headings = [each.lower() for each in re.findall("^#+ (.+)$", page, re.MULTILINE)]

    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= set(headings)
    assert len(headings) == len(set(headings))


def names_in(part: Any) -> set[str]:
    """The components that the part of the document refers to, directly or by way of others."""
    found: set[str] = set()
    waiting = {part_name(each) for each in references_in(part)}
    while waiting:
        name = waiting.pop()
        found.add(name)
        schema = document()["components"]["schemas"][name]
        waiting |= {part_name(each) for each in references_in(schema)} - found
    return found


def references_in(part: Any) -> Iterator[str]:
    """The `$ref` of schemas, at any depth."""
    if isinstance(part, dict):
        reference = part.get("$ref", "")
        if isinstance(reference, str) and reference.startswith("#/components/schemas/"):
            yield reference
        for each in part.values():
            yield from references_in(each)
    elif isinstance(part, list):
        for each in part:
            yield from references_in(each)


def part_name(reference: str) -> str:
    return reference.rpartition("/")[2]


def undescribed(schema: Any, place: str) -> Iterator[str]:
    """The properties without a description, with the way to them."""
    if not isinstance(schema, dict):
        return
    for name, each in schema.get("properties", {}).items():
        if "description" not in each:
            yield f"{place}.{name}"
        yield from undescribed(each, f"{place}.{name}")
    for form in (schema.get("items"), schema.get("additionalProperties")):
        yield from undescribed(form, place)
    for form in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if "properties" in form and "description" not in form and "type" not in form:
            continue  # a condition on properties that stand elsewhere
        yield from undescribed(form, place)


def all_undescribed(part: Any) -> list[str]:
    schemas = document()["components"]["schemas"]
    return [each for name in sorted(names_in(part)) for each in undescribed(schemas[name], name)]


def test_every_property_of_every_reply_has_a_description() -> None:
    replies = [each["responses"] for each in operations_of_the_document()]

    assert all_undescribed([*replies, document()["components"]["responses"]]) == []


def test_every_property_of_every_request_has_a_description() -> None:
    requests = [each.get("requestBody", {}) for each in operations_of_the_document()]

    assert all_undescribed(requests) == []


def test_every_component_has_a_description() -> None:
    schemas = document()["components"]["schemas"]

    assert [name for name, schema in schemas.items() if not schema.get("description")] == []


def operations_of_the_document() -> list[Any]:
    return [each for methods in document()["paths"].values() for each in methods.values()]


OF_MCP = {
    "POST /mcp",
    "GET /mcp",
    "DELETE /mcp",
    "GET /.well-known/oauth-protected-resource",
    "GET /.well-known/oauth-protected-resource/mcp",
}
"""The routes whose messages the specification of MCP describes.

docs/chat.md describes the events of a conversation: the form of the document has no streams.
"""


def test_the_documented_routes_are_those_of_the_template() -> None:
    keys = (key for function in functions() for key in routes(function))
    deployed = {key.replace("{path+}", "{path}") for key in keys}

    documented = {
        f"{method.upper()} {path}"
        for path, methods in document()["paths"].items()
        for method in methods
    }

    elsewhere = OF_MCP | {"POST /v1/chat/stream"}
    assert documented == deployed - elsewhere
    assert deployed >= elsewhere


@pytest.mark.parametrize("operation", ROWS, ids=lambda operation: operation.rpc)
def test_the_documented_query_is_what_the_route_takes(api: Api, operation: Any) -> None:
    method, path = method_and_path(operation)
    shared = document()["components"]["parameters"]
    listed = [
        shared[each["$ref"].rpartition("/")[2]] if "$ref" in each else each
        for each in document()["paths"][path][method.lower()].get("parameters", [])
    ]
    documented = [each["name"] for each in listed if each["in"] == "query"]

    reply = api.call(method, f"{path.replace('{id}', 'some-id')}?unknown=1", {})

    taken = re.sub(".*takes: ", "", reply.body["detail"]).removeprefix("none")
    assert (reply.status, taken) == (400, ", ".join(sorted(documented)))


def test_the_local_stack_serves_the_document_without_a_key_at_its_own_address(api: Api) -> None:
    reply = api.get("/openapi.json", key="", headers={"host": "127.0.0.1:4321"})

    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.body == document() | {"servers": [{"url": "http://127.0.0.1:4321"}]}
