"""Relations: written with their record, checked against their targets, seen from both ends."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.records.records import Relation
from membrane.domain.records.stored import StoredRecord
from membrane.table.items import LostRace
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.records import Receipt
from tests.builders.generated_records import PROFILES
from tests.builders.requests import call, full_record, written
from tests.builders.requests import relation as sent
from tests.builders.stored_records import NOW, buried, changed, lifecycle, stored
from tests.worlds.stores import Store


def relation(target_id: str, predicate: str = "cites", weight: float = 0.5) -> Relation:
    """An edge to a target."""
    return Relation(predicate=predicate, target_id=target_id, weight=weight, created_at=NOW)


def created(store: Store, record: StoredRecord) -> StoredRecord:
    """The record, stored and read again."""
    store.records.create(record)
    found = store.records.load(record.id)
    assert isinstance(found, StoredRecord)
    return found


def test_relations_come_back_with_their_record(store: Store) -> None:
    target = created(store, stored("target", scope=""))
    source = stored(relations=(relation("target"),))

    store.records.create(source, targets=[target])

    assert store.records.load(source.id) == source
    assert store.records.load("target") == target


def test_relations_come_back_in_the_order_given(store: Store) -> None:
    targets = [created(store, stored(f"target-{number}")) for number in range(4)]
    source = stored(relations=tuple(relation(target.id) for target in targets))

    store.records.create(source, targets=targets)

    found = store.records.load(source.id)
    assert isinstance(found, StoredRecord)
    assert [each.target_id for each in found.record.relations] == [each.id for each in targets]


def test_two_relations_may_have_one_target(store: Store) -> None:
    target = created(store, stored("target"))
    source = stored(relations=(relation("target", "cites"), relation("target", "c" * 256, 1.0)))

    store.records.create(source, targets=[target])

    found = store.records.load(source.id)
    assert isinstance(found, StoredRecord)
    assert set(found.record.relations) == set(source.record.relations)


@pytest.mark.parametrize("weight", [1.0, 0.1, 1e-100, 1e-130])
def test_a_relations_weight_comes_back_exactly(store: Store, weight: float) -> None:
    target = created(store, stored("target"))
    source = stored(relations=(relation("target", weight=weight),))

    store.records.create(source, targets=[target])

    assert store.records.load(source.id) == source


@pytest.mark.parametrize("weight", [1e-131, 1e-200, 5e-324])
def test_a_weight_that_no_table_can_hold_never_reaches_the_table(
    table: Store, weight: float
) -> None:
    target = created(table, stored("target"))

    with suppress(InvalidArgument):  # or it is stored as another weight
        asked = full_record(relations=[sent("target", weight=weight)])
        found = written(ingest_record(asked, call(asked), table.services))
        assert found.relations[0].target_id == target.id


def test_as_many_relations_as_a_request_may_have_fit_one_transaction(store: Store) -> None:
    targets = [created(store, stored(f"target-{number}")) for number in range(30)]
    source = stored(
        relations=tuple(relation(target.id) for target in targets), kept=lifecycle(PROFILES[1])
    )

    store.records.create(source, targets=targets, receipts={source.id: Receipt("keyed", b"f" * 32)})

    found = store.records.load(source.id)
    assert isinstance(found, StoredRecord)
    assert len(found.record.relations) == 30


def test_relations_outlive_a_change_of_either_end(store: Store) -> None:
    target = created(store, stored("target"))
    source = stored(relations=(relation("target"),))
    store.records.create(source, targets=[target])

    for record_id in ("target", source.id):
        newest = store.records.load(record_id)
        assert isinstance(newest, StoredRecord)
        store.records.replace(newest, changed(newest))

    found = store.records.load(source.id)
    assert isinstance(found, StoredRecord)
    assert found.record.relations == source.record.relations


def _above(record: StoredRecord) -> StoredRecord:
    return replace(
        changed(record),
        record=changed(record).record.model_copy(update={"sensitivity": Sensitivity.HIGH}),
    )


def _moved(record: StoredRecord) -> StoredRecord:
    return replace(
        changed(record), record=changed(record).record.model_copy(update={"scope": "elsewhere"})
    )


def _unscoped(record: StoredRecord) -> StoredRecord:
    return replace(changed(record), record=changed(record).record.model_copy(update={"scope": ""}))


@pytest.mark.parametrize("now_is", [buried, _above, _moved, _unscoped])
def test_a_target_that_is_not_as_it_was_read_refuses_the_record(
    store: Store, now_is: Callable[[StoredRecord], StoredRecord]
) -> None:
    target = created(store, stored("target"))
    store.records.replace(target, now_is(target))

    with pytest.raises(LostRace):
        store.records.create(stored(relations=(relation("target"),)), targets=[target])

    assert store.records.load("record-1") is None


def test_an_unscoped_target_that_got_a_scope_refuses_the_record(store: Store) -> None:
    target = created(store, stored("target", scope=""))
    store.records.replace(target, _moved(target))

    with pytest.raises(LostRace):
        store.records.create(stored(relations=(relation("target"),)), targets=[target])

    assert store.records.load("record-1") is None


def test_a_target_that_was_changed_otherwise_is_still_a_target(store: Store) -> None:
    target = created(store, stored("target"))
    store.records.replace(target, changed(target))
    source = stored(relations=(relation("target"),))

    store.records.create(source, targets=[target])

    assert store.records.load(source.id) == source


def test_a_target_that_was_never_there_refuses_the_record(store: Store) -> None:
    with pytest.raises(LostRace):
        store.records.create(stored(relations=(relation("never"),)), targets=[stored("never")])

    assert store.records.load("record-1") is None


def test_an_edge_lies_in_its_targets_partition_and_the_source_is_one_item(
    table: Store,
) -> None:
    target = created(table, stored("target"))
    table.records.create(stored(relations=(relation("target"),)), targets=[target])

    (own,) = table.partition("record#record-1")
    (edge,) = [item for item in table.partition("record#target") if "source_id" in item]

    assert own["sk"] == {"S": "record"}
    assert (edge["source_id"], edge["predicate"]) == ({"S": "record-1"}, {"S": "cites"})
    assert not {"rank_pk", "due_pk", "natural_pk"} & edge.keys()


def test_edges_that_point_at_a_record_are_not_read_with_it(table: Store) -> None:
    target = created(table, stored("target"))
    for number in range(20):
        source = stored(f"source-{number}", relations=(relation("target", "p" * 256),))
        table.records.create(source, targets=[target])
    table.watched.requests.clear()

    table.records.load("target")

    ((operation, asked),) = table.watched.requests
    assert operation == "Query"
    assert asked["KeyConditionExpression"] == "pk = :pk AND sk BETWEEN :first AND :last"
    assert asked["ExpressionAttributeValues"][":last"] == {"S": "record"}
