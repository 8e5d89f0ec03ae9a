"""The parts that requests share, and the error texts of a request that breaks a rule.

A field stands in the body of an HTTP request unless the field is marked. An error text never
repeats a value; for an unknown field the text suggests the most similar known name.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar, get_args

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from membrane.domain.language.errors import InvalidArgument, Violation
from membrane.domain.language.fields import (
    MAX_TAG_CHARACTERS,
    Part,
    Scope,
    SensitivityWord,
    Timestamp,
)
from membrane.domain.language.vocabulary import MemoryType

MAX_KEY_CHARACTERS = 255

Value = TypeVar("Value")


class Standing(NamedTuple):
    """Where a field of a request stands, outside the body."""

    place: Literal["path", "query", "header"]
    name: str = ""
    """The parameter, if not named as the field."""
    or_body: bool = False
    """Whether the field may stand in the body instead."""


FromPath = Annotated[Value, Standing("path")]
FromQuery = Annotated[Value, Standing("query")]
"""In the query. A marked part of a request, such as the trust, has marked fields of its own."""

FromQueryOrBody = Annotated[Value, Standing("query", or_body=True)]
FromHeaderOrBody = Annotated[Value, Standing("header", or_body=True)]
"""In `If-Match` or `If-None-Match`, or in the body."""


def _absent_if_empty(value: Any) -> Any:
    """An empty text is an absent value."""
    return None if value == "" else value


OPTIONAL = BeforeValidator(_absent_if_empty)


def _idempotency_key(value: str) -> str:
    if not (1 <= len(value) <= MAX_KEY_CHARACTERS and value.isascii() and value.isprintable()):
        raise PydanticCustomError("idempotency_key", "must be 1 to 255 printable ASCII characters")
    return value


IdempotencyKey = Annotated[str, AfterValidator(_idempotency_key)]

OptionalTimestamp = Annotated[Timestamp | None, OPTIONAL]

OptionalScope = Annotated[Scope | None, OPTIONAL]

OptionalSensitivity = Annotated[SensitivityWord | None, OPTIONAL]


class RequestPart(Part):
    """A part of a request; null has the meaning of an absent field."""

    keeps_null: ClassVar[frozenset[str]] = frozenset()
    """The fields for which null is a value of its own."""

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        known = cls.model_fields
        return {
            name: given
            for name, given in value.items()
            if given is not None or name not in known or name in cls.keeps_null
        }


class Request(RequestPart):
    """A request that changes memory at most once per idempotency key."""

    idempotency_key: IdempotencyKey | None = None
    """The caller's name for this write: 1 to 255 printable ASCII characters. A repeat with the same
    content changes nothing and returns the first result; with other content the key is refused.
    Takes precedence over the header `Idempotency-Key`. Absent: the header applies, or the write has
    no key."""


Model = TypeVar("Model", bound=BaseModel)
MAX_VIOLATIONS = 20
MAX_NAME_CHARACTERS = 200
MAX_GUESSED_CHARACTERS = 64
"""A longer name gets no suggestion: the comparison of names takes quadratic time."""

_KEY = "[key]"

_JSON_FIELDS = ("args", "active_constraints")
"""Fields with the error text `invalid <field> JSON: ...`, as in Membrane."""

_RECORDS = ("record", "new_record", "forked_record", "merged_record")
"""Fields that hold a full record."""

_RECORD_RULES = {
    "id": "id is required",
    "type": "type is required",
    "sensitivity": "sensitivity is required",
    "confidence": "confidence must be in range [0, 1]",
    "payload": "payload is required",
}
"""The error texts for required fields of a record, as in Membrane."""

_PHRASES = {
    "extra_forbidden": "unknown field",
    "string_type": "must be a string",
    "int_type": "must be an integer",
    "int_from_float": "must be an integer",
    "int_parsing": "must be an integer",
    "int_parsing_size": "must be an integer of fewer digits",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "tuple_type": "must be an array",
    "missing": "is required",
    "string_too_short": "must not be empty",
}


def validate(model: type[Model], value: Any, *, record_id: str | None = None) -> Model:
    """`value` as a `model`; raises InvalidArgument naming the fields that break a rule.

    With `record_id`, the value is part of that stored record and may refer to values in the bucket.

    The error has at most MAX_VIOLATIONS, so a hostile body cannot cause a huge reply.
    """
    try:
        return model.model_validate(value, context=record_id)
    except ValidationError as error:
        findings = error.errors(include_url=False)
        violations = [_violation(finding, model) for finding in islice(findings, MAX_VIOLATIONS)]
        raise InvalidArgument(violations[0].message, violations) from error


def _violation(finding: Mapping[str, Any], model: type[BaseModel]) -> Violation:
    violation = _plain_violation(finding)
    if finding["type"] != "extra_forbidden":
        return violation
    meant = nearest_field(model, finding["loc"])
    guess = "" if meant is None else f"; did you mean {meant}?"
    return Violation(violation.field, f"{violation.message}{guess}")


def _plain_violation(finding: Mapping[str, Any]) -> Violation:
    location = _without_key(_without_payload_tag(finding["loc"]))
    name = _name(location) or "request"
    if location and location[0] in _RECORDS:
        return Violation(_name(location[1:]) or name, _record_message(location[1:], finding))
    return Violation(name, _message(name, location, finding))


def _name(location: Sequence[str | int]) -> str:
    return ".".join(str(step) for step in location)[:MAX_NAME_CHARACTERS]


def _without_payload_tag(location: Sequence[str | int]) -> tuple[str | int, ...]:
    """Drop the union member that pydantic inserts after `payload`; the request does not have it."""
    steps = list(location)
    for index, step in enumerate(steps[:-1]):
        if step == "payload" and steps[index + 1] in set(MemoryType):
            del steps[index + 1]
            break
    return tuple(steps)


def _without_key(location: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Cut the location before a bad key: the key is text of the caller, marked by `[key]`."""
    return location[: location.index(_KEY) - 1] if _KEY in location else location


def _record_message(location: tuple[str | int, ...], finding: Mapping[str, Any]) -> str:
    """The error text for a full record: `validation error for <field>: <message>`."""
    name = _name(location) or "record"
    kind = finding["type"]
    is_absent = kind == "missing" or kind.startswith("union_tag") or finding["input"] in (None, "")
    if name in _RECORD_RULES and (is_absent or name == "confidence"):
        message = _RECORD_RULES[name]
    else:
        message = _message(name, location, finding)
    return f"validation error for {name}: {message}"


def _message(name: str, location: tuple[str | int, ...], finding: Mapping[str, Any]) -> str:
    if location and location[0] in _JSON_FIELDS and finding["type"] != "extra_forbidden":
        detail = str(finding["msg"]) if len(location) == 1 else _sentence(name, location, finding)
        return f"invalid {location[0]} JSON: {detail}"
    return _sentence(name, location, finding)


def _sentence(name: str, location: tuple[str | int, ...], finding: Mapping[str, Any]) -> str:
    kind, context = finding["type"], finding.get("ctx", {})
    match kind:
        case "string_too_long":
            is_tag = "tags" in location and context["max_length"] == MAX_TAG_CHARACTERS
            subject = "tag" if is_tag else name
            return f"{subject} exceeds maximum length of {context['max_length']}"
        case "enum" | "literal_error":
            words = context["expected"].replace("'", "").replace(" or ", ", ")
            return f"{_element(name, location)} must be one of: {words}"
        case "greater_than_equal":
            return f"{name} must be >= {_limit_text(context['ge'])}"
        case "less_than_equal":
            return f"{name} must be <= {_limit_text(context['le'])}"
        case "too_short":
            return f"{name} needs {context['min_length']} element or more"
        case "too_long":
            return f"{name} has more than {context['max_length']} elements"
        case _ if kind in _WHOLE_SENTENCES:
            return str(finding["msg"])
        case _:
            return f"{name} {_PHRASES.get(kind, finding['msg'])}"


def _element(name: str, location: tuple[str | int, ...]) -> str:
    """The name of a list element: `tags[3]` at the top level of a request, as in Membrane."""
    match location:
        case (str(listed), int(index)):
            return f"{listed}[{index}]"
        case _:
            return name


def _limit_text(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:g}"


_WHOLE_SENTENCES = (
    "timestamp",
    "too_many",
    "reserved",
    "plan_graph",
    "scope_too_long",
    "limit",
    "min_salience",
)
"""Error types raised by our own validators, whose message is a complete sentence."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    import difflib  # noqa: PLC0415 - needed for a refusal alone

    if len(name) > MAX_GUESSED_CHARACTERS:
        return None
    folded = {each.casefold(): each for each in known}
    found = difflib.get_close_matches(name.casefold(), folded, n=1)
    return folded[found[0]] if found else None


def nearest_field(model: type[BaseModel], location: Sequence[str | int]) -> str | None:
    """The known field with a name most similar to the last step of a location in `model`."""
    models = {model}
    for step in location[:-1]:
        models = _models_below(models, step)
    names = {name: field for each in models for name, field in names_of(each).items()}
    found = nearest(str(location[-1]), sorted(names))
    return None if found is None else names[found]


def names_of(model: type[BaseModel]) -> Mapping[str, str]:
    """Every name by which JSON may give a field of the model, with the name in the schema."""
    names: dict[str, str] = {}
    for name, field in model.model_fields.items():
        choices = field.validation_alias
        others = choices.choices if isinstance(choices, AliasChoices) else ()
        shown = field.alias or name
        names |= {str(each): shown for each in (shown, *others)}
    return names


def _models_below(models: set[type[BaseModel]], step: str | int) -> set[type[BaseModel]]:
    """The models of a field, or the union member of a tag; the same models for a list index."""
    fields = {model: _fields(model) for model in models}
    if any(step in each for each in fields.values()):
        return set().union(*(_models_in(each[step]) for each in fields.values() if step in each))
    return {model for model in models if _is_tagged(fields[model], step)} or models


def _is_tagged(fields: Mapping[str | int, Any], tag: str | int) -> bool:
    return any(tag in get_args(annotation) for annotation in fields.values())


def _fields(model: type[BaseModel]) -> Mapping[str | int, Any]:
    """The annotations of a model's fields, by the names used in JSON."""
    fields = model.model_fields
    return {field.alias or name: field.annotation for name, field in fields.items()}


def _models_in(annotation: Any) -> set[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return set().union(*map(_models_in, get_args(annotation)))
