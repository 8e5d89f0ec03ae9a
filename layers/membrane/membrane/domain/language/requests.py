"""What every request has in common."""

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from membrane.domain.language.fields import Part, Scope, SensitivityWord, Timestamp

MAX_KEY_CHARACTERS = 255


def _absent_if_empty(value: Any) -> Any:
    """An empty word means that none was given (spec 2.1)."""
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


class Asked(Part):
    """What a caller sends, where a null says no more of a field than leaving it out does."""

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        known = cls.model_fields
        return {
            name: given for name, given in value.items() if given is not None or name not in known
        }


class Request(Asked):
    """Anything that changes memory; repeating it under one key changes nothing more."""

    idempotency_key: IdempotencyKey | None = None
