"""JSON Schemas of the models that requests and replies are made of.

Pydantic writes them; what it cannot know stands here: the rules that are functions, what policy
requires, and that a null or empty word is an absent one.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, WrapValidator
from pydantic.json_schema import CoreRef, GenerateJsonSchema, JsonSchemaMode, models_json_schema
from pydantic_core import core_schema

from membrane.domain.ingest.full_records import OpenUpload, RecordInput
from membrane.domain.ingest.messages import CalledFunction, IngestMessages, Message
from membrane.domain.ingest.policy import REQUIRED
from membrane.domain.ingest.reports import IngestRequest, IngestToolOutput, IngestWorkingState
from membrane.domain.language.fields import (
    MAX_SCOPE_BYTES,
    MAX_TAGS,
    RECORD_ID,
    RecordId,
    Scope,
    Tags,
    Timestamp,
    no_prefix,
)
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.requests import (
    MAX_KEY_CHARACTERS,
    IdempotencyKey,
    OptionalScope,
    RequestPart,
)
from membrane.domain.language.values import BLOB, MAX_VALUE_BYTES, UPLOAD, JsonValue, Object
from membrane.domain.language.vocabulary import MemoryType, Role
from membrane.domain.lifecycle.requests import ChangeLifecycle, Penalize
from membrane.domain.records.payloads import Constraint, Constraints, EntityAlias, SemanticPayload
from membrane.domain.revision.classification import CLASSIFYING_FIELDS
from membrane.domain.revision.requests import Merge, Reclassify, Resolve
from membrane.domain.revision.successors import MAX_SOURCES
from membrane.domain.salience.lifecycle import DecayChange
from membrane.domain.search.requests import ONE_OR_MORE, Retrieve
from membrane.domain.tokens.fields import MAX_LIMIT
from membrane.domain.topics.placing.observations import Placement
from membrane.domain.topics.requests.editing import AppendField, ChangeSystemContext
from membrane.domain.topics.requests.ingest import FieldInput, IngestTopic
from membrane.domain.topics.requests.parts import NOT_NULL, FieldName, TopicValue
from membrane.domain.topics.revisions import FieldType

TEMPLATE = "#/components/schemas/{model}"
NULL = {"type": "null"}
EMPTY = {"const": ""}

KEY: JsonObject = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_KEY_CHARACTERS,
    "pattern": "^[ -~]*$",
}
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_SENT_TIMESTAMP: JsonObject = {
    "type": "string",
    "format": "date-time",
    "pattern": rf"^{_DATE}T{_CLOCK}([.,][0-9]+)?(Z|[+-][0-9]{{2}}:[0-9]{{2}})$",
    "description": "RFC 3339 with a zone; kept in UTC, to the nanosecond.",
}
_GIVEN_TIMESTAMP: JsonObject = {
    "type": "string",
    "format": "date-time",
    "pattern": rf"^{_DATE}T{_CLOCK}(\.[0-9]{{1,9}})?Z$",
    "description": "RFC 3339 in UTC.",
}
_SCOPE: JsonObject = {
    "type": "string",
    "maxLength": MAX_SCOPE_BYTES,
    "not": {"pattern": r"(^|:)\*$"},
    "description": f"The partition of memory; at most {MAX_SCOPE_BYTES} bytes of UTF-8.",
}
NAMED_SCOPE: JsonObject = {"type": "string", "not": {"pattern": r":\*$"}}
"""A scope by which a request narrows its trust."""
USER_SCHEMA: JsonObject = {
    "type": ["string", "null"],
    "minLength": 1,
    "maxLength": MAX_SCOPE_BYTES,
    "not": {"pattern": r"\*$"},
    "description": (
        "Act for this user alone, in the scope that the key's user prefix and the user make; "
        "refused for a key without a user prefix. A key with a user prefix refuses null."
    ),
}
RECORD_ID_SCHEMA: JsonObject = {
    "type": "string",
    "maxLength": 128,
    "pattern": f"^{RECORD_ID.pattern}$",
}
_UPLOAD: JsonObject = {
    "type": "object",
    "properties": {UPLOAD: RECORD_ID_SCHEMA},
    "required": [UPLOAD],
    "additionalProperties": False,
    "description": "A value that was uploaded, by the id of its upload.",
}
_BLOB: JsonObject = {
    "type": "object",
    "properties": {
        BLOB: {
            "type": "object",
            "properties": {
                "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                "size": {"type": "integer", "minimum": 0, "description": "Bytes of JSON text."},
                "url": {"type": "string", "format": "uri", "description": "Valid for minutes."},
            },
            "required": ["sha256", "size", "url"],
            "additionalProperties": False,
        }
    },
    "required": [BLOB],
    "additionalProperties": False,
    "description": "A value too large for the reply, and where to get it.",
}
_SENT_VALUE: JsonObject = {
    "description": f"Any JSON of at most {MAX_VALUE_BYTES} bytes and 64 levels.",
    "not": {"type": "object", "required": [BLOB], "maxProperties": 1},
}
_GIVEN_VALUE: JsonObject = {"description": "Any JSON."}
_IN_PLACE_OF_OTHERS: JsonObject = {
    "not": {
        "type": "object",
        "maxProperties": 1,
        "anyOf": [{"required": [UPLOAD]}, {"required": [BLOB]}],
    }
}
_VALUE_IN_PLACE: JsonObject = {"description": "Any JSON value, in place.", **_IN_PLACE_OF_OTHERS}
_TEXT_PARTS: JsonObject = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {"type": {"const": "text"}, "text": {"type": "string", "minLength": 1}},
        "required": ["type", "text"],
        "additionalProperties": False,
    },
    "description": "Parts, which become a line each.",
}
_CONTROLS = r"\u0000-\u001f\u007f-\u009f"
FIELD_NAME: JsonObject = {"pattern": rf"^[^{_CONTROLS}]*[^\s{_CONTROLS}][^{_CONTROLS}]*$"}
_DATE_ALONE: JsonObject = {"type": "string", "format": "date", "pattern": f"^{_DATE}$"}
_JSON_TEXT_SCHEMA: JsonObject = {
    "type": "string",
    "contentMediaType": "application/json",
    "description": "The same as JSON text.",
}

_CITATION = re.compile(r" \((?:seed|spec|design) [^)]*\)")


def _rule_of(annotation: Any) -> Callable[..., Any]:
    """The function that an annotated type is validated by; the outermost, where there are more."""
    validators = (BeforeValidator, AfterValidator, WrapValidator)
    rules = [part.func for part in get_args(annotation)[1:] if isinstance(part, validators)]
    return rules[-1]


_NAMED: Mapping[Callable[..., Any], tuple[str, Mapping[JsonSchemaMode, JsonObject]]] = {
    _rule_of(Timestamp): (
        "Timestamp",
        {"validation": _SENT_TIMESTAMP, "serialization": _GIVEN_TIMESTAMP},
    ),
    _rule_of(Scope): ("Scope", {"validation": _SCOPE, "serialization": _SCOPE}),
    _rule_of(RecordId): (
        "RecordId",
        {"validation": RECORD_ID_SCHEMA, "serialization": RECORD_ID_SCHEMA},
    ),
    _rule_of(IdempotencyKey): ("IdempotencyKey", {"validation": KEY, "serialization": KEY}),
    _rule_of(JsonValue): (
        "JsonValue",
        {"validation": _SENT_VALUE, "serialization": _GIVEN_VALUE},
    ),
    _rule_of(Object): (
        "JsonObject",
        {
            "validation": {"type": "object", **_SENT_VALUE},
            "serialization": {"type": "object", **_GIVEN_VALUE},
        },
    ),
}
"""Types whose rule is a function: their component's name and their schema, sent and given."""

_VALUES = (_rule_of(JsonValue), _rule_of(Object))
_MAY_BE_ELSEWHERE = _rule_of(Constraints)
_EMPTY_IS_ABSENT = _rule_of(OptionalScope)
_AT_MOST_MAX_TAGS = _rule_of(Tags)
_NAMES_A_FIELD = _rule_of(FieldName)
_IN_PLACE = _rule_of(TopicValue)
_NEVER_NULL = NOT_NULL.func
_JSON_TEXT = {
    CalledFunction: "arguments",
    IngestToolOutput: "args",
    IngestWorkingState: "active_constraints",
}
"""Fields that also take their value as JSON text."""
_FILLED_IN = {SemanticPayload: ("object",), Constraint: ("type", "key", "value")}
"""Fields that a model has always, and that a caller may leave out."""
_LIMITS: Mapping[type[BaseModel], Mapping[str, JsonObject]] = {
    CalledFunction: {"arguments": _IN_PLACE_OF_OTHERS},
    IngestMessages: {"messages": {"minItems": 1}},
    ChangeSystemContext: {name: {"pattern": r"\S"} for name in ("system_role", "runtime_context")},
    IngestTopic: {"placement": {"enum": [None, *(each.value for each in Placement)]}},
    Merge: {"ids": {"minItems": 1, "maxItems": MAX_SOURCES}},
    OpenUpload: {"size": {"maximum": MAX_VALUE_BYTES}},
    Penalize: {"amount": {"minimum": 0}},
    Retrieve: {
        "limit": {"minimum": 0, "maximum": MAX_LIMIT},
        "min_salience": {"minimum": 0},
    },
}
"""Limits that are rules of a function, by field."""


def schemas_of(
    sent: Iterable[type[BaseModel]], given: Iterable[type[BaseModel]]
) -> dict[str, JsonObject]:
    """Components for models that callers send and models that they are given, by name."""
    pairs: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        *((model, "validation") for model in sent),
        *((model, "serialization") for model in given),
    ]
    _, document = models_json_schema(pairs, ref_template=TEMPLATE, schema_generator=Generator)
    return {name: _plain(schema) for name, schema in document["$defs"].items()}


class Generator(GenerateJsonSchema):
    """Pydantic's generator with the rules that are functions."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonObject:
        """A default that says nothing more than "absent" is not worth a line."""
        found = super().default_schema(schema)
        if not found.get("default") or isinstance(found["default"], dict):
            found.pop("default", None)
        return found

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the signature is given
        """A title would repeat the name."""
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonObject:
        """A reply leaves out what is null."""
        if self.mode == "serialization":
            return self.generate_inner(schema["schema"])
        return super().nullable_schema(schema)

    def ser_schema(self, schema: Any) -> JsonObject | None:
        """A serialiser of ours gives what the validator takes, which says more."""
        return None if schema["type"] == "function-plain" else super().ser_schema(schema)

    def function_before_schema(
        self, schema: core_schema.BeforeValidatorFunctionSchema
    ) -> JsonObject:
        """Rules that see the value first."""
        rule = schema["function"]["function"]
        if rule is _AT_MOST_MAX_TAGS:
            return super().function_before_schema(schema) | {"maxItems": MAX_TAGS}
        if rule is _NEVER_NULL:
            return _never_null(super().function_before_schema(schema))
        if rule is ONE_OR_MORE.func:
            listed = super().function_before_schema(schema)
            return _either(_either(listed, listed["items"]), EMPTY)
        if rule is _IN_PLACE:
            return dict(_VALUE_IN_PLACE)
        if rule is _EMPTY_IS_ABSENT:
            return _either(super().function_before_schema(schema), EMPTY)
        return self._named(rule) or super().function_before_schema(schema)

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> JsonObject:
        """Rules that see the value last."""
        rule = schema["function"]["function"]
        if rule is _NAMES_A_FIELD:
            return super().function_after_schema(schema) | FIELD_NAME
        if rule is no_prefix:
            return dict(NAMED_SCOPE)
        return self._named(rule) or super().function_after_schema(schema)

    def function_wrap_schema(self, schema: core_schema.WrapValidatorFunctionSchema) -> JsonObject:
        """Rules around another validator."""
        found = super().function_wrap_schema(schema)
        is_elsewhere = schema["function"]["function"] is _MAY_BE_ELSEWHERE
        return _either(found, self._elsewhere()) if is_elsewhere else found

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonObject:
        """A model, with what its validators and policy say of it."""
        model = schema["cls"]
        found = super().model_schema(schema)
        if model is EntityAlias:
            return _either(found, {"type": "string"})
        if self.mode == "validation":
            _complete(model, found)
        return found

    def _named(self, rule: Callable[..., Any]) -> JsonObject | None:
        if rule not in _NAMED:
            return None
        name, by_mode = _NAMED[rule]
        schema = by_mode[self.mode]
        if rule in _VALUES:
            schema = schema | {"anyOf": [self._elsewhere(), {}]}
        return self._component(name, schema)

    def _elsewhere(self) -> JsonObject:
        """What may stand in place of a value that is too large for a body."""
        if self.mode == "validation":
            return self._component("UploadClaim", _UPLOAD)
        return self._component("LargeValue", _BLOB)

    def _component(self, name: str, schema: JsonObject) -> JsonObject:
        defs_ref, reference = self.get_cache_defs_ref_schema(CoreRef(name))
        self.definitions[defs_ref] = dict(schema)
        return reference


def _complete(model: type[BaseModel], schema: JsonObject) -> None:
    """What callers must and may send, beside what the fields' types say."""
    properties: dict[str, JsonObject] = schema.get("properties", {})
    if model in _JSON_TEXT:
        name = _JSON_TEXT[model]
        properties[name] = _either(properties[name], _JSON_TEXT_SCHEMA)
    if model is Message:
        properties["content"] = _either(properties["content"], _TEXT_PARTS)
    for name in _FILLED_IN.get(model, ()):
        schema["required"].remove(name)
    for name, limits in _LIMITS.get(model, {}).items():
        properties[name].update(limits)
    if issubclass(model, IngestRequest):
        for name in ("source", *REQUIRED[model.kind]):
            properties[name] = _present(properties[name])
            schema.setdefault("required", []).append(name)
    if issubclass(model, RequestPart):
        for name in properties.keys() - set(schema.get("required", ())):
            properties[name] = _either(properties[name], NULL)
    schema.update(_AS_A_WHOLE.get(model, {}))


def _payload_of(memory_type: MemoryType) -> JsonObject:
    """A record's payload is of the record's type."""
    return {
        "if": {"properties": {"type": {"const": memory_type.value}}},
        "then": {"properties": {"payload": {"properties": {"kind": {"const": memory_type.value}}}}},
    }


def _present_at_all(name: str) -> JsonObject:
    """The property is there and not null."""
    return {"properties": {name: {"not": NULL}}, "required": [name]}


_VALUES_OF: Mapping[FieldType, JsonObject] = {
    FieldType.STRING: {"type": "string"},
    FieldType.INT: {"type": "integer"},
    FieldType.FLOAT: {"type": "number"},
    FieldType.BOOL: {"type": "boolean"},
    FieldType.DATE: _DATE_ALONE,
    FieldType.DATETIME: _SENT_TIMESTAMP,
    FieldType.LIST: {"type": "array"},
}
"""What a field of a type takes, beside null; one of JSON takes anything."""


def _value_of(field_type: FieldType) -> JsonObject:
    """A value is of the type that is named; without one it is the empty text."""
    value = {"anyOf": [_VALUES_OF[field_type], NULL]}
    asked = [] if field_type is FieldType.STRING else ["value"]
    return {
        "if": {
            "properties": {"field_type": {"const": field_type.value}},
            "required": ["field_type"],
        },
        "then": {"properties": {"value": value}, "required": asked},
    }


def _placed_by(placement: Placement, **more: JsonObject) -> JsonObject:
    """What that placement needs."""
    there = {"type": "string", "minLength": 1}
    return {
        "if": {
            "properties": {"placement": {"const": placement.value}},
            "required": ["placement"],
        },
        "then": {
            "properties": {"topic_id": there, **more},
            "required": ["topic_id", *more],
        },
    }


def _with(name: str) -> JsonObject:
    """The property is there, neither null nor empty."""
    return {"properties": {name: {"not": {"enum": [None, "", []]}}}, "required": [name]}


def _with_words(name: str) -> JsonObject:
    """With a text, or a list of text parts, that is more than blanks."""
    words: JsonObject = {"pattern": r"\S"}
    words["contains"] = {"properties": {"text": dict(words)}}
    return {"allOf": [_with(name), {"properties": {name: words}}]}


def _without(name: str) -> JsonObject:
    return {"properties": {name: {"enum": [None, "", []]}}}


def _of_role(role: Role, *rules: JsonObject) -> JsonObject:
    return {"allOf": [{"properties": {"role": {"const": role.value}}}, *rules]}


_TYPED: JsonObject = {"allOf": [_value_of(field_type) for field_type in _VALUES_OF]}

_AS_A_WHOLE: Mapping[type[BaseModel], JsonObject] = {
    ChangeLifecycle: {"anyOf": [_present_at_all("decay"), _present_at_all("deletion_policy")]},
    AppendField: _TYPED,
    DecayChange: {"minProperties": 1},
    IngestMessages: {
        "anyOf": [
            {"allOf": [_with_words("thread_id"), _without("session")]},
            {"allOf": [_with_words("session"), _without("thread_id")]},
        ]
    },
    Message: {
        "anyOf": [
            _of_role(
                Role.USER, _with_words("content"), _without("tool_calls"), _without("tool_call_id")
            ),
            _of_role(
                Role.ASSISTANT,
                {"anyOf": [_with_words("content"), _with("tool_calls")]},
                _without("tool_call_id"),
            ),
            _of_role(
                Role.TOOL,
                _present_at_all("content"),
                {"anyOf": [_with("tool_call_id"), _with("name")]},
                _without("tool_calls"),
            ),
        ]
    },
    FieldInput: _TYPED,
    IngestTopic: {
        "allOf": [
            _placed_by(Placement.EXTEND_TOPIC),
            _placed_by(Placement.VERSION_FIELD, fields={"minItems": 1, "maxItems": 1}),
        ]
    },
    Reclassify: {"anyOf": [_present_at_all(name) for name in (*CLASSIFYING_FIELDS, "retracted")]},
    RecordInput: {"allOf": [_payload_of(word) for word in MemoryType]},
    Resolve: {
        "anyOf": [
            {"properties": {"resolution": {"const": "supersede"}}},
            {"properties": {"superseded_by": {"enum": ["", None]}}},
        ]
    },
}
"""What is asked of a model beyond its single fields."""


def _either(schema: JsonObject, other: JsonObject) -> JsonObject:
    """What fits one or the other; the schema that fits everything stays as it is."""
    if schema.keys() <= {"description"}:
        return schema
    if "anyOf" in schema:
        known = [one for one in schema["anyOf"] if one != other]
        return schema | {"anyOf": [*known, other]}
    if other == NULL and isinstance(schema.get("type"), str) and "enum" not in schema:
        return schema | {"type": [schema["type"], "null"]}
    outer = {name: schema[name] for name in ("description", "default") if name in schema}
    inner = {name: value for name, value in schema.items() if name not in outer}
    return outer | {"anyOf": [inner, other]}


def _never_null(schema: JsonObject) -> JsonObject:
    """The same without the null."""
    (found,) = (one for one in schema["anyOf"] if one != NULL)
    return dict(found)


def _present(schema: JsonObject) -> JsonObject:
    """The same without the null and the empty word."""
    if "anyOf" in schema:
        (schema,) = (one for one in schema["anyOf"] if one not in (NULL, EMPTY))
    return schema | {"minLength": 1} if schema.get("type") == "string" else schema


def _plain(schema: JsonObject) -> JsonObject:
    """A component without the title, which is its name, and its docstring without citations."""
    found = {name: value for name, value in schema.items() if name != "title"}
    if "description" in found:
        found["description"] = " ".join(_CITATION.sub("", found["description"]).split())
    return found
