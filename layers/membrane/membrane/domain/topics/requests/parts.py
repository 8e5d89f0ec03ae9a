"""Types of the fields of requests about topics."""

import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from membrane.domain.language.fields import Part
from membrane.domain.language.values import BLOB, UPLOAD
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.titles import CONTROL, MAX_NAME_CHARACTERS, MAX_TITLE_CHARACTERS

MAX_KIND_CHARACTERS = 256
"""Characters of the kind of a topic or an edge."""


def field_name(value: str) -> str:
    """The name of a field; refuses a blank name and control characters."""
    if not value.strip():
        raise PydanticCustomError("field_name", "must not be blank")
    if any(unicodedata.category(each) == CONTROL for each in value):
        raise PydanticCustomError("field_name", "must not have control characters")
    return value


def _refuse_references(value: Any) -> Any:
    """Refuse `$upload` and `$blob`: in stored values, both mark references made by the store."""
    if isinstance(value, dict) and value.keys() in ({UPLOAD}, {BLOB}):
        raise PydanticCustomError(
            "reserved", "the value of a topic's field comes in place, without $upload or $blob"
        )
    return value


def _not_null(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError("null", "must not be null")
    return value


NOT_NULL = BeforeValidator(_not_null)
"""Refuses null for a field that may be absent."""

FieldName = Annotated[
    str, Field(max_length=MAX_NAME_CHARACTERS, min_length=1), AfterValidator(field_name)
]
Title = Annotated[str, Field(max_length=MAX_TITLE_CHARACTERS)]
Kind = Annotated[str, Field(max_length=MAX_KIND_CHARACTERS)]
FieldTypeWord = Annotated[FieldType, Field(strict=False)]
TopicValue = Annotated[Any, BeforeValidator(_refuse_references)]
"""Any JSON value."""


class OpenBody(Part):
    """A body of a route that MemState also has: unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _not_flooded(cls, value: Any) -> Any:
        """Accept any number of fields: ignored fields cause no errors."""
        return value
