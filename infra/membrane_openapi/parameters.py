"""Parameters of the API in path, query and headers."""

from collections.abc import Callable, Mapping
from typing import Any

from membrane.adapters.aws_lambda.http import bodies, document_bodies, topic_bodies
from membrane.adapters.aws_lambda.routes import tools
from membrane.domain.access.requests import TrustInput
from membrane.domain.access.users import USER
from membrane.domain.documents.places import MAX_LABELS
from membrane.domain.documents.requests import (
    MAX_ITEMS,
    MAX_ITEMS_READ,
    MAX_POSITION,
    MAX_VERSIONS_READ,
)
from membrane.domain.documents.requests import MAX_LIMIT as MAX_DOCUMENTS
from membrane.domain.language import names
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.requests import USUAL_PAGE
from membrane.domain.tokens.cursors import MAX_CURSOR_CHARACTERS
from membrane.domain.tokens.fields import MAX_LIMIT
from membrane.domain.tools.requests import Profile, ToolFormat
from membrane.domain.topics.requests.reading import MAX_DEPTH, MAX_NODES, USUAL_NODES
from membrane.domain.topics.titles import MAX_NAME_CHARACTERS
from membrane_openapi.attribute_docs import descriptions
from membrane_openapi.formats import (
    FIELD_NAME,
    KEY,
    LABEL,
    NAMED_SCOPE,
    RECORD_ID_SCHEMA,
    USER_SCHEMA,
)


def _query(name: str, schema: JsonObject, **more: object) -> JsonObject:
    return {"name": name, "in": "query", **more, "schema": schema}


def _list_query(name: str, items: JsonObject) -> JsonObject:
    """A parameter that may be given several times."""
    return _query(name, {"type": "array", "items": items}, style="form", explode=True)


def _flag(name: str, *, default: bool = False) -> JsonObject:
    return _query(name, {"type": "boolean", "default": default})


def _number(name: str, least: int, most: int, default: int) -> JsonObject:
    schema = {"type": "integer", "minimum": least, "maximum": most, "default": default}
    return _query(name, schema)


_TEXT: JsonObject = {"type": "string"}
_TIMESTAMP: JsonObject = {
    "anyOf": [{"const": ""}, {"$ref": "#/components/schemas/Timestamp-Input"}]
}

_MAX_SENSITIVITY = _query("max_sensitivity", {"enum": ["", *map(str, Sensitivity)]})
_SCOPES = _list_query("scope", NAMED_SCOPE)
_AS_OF = _query("as_of", _TIMESTAMP)
_RESOLVE = _query("resolve", {"enum": ["", "latest"]})
_VERIFY = _flag("verify")
_ERASE = _flag("erase")

_SCOPE = _query("scope", {"$ref": "#/components/schemas/Scope"})
_TYPES = _list_query("type", {"$ref": "#/components/schemas/MemoryType"})
_LIMIT = _number("limit", 0, MAX_LIMIT, 0)
_PAGE_LIMIT = _number("limit", 0, MAX_LIMIT, USUAL_PAGE)
_VIEW = _query("view", {"enum": ["", "full", "brief"], "default": "full"})
_STATE = _query(
    "state", {"enum": ["", "active", "deleted", "pruned", "retracted"], "default": "active"}
)
_CURSOR = _query("cursor", {"type": "string", "maxLength": MAX_CURSOR_CHARACTERS})

_NAME_BEGINNING = _query("q", {"type": "string", "maxLength": names.MAX_NAME_CHARACTERS})
_ENTITY_TYPE = _query("type", {"type": "string", "maxLength": names.MAX_NAME_CHARACTERS})
_SIMILAR_TO = _query("similar_to", {"anyOf": [{"const": ""}, RECORD_ID_SCHEMA]})

_TO_TOPIC = _query("to_topic_id", _TEXT, required=True)
_KIND = _query("kind", _TEXT, required=True)
_WITH_HISTORY = _flag("with_history", default=True)
_ARCHIVED = _flag("archived")
_INCLUDE_ARCHIVED = _flag("include_archived")
_AROUND = _query("topic_id", _TEXT)
_DEPTH = _number("depth", 1, MAX_DEPTH, 1)
_NODES = _number("limit", 1, MAX_NODES, USUAL_NODES)
_FORMAT = _query("format", {"enum": ["", *map(str, ToolFormat)], "default": "mcp"})
_PROFILE = _query("profile", {"enum": ["", *map(str, Profile)], "default": "agent"})

_REFRESH = _flag("refresh")
_ITEMS = _number("items", 0, MAX_ITEMS_READ, 0)
_HISTORY = _number("history", 0, MAX_VERSIONS_READ, 0)
_ITEMS_BEFORE, _HISTORY_BEFORE = (
    _query(name, {"type": "integer", "minimum": 1, "maximum": MAX_POSITION})
    for name in ("items_before", "history_before")
)
_OFF_THE_LIST = _query("items", {"type": "integer", "minimum": 1, "maximum": MAX_ITEMS})
_PREFIX, _SUFFIX = (
    _query(name, {"type": "array", "items": LABEL, "maxItems": MAX_LABELS}, explode=True)
    for name in ("prefix", "suffix")
)
_MAX_DEPTH = _query("max_depth", {"type": "integer", "minimum": 1, "maximum": MAX_LABELS})
_NAMESPACES = _number("limit", 1, MAX_DOCUMENTS, 100)
_NEXT = _query("cursor", {"type": "string", "minLength": 1, "maxLength": MAX_CURSOR_CHARACTERS})
_OPERATION_ID = _query("operation_id", KEY, required=True)

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
    bodies.id_and_cursor: [_CURSOR],
    bodies.trust_alone: [_MAX_SENSITIVITY, _SCOPES],
    bodies.scope_types_and_page: [_SCOPE, _TYPES, _STATE, _VIEW, _PAGE_LIMIT, _CURSOR],
    bodies.id_trust_and_cursor: [_MAX_SENSITIVITY, _SCOPES, _CURSOR],
    bodies.entity_names_and_page: [
        _NAME_BEGINNING,
        _ENTITY_TYPE,
        _SCOPE,
        _SIMILAR_TO,
        _LIMIT,
        _CURSOR,
    ],
    bodies.scope_and_page: [_SCOPE, _LIMIT, _CURSOR],
    bodies.thread_trust_and_page: [_MAX_SENSITIVITY, _SCOPES, _PAGE_LIMIT, _CURSOR],
    bodies.id_trust_page_and_verify: [_MAX_SENSITIVITY, _SCOPES, _LIMIT, _CURSOR, _VERIFY],
    bodies.nothing_asked: [],
    tools.format_and_profile: [_FORMAT, _PROFILE],
    tools.name_and_arguments: [],
    document_bodies.labels_and_page: [_SCOPE, _PREFIX, _SUFFIX, _MAX_DEPTH, _NAMESPACES, _NEXT],
    document_bodies.operation_id: [_OPERATION_ID],
    document_bodies.place_and_body: [],
    document_bodies.place_and_list_items: [],
    document_bodies.place_and_query: [
        _SCOPE,
        _REFRESH,
        _ITEMS,
        _ITEMS_BEFORE,
        _HISTORY,
        _HISTORY_BEFORE,
        _VERIFY,
    ],
    document_bodies.place_body_and_query: [_SCOPE, _OFF_THE_LIST, _ERASE],
    topic_bodies.name_and_body: [],
    topic_bodies.edge_and_body: [_TO_TOPIC, _KIND],
    topic_bodies.id_trust_and_instant: [_MAX_SENSITIVITY, _SCOPES, _AS_OF],
    topic_bodies.field_trust_and_history: [
        _MAX_SENSITIVITY,
        _SCOPES,
        _WITH_HISTORY,
        _ARCHIVED,
        _AS_OF,
    ],
    topic_bodies.scope_and_page: [_SCOPE, _LIMIT, _CURSOR],
    topic_bodies.scope_archived_and_page: [_SCOPE, _INCLUDE_ARCHIVED, _LIMIT, _CURSOR],
    topic_bodies.scope_topic_depth_and_page: [_SCOPE, _AROUND, _DEPTH, _NODES, _CURSOR],
}
"""The query parameters by the function that assembles a request; see `with_description`."""

_FIELDS: Mapping[str, str] = {"type": "types"}
"""The fields of requests whose query parameter has a name of its own."""


def with_description(parameter: JsonObject, request: type) -> JsonObject:
    """The query parameter with the description of the request's field; raises KeyError."""
    name, fields = parameter["name"], descriptions(request)
    if name not in fields:
        name = str(_FIELDS.get(name, name))
    if name not in fields:
        fields, name = descriptions(TrustInput), "scopes" if name == "scope" else name
    return {**parameter, "description": fields[name]}


OUTSIDE_THE_BODY: Mapping[Callable[[Any], Any], tuple[str, ...]] = {
    bodies.id_and_body: ("id",),
    bodies.id_and_deep_body: ("id",),
    bodies.id_body_and_erase: ("id", "erase"),
    tools.name_and_arguments: ("name",),
    document_bodies.place_and_body: ("namespace", "key"),
    document_bodies.place_and_list_items: ("namespace", "key"),
    document_bodies.place_body_and_query: ("namespace", "key", "items", "erase"),
    topic_bodies.name_and_body: ("id", "name"),
    topic_bodies.edge_and_body: ("id", "to_topic_id", "kind"),
}
"""By the function that assembles a request, the fields outside the body."""

IDEMPOTENCY_KEY: JsonObject = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": (
        "A repeat under the same key changes nothing; with another body the repeat is refused. "
        "`idempotency_key` in the body wins."
    ),
    "schema": {**KEY, "pattern": "^[!-~]([ -~]*[!-~])?$"},
}
KEY_OF_CHAT = (
    "A repeat asks the model again; calls of tools with equal arguments then write nothing a "
    "second time. `idempotency_key` in the body wins."
)
ID: JsonObject = {
    "name": "id",
    "in": "path",
    "required": True,
    "description": "The id of the record, topic, entity, receipt, erasure or study.",
    "schema": RECORD_ID_SCHEMA,
}
USER_PARAMETER: JsonObject = {
    "name": USER,
    "in": "query",
    "description": USER_SCHEMA["description"],
    "schema": {**USER_SCHEMA, "type": "string"},
}
THREAD_ID: JsonObject = {
    "name": "thread_id",
    "in": "path",
    "required": True,
    "description": "The thread.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_TEXT_CHARACTERS},
}
NAME: JsonObject = {
    "name": "name",
    "in": "path",
    "required": True,
    "description": "The whole name of the field, percent-encoded.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_NAME_CHARACTERS, **FIELD_NAME},
}
TOOL: JsonObject = {
    "name": "name",
    "in": "path",
    "required": True,
    "description": "The name of the tool, of any profile.",
    "schema": {"type": "string"},
}
PATH: JsonObject = {
    "name": "path",
    "in": "path",
    "required": True,
    "description": (
        "The labels of the namespace and the key, a segment for each. API Gateway decodes a path "
        "once: encode each label and the key by itself, and the URL once more, so that `/` in a "
        "label travels as `%252F`."
    ),
    "schema": {"type": "string", "pattern": "^[^/]+(/[^/]+)+$"},
}
LIST_PATH: JsonObject = {
    **PATH,
    "description": f"{PATH['description']} The last segment is `items`.",
    "schema": {"type": "string", "pattern": "^[^/]+(/[^/]+)+/items$"},
}
IF_MATCH: JsonObject = {
    "name": "If-Match",
    "in": "header",
    "description": (
        'The version that the document must have, such as `"3"`, or `*`: there must be a '
        "document. Otherwise 412. Stands for `expected_version` and `must_exist` in the body."
    ),
    "schema": {"type": "string", "pattern": r'^(\*|"(0|[1-9][0-9]{0,15})")$'},
}
IF_NONE_MATCH: JsonObject = {
    "name": "If-None-Match",
    "in": "header",
    "description": "`*`: there must be no document. Otherwise 412. Not beside `If-Match`.",
    "schema": {"const": "*"},
}
CONDITIONAL: tuple[Callable[[Any], Any], ...] = (
    document_bodies.place_and_body,
    document_bodies.place_body_and_query,
)
"""The functions that read the headers for a version."""
