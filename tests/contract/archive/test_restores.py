"""A restored record is the record that was exported, and a taken place stays as it is."""

import pytest
from hypothesis import HealthCheck, given, settings

from membrane.domain.archive.lines import LEVELS, encode_line
from membrane.domain.archive.record_lines import (
    ArchivedRecord,
    large_values_of,
    record_line,
    record_of_line,
)
from membrane.domain.language.json_text import parse_json
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.ports.archive import DifferentItem, KeyedRecord, NextTurn
from membrane.usecases.ports.records import IdTaken, KeyUsed, Receipt
from tests.builders.generated_records import records
from tests.builders.laden_records import laden
from tests.builders.stored_records import changed, stored
from tests.worlds.depth import examples
from tests.worlds.stores import Store, table_store

KEYED = KeyedRecord(Receipt("keyed-1", b"f" * 32), "record-1")
THREAD = NextTurn(b"k" * 32, 5)


def line_of(store: Store, held: AnyRecord) -> bytes:
    values = {large: store.records.value(large) for large in large_values_of(held)}
    return encode_line(record_line(ArchivedRecord(held, values)))


def parsed(line: bytes) -> ArchivedRecord:
    return record_of_line(parse_json(line, LEVELS))


def whole(store: Store, record_id: str) -> StoredRecord:
    found = store.records.load(record_id, whole=True)
    assert isinstance(found, StoredRecord)
    return found


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(generated=records())
def test_a_record_of_any_type_and_scope_comes_back_from_its_line(
    store: Store, generated: StoredRecord
) -> None:
    elsewhere = table_store()
    elsewhere.restores.restore_record(generated, {})
    line = line_of(elsewhere, whole(elsewhere, generated.id))

    store.restores.restore_record(*parsed(line))

    assert line_of(store, whole(store, generated.id)) == line


def test_a_record_with_long_logs_edges_and_values_comes_back_from_its_line(
    table: Store,
) -> None:
    laden(table, entries=60)
    line = line_of(table, whole(table, "record-1"))
    for item in table.everything():
        table.remove(item)

    table.restores.restore_record(*parsed(line))

    assert line_of(table, whole(table, "record-1")) == line
    (held,) = table.records.load_each(["record-1"]).values()
    assert isinstance(held, StoredRecord)
    assert len(held.record.relations) == 4


def test_a_restored_record_can_be_changed(store: Store) -> None:
    elsewhere = table_store()
    elsewhere.records.create(stored())
    for _ in range(40):
        before = whole(elsewhere, "record-1")
        elsewhere.records.replace(before, changed(before))
    store.restores.restore_record(*parsed(line_of(elsewhere, whole(elsewhere, "record-1"))))

    for _ in range(40):
        newest = store.records.load("record-1")
        assert isinstance(newest, StoredRecord)
        store.records.replace(newest, changed(newest))

    assert len(whole(store, "record-1").trail) == 81


def test_a_taken_place_is_refused_and_stays(store: Store) -> None:
    store.records.create(stored())
    before = line_of(store, whole(store, "record-1"))
    other = ArchivedRecord(stored(tags=("other",)), {})

    with pytest.raises(IdTaken):
        store.restores.restore_record(*other)

    assert line_of(store, whole(store, "record-1")) == before


def test_a_receipt_is_restored_once_and_a_different_one_refused(store: Store) -> None:
    assert store.restores.restore_receipt(KEYED)
    assert not store.restores.restore_receipt(KEYED)
    with pytest.raises(DifferentItem):
        store.restores.restore_receipt(KEYED._replace(record_id="record-2"))

    found = store.records.receipt("keyed-1")
    assert found is not None
    assert (found.record_id, found.fingerprint) == ("record-1", b"f" * 32)
    with pytest.raises(KeyUsed):
        store.restores.restore_record(stored("keyed-1"), {})


def test_a_thread_keeps_the_greatest_next_turn(store: Store) -> None:
    """An export of a scope may have several lines of a thread that grew meanwhile."""
    assert store.restores.restore_thread(THREAD)
    assert not store.restores.restore_thread(THREAD)
    assert store.restores.restore_thread(THREAD._replace(turn=6))
    assert not store.restores.restore_thread(THREAD)

    assert store.records.next_turn(THREAD.key) == 6
