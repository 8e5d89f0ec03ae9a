"""Whole records that are restored while another comes to their place."""

from dataclasses import replace

import pytest

from membrane.domain.archive.lines import LEVELS, encode_line
from membrane.domain.archive.record_lines import ArchivedRecord, record_line
from membrane.domain.language.errors import AlreadyExists
from membrane.domain.language.json_text import parse_json
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.archive.restore_line import restore_line
from tests.builders.stored_records import NOW_S, entry, stored
from tests.worlds.faults import before_writes
from tests.worlds.stores import Store


def whole(entries: int, born_s: float) -> StoredRecord:
    """A record of so many audit entries, most of which lie in items of their own."""
    plain = stored(born_s=born_s)
    trail = [*plain.record.audit_log]
    while len(trail) < entries:
        trail.append(entry("record-1", trail))
    record = plain.record.model_copy(update={"audit_log": tuple(trail)})
    return replace(plain, record=record, version=entries)


def restore(table: Store, held: StoredRecord) -> None:
    line = parse_json(encode_line(record_line(ArchivedRecord(held, {}))), LEVELS)
    assert isinstance(line, dict)
    restore_line(line, table.services)


def test_a_restore_of_many_items_leaves_those_of_a_record_that_came_first(table: Store) -> None:
    longer, newcomer = whole(850, NOW_S), whole(40, NOW_S + 1)
    amid = [newcomer]

    def come_first() -> None:
        if amid:
            restore(table, amid.pop())

    before_writes(table.client, come_first, "audit#")

    with pytest.raises(AlreadyExists):
        restore(table, longer)

    assert not amid
    assert table.records.load("record-1", whole=True) == newcomer
