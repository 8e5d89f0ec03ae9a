"""What is left of a record that is shown redacted."""

from membrane.domain.language.json_text import compact_json
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.redaction import redacted_view
from tests.builders.records import a_stored_record

SHOWN_FIELDS = {
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


def test_a_redacted_record_keeps_how_it_is_classified_and_loses_what_it_says() -> None:
    record = a_stored_record().record.model_copy(update={"tags": ("keep",), "scope": "project"})

    shown = {**redacted_view(record)}

    assert {name: shown[name] for name in SHOWN_FIELDS} == as_json(record, only=SHOWN_FIELDS)
    assert {name: value for name, value in shown.items() if name not in SHOWN_FIELDS} == {
        "lifecycle": {
            "decay": {"curve": "exponential", "half_life_seconds": 0},
            "last_reinforced_at": "0001-01-01T00:00:00Z",
            "deletion_policy": "auto_prune",
        },
        "provenance": {"sources": []},
        "payload": None,
        "audit_log": [],
    }


def test_two_records_that_differ_in_content_alone_look_the_same() -> None:
    one = a_stored_record().record
    other = MemoryRecord.model_validate(
        one.model_dump(by_alias=True)
        | {
            "payload": {"kind": "working", "thread_id": "secret", "state": "done"},
            "provenance": {"sources": [{"kind": "event", "ref": "secret"}]},
            "relations": ({"predicate": "cites", "target_id": "secret"},),
            "interpretation": {"mentions": [{"surface": "secret"}]},
            "audit_log": (),
        }
    )

    assert redacted_view(one) == redacted_view(other)
    assert "interpretation" not in redacted_view(other)
    assert "secret" not in compact_json(redacted_view(other))
