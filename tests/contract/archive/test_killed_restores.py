"""A restore that is killed between two requests is finished by the next restore."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from membrane.adapters.dynamodb.archive import restores
from membrane.domain.archive.lines import LEVELS, encode_line
from membrane.domain.archive.record_lines import ArchivedRecord, large_values_of, record_line
from membrane.domain.archive.topic_lines import topic_line
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.usecases.archive.load_topic import load_whole_topic
from membrane.usecases.archive.restore_line import restore_line
from membrane.usecases.ports.services_archive import ArchiveServices
from membrane.wiring.archive import build_archive
from tests.builders.laden_records import laden
from tests.contract.archive.test_topic_restores import archived
from tests.worlds.faults import Killed, Moment, at, die
from tests.worlds.stores import TableStore

MAX_STEPS = 40
"""More than a restore of one line takes."""


def services_of(table: TableStore) -> ArchiveServices:
    return build_archive(table.services, table.topics, table.table, table.client)


def record_in(table: TableStore) -> bytes:
    """The line of the record."""
    held = table.records.load("record-1", whole=True)
    assert held is not None
    values = {large: table.records.value(large) for large in large_values_of(held)}
    return encode_line(record_line(ArchivedRecord(held, values)))


def topic_in(table: TableStore) -> bytes:
    """The line of the topic."""
    found = load_whole_topic("topic-1", services_of(table))
    assert found is not None
    return encode_line(topic_line(found))


def make_record(table: TableStore) -> None:
    laden(table, entries=60)


def make_topic(table: TableStore) -> None:
    table.topic_restores.restore_topic(archived())


def empty(table: TableStore) -> None:
    """Remove every item and every object."""
    for item in table.everything():
        table.remove(item)
    for blob in [*table.blobs.list_blobs()]:
        table.blobs.erase(blob.name)


def parsed(line: bytes) -> JsonObject:
    found = parse_json(line, LEVELS)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("make", "line_in", "together"),
    [(make_record, record_in, 100), (make_record, record_in, 2), (make_topic, topic_in, 100)],
    ids=["record", "record of many items", "topic"],
)
def test_a_restore_killed_at_any_request_is_finished_by_the_next(
    table: TableStore,
    make: Callable[[TableStore], None],
    line_in: Callable[[TableStore], bytes],
    together: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(restores, "MAX_TOGETHER", together)
    make(table)
    line, services = line_in(table), services_of(table)

    kills = 0
    for step in range(MAX_STEPS):
        empty(table)
        moment = Moment(step, die)
        with suppress(Killed), at(moment, table.client):
            restore_line(parsed(line), services)
        restore_line(parsed(line), services)

        assert line_in(table) == line
        kills += moment.has_come

    assert 4 <= kills < MAX_STEPS
