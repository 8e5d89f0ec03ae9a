"""Records, and names of entities, restored while others come to their places."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest

from membrane.domain.archive.lines import LEVELS, encode_line
from membrane.domain.archive.record_lines import ArchivedRecord, record_line
from membrane.domain.entities.requests import MergeEntities
from membrane.domain.language.errors import AlreadyExists
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.archive.restore_line import restore_line
from membrane.usecases.entities.merge_entities import merge_entities
from membrane.usecases.ports.records import NamePlace
from membrane.wiring.world import World
from tests.builders.proposals import add_entity
from tests.builders.requests import call, change
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


def services_of(table: Store) -> World:
    return table.services.but(topics=table.topics)


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


ORION = NamePlace("project:alpha", "orion")


def lines_of(table: Store, ids: Sequence[str]) -> list[JsonObject]:
    """The lines of records without large values."""
    found = table.records.load_each(ids, whole=True)
    return [parsed(encode_line(record_line(ArchivedRecord(found[each], {})))) for each in ids]


def holder_of_orion(table: Store) -> str:
    (bucket,) = table.names.buckets([ORION])[ORION].values()
    return bucket.entity_ids["orion"]


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
