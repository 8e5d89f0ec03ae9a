"""What is shown of a record that lies one level above what the reader may see (spec 1.14)."""

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
    """That it is there, how it is classified and what it weighs; nothing of what it says."""
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
