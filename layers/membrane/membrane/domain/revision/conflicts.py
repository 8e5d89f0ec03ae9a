"""Which facts conflict: those of one scope, subject, predicate and conditions, at one time."""

from typing import Any

from membrane.domain.language.digests import digest
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.validity import window_of


def head_key_of(scope: str, payload: SemanticPayload, conditions: Any) -> bytes:
    """The key of the fact's head; `conditions` are its own, read from wherever they lie."""
    text = canonical_json(_normal(conditions)).decode()
    return digest(scope, MemoryType.SEMANTIC, payload.subject, payload.predicate, text)


def is_same(one: Any, other: Any) -> bool:
    """Whether two objects are one JSON value, however they were spelled."""
    return canonical_json(_normal(one)) == canonical_json(_normal(other))


def covers(one: SemanticPayload, other: SemanticPayload) -> bool:
    """Whether the one fact holds whenever the other does."""
    return window_of(one.validity).covers(window_of(other.validity))


def fact_of(record: MemoryRecord) -> SemanticPayload:
    if not isinstance(record.payload, SemanticPayload):
        raise TypeError("only facts conflict")
    return record.payload


def _normal(value: Any) -> Any:
    """The same with one spelling a number: 1.0 and 1e0 are 1, and -0.0 is 0."""
    match value:
        case dict():
            return {name: _normal(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_normal(inner) for inner in value]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value
