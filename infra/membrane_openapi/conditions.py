"""Conditions of validators and of policy on requests, beyond the types of the fields."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from membrane.domain.capture.requests import CaptureMemory
from membrane.domain.documents.requests import PutDocument
from membrane.domain.graph.requests import RetrieveGraph
from membrane.domain.ingest.full_records import OpenUpload, RecordInput
from membrane.domain.ingest.messages import CalledFunction, IngestMessages, Message
from membrane.domain.ingest.policy import REQUIRED
from membrane.domain.ingest.provider_messages import INSTRUCTIONS
from membrane.domain.ingest.reports import IngestRequest, IngestToolOutput, IngestWorkingState
from membrane.domain.language.fields import MAX_LIMIT
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.requests import RequestPart
from membrane.domain.language.values import MAX_VALUE_BYTES
from membrane.domain.language.vocabulary import MemoryType, Role
from membrane.domain.lifecycle.requests import ChangeLifecycle, Penalize
from membrane.domain.records.payloads import Constraint, SemanticPayload
from membrane.domain.revision.changes import MAX_SOURCES
from membrane.domain.revision.requests import CLASSIFYING_FIELDS, Merge, Reclassify, Resolve
from membrane.domain.salience.lifecycle import DecayChange
from membrane.domain.search.requests import Retrieve
from membrane.domain.study.requests import StartStudy
from membrane.domain.topics.placing.observations import Placement
from membrane.domain.topics.requests.editing import AppendField, ChangeSystemContext
from membrane.domain.topics.requests.ingest import FieldInput, IngestTopic
from membrane.domain.topics.topic import FieldType
from membrane_openapi import formats
from membrane_openapi.formats import NULL, either, present

_JSON_TEXT = {
    CalledFunction: "arguments",
    IngestToolOutput: "args",
    IngestWorkingState: "active_constraints",
}
"""By model the field that also takes JSON text."""

_FILLED_IN = {SemanticPayload: ("object",), Constraint: ("type", "key", "value")}
"""By model the fields that a caller may leave out although the model requires a value."""

_LIMITS: Mapping[type[BaseModel], Mapping[str, JsonObject]] = {
    CalledFunction: {"arguments": formats.NO_STAND_IN},
    CaptureMemory: {"content": {"not": NULL}},
    IngestMessages: {"messages": {"minItems": 1}},
    ChangeSystemContext: {name: {"pattern": r"\S"} for name in ("system_role", "runtime_context")},
    IngestTopic: {"placement": {"enum": [None, *(each.value for each in Placement)]}},
    Merge: {"ids": {"minItems": 1, "maxItems": MAX_SOURCES}},
    OpenUpload: {"size": {"maximum": MAX_VALUE_BYTES}},
    PutDocument: {"value": {"not": NULL}},
    Penalize: {"amount": {"minimum": 0}},
    RetrieveGraph: {
        "root_limit": {"minimum": 0, "maximum": MAX_LIMIT},
        "node_limit": {"minimum": 0, "maximum": MAX_LIMIT},
        "edge_limit": {"minimum": 0, "maximum": MAX_LIMIT},
        "max_hops": {"minimum": -1, "maximum": MAX_LIMIT},
        "min_salience": {"minimum": 0},
    },
    StartStudy: {"title": {"pattern": r"\S"}},
    Retrieve: {"min_salience": {"minimum": 0}},
}
"""By model and field the limits that are rules of a function."""


def add_conditions(model: type[BaseModel], schema: JsonObject) -> None:
    """Add to the schema of a request the conditions that the types of the fields do not say."""
    properties: dict[str, JsonObject] = schema.get("properties", {})
    if name := _JSON_TEXT.get(model):
        properties[name] = either(properties[name], formats.JSON_TEXT)
    if model is Message:
        properties["content"] = either(properties["content"], formats.TEXT_PARTS)
        properties |= formats.MESSAGE_OF_A_PROVIDER
    for name in _FILLED_IN.get(model, ()):
        schema["required"].remove(name)
    for name, limits in _LIMITS.get(model, {}).items():
        properties[name].update(limits)
    for name in _required_of(model):
        if name != "source":  # An empty source stands for the actor of the key.
            properties[name] = present(properties[name])
        schema.setdefault("required", []).append(name)
    if issubclass(model, RequestPart):
        for name in properties.keys() - set(schema.get("required", ())):
            properties[name] = either(properties[name], NULL)
    schema.update(_BETWEEN_FIELDS.get(model, {}))


def _required_of(model: type[BaseModel]) -> Sequence[str]:
    """The fields of a report that policy requires."""
    if issubclass(model, CaptureMemory):
        return ("source", "content")
    return [*REQUIRED[model.kind]] if issubclass(model, IngestRequest) else ()


def _payload_of(memory_type: MemoryType) -> JsonObject:
    return {
        "if": {"properties": {"type": {"const": memory_type.value}}},
        "then": {"properties": {"payload": {"properties": {"kind": {"const": memory_type.value}}}}},
    }


def _not_null(name: str) -> JsonObject:
    return {"properties": {name: {"not": NULL}}, "required": [name]}


_VALUES_OF: Mapping[FieldType, JsonObject] = {
    FieldType.STRING: {"type": "string"},
    FieldType.INT: {"type": "integer"},
    FieldType.FLOAT: {"type": "number"},
    FieldType.BOOL: {"type": "boolean"},
    FieldType.DATE: formats.DATE_ALONE,
    FieldType.DATETIME: formats.SENT_TIMESTAMP,
    FieldType.LIST: {"type": "array"},
}
"""The values of a field by type, beside null; a field of type JSON takes any value."""


def _is_given(name: str, word: FieldType | Placement) -> JsonObject:
    return {"properties": {name: {"const": word.value}}, "required": [name]}


def _value_of(field_type: FieldType) -> JsonObject:
    value = {"anyOf": [_VALUES_OF[field_type], NULL]}
    asked = [] if field_type is FieldType.STRING else ["value"]
    return {
        "if": _is_given("field_type", field_type),
        "then": {"properties": {"value": value}, "required": asked},
    }


def _placed_by(placement: Placement, **more: JsonObject) -> JsonObject:
    there = {"type": "string", "minLength": 1}
    return {
        "if": _is_given("placement", placement),
        "then": {"properties": {"topic_id": there, **more}, "required": ["topic_id", *more]},
    }


def _with(name: str) -> JsonObject:
    """The property is present, neither null nor empty."""
    return {"properties": {name: {"not": {"enum": [None, "", []]}}}, "required": [name]}


def _with_words(name: str) -> JsonObject:
    """The property is a text, or a list of text parts, with more than blanks."""
    words: JsonObject = {"pattern": r"\S"}
    words["contains"] = {"properties": {"text": dict(words)}}
    return {"allOf": [_with(name), {"properties": {name: words}}]}


def _without(name: str) -> JsonObject:
    return {"properties": {name: {"enum": [None, "", []]}}}


def _of_role(role: Role, *rules: JsonObject) -> JsonObject:
    return {"allOf": [{"properties": {"role": {"const": role.value}}}, *rules]}


_TYPED: JsonObject = {"allOf": [_value_of(field_type) for field_type in _VALUES_OF]}

_BETWEEN_FIELDS: Mapping[type[BaseModel], JsonObject] = {
    ChangeLifecycle: {"anyOf": [_not_null("decay"), _not_null("deletion_policy")]},
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
                _not_null("content"),
                {"anyOf": [_with("tool_call_id"), _with("name")]},
                _without("tool_calls"),
            ),
            {"properties": {"role": {"enum": [each.value for each in INSTRUCTIONS]}}},
        ]
    },
    FieldInput: _TYPED,
    IngestTopic: {
        "allOf": [
            _placed_by(Placement.EXTEND_TOPIC),
            _placed_by(Placement.VERSION_FIELD, fields={"minItems": 1, "maxItems": 1}),
        ]
    },
    Reclassify: {"anyOf": [_not_null(name) for name in (*CLASSIFYING_FIELDS, "retracted")]},
    RecordInput: {"allOf": [_payload_of(word) for word in MemoryType]},
    Resolve: {
        "anyOf": [
            {"properties": {"resolution": {"const": "supersede"}}},
            {"properties": {"superseded_by": {"enum": ["", None]}}},
        ]
    },
}
"""By model the conditions between fields."""
