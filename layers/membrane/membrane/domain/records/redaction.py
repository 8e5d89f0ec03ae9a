"""The redacted view of a record whose sensitivity is one level above the reader's trust."""

from membrane.domain.language.json_text import JsonObject
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import DecayCurve, DeletionPolicy
from membrane.domain.records.records import MemoryRecord, as_json

SHOWN_FIELDS = frozenset(
    {
        "id",
        "type",
        "sensitivity",
        "confidence",
        "salience",
        "scope",
        "tags",
        "created_at",
        "updated_at",
    }
)


def redacted_view(record: MemoryRecord) -> JsonObject:
    """The SHOWN_FIELDS, without payload, provenance and audit; the lifecycle is a placeholder."""
    return {
        **as_json(record, only=SHOWN_FIELDS),
        "lifecycle": {
            "decay": {"curve": DecayCurve.EXPONENTIAL, "half_life_seconds": 0},
            "last_reinforced_at": NOT_GIVEN,
            "deletion_policy": DeletionPolicy.AUTO_PRUNE,
        },
        "provenance": {"sources": []},
        "payload": None,
        "audit_log": [],
    }
