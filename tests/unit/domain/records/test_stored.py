"""A record as the store keeps it: its salience as of any instant, its next version."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.records.idempotency import operation
from tests.builders.records import NOW, RECORD_ID, a_stored_record


def test_a_stored_record_has_the_id_and_the_trail_of_its_record() -> None:
    stored = a_stored_record()

    assert stored.id == RECORD_ID
    assert stored.trail == stored.record.audit_log


@pytest.mark.parametrize(("hours", "salience"), [(0, 1.0), (1, 0.5), (10, 0.0009765625)])
def test_reading_a_record_computes_its_salience_and_changes_nothing_else(
    hours: int, salience: float
) -> None:
    stored = a_stored_record()

    record = stored.as_of(epoch_seconds(NOW + timedelta(hours=hours)), {})

    assert record == stored.record.model_copy(update={"salience": salience, "audit_count": 1})
    assert stored == a_stored_record()


def test_a_changed_record_is_the_next_version() -> None:
    stored = a_stored_record()
    record = stored.record.model_copy(update={"confidence": 0.1})

    changed = stored.next_version(record)

    assert (changed.version, changed.record) == (2, record)
    assert (stored.version, stored.record.confidence) == (1, 0.8)


def test_a_record_counts_the_audit_entries_that_were_written() -> None:
    stored = a_stored_record()
    trail = stored.record.audit_log

    changed = stored.next_version(stored.record.model_copy(update={"audit_log": trail * 3}))

    assert (stored.written_entries, changed.written_entries) == (1, 3)


def test_a_record_still_counts_the_audit_entries_that_it_lost() -> None:
    stored = replace(a_stored_record(), audit_count=7)
    trail = stored.record.audit_log

    changed = stored.next_version(stored.record.model_copy(update={"audit_log": trail * 2}))

    assert changed.written_entries == 8


@pytest.mark.parametrize(
    ("noted", "told", "first"),
    [(0.9, (0.7, 0.6), 0.9), (None, (0.7, 0.6), 0.7), (None, (), 1.0), (None, (0.0,), 0.0)],
)
def test_what_a_record_was_created_with_is_what_was_noted_or_else_the_first_that_is_told(
    noted: float | None, told: Sequence[float], first: float
) -> None:
    created = replace(a_stored_record(), initial_salience=noted)
    (entry,) = created.trail
    moved = [
        entry.model_copy(update={"salience_before": each, "salience_after": 0.1}) for each in told
    ]
    trail = (entry, *moved)

    stored = replace(created, record=created.record.model_copy(update={"audit_log": trail}))

    assert stored.first_salience == first
    assert stored.next_version(stored.record).initial_salience == first


def test_a_record_remembers_the_operation_that_changed_it() -> None:
    stored = a_stored_record()
    done = operation("alice", "Reinforce", "key-1", b"body")

    remembering = stored.with_operation(done)

    assert remembering.operations == (done,)


def test_a_change_without_a_key_is_not_remembered() -> None:
    stored = a_stored_record()

    remembering = stored.with_operation(None)

    assert remembering == stored
