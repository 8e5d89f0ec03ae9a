"""A revision: one value that a field has, or had, of a type; and how it came to be."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from membrane.domain.language import timestamps

LINKS_TOPIC = "nested_topic_link"
"""The operation of a revision that points at a topic, which its `why_changed` names."""


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


_BY_PYTHON_TYPE: Mapping[type, FieldType] = {
    bool: FieldType.BOOL,
    int: FieldType.INT,
    float: FieldType.FLOAT,
    list: FieldType.LIST,
    dict: FieldType.JSON,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """Never changed once it is written. Timestamps are RFC 3339, in UTC."""

    id: str
    """On the wire the version id."""
    value: Any
    """Any JSON value, or the `LargeValue` that stands in its place."""
    field_type: FieldType
    valid_from: str
    """Since when it is so: as the caller says, else `recorded_at`; never later than that."""
    recorded_at: str
    order: int
    """Grows with each revision that is written under one topic; for equal times."""
    provenance: str
    """What the caller says of its origin."""
    why_changed: str | None = None
    impact_expected: str | None = None
    operation: str | None = None
    """What made it where that was no write of a value: `nested_topic_link`, ..."""
    principal: str = ""
    """Who wrote it, as authenticated."""
    evidence: str = ""
    """The record that it was taken from; empty where it was told directly."""
    ref_topic_id: str | None = None
    """What the field referred to once it was written."""

    @property
    def place(self) -> tuple[datetime, datetime, int]:
        """Sorts a field's history: by what it tells of, then by when it was told."""
        return (
            datetime.fromisoformat(self.valid_from),
            datetime.fromisoformat(self.recorded_at),
            self.order,
        )


def type_of(value: Any) -> FieldType:
    return _BY_PYTHON_TYPE.get(type(value), FieldType.STRING)


def fits(value: Any, kind: FieldType) -> bool:
    """Whether a field of that type takes the value; every field takes null."""
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
