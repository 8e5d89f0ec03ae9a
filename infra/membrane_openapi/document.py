"""The HTTP API as an OpenAPI 3.1 document, made from the models and the route table."""

from copy import deepcopy
from functools import cache
from importlib.metadata import version
from typing import Any

import yaml

from membrane.adapters.aws_lambda.batches.documents import BATCHED
from membrane.adapters.aws_lambda.batches.ingests import INGESTS
from membrane.adapters.aws_lambda.batches.items import RPC
from membrane.adapters.aws_lambda.http.assembling import is_conditional, standing
from membrane.adapters.aws_lambda.http.operations import KEY as KEY_FIELD
from membrane.adapters.aws_lambda.http.operations import Row
from membrane.adapters.aws_lambda.rows import GROUPS, ROWS
from membrane.domain.access.principals import USER
from membrane.domain.documents.requests import BatchDocuments
from membrane.domain.ingest.full_records import IngestBatch
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.arguments import ToolFormat
from membrane_openapi import replies
from membrane_openapi.examples import EXAMPLES
from membrane_openapi.formats import USER_SCHEMA
from membrane_openapi.parameters import KEY_OF_CHAT, PARAMETERS, query_parameters
from membrane_openapi.replies import JSON, component, references, refusals, responses, successes
from membrane_openapi.schemas import schemas_of

ROUTE = ("GET", "/openapi.json")
SERVERS: list[JsonObject] = [
    {
        "url": "https://{api}.execute-api.{region}.amazonaws.com",
        "description": "The output `ApiUrl` of a stack on AWS",
        "variables": {"api": {"default": "api-id"}, "region": {"default": "eu-central-1"}},
    },
    {"url": "http://127.0.0.1:8765", "description": "The local stack, `membrane dev`"},
]


@cache
def document() -> JsonObject:
    paths: dict[str, JsonObject] = {}
    for group, rows in GROUPS.items():
        for row in rows:
            method, path = method_and_path(row)
            paths.setdefault(path, {})[method.lower()] = {**_operation(row), "tags": [group]}
    paths["/health"] = {"get": _HEALTH}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Membrane Serverless",
            "version": version("membrane-serverless"),
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": SERVERS,
        "security": [{"key": []}],
        "tags": [{"name": group, "description": _TAGS[group]} for group in GROUPS],
        "paths": dict(sorted(paths.items())),
        "components": {
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key, made by `membrane keys create`.",
                }
            },
            "parameters": PARAMETERS,
            "responses": responses(),
            "schemas": dict(sorted(_schemas().items())),
        },
    }


def method_and_path(row: Row) -> tuple[str, str]:
    """The method and the path of a route; the document has no form for greedy parameters."""
    method, path = row.route.replace("+}", "}").split(" ")
    return method, path


def served_at(url: str) -> JsonObject:
    """The document of a stack, with the address of the stack as the only server."""
    return document() | {"servers": [{"url": url}]}


def as_yaml() -> str:
    """The document as text, the content of `infra/openapi.yaml`."""
    head = "# Written by `make openapi`.\n"
    return head + yaml.dump(document(), Dumper=_Dumper, sort_keys=False, width=100)


_DESCRIPTION = (
    "Memory for AI agents: reports become typed, audited records whose salience fades with time. "
    "A body is strict JSON of at most 6 MB and 64 levels: an unknown field, a key given twice, "
    "a lone surrogate (in a batch the item alone) or a number out of range is refused. "
    "Exception: `POST /v1/ingest` and `POST /v1/query` ignore unknown fields outside `trust`, as "
    "MemState does."
)

_TAGS = {
    "ingest": "Report what happened, one report at a time or in a batch; upload a large value.",
    "retrieval": "Find the records for a task, list records, read a thread, and explain an answer.",
    "records": "Write and read whole records, with versions and audit trail.",
    "revision": "Correct, merge, contest, withdraw and reclassify records.",
    "learning": "Make traces, skills and plans of evidence, and list what was made of what.",
    "entities": "List entities by name, read facts and mentions, and merge and split entities.",
    "salience": "Strengthen, weaken, pin, delete and restore records; preview the fading.",
    "topics": "Write, find, edit and link topics: what is known about one subject.",
    "documents": "Keep JSON values under keys in namespaces, with lists beside the values.",
    "studies": "Study whole documents in the background, and take documents back.",
    "agents": "The tools that agents call, as JSON schemas for their model, and a call of one.",
    "erasure": "Remove all of a person, a scope or a subject for good, with a signed certificate.",
    "metrics": "Count records, and check that the service answers.",
    "exports": "Write a whole memory into a file.",
}
"""By group one sentence."""

_USER_FIELD: JsonObject = {
    **component("User"),
    "description": "The person on whose behalf the request acts.",
}

_HEALTH: JsonObject = {
    "operationId": "Health",
    "summary": "A sign of life, without access to the store.",
    "tags": ["metrics"],
    "security": [],
    "responses": {
        "200": {"description": "Alive.", "content": {JSON: {"schema": component("Health")}}},
        **references((413, 429, 500, 503)),
    },
}

_IN_PATH = {
    "/fields/{name}": "name",
    "/tools/{name}": "tool",
    "{id}": "id",
    "{thread_id}": "thread_id",
    "{path}": "path",
}
"""By a part of a path the component that describes the parameter."""


def _parameter(name: str) -> JsonObject:
    return {"$ref": f"#/components/parameters/{name}"}


def _operation(row: Row) -> JsonObject:
    method, path = method_and_path(row)
    parameters = query_parameters(row, _all_schemas())
    for place, name in _IN_PATH.items():
        if place in path:
            is_list = row.rpc == "AppendItems"
            parameters.insert(0, _parameter("list-path" if is_list else name))
    if method in ("GET", "DELETE"):
        parameters.append(_parameter(USER))
    if is_conditional(row.request_type):
        parameters += map(_parameter, ("if-match", "if-none-match"))
    if row.takes_key:
        parameters.append(KEY_OF_CHAT if row.rpc == "Chat" else _parameter("idempotency-key"))
    summary, _, more = (row.request_type.__doc__ or "").partition("\n")
    found: JsonObject = {
        "operationId": row.rpc,
        "summary": summary,
        "description": " ".join([*more.split(), _needs(row)]),
    }
    if parameters:
        found["parameters"] = parameters
    if method != "GET":
        found["requestBody"] = {
            "required": _needs_body(row),
            "content": {
                JSON: {"schema": _body(row), "examples": {"usual": {"value": EXAMPLES[row.rpc]}}}
            },
        }
    return found | {"responses": {**successes(row), **refusals(row)}}


_PARTS = {"ListTools": "tool", "CallTool": "tool", "BatchDocuments": "operation"}
"""By RPC the parts of a request that have permissions."""


def _needs(row: Row) -> str:
    """The permission for the operation, and the further permission that opens the route."""
    if row.permission is None:
        return f"Each {_PARTS[row.rpc]} needs a permission of its own."
    needed = f"Needs the permission `{row.permission}`"
    if row.also_for is None:
        return f"{needed}."
    if "erase" in standing(row.request_type):
        return f"{needed}; with `erase`, the permission `{row.also_for}` instead."
    return f"{needed} or `{row.also_for}`."


def _needs_body(row: Row) -> bool:
    """Whether the request needs a body; a change of one record may need no more than the id."""
    schema = _schemas()[row.request_type.__name__]
    asks = bool(schema.get("required") or schema.get("anyOf"))
    return asks or not standing(row.request_type)


def _body(row: Row) -> JsonObject:
    schema = component(row.request_type.__name__)
    return {"anyOf": [schema, component("BareRecord")]} if row.body == "bare_record" else schema


@cache
def _all_schemas() -> JsonObject:
    """The schemas of whole requests, wherever the fields stand, and of the bodies of replies."""
    return schemas_of([row.request_type for row in ROWS], replies.BODIES)


@cache
def _schemas() -> JsonObject:
    sent = [row.request_type for row in ROWS if row.method != "GET"]
    schemas = deepcopy(_all_schemas()) | {
        "GatewayMessage": replies.GATEWAY_MESSAGE,
        "User": USER_SCHEMA,
    }
    schemas["Problem"]["properties"]["code"]["enum"] = replies.CODES
    for request in sent:
        schemas[request.__name__]["properties"][USER] = _USER_FIELD
    _add_batched_documents(schemas)
    for row in ROWS:
        model = schemas[row.request_type.__name__]
        for name, mark in standing(row.request_type).items():
            if not mark.or_body:
                del model["properties"][name]
                model["required"] = [each for each in model.get("required", ()) if each != name]
        if row.method == "GET":
            del schemas[row.request_type.__name__]
    del schemas[ToolFormat.__name__]
    around = {name: schemas["IngestRecord"]["properties"][name] for name in (KEY_FIELD, USER)}
    schemas["BareRecord"] = _with_properties(schemas["RecordInput"], around) | {
        "description": "A record without the envelope."
    }
    for rpc in INGESTS:
        named = {RPC: {"const": rpc, "description": "The operation of the item."}}
        item = _with_properties(schemas[rpc], named)
        schemas[f"{rpc}Item"] = item | {"required": [RPC, *item["required"]]}
    items = schemas[IngestBatch.__name__]["properties"]["items"]
    items["items"] = {
        "oneOf": [component(f"{rpc}Item") for rpc in INGESTS],
        "description": "A request of the named operation; an item with a fault is refused alone.",
    }
    return schemas


def _add_batched_documents(schemas: JsonObject) -> None:
    names = []
    for word, within in BATCHED.items():
        rpc = within.request_type.__name__
        named = {"op": {"const": word, "description": "The operation."}, USER: _USER_FIELD}
        operation = _with_properties(schemas[rpc], named)
        names.append(f"{rpc}Operation")
        schemas[names[-1]] = operation | {"required": ["op", *operation.get("required", ())]}
    asked = schemas[BatchDocuments.__name__]["properties"]["operations"]
    asked["items"] = {
        "oneOf": [component(name) for name in names],
        "description": "A request with its operation; an operation with a fault is refused alone.",
    }


def _with_properties(schema: JsonObject, more: JsonObject) -> JsonObject:
    return schema | {"properties": {**more, **schema["properties"]}}


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is given
        return True
