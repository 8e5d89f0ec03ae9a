"""Filters: conditions on the fields of a JSON value, all of which must hold.

    {"kind": "note"}                          the field equals the value
    {"score": {"$gte": 3, "$lt": 5}}          operators; all of a field must hold
    {"user": {"name": "Ann"}}                 a field within an object; further fields do not matter
    {"user.name": "Ann"}                      the same; a key with dots in the value goes first

`$ne` holds for an absent field, no other condition does. A list equals a whole list. Booleans are
no numbers, 1 equals 1.0; order is among numbers and among texts. The operand of `$eq` and `$ne` is
taken literally, so that a value with keys such as `$ref` can be compared.
"""

from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt
from typing import Any, Final

from pydantic_core import PydanticCustomError

MAX_FILTER_KEYS = 50
"""Keys of a filter at all levels together, operators included."""

MAX_FILTER_DEPTH = 8
"""Levels of objects and lists, the filter itself included."""

MAX_FILTER_VALUES = 1_000
"""Values of a filter at all levels together, elements of lists included."""

MAX_FILTER_KEY_CHARACTERS = 512

_SHOWN_CHARACTERS = 64
"""The part of a refused key that a message repeats."""

_OPERATOR = "$"
"""Begins each operator."""

_ABSENT: Final = object()
"""Stands for the value of a field that is not there."""

_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}


def require_filter(value: Any) -> None:
    """Raises PydanticCustomError for a filter with an unknown operator, or beyond a limit."""
    if not isinstance(value, dict):
        raise PydanticCustomError("filter", "must be an object of conditions")
    _require_size(value)
    _require_operators(value)


def matches(conditions: Mapping[str, Any], value: Any) -> bool:
    """Whether a value meets all conditions of a filter that `require_filter` accepted."""
    return not conditions or _holds(conditions, value)


def _require_size(value: Any) -> None:
    """Walk level by level, so that no depth and no size of a filter is expensive."""
    keys, values, level = 0, 0, [value]
    for _ in range(MAX_FILTER_DEPTH):
        keys += sum(len(each) for each in level if isinstance(each, dict))
        values += sum(map(len, level))
        if keys > MAX_FILTER_KEYS:
            raise _too_much("a filter has at most {limit} keys", MAX_FILTER_KEYS)
        if values > MAX_FILTER_VALUES:
            raise _too_much("a filter has at most {limit} values", MAX_FILTER_VALUES)
        inner = [each for outer in level for each in _parts(outer)]
        level = [each for each in inner if isinstance(each, (dict, list)) and each]
        if not level:
            return
    raise _too_much("a filter has at most {limit} levels", MAX_FILTER_DEPTH)


def _require_operators(condition: Mapping[str, Any]) -> None:
    operators = [key for key in condition if key.startswith(_OPERATOR)]
    for operator in operators:
        if operator not in _ORDERS and operator not in {"$eq", "$ne"}:
            raise _refusal_of(
                "unknown operator {key}: $eq $ne $gt $gte $lt $lte are known", operator
            )
    if 0 < len(operators) < len(condition):
        raise _refusal_of("operators such as {key} do not go beside names of fields", operators[0])
    for key, inner in condition.items():
        if len(key) > MAX_FILTER_KEY_CHARACTERS:
            raise _refusal_of("the key {key} is too long", key)
        if not operators and isinstance(inner, dict):
            _require_operators(inner)


def _too_much(message: Any, limit: int) -> PydanticCustomError:
    return PydanticCustomError("filter", message, {"limit": limit})


def _refusal_of(message: Any, key: str) -> PydanticCustomError:
    return PydanticCustomError("filter", message, {"key": key[:_SHOWN_CHARACTERS]})


def _parts(container: Any) -> Any:
    return container.values() if isinstance(container, dict) else container


def _holds(condition: Any, value: Any) -> bool:
    """Whether the value of one field, or _ABSENT, meets its condition."""
    if not isinstance(condition, dict):
        return _equal(condition, value)
    if not condition:
        return isinstance(value, dict)
    if any(key.startswith(_OPERATOR) for key in condition):
        return all(_passes(operator, operand, value) for operator, operand in condition.items())
    return all(_holds(inner, _field(value, key)) for key, inner in condition.items())


def _field(value: Any, key: str) -> Any:
    """The value of the field, reached through the dots of the key if no key of the value fits."""
    while isinstance(value, dict):
        if key in value:
            return value[key]
        outer, dot, key = key.partition(".")
        if not dot or outer not in value:
            return _ABSENT
        value = value[outer]
    return _ABSENT


def _passes(operator: str, operand: Any, value: Any) -> bool:
    match operator:
        case "$eq":
            return _equal(operand, value)
        case "$ne":
            return not _equal(operand, value)
        case _:
            are_texts = isinstance(operand, str) and isinstance(value, str)
            is_ordered = are_texts or _are_numbers(operand, value)
            return is_ordered and _ORDERS[operator](value, operand)


def _equal(first: Any, second: Any) -> bool:
    """Equality of JSON values, which differs from Python's for booleans."""
    if isinstance(first, dict):
        return (
            isinstance(second, dict)
            and first.keys() == second.keys()
            and all(_equal(inner, second[key]) for key, inner in first.items())
        )
    if isinstance(first, list):
        return (
            isinstance(second, list)
            and len(first) == len(second)
            and all(map(_equal, first, second))
        )
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    return bool(first == second)


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in values)
