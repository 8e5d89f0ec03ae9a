"""Conflicting facts: same scope, subject, predicate and conditions, overlapping windows.

`names.fact_words` compares subjects and predicates; `domain/records/validity.py` compares windows;
`usecases/revision/heads.py` finds the rivals of an observed fact; `conflict_decisions.py` decides
about them.
"""

from typing import Any

from membrane.domain.language.digests import digest
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.names import fact_words
from membrane.domain.language.vocabulary import ConflictPolicy, MemoryType
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.validity import window_of


def head_key_of(scope: str, payload: SemanticPayload, conditions: Any) -> bytes:
    """The key of the fact's head.

    `conditions` are the conditions of `payload`, loaded from the bucket if they are large.
    """
    text = normal_json(conditions).decode()
    words = fact_words(payload.subject, payload.predicate)
    return digest(scope, MemoryType.SEMANTIC, *words, text)


def is_same(one: Any, other: Any) -> bool:
    """Whether two objects are the same JSON value; 1.0 and 1 are the same."""
    return normal_json(one) == normal_json(other)


def normal_json(value: Any) -> bytes:
    """The canonical JSON of the value; 1.0 and 1 give the same."""
    return canonical_json(_normal(value))


def covers(one: SemanticPayload, other: SemanticPayload) -> bool:
    """Whether the window of `one` contains the window of `other`."""
    return window_of(one.validity).covers(window_of(other.validity))


def capped_policy(policy: ConflictPolicy) -> ConflictPolicy:
    """The policy for a fact that a model derived: such a fact contests other facts at most.

    A model never silently replaces, or varies, what a person or an agent said.
    """
    return ConflictPolicy.KEEP if policy is ConflictPolicy.KEEP else ConflictPolicy.CONTEST


def fact_of(record: MemoryRecord) -> SemanticPayload:
    if not isinstance(record.payload, SemanticPayload):
        raise TypeError("only facts conflict")
    return record.payload


def _normal(value: Any) -> Any:
    """The value with whole numbers as integers: 1.0 and 1e0 become 1, and -0.0 becomes 0."""
    match value:
        case dict():
            return {name: _normal(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_normal(inner) for inner in value]
        case float() if value.is_integer():
            return int(value)
        case _:
            return value
