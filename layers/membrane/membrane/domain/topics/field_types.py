"""The types of fields, and which values each takes (spec 1.2; there nothing was checked)."""

from datetime import date
from enum import StrEnum
from typing import Any

from membrane.domain.language import timestamps


class FieldType(StrEnum):
    """What the values of a field are."""

    STRING = "string"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    DATE = "date"
    DATETIME = "datetime"
    LIST = "list"
    JSON = "json"


def type_of(value: Any) -> FieldType:
    """The type of a new field of which only a value is known."""
    match value:
        case bool():
            return FieldType.BOOL
        case int():
            return FieldType.INT
        case float():
            return FieldType.FLOAT
        case list():
            return FieldType.LIST
        case dict():
            return FieldType.JSON
        case _:
            return FieldType.STRING


def fits(value: Any, kind: FieldType) -> bool:
    """Whether a field of that type takes the value; every field takes null."""
    if value is None:
        return True
    match kind:
        case FieldType.STRING:
            return isinstance(value, str)
        case FieldType.INT:
            return isinstance(value, int) and not isinstance(value, bool)
        case FieldType.FLOAT:
            return isinstance(value, int | float) and not isinstance(value, bool)
        case FieldType.BOOL:
            return isinstance(value, bool)
        case FieldType.DATE:
            return isinstance(value, str) and _is_date(value)
        case FieldType.DATETIME:
            return isinstance(value, str) and _is_datetime(value)
        case FieldType.LIST:
            return isinstance(value, list)
        case FieldType.JSON:
            return True


def _is_date(text: str) -> bool:
    """ISO 8601, `YYYY-MM-DD`."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_datetime(text: str) -> bool:
    """RFC 3339."""
    try:
        timestamps.normalise(text)
    except ValueError:
        return False
    return True
