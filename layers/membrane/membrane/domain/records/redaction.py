"""The redacted view of a record whose sensitivity is one level above the reader's trust."""

from typing import TYPE_CHECKING

from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy
from membrane.domain.records.records import MemoryRecord

if TYPE_CHECKING:
    from membrane.domain.records.replies import RedactedRecord


def redacted_view(record: MemoryRecord) -> "RedactedRecord":
    """The record without payload, provenance and audit; the lifecycle is a placeholder."""
    shown: RedactedRecord = {
        "id": record.id,
        "type": record.type,
        "sensitivity": record.sensitivity,
        "confidence": record.confidence,
        "salience": record.salience,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "lifecycle": {
            "decay": {"curve": DecayCurve.EXPONENTIAL, "half_life_seconds": 0},
            "last_reinforced_at": NOT_GIVEN,
            "deletion_policy": DeletionPolicy.AUTO_PRUNE,
        },
        "provenance": {"sources": []},
        "payload": None,
        "audit_log": [],
    }
    if record.scope:
        shown["scope"] = record.scope
    if record.tags:
        shown["tags"] = record.tags
    return shown
