"""Entities that are one thing become one record, and a split undoes the merge exactly."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.entities.merging import MAX_ABSORBED_IN_ALL, absorbed_ids
from membrane.domain.entities.requests import MergeEntities, SplitEntity
from membrane.domain.language.errors import (
    AlreadyExists,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
)
from membrane.domain.language.vocabulary import Permission
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.records import MemoryRecord, as_json
from membrane.domain.records.states import is_retracted, successor_of
from membrane.domain.revision.requests import Fork, Merge, Supersede
from membrane.usecases.entities.merge_entities import merge_entities, split_entity
from membrane.usecases.machinery.calls import Result
from membrane.usecases.ports.services import Services
from tests.builders.entities import add_entity, entity_payload
from tests.builders.ingesting import ingest
from tests.builders.requests import (
    OWNER,
    call,
    change,
    event,
    full_record,
    refused,
    standing,
    written,
)
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

WRITER = principal_of("writer", [Permission.INGEST, Permission.REVISE], ["project:alpha"], "low")
REVISER = principal_of("reviser", [Permission.REVISE], ["project:alpha"], "low")


@pytest.fixture
def records() -> TableRecords:
    """The store."""
    return TableRecords(FakeClock())


@pytest.fixture
def services(records: TableRecords) -> Services:
    """An empty memory."""
    return make_services(records=records, now=records.now)


def merge(services: Services, into: str, *ids: str, key: str | None = None) -> Result:
    request = MergeEntities(id=into, entity_ids=ids)
    return merge_entities(request, call(request, OWNER, key=key), services)


def split(services: Services, entity_id: str, absorbed: str) -> Result:
    request = SplitEntity(id=entity_id, entity_id=absorbed)
    return split_entity(request, call(request), services)


def entity_fields(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a full record with an entity."""
    payload = entity_payload(name) | fields | {"canonical_name": name}
    return {"type": "entity", "sensitivity": "low", "scope": "project:alpha", "payload": payload}


def names_of(record: MemoryRecord) -> Sequence[str]:
    assert isinstance(record.payload, EntityPayload)
    return [each.value for each in record.payload.aliases]


def test_the_absorbing_entity_gains_names_and_ids(
    services: Services, records: TableRecords
) -> None:
    robert = add_entity("Robert Miller", services)
    bob = add_entity("Bob", services, payload={"aliases": ["Bobby"]})

    merged = written(merge(services, robert.id, bob.id))

    assert names_of(merged) == ["Bob", "Bobby"]
    assert isinstance(merged.payload, EntityPayload)
    assert [(each.namespace, each.value) for each in merged.payload.identifiers] == [
        ("membrane", bob.id)
    ]
    absorbed = standing(bob.id, records).record
    assert is_retracted(absorbed.payload)
    assert successor_of(absorbed.payload) == robert.id


@pytest.mark.parametrize(
    ("claim", "field"),
    [
        ({"identifiers": [{"namespace": "membrane", "value": "victim"}]}, "payload.identifiers"),
        ({"aliases": [{"value": "Bob", "kind": "merged:victim"}]}, "payload.aliases"),
    ],
)
def test_a_full_record_cannot_claim_to_have_absorbed_an_entity(
    services: Services, records: TableRecords, claim: dict[str, Any], field: str
) -> None:
    old = add_entity("Mallory", services, WRITER)
    new_record = full_record(**entity_fields("Mallory", claim)).record
    requests = [
        Supersede(id=old.id, new_record=new_record),
        Fork(id=old.id, forked_record=new_record),
        Merge(ids=(old.id,), merged_record=new_record),
    ]

    with refused(records, InvalidArgument, "made by merges of entities") as caught:
        add_entity("Mallory", services, WRITER, payload=claim)
    assert [each.field for each in caught.value.violations] == [field]
    for request in requests:
        with refused(records, InvalidArgument, "made by merges of entities") as caught:
            change(request, services, WRITER)
        assert [each.field for each in caught.value.violations] == [field]


def test_a_revision_takes_over_what_an_entity_has_absorbed(services: Services) -> None:
    robert, bob = (add_entity(name, services) for name in ("Robert Miller", "Bob"))
    merged = written(merge(services, robert.id, bob.id))
    assert isinstance(merged.payload, EntityPayload)
    fields = as_json(merged.payload)

    request = Supersede(
        id=robert.id, new_record=full_record(**entity_fields("Robert", fields)).record
    )
    new = written(change(request, services, WRITER))

    assert isinstance(new.payload, EntityPayload)
    assert absorbed_ids(new.payload) == (robert.id, bob.id)


def replaced(services: Services, entity_id: str, name: str, **fields: Any) -> MemoryRecord:
    """The entity that replaces another."""
    new_record = full_record(**entity_fields(name, {}) | fields).record
    return written(change(Supersede(id=entity_id, new_record=new_record), services))


def test_a_successor_has_the_ids_of_all_entities_before(services: Services) -> None:
    robert, bob = (add_entity(name, services) for name in ("Robert Miller", "Bob"))
    merge(services, robert.id, bob.id)

    second = replaced(services, robert.id, "Robert")
    third = replaced(services, second.id, "Rob")

    assert isinstance(third.payload, EntityPayload)
    assert absorbed_ids(third.payload) == (second.id, robert.id, bob.id)


@pytest.mark.parametrize("place", [{"scope": "project:beta"}, {"sensitivity": "public"}])
def test_a_successor_for_other_readers_names_no_entity_before(
    services: Services, place: dict[str, str]
) -> None:
    bob = add_entity("Bob", services)

    new = replaced(services, bob.id, "Robert", **place)

    assert isinstance(new.payload, EntityPayload)
    assert absorbed_ids(new.payload) == ()


def test_of_a_hundred_entities_before_the_oldest_is_left_out(services: Services) -> None:
    first = add_entity("Bob", services)
    newest = first
    for number in range(MAX_ABSORBED_IN_ALL + 1):
        newest = replaced(services, newest.id, f"Bob {number}")

    assert isinstance(newest.payload, EntityPayload)
    ids = absorbed_ids(newest.payload)
    assert len(ids) == len(newest.payload.identifiers) == MAX_ABSORBED_IN_ALL
    assert first.id not in ids


def test_a_split_releases_no_entity_that_was_replaced(
    services: Services, records: TableRecords
) -> None:
    robert, bob = (add_entity(name, services) for name in ("Robert Miller", "Bob"))
    new = replaced(services, robert.id, "Robert")
    request = Merge(ids=(bob.id,), merged_record=full_record(**entity_fields("Bo", {})).record)
    united = written(change(request, services))

    for successor, old in ((new.id, robert.id), (united.id, bob.id)):
        with refused(records, FailedPrecondition, "was replaced, and not merged"):
            split(services, successor, old)


def test_an_administrator_may_import_a_merged_entity(services: Services) -> None:
    claim = {"identifiers": [{"namespace": "membrane", "value": "bob"}]}

    made = add_entity("Robert", services, OWNER, payload=claim)

    assert isinstance(made.payload, EntityPayload)
    assert absorbed_ids(made.payload) == ("bob",)


def test_a_split_undoes_the_merge_exactly(services: Services, records: TableRecords) -> None:
    robert = add_entity("Robert Miller", services, payload={"aliases": ["RM"]})
    bob = add_entity("Bob", services, payload={"aliases": ["Bobby"]})
    before = [_content(standing(each, records).record) for each in (robert.id, bob.id)]
    anchors = [standing(each, records).anchor for each in (robert.id, bob.id)]
    merge(services, robert.id, bob.id)
    _advance(records, days=3)

    split(services, robert.id, bob.id)

    after = [_content(standing(each, records).record) for each in (robert.id, bob.id)]
    assert after == before
    assert [standing(each, records).anchor for each in (robert.id, bob.id)] == anchors


def test_a_chain_of_merges_is_split_from_the_end(services: Services, records: TableRecords) -> None:
    one, two, three = (add_entity(name, services) for name in ("One", "Two", "Three"))
    before = [_content(standing(each.id, records).record) for each in (one, two, three)]
    merge(services, two.id, three.id)
    merge(services, one.id, two.id)

    split(services, one.id, two.id)
    split(services, two.id, three.id)

    after = [_content(standing(each.id, records).record) for each in (one, two, three)]
    assert after == before


def test_a_chain_of_merges_is_split_in_no_other_order(
    services: Services, records: TableRecords
) -> None:
    one, two, three = (add_entity(name, services) for name in ("One", "Two", "Three"))
    merge(services, two.id, three.id)
    merge(services, one.id, two.id)

    for absorbing in (one, two):
        with refused(records, FailedPrecondition, "split: "):
            split(services, absorbing.id, three.id)


def test_a_merged_entity_is_never_pruned(services: Services, records: TableRecords) -> None:
    one, two = add_entity("One", services), add_entity("Two", services)

    merge(services, one.id, two.id)

    assert two.id not in records.due


def test_a_repeat_changes_nothing(services: Services, records: TableRecords) -> None:
    one, two = add_entity("One", services), add_entity("Two", services)
    merge(services, one.id, two.id, key="k")
    stored = records.everything()

    written(merge(services, one.id, two.id, key="k"), replayed=True)

    assert records.everything() == stored
    with pytest.raises(AlreadyExists):
        merge(services, one.id, one.id, key="k")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"scope": "shared"}, FailedPrecondition),
        ({"sensitivity": "high"}, FailedPrecondition),
        ({"sensitivity": "public"}, FailedPrecondition),
    ],
)
def test_entities_apart_stay_apart(
    services: Services, records: TableRecords, fields: dict[str, Any], error: type[Exception]
) -> None:
    one, other = add_entity("One", services), add_entity("Other", services, **fields)
    before = records.everything()

    with pytest.raises(error):
        merge(services, one.id, other.id)

    assert records.everything() == before


def test_an_entity_is_not_merged_into_itself(services: Services, records: TableRecords) -> None:
    one = add_entity("One", services)

    with refused(records, InvalidArgument, "into itself"):
        merge(services, one.id, one.id)


def test_only_entities_are_merged(services: Services, records: TableRecords) -> None:
    one = add_entity("One", services)
    report = event(scope="project:alpha")
    episode = written(ingest(report, call(report), services))

    with refused(records, FailedPrecondition, "is not an entity"):
        merge(services, one.id, episode.id)


def test_a_hidden_entity_is_absent(services: Services, records: TableRecords) -> None:
    one, hidden = add_entity("One", services), add_entity("Two", services, sensitivity="high")
    request = MergeEntities(id=one.id, entity_ids=(hidden.id,))

    with refused(records, NotFound):
        merge_entities(request, call(request, REVISER), services)


def _content(record: MemoryRecord) -> MemoryRecord:
    """The record without what every change moves on."""
    return record.model_copy(update={"updated_at": "", "audit_log": (), "audit_count": 0})


def _advance(records: TableRecords, **time: float) -> None:
    assert isinstance(records.now, FakeClock)
    records.now.advance(seconds=timedelta(**time).total_seconds())
