"""JSON Schemas of the models of requests and of the types of replies.

Pydantic writes the schemas; this module adds the rules that are functions.
"""

import ast
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Any, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, TypeAdapter, WrapValidator
from pydantic.json_schema import CoreRef, GenerateJsonSchema, JsonSchemaMode
from pydantic_core import CoreSchema, core_schema

from membrane.domain.documents.filters import require_path
from membrane.domain.documents.places import Key, Label
from membrane.domain.language.fields import (
    MAX_LIMIT,
    MAX_TAGS,
    Limit,
    RecordId,
    Scope,
    Tags,
    Timestamp,
    no_prefix,
)
from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.requests import IdempotencyKey, OptionalScope
from membrane.domain.language.values import JsonValue, Object
from membrane.domain.records.payloads import Constraints, EntityAlias
from membrane.domain.search.requests import ONE_OR_MORE
from membrane.domain.study.requests import StartStudy
from membrane.domain.topics.requests.ingest import NOT_NULL, FieldName, TopicValue
from membrane_openapi import formats
from membrane_openapi.conditions import add_conditions
from membrane_openapi.formats import EMPTY, NULL, either, without_null


def _rule_of(annotation: Any) -> Callable[..., Any]:
    """The validator of an annotated type; of several validators the outermost."""
    validators = (BeforeValidator, AfterValidator, WrapValidator)
    rules = [part.func for part in get_args(annotation)[1:] if isinstance(part, validators)]
    return rules[-1]


_RECORD_ID = {**formats.RECORD_ID_SCHEMA, "description": "The id of a record or topic."}
_WRITE_KEY = {**formats.KEY, "description": "The caller's name for a write."}

_NAMED: Mapping[Callable[..., Any], tuple[str, JsonObject, JsonObject]] = {
    _rule_of(Timestamp): ("Timestamp", formats.SENT_TIMESTAMP, formats.GIVEN_TIMESTAMP),
    _rule_of(Scope): ("Scope", formats.SCOPE, formats.SCOPE),
    _rule_of(RecordId): ("RecordId", _RECORD_ID, _RECORD_ID),
    _rule_of(Label): ("Label", formats.LABEL, formats.LABEL),
    _rule_of(Key): ("DocumentKey", formats.DOCUMENT_KEY, formats.DOCUMENT_KEY),
    _rule_of(IdempotencyKey): ("IdempotencyKey", _WRITE_KEY, _WRITE_KEY),
    _rule_of(JsonValue): ("JsonValue", formats.SENT_VALUE, formats.GIVEN_VALUE),
    _rule_of(Object): (
        "JsonObject",
        {"type": "object", **formats.SENT_VALUE},
        {"type": "object", **formats.GIVEN_VALUE},
    ),
}
"""By validator the name of the component, and the schemas of request and reply."""

_VALUES = (_rule_of(JsonValue), _rule_of(Object))
_MAY_BE_UPLOADED = _rule_of(Constraints)
_EMPTY_IS_ABSENT = _rule_of(OptionalScope)
_STUDIED = _rule_of(StartStudy.__annotations__["document"])
_AT_MOST_MAX_TAGS = _rule_of(Tags)
_NAMES_A_FIELD = _rule_of(FieldName)
_IN_PLACE = _rule_of(TopicValue)
_IS_LIMIT = _rule_of(Limit)
_NEVER_NULL = NOT_NULL.func


def schemas_of(
    sent: Iterable[type[BaseModel]], given: Iterable[type[Any]]
) -> dict[str, JsonObject]:
    """Components for the models of requests and the types of replies, by name."""
    generator = Generator(ref_template="#/components/schemas/{model}")
    pairs: list[tuple[Any, JsonSchemaMode, CoreSchema]] = [
        *((model, "validation", TypeAdapter(model).core_schema) for model in sent),
        *((model, "serialization", TypeAdapter(model).core_schema) for model in given),
    ]
    _, found = generator.generate_definitions(pairs)
    return {name: _as_component(schema) for name, schema in found.items()}


class Generator(GenerateJsonSchema):
    """The generator of pydantic, with the rules that are functions."""

    _omits_null = False
    """Whether the type at hand is a model, whose dump leaves out null."""

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonObject:
        """Leave out a default that means the same as an absent field."""
        found = super().default_schema(schema)
        if not found.get("default") or isinstance(found["default"], dict):
            found.pop("default", None)
        return found

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the signature is given
        """Never: a title would repeat the name."""
        return False

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonObject:
        """A model of a reply leaves out null; a TypedDict says whether null may occur."""
        if self.mode == "validation":
            return super().nullable_schema(schema)
        found = self.generate_inner(schema["schema"])
        return found if self._omits_null else either(found, NULL)

    def ser_schema(self, schema: Any) -> JsonObject | None:
        """Nothing for the serialisers of this project: the schema of the validator says more."""
        return None if schema["type"] == "function-plain" else super().ser_schema(schema)

    def function_before_schema(
        self, schema: core_schema.BeforeValidatorFunctionSchema
    ) -> JsonObject:
        rule = schema["function"]["function"]
        if rule is _IN_PLACE:
            return dict(formats.VALUE_IN_PLACE)
        if rule is _STUDIED:
            return either(formats.DOCUMENT, self._stand_in())
        if rule in _NAMED:
            return self._component_for(rule)
        found = super().function_before_schema(schema)
        if rule is _AT_MOST_MAX_TAGS:
            return found | {"maxItems": MAX_TAGS}
        if rule is _NEVER_NULL:
            return without_null(found)
        if rule is _IS_LIMIT:
            return found | {"minimum": 0, "maximum": MAX_LIMIT}
        if rule is ONE_OR_MORE.func:
            return either(either(found, found["items"]), EMPTY)
        return either(found, EMPTY) if rule is _EMPTY_IS_ABSENT else found

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> JsonObject:
        rule = schema["function"]["function"]
        if rule is no_prefix:
            return dict(formats.NAMED_SCOPE)
        if rule in _NAMED:
            return self._component_for(rule)
        found = super().function_after_schema(schema)
        if rule is _NAMES_A_FIELD:
            return found | formats.FIELD_NAME
        return found | formats.VALUE_PATH if rule is require_path else found

    def function_wrap_schema(self, schema: core_schema.WrapValidatorFunctionSchema) -> JsonObject:
        found = super().function_wrap_schema(schema)
        is_uploadable = schema["function"]["function"] is _MAY_BE_UPLOADED
        return either(found, self._stand_in()) if is_uploadable else found

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonObject:
        model = schema["cls"]
        self._omits_null, outer = True, self._omits_null
        found = super().model_schema(schema)
        self._omits_null = outer
        if self.mode == "validation":
            add_conditions(model, found)
        _add_descriptions(model, found)
        return either(found, {"type": "string"}) if model is EntityAlias else found

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonObject:
        found = _add_descriptions(schema["cls"], super().dataclass_schema(schema))
        if self.mode == "serialization":
            found |= {"required": list(found["properties"]), "additionalProperties": False}
        return found

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonObject:
        self._omits_null, outer = False, self._omits_null
        found = _add_descriptions(schema["cls"], super().typed_dict_schema(schema))
        self._omits_null = outer
        return found | {"additionalProperties": False}

    def _component_for(self, rule: Callable[..., Any]) -> JsonObject:
        name, sent, given = _NAMED[rule]
        schema = sent if self.mode == "validation" else given
        if rule in _VALUES:
            schema = schema | {"anyOf": [self._stand_in(), {}]}
        return self._component(name, schema)

    def _stand_in(self) -> JsonObject:
        """The object in place of a value that is too large for a body."""
        if self.mode == "validation":
            return self._component("UploadClaim", formats.UPLOAD_CLAIM)
        return self._component("LargeValue", formats.LARGE_VALUE)

    def _component(self, name: str, schema: JsonObject) -> JsonObject:
        defs_ref, reference = self.get_cache_defs_ref_schema(CoreRef(name))
        self.definitions[defs_ref] = dict(schema)
        return reference


def _add_descriptions(model: type, schema: JsonObject) -> JsonObject:
    """The schema with the attribute docstrings of the model as descriptions."""
    docs = attribute_docs(model)
    fields: Mapping[str, Any] = getattr(model, "model_fields", {})
    attributes = {field.alias: name for name, field in fields.items()}
    for name, found in schema.get("properties", {}).items():
        attribute = attributes.get(name, name)
        if attribute in docs:
            found["description"] = " ".join(docs[attribute].split())
    return schema


def _as_component(schema: JsonObject) -> JsonObject:
    """A component without the title, which repeats the name; of the docstring the first line."""
    return {
        name: value.partition("\n")[0] if name == "description" else value
        for name, value in schema.items()
        if name != "title"
    }


@cache
def attribute_docs(model: type) -> dict[str, str]:
    """The docstring of each attribute by name; a class overrides the bases.

    Pydantic's `use_attribute_docstrings` would read the source whenever a function imports a model;
    the document alone needs the text.
    """
    found: dict[str, str] = {}
    for base in reversed(_bases(model)):
        found |= attribute_docs(base)
    return found | _own_docs(model)


def _bases(model: type) -> list[type]:
    """The direct bases; those of a TypedDict stand in `__orig_bases__` alone."""
    bases = model.__dict__.get("__orig_bases__", model.__bases__)
    return [base for base in bases if isinstance(base, type)]


def _own_docs(model: type) -> dict[str, str]:
    try:
        source = inspect.getsource(model)
    except (OSError, TypeError):  # TypedDict("...") has no class statement, a builtin no source
        return {}
    (tree,) = ast.parse(dedent(source)).body
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
