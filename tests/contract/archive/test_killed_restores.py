"""A restore that is killed between two requests is finished by the next restore."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import permutations

import pytest

from membrane.adapters.dynamodb.archive import restores
from membrane.domain.archive.lines import LEVELS, encode_line
from membrane.domain.archive.record_lines import ArchivedRecord, large_values_of, record_line
from membrane.domain.archive.topic_lines import topic_line
from membrane.domain.entities.requests import MergeEntities
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.usecases.archive.load_topic import load_whole_topic
from membrane.usecases.archive.restore_line import restore_line
from membrane.usecases.entities.merge_entities import merge_entities
from membrane.usecases.ports.names import NamePlace
from membrane.usecases.ports.services_archive import ArchiveServices
from membrane.wiring.archive import build_archive
from tests.builders.entities import add_entity
from tests.builders.laden_records import laden
from tests.builders.requests import call, change
from tests.contract.archive.test_topic_restores import archived
from tests.worlds.faults import Killed, Moment, at, die
from tests.worlds.stores import Store

MAX_STEPS = 40
"""More than a restore of one line takes."""


def services_of(table: Store) -> ArchiveServices:
    return build_archive(table.services, table.topics, table.table, table.client)


def record_in(table: Store) -> bytes:
    """The line of the record."""
    held = table.records.load("record-1", whole=True)
    assert held is not None
    values = {large: table.records.value(large) for large in large_values_of(held)}
    return encode_line(record_line(ArchivedRecord(held, values)))


def topic_in(table: Store) -> bytes:
    """The line of the topic."""
    found = load_whole_topic("topic-1", services_of(table))
    assert found is not None
    return encode_line(topic_line(found))


def make_record(table: Store) -> None:
    laden(table, entries=60)


def make_topic(table: Store) -> None:
    table.topic_restores.restore_topic(archived())


def empty(table: Store) -> None:
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
    table: Store,
    make: Callable[[Store], None],
    line_in: Callable[[Store], bytes],
    together: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(restores, "MAX_TOGETHER", together)
    make(table)
    line, services = line_in(table), services_of(table)

    for step in range(MAX_STEPS):
        empty(table)
        moment = Moment(step, die)
        with suppress(Killed), at(moment, table.client):
            restore_line(parsed(line), services)
        restore_line(parsed(line), services)

        assert line_in(table) == line
        if not moment.has_come:
            break

    assert 4 <= step < MAX_STEPS - 1


ORION = NamePlace("project:alpha", "orion")


def lines_of(table: Store, ids: Sequence[str]) -> list[JsonObject]:
    """The lines of records without large values."""
    found = table.records.load_all(ids, whole=True)
    return [parsed(encode_line(record_line(ArchivedRecord(found[each], {})))) for each in ids]


def holder_of_orion(table: Store) -> str:
    (bucket,) = table.names.buckets([ORION])[ORION].values()
    return bucket.entity_ids["orion"]


@pytest.mark.parametrize("together", [100, 2])
def test_an_entity_restored_after_a_kill_has_its_names(
    table: Store, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restores, "MAX_TOGETHER", together)
    entity_id = add_entity("Orion", table.services).id
    (line,), services = lines_of(table, [entity_id]), services_of(table)

    for step in range(MAX_STEPS):
        empty(table)
        moment = Moment(step, die)
        with suppress(Killed), at(moment, table.client):
            restore_line(line, services)
        is_there = table.records.load(entity_id) is not None
        assert is_there == bool(table.names.buckets([ORION]))
        restore_line(line, services)

        assert holder_of_orion(table) == entity_id
        if not moment.has_come:
            break

    assert 4 <= step < MAX_STEPS - 1


def later_orion(table: Store) -> str:
    table.clock.advance(seconds=1)
    return add_entity("Orion", table.services).id


def test_a_name_of_several_goes_to_the_oldest_active_entity_in_any_order(
    table: Store,
) -> None:
    services = table.services
    deleted, oldest, younger, replaced = (later_orion(table) for _ in range(4))
    change(DeleteRecord(id=deleted), services)
    merge = MergeEntities(id=oldest, entity_ids=(replaced,))
    merge_entities(merge, call(merge), services)
    lines = lines_of(table, [deleted, oldest, younger, replaced])

    for order in permutations(lines):
        empty(table)
        for line in order:
            restore_line(line, services_of(table))

        assert holder_of_orion(table) == oldest
