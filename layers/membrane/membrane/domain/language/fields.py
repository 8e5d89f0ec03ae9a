"""The types and limits of the fields of requests and records, and consistency tokens.

The API leaves empty and optional values out of JSON. A model follows this rule with pydantic's
`exclude_defaults`: a field is left out if its value equals its default.
"""

import re
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated, Any, LiteralString

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)
from pydantic_core import PydanticCustomError

from membrane.domain.language import timestamps, vocabulary
from membrane.domain.language.errors import InvalidArgument

MAX_TEXT_CHARACTERS = 100_000
MAX_ELEMENTS = 10_000
MAX_FIELDS = 200
MAX_TAGS = 100
MAX_TAG_CHARACTERS = 256
MAX_SCOPE_BYTES = 256
MAX_SALIENCE = 1e100
"""DynamoDB stores numbers up to 1e126; no salience needs more than 1e100."""

VANISHING = 1e-100
"""A salience below this value counts as 0."""

SMALLEST_NUMBER = 1e-130
"""The smallest positive number that DynamoDB stores."""

RESERVED_SCOPE = "*"
"""In the scopes of a key: every scope. No record may have `*` as its scope."""

PREFIX_END = ":*"
"""In the scopes of a key, `team:*` means every scope that begins with `team:`."""

MAX_ID_CHARACTERS = 128

RECORD_ID = re.compile(rf"(?!\.{{1,2}}$)[A-Za-z0-9._:-]{{1,{MAX_ID_CHARACTERS}}}", re.ASCII)
"""The form of a record id; `.` and `..` are refused, because a URL path would lose them."""


class Part(BaseModel):
    """Base of the models: frozen, no unknown field, no coercion, no NaN or infinity."""

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        defer_build=True,
        hide_input_in_errors=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _not_flooded(cls, value: Any) -> Any:
        """Pydantic makes an error for each unknown field; the limit bounds the number of errors."""
        if isinstance(value, dict) and len(value) > MAX_FIELDS:
            raise PydanticCustomError("too_many", "an object has too many fields")
        return value


class OpenBody(Part):
    """A body of a route that MemState also has: unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _not_flooded(cls, value: Any) -> Any:
        """Accept any number of fields: ignored fields cause no errors."""
        return value


def _timestamp(value: Any) -> str:
    if not isinstance(value, str):
        raise PydanticCustomError("timestamp", "invalid timestamp: expected a string")
    try:
        return timestamps.normalise(value)
    except ValueError as error:
        raise PydanticCustomError(
            "timestamp", "invalid timestamp: {reason}", {"reason": str(error)}
        ) from error


def _scope(value: str) -> str:
    if len(value.encode()) > MAX_SCOPE_BYTES:
        raise PydanticCustomError(
            "scope_too_long",
            "scope exceeds maximum length of {limit} bytes",
            {"limit": MAX_SCOPE_BYTES},
        )
    if value == RESERVED_SCOPE:
        raise PydanticCustomError("reserved", "the scope * is reserved")
    return no_prefix(value)


def no_prefix(value: str) -> str:
    """Refuse a scope prefix such as `team:*`, which only a key may hold."""
    if value.endswith(PREFIX_END):
        raise PydanticCustomError(
            "reserved", "a scope that ends in :* is a prefix, which only a key may hold"
        )
    return value


def _record_id(value: str) -> str:
    if RECORD_ID.fullmatch(value) is None:
        raise PydanticCustomError(
            "record_id", "must be 1 to 128 of the characters A-Z a-z 0-9 . _ : -"
        )
    return value


def _vanishing_is_zero(value: float) -> float:
    return value if value >= VANISHING else 0.0


def _storable(value: float) -> float:
    return max(value, SMALLEST_NUMBER) if value else value


def not_negative(kind: LiteralString, message: LiteralString) -> BeforeValidator:
    """A validator that refuses negative numbers and integers larger than any float."""

    def check(value: Any) -> Any:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and not 0 <= value <= sys.float_info.max:
            raise PydanticCustomError(kind, message)
        return value

    return BeforeValidator(check)


def _tags(value: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value))


def _count_tags(value: Any) -> Any:
    if isinstance(value, (list, tuple)) and len(value) > MAX_TAGS:
        raise PydanticCustomError(
            "too_many",
            "too many tags: {count} (max {limit})",
            {"count": len(value), "limit": MAX_TAGS},
        )
    return value


LIST = Field(strict=False, max_length=MAX_ELEMENTS, fail_fast=True)
"""A JSON array: elements are validated strictly, and validation stops at the first bad element."""

_WORD = Field(strict=False)  # an enumeration's value as a string, case-sensitive

Text = Annotated[str, Field(max_length=MAX_TEXT_CHARACTERS)]
Texts = Annotated[tuple[Text, ...], LIST]
Tag = Annotated[str, Field(max_length=MAX_TAG_CHARACTERS)]
Tags = Annotated[tuple[Tag, ...], LIST, AfterValidator(_tags), BeforeValidator(_count_tags)]
Scope = Annotated[str, AfterValidator(_scope)]
RecordId = Annotated[str, AfterValidator(_record_id)]
Timestamp = Annotated[str, BeforeValidator(_timestamp)]
Fraction = Annotated[float, Field(ge=0, le=1)]
NotNegative = Annotated[float, Field(ge=0)]
Salience = Annotated[float, Field(ge=0, le=MAX_SALIENCE), AfterValidator(_vanishing_is_zero)]
Weight = Annotated[Fraction, AfterValidator(_storable)]
Count = Annotated[int, Field(ge=0, le=2**63 - 1)]

MemoryTypeWord = Annotated[vocabulary.MemoryType, _WORD]
SensitivityWord = Annotated[vocabulary.Sensitivity, _WORD]
DecayCurveWord = Annotated[vocabulary.DecayCurve, _WORD]
DeletionPolicyWord = Annotated[vocabulary.DeletionPolicy, _WORD]
RevisionStatusWord = Annotated[vocabulary.RevisionStatus, _WORD]
ConflictPolicyWord = Annotated[vocabulary.ConflictPolicy, _WORD]
ValidityModeWord = Annotated[vocabulary.ValidityMode, _WORD]
TaskStateWord = Annotated[vocabulary.TaskState, _WORD]
OutcomeStatusWord = Annotated[vocabulary.OutcomeStatus, _WORD]
ProvenanceKindWord = Annotated[vocabulary.ProvenanceKind, _WORD]
EdgeKindWord = Annotated[vocabulary.EdgeKind, _WORD]


MAX_DIGITS = 9


def count_in(text: str) -> int | None:
    """The number written with up to MAX_DIGITS ASCII digits; None for any other text."""
    is_count = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
    return int(text) if is_count else None


def text_of(content: bytes) -> str:
    """URL-safe base64 without padding."""
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def bytes_of(text: str) -> bytes:
    """The inverse of `text_of`; raises ValueError for any other text."""
    content = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if text_of(content) != text:
        raise ValueError("not base64 without padding")
    return content


_FOREIGN = "a consistency token is not one of ours"


def token_of(record_id: str, version: int) -> str:
    """The consistency token that a write returns; a read with the token sees the write.

    The token grants no right: the named record is read under the reader's own trust.
    """
    return text_of(f"{version}.{record_id}".encode())


def record_named(token: str) -> str:
    """The id of the record that a token names; raises InvalidArgument for a malformed token."""
    try:
        version, _, record_id = bytes_of(token).decode().partition(".")
    except ValueError as error:
        raise InvalidArgument(_FOREIGN) from error
    is_version = version.isascii() and version.isdecimal()
    if not is_version or not RECORD_ID.fullmatch(record_id):
        raise InvalidArgument(_FOREIGN)
    if token_of(record_id, int(version)) != token:
        raise InvalidArgument(_FOREIGN)
    return record_id


MAX_LIMIT = 10_000


MAX_TOKEN_CHARACTERS = 256


MAX_TOKENS = 100
"""Consistency tokens in one request: the most that one write of messages or one batch returns."""


def _limit(value: Any) -> Any:
    """Refuse a number out of range with Membrane's error text."""
    if isinstance(value, int) and not isinstance(value, bool) and not 0 <= value <= MAX_LIMIT:
        raise PydanticCustomError("limit", f"limit must be between 0 and {MAX_LIMIT}")
    return value


Limit = Annotated[int, BeforeValidator(_limit)]


Token = Annotated[str, Field(max_length=MAX_TOKEN_CHARACTERS)]


Tokens = Annotated[tuple[Token, ...], Field(strict=False, max_length=MAX_TOKENS, fail_fast=True)]
