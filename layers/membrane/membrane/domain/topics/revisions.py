"""A revision: one value of a field, its type, and how the value came to be."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from membrane.domain.language import timestamps

LINKS_TOPIC = "nested_topic_link"
"""The operation of a revision that links to the topic named in `why_changed`."""


class FieldType(StrEnum):
    """The type of the values of a field."""

    STRING = "string"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    DATE = "date"
    DATETIME = "datetime"
    LIST = "list"
    JSON = "json"


_BY_PYTHON_TYPE: Mapping[type, FieldType] = {
    bool: FieldType.BOOL,
    int: FieldType.INT,
    float: FieldType.FLOAT,
    list: FieldType.LIST,
    dict: FieldType.JSON,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """Immutable once written. Timestamps are RFC 3339, in UTC."""

    id: str
    """The version id in replies."""
    value: Any
    """Any JSON value, or the `LargeValue` in place of a large value."""
    field_type: FieldType
    valid_from: str
    """Since when the value holds: given by the caller, else `recorded_at`.

    Never later than `recorded_at`.
    """
    recorded_at: str
    order: int
    """Grows with each revision written under one topic; breaks ties between equal times."""
    provenance: str
    """The origin of the value, as stated by the caller."""
    why_changed: str | None = None
    impact_expected: str | None = None
    operation: str | None = None
    """The operation that made a revision without a plain write: `nested_topic_link`, ..."""
    principal: str = ""
    """The authenticated writer."""
    evidence: str = ""
    """The record from which the value was taken; empty for a direct write."""
    ref_topic_id: str | None = None
    """The reference of the field right after the write."""

    @property
    def place(self) -> tuple[datetime, datetime, int]:
        """The sort key of a field's history: valid time, then recorded time, then order."""
        return (
            datetime.fromisoformat(self.valid_from),
            datetime.fromisoformat(self.recorded_at),
            self.order,
        )


def type_of(value: Any) -> FieldType:
    return _BY_PYTHON_TYPE.get(type(value), FieldType.STRING)


def fits(value: Any, kind: FieldType) -> bool:
    """Whether a field of the type accepts the value; every field accepts null."""
    if value is None:
        return True
    match kind:
        case FieldType.STRING:
            return isinstance(value, str)
        case FieldType.DATE:
            return isinstance(value, str) and _is_date(value)
        case FieldType.DATETIME:
            return isinstance(value, str) and _is_datetime(value)
        case FieldType.FLOAT:
            return type_of(value) in (FieldType.FLOAT, FieldType.INT)
        case FieldType.INT | FieldType.BOOL | FieldType.LIST:
            return type_of(value) is kind
        case FieldType.JSON:
            return True


def _is_date(text: str) -> bool:
    """Whether the text is an ISO 8601 date, `YYYY-MM-DD`."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_datetime(text: str) -> bool:
    """Whether the text is an RFC 3339 timestamp."""
    try:
        timestamps.normalise(text)
    except ValueError:
        return False
    return True
