"""The filters of LangGraph's search, as the service takes them."""

import math
import re
import sys
from collections.abc import Mapping
from typing import Any, Final

_KEY = re.compile(r"[\w.-]+")
_ORDERS = frozenset({"$gt", "$gte", "$lt", "$lte"})
_OPERATORS = _ORDERS | {"$eq", "$ne"}
_NEVER: Mapping[str, Any] = {"$gt": 0, "$lt": 0}
_ALWAYS: Final = object()
"""Stands for a condition that every value meets."""


def service_filter(conditions: Mapping[str, Any] | None) -> dict[str, Any]:
    """The filter for a request; JSON has no NaN and no infinity, so those are worked out here.

    Raises ValueError for a key with other signs than letters, digits, `_`, `-` and `.`, and for an
    unknown operator.
    """
    for key in conditions or {}:
        if not _KEY.fullmatch(key):
            raise ValueError(
                f"Invalid filter key: {key!r}. A key has letters, digits, dots, hyphens and "
                "underscores"
            )
    return _fields(conditions or {})


def _fields(conditions: Mapping[str, Any]) -> dict[str, Any]:
    pairs = [(key, _condition(inner)) for key, inner in conditions.items()]
    return {key: condition for key, condition in pairs if condition is not _ALWAYS}


def _condition(condition: Any) -> Any:
    if not isinstance(condition, Mapping):
        return condition if _is_finite(condition) else _NEVER
    if any(str(key).startswith("$") for key in condition):
        return _operators(condition)
    return _fields(condition)


def _operators(condition: Mapping[str, Any]) -> Any:
    kept: dict[str, Any] = {}
    for operator, operand in condition.items():
        if operator not in _OPERATORS:
            known = ", ".join(sorted(_OPERATORS))
            raise ValueError(f"Unsupported operator: {operator!r}. Known operators: {known}")
        if _is_finite(operand):
            kept[operator] = operand
        elif operator in _ORDERS and isinstance(operand, float) and math.isinf(operand):
            kept[operator] = math.copysign(sys.float_info.max, operand)
        elif operator != "$ne":
            return _NEVER
    return kept or _ALWAYS


def _is_finite(value: Any) -> bool:
    """Whether JSON has the value: no stored value equals any other."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, Mapping):
        return all(map(_is_finite, value.values()))
    return not isinstance(value, list | tuple) or all(map(_is_finite, value))
