"""Parameters of the API in path, query and headers."""

from collections.abc import Callable, Mapping
from typing import Any

from membrane.adapters.aws_lambda.http import bodies, topic_bodies
from membrane.adapters.aws_lambda.http.operations import USER
from membrane.domain.language.fields import MAX_TEXT_CHARACTERS
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.search.requests import USUAL_PAGE
from membrane.domain.tokens.cursors import MAX_CURSOR_CHARACTERS
from membrane.domain.tokens.fields import MAX_LIMIT
from membrane.domain.topics.requests.reading import MAX_DEPTH, MAX_NODES, USUAL_NODES
from membrane.domain.topics.titles import MAX_NAME_CHARACTERS
from membrane_openapi.formats import FIELD_NAME, KEY, NAMED_SCOPE, RECORD_ID_SCHEMA, USER_SCHEMA

_MAX_SENSITIVITY: JsonObject = {
    "name": "max_sensitivity",
    "in": "query",
    "description": "Show nothing above this level; narrows the rights of the key.",
    "schema": {"enum": ["", *(word.value for word in Sensitivity)]},
}
_SCOPES: JsonObject = {
    "name": "scope",
    "in": "query",
    "description": "Show these scopes and unscoped records; narrows the rights of the key.",
    "style": "form",
    "explode": True,
    "schema": {"type": "array", "items": NAMED_SCOPE},
}
_AS_OF: JsonObject = {
    "name": "as_of",
    "in": "query",
    "description": (
        "The record as of this instant, with salience and audit trail: RFC 3339, not in the "
        "future. Not found before the creation, and while the record was deleted."
    ),
    "schema": {"anyOf": [{"const": ""}, {"$ref": "#/components/schemas/Timestamp-Input"}]},
}
_RESOLVE: JsonObject = {
    "name": "resolve",
    "in": "query",
    "description": (
        "Follow the successors of the record to the newest; 500 steps at most. Not with `as_of`."
    ),
    "schema": {"enum": ["", "latest"]},
}
_VERIFY: JsonObject = {
    "name": "verify",
    "in": "query",
    "description": (
        "Check the hash chain: on the first page the whole trail, up to 50,000 entries; on a later "
        "page the entries of the page."
    ),
    "schema": {"type": "boolean", "default": False},
}
_ERASE: JsonObject = {
    "name": "erase",
    "in": "query",
    "description": (
        "Remove the content for good, with the free text of the audit; needs the permission "
        "`admin` instead."
    ),
    "schema": {"type": "boolean", "default": False},
}

_SCOPE: JsonObject = {
    "name": "scope",
    "in": "query",
    "description": "One scope.",
    "schema": {"$ref": "#/components/schemas/Scope"},
}
_TYPES: JsonObject = {
    "name": "type",
    "in": "query",
    "description": "Memory types; without any, all.",
    "style": "form",
    "explode": True,
    "schema": {"type": "array", "items": {"$ref": "#/components/schemas/MemoryType"}},
}
_LIMIT: JsonObject = {
    "name": "limit",
    "in": "query",
    "description": "The size of a page; 0 for as many as a reply carries.",
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
    "description": "The size of a page; 0 is the default.",
    "schema": {**_LIMIT["schema"], "default": USUAL_PAGE},
}
_CURSOR: JsonObject = {
    "name": "cursor",
    "in": "query",
    "description": "The `next_cursor` of the page before; every other parameter stays the same.",
    "schema": {"type": "string", "maxLength": MAX_CURSOR_CHARACTERS},
}

_TO_TOPIC: JsonObject = {
    "name": "to_topic_id",
    "in": "query",
    "required": True,
    "description": "The topic at the end of the relationship.",
    "schema": {"type": "string"},
}
_KIND: JsonObject = {
    "name": "kind",
    "in": "query",
    "required": True,
    "description": "The kind of the relationship; may be empty.",
    "schema": {"type": "string"},
}
_TOPIC_AS_OF: JsonObject = {
    "name": "as_of",
    "in": "query",
    "description": "The values as of this instant, by `valid_from`: RFC 3339, not in the future.",
    "schema": {"anyOf": [{"const": ""}, {"$ref": "#/components/schemas/Timestamp-Input"}]},
}
_WITH_HISTORY: JsonObject = {
    "name": "with_history",
    "in": "query",
    "description": "Whether to show earlier revisions.",
    "schema": {"type": "boolean", "default": True},
}
_ARCHIVED: JsonObject = {
    "name": "archived",
    "in": "query",
    "description": "Whether to show archived revisions.",
    "schema": {"type": "boolean", "default": False},
}
_INCLUDE_ARCHIVED: JsonObject = {
    "name": "include_archived",
    "in": "query",
    "description": "Whether to show archived topics.",
    "schema": {"type": "boolean", "default": False},
}
_AROUND: JsonObject = {
    "name": "topic_id",
    "in": "query",
    "description": "Show the topics around this topic, in place of a page of a scope.",
    "schema": {"type": "string"},
}
_DEPTH: JsonObject = {
    "name": "depth",
    "in": "query",
    "description": "The number of links from `topic_id`.",
    "schema": {"type": "integer", "minimum": 1, "maximum": MAX_DEPTH, "default": 1},
}
_NODES: JsonObject = {
    "name": "limit",
    "in": "query",
    "description": "The number of topics at most.",
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
"""By the function that assembles a request, the query parameters."""

OUTSIDE_THE_BODY: Mapping[Callable[[Any], Any], tuple[str, ...]] = {
    bodies.id_and_body: ("id",),
    bodies.id_and_deep_body: ("id",),
    bodies.id_body_and_erase: ("id", "erase"),
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
ID: JsonObject = {
    "name": "id",
    "in": "path",
    "required": True,
    "description": "The id of the record, topic or receipt.",
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
