"""Parameters of the API in path, query and headers."""

from membrane.adapters.aws_lambda.http.assembling import Parameter, parameters
from membrane.adapters.aws_lambda.http.operations import Row
from membrane.domain.access.principals import USER
from membrane.domain.access.requests import TrustInput
from membrane.domain.language.fields import MAX_ELEMENTS, MAX_TEXT_CHARACTERS
from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.titles import MAX_NAME_CHARACTERS
from membrane_openapi.formats import EMPTY, FIELD_NAME, KEY, NULL, RECORD_ID_SCHEMA, USER_SCHEMA

_ORDER = (
    *("$ref", "type", "items", "not", "minLength", "minimum", "maximum", "maxLength", "maxItems"),
    "pattern",
)


def query_parameters(row: Row, schemas: JsonObject) -> list[JsonObject]:
    """The parameters of the query, from the schemas of the request's fields."""
    return [_parameter(each, row, schemas) for each in parameters(row.request_type)]


def _parameter(parameter: Parameter, row: Row, schemas: JsonObject) -> JsonObject:
    model = TrustInput if parameter.within else row.request_type
    properties = schemas[model.__name__]["properties"]
    found: JsonObject = {"name": parameter.name, "in": "query"}
    field = model.model_fields[parameter.field]
    if field.is_required():
        found["required"] = True
    elif parameter.type is tuple:
        found |= {"style": "form", "explode": True}
    schema = _schema(properties[parameter.field], parameter, schemas)
    if field.default not in (None, "", ()) and not field.is_required():
        schema["default"] = properties[parameter.field].get("default", field.default)
    return found | {"schema": schema, "description": properties[parameter.field]["description"]}


def _schema(sent: JsonObject, parameter: Parameter, schemas: JsonObject) -> JsonObject:
    """The schema of a text in the query: never null, and empty where an empty text is absent."""
    alternatives = sent.get("anyOf", [sent])
    (form,) = (each for each in alternatives if each not in (NULL, EMPTY))
    form = {name: form[name] for name in form if name not in ("description", "default")}
    meant = schemas[form["$ref"].rpartition("/")[2]] if "$ref" in form else form
    words = meant.get("enum") or [meant[name] for name in ("const",) if name in meant]
    may_be_empty = EMPTY in alternatives or (parameter.type is str and parameter.has_default)
    if words:
        return {"enum": ["", *words] if may_be_empty else words}
    if may_be_empty and "pattern" in meant:
        return {"anyOf": [EMPTY, form]}
    if isinstance(form.get("type"), list):
        form["type"] = form["type"][0]
    if form.get("maxItems") == MAX_ELEMENTS:
        del form["maxItems"]
    if "items" in form:
        form["items"] = _in_order(form["items"])
    return _in_order(form)


def _in_order(schema: JsonObject) -> JsonObject:
    return {name: schema[name] for name in sorted(schema, key=_ORDER.index)}


def _in_path(name: str, description: str, schema: JsonObject) -> JsonObject:
    found = {"name": name, "in": "path", "required": True}
    return {**found, "description": description, "schema": schema}


def _in_header(name: str, description: str, schema: JsonObject) -> JsonObject:
    return {"name": name, "in": "header", "description": description, "schema": schema}


_FULL = {"type": "string", "minLength": 1}
_OF_PATH = (
    "The labels of the namespace and the key, a segment for each. API Gateway decodes a path "
    "once: encode each label and the key by itself, and the URL once more, so that `/` in a "
    "label travels as `%252F`."
)
IDEMPOTENCY_KEY = _in_header(
    "Idempotency-Key",
    "A repeat under the same key changes nothing; with another body the repeat is refused. "
    "`idempotency_key` in the body wins.",
    {**KEY, "pattern": "^[!-~]([ -~]*[!-~])?$"},
)
KEY_OF_CHAT = {
    **IDEMPOTENCY_KEY,
    "description": "A repeat asks the model again; calls of tools with equal arguments then write "
    "nothing a second time. `idempotency_key` in the body wins.",
}
PARAMETERS: dict[str, JsonObject] = {
    "id": _in_path(
        "id", "The id of the record, topic, entity, receipt, erasure or study.", RECORD_ID_SCHEMA
    ),
    "thread_id": _in_path("thread_id", "The thread.", {**_FULL, "maxLength": MAX_TEXT_CHARACTERS}),
    "name": _in_path(
        "name",
        "The whole name of the field, percent-encoded.",
        {**_FULL, "maxLength": MAX_NAME_CHARACTERS, **FIELD_NAME},
    ),
    "tool": _in_path("name", "The name of the tool, of any profile.", {"type": "string"}),
    "path": _in_path("path", _OF_PATH, {"type": "string", "pattern": "^[^/]+(/[^/]+)+$"}),
    "list-path": _in_path(
        "path",
        f"{_OF_PATH} The last segment is `items`.",
        {"type": "string", "pattern": "^[^/]+(/[^/]+)+/items$"},
    ),
    "if-match": _in_header(
        "If-Match",
        'The version that the document must have, such as `"3"`, or `*`: there must be a document. '
        "Otherwise 412. Stands for `expected_version` and `must_exist` in the body.",
        {"type": "string", "pattern": r'^(\*|"(0|[1-9][0-9]{0,15})")$'},
    ),
    "if-none-match": _in_header(
        "If-None-Match",
        "`*`: there must be no document. Otherwise 412. Not beside `If-Match`.",
        {"const": "*"},
    ),
    USER: {
        "name": USER,
        "in": "query",
        "description": USER_SCHEMA["description"],
        "schema": {**USER_SCHEMA, "type": "string"},
    },
    "idempotency-key": IDEMPOTENCY_KEY,
}
"""The parameters by their components in the document."""
