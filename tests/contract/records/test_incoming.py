"""Edges that point at a record: the newest source first, in pages."""

from collections.abc import Callable
from itertools import count, islice
from typing import Any

import pytest

from membrane.adapters.dynamodb.records.store import DynamoRecords
from membrane.domain.language.errors import Unavailable
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.lifecycle.changes import expired_record
from membrane.domain.records.records import Relation
from membrane.domain.records.requests import RetrieveById
from membrane.domain.records.stored import RemovedRecord, StoredRecord
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.ports.records import Incoming
from membrane.usecases.records.read_record import retrieve_by_id
from membrane.usecases.records.write import finish_clearing
from tests.builders.filled_stores import BATCH
from tests.builders.records import a_making
from tests.builders.requests import call, full_record, written
from tests.builders.requests import relation as sent
from tests.builders.stored_records import NOW, NOW_S, buried, changed, stored
from tests.worlds.budgets import GET
from tests.worlds.faults import failure, intercept, without_retries
from tests.worlds.metering import meter
from tests.worlds.stores import Store

LATER = "2027-01-01T00:00:00Z"


def pointing(source_id: str, born_s: float = NOW_S, *predicates: str) -> StoredRecord:
    """A record with relations to `target`."""
    relations = tuple(
        Relation(predicate=each, target_id="target", weight=0.5, created_at=NOW)
        for each in predicates or ("cites",)
    )
    return stored(source_id, relations=relations, born_s=born_s)


def sources(records: DynamoRecords, before: tuple[float, str] | None = None) -> list[str]:
    return [each.source_id for each in records.incoming("target", before=before)]


def read(store: Store, record_id: str) -> StoredRecord:
    held = store.records.load(record_id)
    assert isinstance(held, StoredRecord)
    return held


def test_an_edge_tells_the_relation_and_the_source(store: Store) -> None:
    cites = Relation(predicate="cites", target_id="target", weight=0.25, created_at=LATER)
    born_s, level = NOW_S + 0.5, Sensitivity.HIGH
    store.records.create(stored("source", sensitivity=level, relations=(cites,), born_s=born_s))

    (edge,) = store.records.incoming("target")

    told = ("source", "cites", 0.25, LATER, born_s, "project:alpha", level, MemoryType.EPISODIC)
    assert edge == Incoming(*told)


def test_an_edge_of_an_earlier_release_has_no_type(table: Store) -> None:
    table.records.create(pointing("source"))
    (edge,) = [item for item in table.partition("record#target") if "source_id" in item]
    table.put({name: value for name, value in edge.items() if name != "source_type"})

    (read,) = table.records.incoming("target")

    assert (read.source_id, read.source_type) == ("source", None)


def test_an_unscoped_source_and_a_relation_without_a_time_are_told(store: Store) -> None:
    relations = (Relation(predicate="é" * 256, target_id="target", weight=1e-130),)
    store.records.create(stored("source", scope="", relations=relations))

    (edge,) = store.records.incoming("target")

    assert (edge.scope, edge.weight) == ("", 1e-130)
    assert edge.created_at == "0001-01-01T00:00:00Z"


def test_no_edge_points_at_a_record_without_edges_or_at_none(store: Store) -> None:
    store.records.create(stored("alone"))

    assert list(store.records.incoming("alone")) == []
    assert list(store.records.incoming("absent")) == []


def test_edges_come_by_the_newest_source_then_by_id(store: Store) -> None:
    born = {"b": NOW_S, "a": NOW_S, "a-b": NOW_S, "old": NOW_S - 1, "new": NOW_S + 0.000_001}
    born |= {"first": -62_000_000_000.0, "last": 250_000_000_000.0}
    for source_id, born_s in born.items():
        store.records.create(pointing(source_id, born_s))

    assert sources(store.records) == ["last", "new", "a", "a-b", "b", "old", "first"]


def test_reading_goes_on_behind_a_source(store: Store) -> None:
    for source_id in ("a", "b", "b.", "c"):
        store.records.create(pointing(source_id, NOW_S, "cites", "knows"))
    store.records.create(pointing("old", NOW_S - 1))

    assert sources(store.records, (NOW_S, "b")) == ["b.", "b.", "c", "c", "old"]
    assert sources(store.records, (NOW_S, "bb")) == ["c", "c", "old"]
    assert sources(store.records, (NOW_S - 0.5, "a")) == ["old"]
    assert sources(store.records, (NOW_S - 1, "old")) == []


def test_a_target_need_not_be_there_and_may_be_deleted(store: Store) -> None:
    store.records.create(stored("target"))
    store.records.create(pointing("source"))
    target = read(store, "target")

    store.records.replace(target, buried(target))

    assert sources(store.records) == ["source"]


def test_an_edge_outlives_changes_and_the_deletion_of_its_source(store: Store) -> None:
    store.records.create(pointing("source"))
    for change in (changed, buried):
        held = read(store, "source")
        store.records.replace(held, change(held))

    assert sources(store.records) == ["source"]


def test_a_change_writes_edges_only_of_new_relations(table: Store) -> None:
    table.records.create(pointing("source", NOW_S, *map(str, range(30))))
    held = read(table, "source")
    record = changed(held).record
    added = Relation(predicate="new", target_id="target", weight=1.0, created_at=NOW)
    after = held.next_version(record.model_copy(update={"relations": (*record.relations, added)}))
    table.watched.requests.clear()

    table.records.replace(held, after)

    ((operation, asked),) = table.watched.requests
    assert operation == "TransactWriteItems"
    assert len(asked["TransactItems"]) == 2
    assert len(sources(table.records)) == 31


def test_the_edge_of_a_relation_that_a_change_takes_away_goes(store: Store) -> None:
    store.records.create(pointing("source", NOW_S, "cites", "knows"))
    held = read(store, "source")
    kept = held.record.relations[1:]

    store.records.replace(
        held, held.next_version(changed(held).record.model_copy(update={"relations": kept}))
    )

    assert [each.predicate for each in store.records.incoming("target")] == ["knows"]


def reclassified(held: StoredRecord, **fields: Any) -> StoredRecord:
    """The next version with another scope or sensitivity."""
    return held.next_version(changed(held).record.model_copy(update=fields))


def labels(records: DynamoRecords) -> set[tuple[str, str, Sensitivity]]:
    """What the edges at `target` tell of relations and sources."""
    edges = records.incoming("target")
    return {(each.predicate, each.scope, each.sensitivity) for each in edges}


def test_edges_get_the_scope_and_the_sensitivity_of_a_reclassified_source(store: Store) -> None:
    store.records.create(pointing("source", NOW_S, "cites", "knows"))
    for fields in (
        {"sensitivity": Sensitivity.HYPER},
        {"scope": ""},
        {"sensitivity": Sensitivity.LOW, "scope": "elsewhere"},
    ):
        held = read(store, "source")
        after = reclassified(held, **fields)

        store.records.replace(held, after)

        assert labels(store.records) == {
            (each, after.scope, after.sensitivity) for each in ("cites", "knows")
        }


def test_a_reclassification_adds_and_removes_the_edges_of_changed_relations(store: Store) -> None:
    store.records.create(pointing("source", NOW_S, "cites", "knows"))
    held = read(store, "source")
    added = Relation(predicate="new", target_id="target", weight=1.0, created_at=NOW)
    relations = (held.record.relations[1], added)

    store.records.replace_all(
        [(held, reclassified(held, relations=relations, sensitivity=Sensitivity.HIGH))]
    )

    assert labels(store.records) == {
        (each, "project:alpha", Sensitivity.HIGH) for each in ("knows", "new")
    }


def test_edges_of_a_reclassified_source_stay_with_its_deletion_and_go_with_its_removal(
    store: Store,
) -> None:
    store.records.create(pointing("source", NOW_S, "cites", "knows"))
    held = read(store, "source")
    store.records.replace(held, reclassified(held, scope="elsewhere"))
    held = read(store, "source")
    store.records.replace(held, buried(held))
    assert {scope for _, scope, _ in labels(store.records)} == {"elsewhere"}

    held = read(store, "source")
    assert held.tombstone is not None
    making = a_making(record_id="source", now=store.clock.now, principal="decay-service")
    store.records.forget(held, expired_record(held, making, held.tombstone))

    assert labels(store.records) == set()


def with_many_relations(store: Store) -> StoredRecord:
    """A stored record with more relations than one transaction has room for."""
    store.records.create(pointing("source"))
    for part in range(5):
        held = read(store, "source")
        added = pointing("source", NOW_S, *(f"{part}:{each}" for each in range(50)))
        relations = (*held.record.relations, *added.record.relations)
        store.records.replace(held, reclassified(held, relations=relations))
    return read(store, "source")


def test_edges_for_which_a_transaction_has_no_room_are_put_behind(store: Store) -> None:
    held = with_many_relations(store)

    store.records.replace(held, reclassified(held, scope="elsewhere"))

    found = [each.scope for each in store.records.incoming("target")]
    assert found == ["elsewhere"] * 251


@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda _: {"tags": ()},
        lambda _: {"scope": "third"},
        lambda held: {"relations": held.record.relations[:-40]},
    ],
    ids=["changed", "reclassified", "related"],
)
def test_edges_put_behind_follow_a_writer_that_comes_first(
    table: Store, meanwhile: Callable[[StoredRecord], dict[str, Any]]
) -> None:
    held = with_many_relations(table)
    transactions = count()

    def overtake() -> None:
        if next(transactions) == 1:
            newest = read(table, "source")
            table.records.replace(newest, reclassified(newest, **meanwhile(newest)))

    intercept(table.client, "TransactWriteItems", overtake)
    table.records.replace(held, reclassified(held, scope="elsewhere"))

    newest = read(table, "source")
    assert {scope for _, scope, _ in labels(table.records)} <= {newest.scope}
    assert len(sources(table.records)) == len(newest.record.relations)


def test_an_interrupted_removal_keeps_the_places_of_edges_and_no_word_of_a_relation(
    table: Store,
) -> None:
    table.records.create(pointing("source", NOW_S, "a secret"))
    held = read(table, "source")
    table.records.replace(held, buried(held))
    held = read(table, "source")
    assert held.tombstone is not None
    making = a_making(record_id="source", now=table.clock.now, principal="decay-service")
    after = expired_record(held, making, held.tombstone)
    answers = iter([failure("InternalServerError", 500)])
    without_retries(table.client)
    intercept(table.client, "DeleteItem", lambda: next(answers, None))

    with pytest.raises(Unavailable):
        table.records.forget(held, after)

    assert "source#" in str(table.own_item("source"))
    assert "secret" not in str(table.own_item("source"))
    assert sources(table.records) == ["source"]
    left = table.records.load("source")
    assert isinstance(left, RemovedRecord)
    finish_clearing(left, table.services)
    assert "source#" not in str(table.own_item("source"))
    assert sources(table.records) == []


def test_a_page_of_edges_is_one_request_and_the_next_is_read_when_needed(
    table: Store,
) -> None:
    for number in range(101):
        table.records.create(pointing(f"source-{number:03}"))
    table.watched.requests.clear()

    edges = table.records.incoming("target")
    assert table.watched.requests == []
    page = list(islice(edges, 100))
    (first,) = table.watched.requests
    assert [each.source_id for each in edges] == ["source-100"]

    assert len(page) == 100
    assert first[1]["ConsistentRead"] is False
    assert table.watched.operations() == ["Query"] * 2


def test_growing_pages_read_thousands_of_edges_in_few_requests(table: Store) -> None:
    target_id = written_record(table)
    _crowd(table, target_id, 1_600)
    table.watched.requests.clear()

    edges = list(table.records.incoming(target_id, growing=True))

    assert len(edges) == 1_600
    limits = [request["Limit"] for _, request in table.watched.requests]
    assert limits == [100, 200, 400, 800, 1_000]


def test_relations_and_thousands_of_edges_make_a_record_no_dearer(table: Store) -> None:
    cited = [written_record(table) for _ in range(30)]
    target_id = written_record(table, *cited)
    _crowd(table, target_id, 5_000)
    cost = meter(table.client)

    get = RetrieveById(id=target_id)
    retrieve_by_id(get, call(get), table.services)
    assert cost.within(GET)
    listed = table.records.load_each([target_id, *cited])

    assert len(listed) == 31
    assert cost.requests == GET.requests + 1
    held = listed[target_id]
    assert isinstance(held, StoredRecord)
    assert [each.target_id for each in held.record.relations] == cited


def written_record(table: Store, *target_ids: str) -> str:
    """The id of a record with relations to the targets."""
    asked = full_record(relations=[sent(each) for each in target_ids])
    return written(ingest_record(asked, call(asked), table.services)).id


def _crowd(table: Store, target_id: str, edges: int) -> None:
    """Let an edge from each of so many records point at the target."""
    written_record(table, target_id)
    (edge,) = [item for item in table.partition(f"record#{target_id}") if "source_id" in item]
    places = [f"source#{number:019d}#source#{'0' * 32}" for number in range(edges - 1)]
    puts: list[Any] = [{"PutRequest": {"Item": {**edge, "sk": {"S": each}}}} for each in places]
    for start in range(0, len(puts), BATCH):
        asked = {table.table: puts[start : start + BATCH]}
        assert table.inspector.batch_write_item(RequestItems=asked)["UnprocessedItems"] == {}
