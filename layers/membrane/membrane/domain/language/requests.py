"""The parts that requests share: the idempotency key, optional words, and null as absence."""

from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from membrane.domain.language.fields import Part, Scope, SensitivityWord, Timestamp

MAX_KEY_CHARACTERS = 255


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
