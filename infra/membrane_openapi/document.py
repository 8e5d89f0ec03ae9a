"""The HTTP API as an OpenAPI 3.1 document, made from the models and the route table."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

import yaml

from membrane.adapters.aws_lambda.http import bodies, topic_bodies
from membrane.adapters.aws_lambda.http.batch import RPC
from membrane.adapters.aws_lambda.http.operations import KEY as KEY_FIELD
from membrane.adapters.aws_lambda.http.operations import USER, Operation
from membrane.adapters.aws_lambda.routes.ingest_batch import INGESTS
from membrane.adapters.aws_lambda.routes.table import OPERATIONS
from membrane.domain.ingest.full_records import IngestBatch
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.requests import USUAL_PAGE
from membrane.domain.tokens.cursors import MAX_CURSOR_CHARACTERS
from membrane.domain.tokens.fields import MAX_LIMIT
from membrane.domain.topics.requests.reading import MAX_DEPTH, MAX_NODES, USUAL_NODES
from membrane.domain.topics.titles import MAX_NAME_CHARACTERS
from membrane_openapi.examples import EXAMPLES
from membrane_openapi.replies import (
    BODIES,
    CODES,
    GATEWAY_MESSAGE,
    JSON,
    references,
    refusals,
    responses,
    successes,
)
from membrane_openapi.schemas import (
    FIELD_NAME,
    KEY,
    NAMED_SCOPE,
    RECORD_ID_SCHEMA,
    USER_SCHEMA,
    schemas_of,
)

ROUTE = ("GET", "/openapi.json")
SERVERS: list[JsonObject] = [
    {
        "url": "https://{api}.execute-api.{region}.amazonaws.com",
        "description": "The stack's output ApiUrl",
        "variables": {"api": {"default": "api-id"}, "region": {"default": "eu-central-1"}},
    },
    {"url": "http://127.0.0.1:8765", "description": "membrane dev"},
]

_MAX_SENSITIVITY: JsonObject = {
    "name": "max_sensitivity",
    "in": "query",
    "description": "See nothing above this level; narrows what the key may see.",
    "schema": {"enum": ["", *(word.value for word in Sensitivity)]},
}
_SCOPES: JsonObject = {
    "name": "scope",
    "in": "query",
    "description": "See these scopes and what has none; narrows what the key may see.",
    "style": "form",
    "explode": True,
    "schema": {"type": "array", "items": NAMED_SCOPE},
}
_AS_OF: JsonObject = {
    "name": "as_of",
    "in": "query",
    "description": (
        "The record as it was then, with its salience and audit trail of then: RFC 3339, not in "
        "the future. Before it was made, and while it was deleted, it is not found."
    ),
    "schema": {"anyOf": [{"const": ""}, {"$ref": "#/components/schemas/Timestamp-Input"}]},
}
_RESOLVE: JsonObject = {
    "name": "resolve",
    "in": "query",
    "description": (
        "Follow what replaced the record to the newest; 500 steps at most. Not with `as_of`."
    ),
    "schema": {"enum": ["", "latest"]},
}
_VERIFY: JsonObject = {
    "name": "verify",
    "in": "query",
    "description": (
        "Check the chain of hashes: on the first page of the whole trail, as far as its first "
        "50,000 entries; on a later page of the page's entries."
    ),
    "schema": {"type": "boolean", "default": False},
}
_ERASE: JsonObject = {
    "name": "erase",
    "in": "query",
    "description": (
        "Remove what the record says for good, its audit's free text too; "
        "needs the permission `admin` instead."
    ),
    "schema": {"type": "boolean", "default": False},
}

_SCOPE: JsonObject = {
    "name": "scope",
    "in": "query",
    "description": "This scope alone.",
    "schema": {"$ref": "#/components/schemas/Scope"},
}
_TYPES: JsonObject = {
    "name": "type",
    "in": "query",
    "description": "These types alone.",
    "style": "form",
    "explode": True,
    "schema": {"type": "array", "items": {"$ref": "#/components/schemas/MemoryType"}},
}
_LIMIT: JsonObject = {
    "name": "limit",
    "in": "query",
    "description": "At most so many; 0 for as many as a reply carries.",
    "schema": {"type": "integer", "minimum": 0, "maximum": MAX_LIMIT, "default": 0},
}
_VIEW: JsonObject = {
    "name": "view",
    "in": "query",
    "description": "Whole records, or records in brief.",
    "schema": {"enum": ["", "full", "brief"], "default": "full"},
}
_PAGE_LIMIT: JsonObject = {
    **_LIMIT,
    "description": "At most so many; 0 is the default.",
    "schema": {**_LIMIT["schema"], "default": USUAL_PAGE},
}
_CURSOR: JsonObject = {
    "name": "cursor",
    "in": "query",
    "description": "The `next_cursor` of the page before, of the same request.",
    "schema": {"type": "string", "maxLength": MAX_CURSOR_CHARACTERS},
}

_TO_TOPIC: JsonObject = {
    "name": "to_topic_id",
    "in": "query",
    "required": True,
    "description": "The topic that the relationship leads to.",
    "schema": {"type": "string"},
}
_KIND: JsonObject = {
    "name": "kind",
    "in": "query",
    "required": True,
    "description": "The relationship's kind, which may be empty.",
    "schema": {"type": "string"},
}
_TOPIC_AS_OF: JsonObject = {
    "name": "as_of",
    "in": "query",
    "description": "What was so then, by `valid_from`: RFC 3339, not in the future.",
    "schema": {"anyOf": [{"const": ""}, {"$ref": "#/components/schemas/Timestamp-Input"}]},
}
_WITH_HISTORY: JsonObject = {
    "name": "with_history",
    "in": "query",
    "description": "Whether earlier revisions come, too.",
    "schema": {"type": "boolean", "default": True},
}
_ARCHIVED: JsonObject = {
    "name": "archived",
    "in": "query",
    "description": "Whether those come, too, that were archived.",
    "schema": {"type": "boolean", "default": False},
}
_INCLUDE_ARCHIVED: JsonObject = {
    "name": "include_archived",
    "in": "query",
    "description": "Whether archived topics come, too.",
    "schema": {"type": "boolean", "default": False},
}
_AROUND: JsonObject = {
    "name": "topic_id",
    "in": "query",
    "description": "What is around this topic, in place of a page of a scope.",
    "schema": {"type": "string"},
}
_DEPTH: JsonObject = {
    "name": "depth",
    "in": "query",
    "description": "How many links away from it.",
    "schema": {"type": "integer", "minimum": 1, "maximum": MAX_DEPTH, "default": 1},
}
_NODES: JsonObject = {
    "name": "limit",
    "in": "query",
    "description": "At most so many topics.",
    "schema": {
        "type": "integer",
        "minimum": 1,
        "maximum": MAX_NODES,
        "default": USUAL_NODES,
    },
}

QUERIES: Mapping[Callable[[Any], Any], list[JsonObject]] = {
    bodies.body_alone: [],
    bodies.batch_body: [],
    bodies.record_body: [],
    bodies.deep_body_alone: [],
    bodies.id_and_body: [],
    bodies.id_and_deep_body: [],
    bodies.id_body_and_erase: [_ERASE],
    bodies.id_trust_and_time: [_MAX_SENSITIVITY, _SCOPES, _AS_OF, _RESOLVE],
    bodies.id_trust_and_page: [_MAX_SENSITIVITY, _SCOPES, _LIMIT, _CURSOR],
    bodies.id_alone: [],
    bodies.trust_alone: [_MAX_SENSITIVITY, _SCOPES],
    bodies.scope_types_and_page: [_SCOPE, _TYPES, _VIEW, _PAGE_LIMIT, _CURSOR],
    bodies.thread_trust_and_page: [_MAX_SENSITIVITY, _SCOPES, _PAGE_LIMIT, _CURSOR],
    bodies.id_trust_page_and_verify: [_MAX_SENSITIVITY, _SCOPES, _LIMIT, _CURSOR, _VERIFY],
    topic_bodies.nothing_asked: [],
    topic_bodies.name_and_body: [],
    topic_bodies.edge_and_body: [_TO_TOPIC, _KIND],
    topic_bodies.id_trust_and_instant: [_MAX_SENSITIVITY, _SCOPES, _TOPIC_AS_OF],
    topic_bodies.field_trust_and_history: [
        _MAX_SENSITIVITY,
        _SCOPES,
        _WITH_HISTORY,
        _ARCHIVED,
        _TOPIC_AS_OF,
    ],
    topic_bodies.scope_and_page: [_SCOPE, _LIMIT, _CURSOR],
    topic_bodies.scope_archived_and_page: [_SCOPE, _INCLUDE_ARCHIVED, _LIMIT, _CURSOR],
    topic_bodies.scope_topic_depth_and_page: [_SCOPE, _AROUND, _DEPTH, _NODES, _CURSOR],
}
"""Query parameters, by the function that assembles the request."""

_OUTSIDE_THE_BODY: Mapping[Callable[[Any], Any], tuple[str, ...]] = {
    bodies.id_and_body: ("id",),
    bodies.id_and_deep_body: ("id",),
    bodies.id_body_and_erase: ("id", "erase"),
    topic_bodies.name_and_body: ("id", "name"),
    topic_bodies.edge_and_body: ("id", "to_topic_id", "kind"),
}
"""Fields of the request that stand in the path and in the query, by the same."""

_IDEMPOTENCY_KEY: JsonObject = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": (
        "A repeat under the same key changes nothing more; with another body it is refused. "
        "`idempotency_key` in the body wins."
    ),
    "schema": {**KEY, "pattern": "^[!-~]([ -~]*[!-~])?$"},
}
_ID: JsonObject = {"name": "id", "in": "path", "required": True, "schema": RECORD_ID_SCHEMA}
_USER: JsonObject = {
    "name": USER,
    "in": "query",
    "description": USER_SCHEMA["description"],
    "schema": {**USER_SCHEMA, "type": "string"},
}
_THREAD_ID: JsonObject = {
    "name": "thread_id",
    "in": "path",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_TEXT_CHARACTERS},
}
_NAME: JsonObject = {
    "name": "name",
    "in": "path",
    "required": True,
    "description": "The field's whole name, percent-encoded.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARACTERS, **FIELD_NAME},
}


@cache
def document() -> JsonObject:
    """The whole document."""
    paths: dict[str, JsonObject] = {}
    for operation in OPERATIONS:
        method, path = operation.route.split(" ")
        paths.setdefault(path, {})[method.lower()] = _operation(operation)
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
        "paths": dict(sorted(paths.items())),
        "components": {
            "securitySchemes": {
                "key": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An API key; `membrane keys` makes them.",
                }
            },
            "parameters": {
                "id": _ID,
                "thread_id": _THREAD_ID,
                "name": _NAME,
                USER: _USER,
                "idempotency-key": _IDEMPOTENCY_KEY,
            },
            "responses": responses(),
            "schemas": dict(sorted(_schemas().items())),
        },
    }


def served_at(url: str) -> JsonObject:
    """The document of a stack that answers at that address."""
    return document() | {"servers": [{"url": url}]}


def as_yaml() -> str:
    """The document as it is kept."""
    head = "# Written by `make openapi`.\n"
    return head + yaml.dump(document(), Dumper=_Dumper, sort_keys=False, width=100)


_DESCRIPTION = (
    "Memory for AI agents: reports become typed, audited records whose salience fades with time. "
    "A body is strict JSON of at most 6 MB and 64 levels: an unknown field, a key given twice, "
    "a lone surrogate or a number out of range is refused."
)

_HEALTH: JsonObject = {
    "operationId": "Health",
    "summary": "A sign of life that touches no store.",
    "security": [],
    "responses": {
        "200": {
            "description": "Alive.",
            "content": {JSON: {"schema": {"$ref": "#/components/schemas/Health"}}},
        },
        **references((413, 429, 500, 503)),
    },
}


def _operation(operation: Operation) -> JsonObject:
    method, path = operation.route.split(" ")
    parameters: list[JsonObject] = list(QUERIES[operation.assemble])
    for name in ("name", "id", "thread_id"):
        if f"{{{name}}}" in path:
            parameters.insert(0, {"$ref": f"#/components/parameters/{name}"})
    if method in ("GET", "DELETE"):
        parameters.append({"$ref": f"#/components/parameters/{USER}"})
    if operation.takes_key:
        parameters.append({"$ref": "#/components/parameters/idempotency-key"})
    found: JsonObject = {
        "operationId": operation.rpc,
        "summary": (operation.request.__doc__ or "").partition("\n")[0],
        "description": f"Needs the permission `{operation.permission}`.",
    }
    if parameters:
        found["parameters"] = parameters
    if method != "GET":
        found["requestBody"] = {
            "required": _needs_body(operation),
            "content": {
                JSON: {"schema": _body(operation), "examples": {"usual": _example(operation)}}
            },
        }
    return found | {"responses": {**successes(operation), **refusals(operation)}}


def _needs_body(operation: Operation) -> bool:
    """A change of one record may come without a body, where it needs no more than the id."""
    schema = _schemas()[operation.request.__name__]
    asks = bool(schema.get("required") or schema.get("anyOf"))
    return asks or operation.assemble not in _OUTSIDE_THE_BODY


def _body(operation: Operation) -> JsonObject:
    schema: JsonObject = {"$ref": f"#/components/schemas/{operation.request.__name__}"}
    if operation.assemble is bodies.record_body:
        return {"anyOf": [schema, {"$ref": "#/components/schemas/BareRecord"}]}
    return schema


def _example(operation: Operation) -> JsonObject:
    return {"value": EXAMPLES[operation.rpc]}


@cache
def _schemas() -> JsonObject:
    sent = [each.request for each in OPERATIONS if not each.route.startswith("GET ")]
    schemas = schemas_of(sent, BODIES) | {"GatewayMessage": GATEWAY_MESSAGE, "User": USER_SCHEMA}
    schemas["Problem"]["properties"]["code"]["enum"] = CODES
    for request in sent:
        schemas[request.__name__]["properties"][USER] = {"$ref": "#/components/schemas/User"}
    for operation in OPERATIONS:
        model = schemas.get(operation.request.__name__, {})
        for name in _OUTSIDE_THE_BODY.get(operation.assemble, ()):
            del model["properties"][name]
            model["required"] = [each for each in model["required"] if each != name]
    around = {name: schemas["IngestRecord"]["properties"][name] for name in (KEY_FIELD, USER)}
    schemas["BareRecord"] = _with_properties(schemas["RecordInput"], around) | {
        "description": "The same without the envelope."
    }
    for rpc in INGESTS:
        item = _with_properties(schemas[rpc], {RPC: {"const": rpc}})
        schemas[f"{rpc}Item"] = item | {"required": [RPC, *item["required"]]}
    items = schemas[IngestBatch.__name__]["properties"]["items"]
    items["items"] = {
        "oneOf": [{"$ref": f"#/components/schemas/{rpc}Item"} for rpc in INGESTS],
        "description": "One that does not fit is refused alone.",
    }
    return schemas


def _with_properties(schema: JsonObject, more: JsonObject) -> JsonObject:
    return schema | {"properties": {**more, **schema["properties"]}}


class _Dumper(yaml.SafeDumper):
    """YAML without anchors."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the signature is given
        return True
