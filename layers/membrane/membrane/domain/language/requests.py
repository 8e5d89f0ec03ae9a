"""The parts that requests share: where a field stands, the idempotency key, optional words, null.

A field stands in the body of an HTTP request unless the field is marked.
"""

from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from membrane.domain.language.fields import Part, Scope, SensitivityWord, Timestamp

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
