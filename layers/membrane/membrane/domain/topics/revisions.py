"""A revision: one value that a field has, or had, and what is known of how it came to be."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from membrane.domain.topics.field_types import FieldType

LINKS_TOPIC = "nested_topic_link"
"""The operation of a revision that points at a topic, which its `why_changed` names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """Never changed once it is written. Timestamps are RFC 3339, in UTC."""

    id: str
    """On the wire the version id."""
    value: Any
    """Any JSON value, or the `LargeValue` that stands in its place."""
    field_type: FieldType
    """Of the field when it was written."""
    valid_from: str
    """Since when it is so: as the caller says, else `recorded_at`; never later than that."""
    recorded_at: str
    """When the service took it."""
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
