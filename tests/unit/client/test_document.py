"""The client against infra/openapi.yaml: every operation, every parameter, every reply."""

import inspect
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

import pytest
import yaml

from membrane_client import NOT_GIVEN
from membrane_client.client import Calls
from membrane_client.core.api import Api, Options
from membrane_client.core.protocol import Request, Steps
from membrane_client.core.sync_and_async import Listing, Operation
from membrane_client.values.records import Memory, RemovedRecord
from membrane_client.values.value import Field, Value

Schema = Mapping[str, Any]

DOCUMENT: Schema = yaml.safe_load(
    (Path(__file__).parents[3] / "infra" / "openapi.yaml").read_text()
)
OPERATIONS: Mapping[str, tuple[str, str, Schema]] = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
}
OPTIONS = Options("http://memory", "key", NOT_GIVEN, None, 1.0, 0, read_your_writes=True)

SAMPLES: Mapping[str, Any] = {
    "items": [{"rpc": "IngestEvent"}],
    "record": {"type": "semantic"},
    "operations": [{"op": "get"}],
    **{name: ["given-label"] for name in ("namespace", "namespace_prefix", "prefix", "suffix")},
}
"""For parameters with a structure."""

PLACE = "given-label/given-key(/items)?"
"""The path of a document or of the list beside the value."""

DEEP = 12
"""More levels than any reply has."""

VIEWS: Mapping[str, type[Value]] = {
    "#/components/schemas/BriefRecord": Memory,
    "#/components/schemas/RemovedRecord": RemovedRecord,
}
"""The type of a page's `memories`."""

every_operation = pytest.mark.parametrize("name", OPERATIONS)


def method_of(name: str) -> Any:
    """The client's definition of an operation: `RetrieveByID` is `retrieve_by_id`."""
    words = re.findall(r"[A-Z][a-z]+|[A-Z]+(?![a-z])", name)
    return vars(Calls)["_".join(words).lower()]


def parameters_of(name: str) -> dict[str, inspect.Parameter]:
    _, *others = inspect.signature(method_of(name).steps).parameters.items()
    return dict(others)


def resolved(schema: Schema) -> Schema:
    while "$ref" in schema:
        _, *keys = schema["$ref"].split("/")
        found: Any = DOCUMENT
        for key in keys:
            found = found[key]
        schema = found
    return schema


def body_of(name: str) -> Schema:
    """The request's properties, in the first form of a request with several."""
    content = OPERATIONS[name][2].get("requestBody", {}).get("content", {})
    schema = next((resolved(each["schema"]) for each in content.values()), {})
    return schema if "properties" in schema or not schema else resolved(schema["anyOf"][0])


def sent_in(name: str, place: str) -> dict[str, Schema]:
    found = [resolved(each) for each in OPERATIONS[name][2].get("parameters", ())]
    return {each["name"]: each for each in found if each["in"] == place}


def described(name: str) -> Iterator[tuple[str, Schema, bool]]:
    """The fields of the request: name, schema, and whether the field is required."""
    for field, parameter in sent_in(name, "query").items():
        yield field, resolved(parameter["schema"]), parameter.get("required", False)
    body = body_of(name)
    for field, schema in body.get("properties", {}).items():
        yield field, resolved(schema), field in body.get("required", ())


@every_operation
def test_each_operation_is_a_method(name: str) -> None:
    assert isinstance(method_of(name), Operation | Listing)


@every_operation
def test_each_field_of_a_request_is_a_parameter_with_the_same_default(name: str) -> None:
    parameters = parameters_of(name)

    for field, schema, required in described(name):
        default = parameters[field].default
        if "default" in schema:
            assert (list(default) if isinstance(default, tuple) else default) == schema["default"]
        elif required:
            is_said_by_client = (name, field) == ("CaptureMemory", "source")
            assert default is ("" if is_said_by_client else inspect.Parameter.empty), field
        else:
            expected = None if field == "idempotency_key" else NOT_GIVEN
            assert default is expected, field


@every_operation
def test_each_parameter_goes_where_the_document_says(name: str) -> None:
    method, path, _ = OPERATIONS[name]
    given = {each: SAMPLES.get(each, f"given-{each}") for each in parameters_of(name)}
    steps: Steps[Any] = method_of(name).steps(Api(OPTIONS), **given)

    request = next(steps)

    assert isinstance(request, Request)
    address = urlsplit(request.url)
    assert request.method == method
    path = re.sub(r"{\w+}", r"given-[\\w]+", path.replace("{path}", PLACE))
    assert re.fullmatch(path, address.path)
    in_query, in_body = {*dict(parse_qsl(address.query))}, {*json.loads(request.content or b"{}")}
    assert in_query <= {*sent_in(name, "query")}
    assert in_body <= {*body_of(name).get("properties", {})}
    assert in_query | in_body == {field for field, *_ in described(name)} - {"idempotency_key"}
    key = request.headers.get("idempotency-key")
    assert key == ("given-idempotency_key" if sent_in(name, "header") else None)


@every_operation
def test_each_reply_has_a_type_with_its_fields(name: str) -> None:
    kind = kind_of(name)

    for status, reply in OPERATIONS[name][2]["responses"].items():
        if status < "300" and "content" in reply:
            (content,) = reply["content"].values()
            assert list(missing(content["schema"], kind, kind.__name__)) == []


def kind_of(name: str) -> type[Value]:
    """The type of an operation's reply."""
    kinds: list[type[Value]] = []

    class Recording(Api):
        def _exchange(self, *args: Any, **_: Any) -> Steps[Any]:
            kinds.append(next(each for each in args if isinstance(each, type)))
            yield Request("", "", {}, None, None, is_repeatable=False)

    given = {
        each: SAMPLES.get(each, "x")
        for each, parameter in parameters_of(name).items()
        if parameter.default is inspect.Parameter.empty
    }
    next(method_of(name).steps(Recording(OPTIONS), **given))
    return kinds[0]


def missing(schema: Schema, kind: type[Value], where: str) -> Iterator[str]:
    """Fields of the schema missing in the type, or in a type below."""
    if where.count(".") > DEEP:
        return  # a type that holds itself
    kind = VIEWS.get(schema.get("$ref", ""), kind)
    schema = resolved(schema)
    for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from missing(each, kind, where)
    if schema.get("properties", {}).keys() == {"$blob"}:
        return  # the client puts what the link leads to in its place
    constant = schema.get("properties", {}).get("kind", {}).get("const")
    kind = getattr(kind, "BY_KIND", {}).get(constant, kind)
    for name, below in schema.get("properties", {}).items():
        field = kind.FIELDS.get(name)
        if field is None:
            yield f"{where}.{name}"
        else:
            yield from missing_below(below, field, f"{where}.{name}")


def missing_below(schema: Schema, field: Field[Any], where: str) -> Iterator[str]:
    if schema.get("$ref") in VIEWS and field.of is not None:
        yield from missing(schema, field.of(), where)
        return
    schema = resolved(schema)
    alternatives = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    for each in alternatives:
        yield from missing_below(each, field, where)
    if isinstance(schema.get("items"), dict):
        yield from missing_below(schema["items"], field, where)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from missing_below(schema["additionalProperties"], field, where)
    is_object = "properties" in schema and schema["properties"].keys() != {"$blob"}
    if is_object and field.of is not None:
        yield from missing(schema, field.of(), where)
    elif is_object and field.default != cast("object", {}):
        yield f"{where}: an object without a type"
