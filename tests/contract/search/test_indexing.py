"""Indexing over a table: killed anywhere and repeated, it ends as if nothing had happened."""

from dataclasses import replace

import pytest

from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
from membrane.adapters.dynamodb.search.vector_items import Encoding
from membrane.domain.records.stored import StoredRecord
from membrane.domain.search.entries import SKETCH_DIMENSIONS
from membrane.table.items import LostRace
from membrane.usecases.search.reindex import Stage, reindex
from tests.builders.stored_records import buried, changed, event, stored
from tests.fakes.clock import FakeEmbedder
from tests.worlds.search_indexes import EMBEDDER, flag, has_vector, index, indexing
from tests.worlds.stores import Store

IDS = ("record-1", "record-2", "record-3")
SIZE = EMBEDDER.dimensions + SKETCH_DIMENSIONS
STEPS = 60


def filled(store: Store, *record_ids: str) -> None:
    """Records that have a flag and no vector."""
    for each in record_ids:
        store.records.create(stored(each, payload=event(summary=f"crane {each}")))


def standing(store: Store, record_id: str) -> StoredRecord:
    """The record as it is now."""
    found = store.records.load(record_id)
    assert isinstance(found, StoredRecord)
    return found


def unflagged(store: Store, record_id: str) -> None:
    """Let a write that changes no searched word remove the flag."""
    before = standing(store, record_id)
    store.records.replace(before, changed(before))
    assert flag(store, record_id) is None


# --- what is indexed ------------------------------------------------------------------------------


def test_the_index_function_writes_nothing_but_vectors_and_scopes(table: Store) -> None:
    services = indexing(table)
    filled(table, *IDS)
    before = [table.own_item(each) for each in IDS]

    index(services, *IDS)

    assert [table.own_item(each) for each in IDS] == before
    others = [each for each in table.everything() if each["sk"] != {"S": "record"}]
    partitions = {each["pk"]["S"] for each in others} - {"scope#=project:alpha"}
    assert partitions == {*(f"vector#{each}" for each in IDS), "scopes"}


def test_records_with_spilled_audit_and_damaged_neighbours_are_indexed(table: Store) -> None:
    services = indexing(table)
    filled(table, *IDS)
    for _ in range(20):
        unflagged(table, IDS[0])
    table.put({**table.own_item(IDS[1]), "document": {"S": "{"}})

    indexed = index(services, *IDS)

    assert [has_vector(services, each) for each in IDS] == [True, False, True]
    assert [each.changed.record_id for each in indexed.failed] == [IDS[1]]


def test_a_batch_of_new_records_costs_a_read_in_a_hundred_and_a_put_each(table: Store) -> None:
    services = indexing(table)
    ids = [f"record-{number}" for number in range(30)]
    filled(table, *ids)
    index(services, ids[0])
    table.watched.requests.clear()

    index(services, *ids)

    assert sorted(table.watched.operations()) == ["BatchGetItem", *["PutItem"] * 30]


# --- re-indexing ----------------------------------------------------------------------------------


def catalogue_of(table: Store, embedder: str = EMBEDDER.name) -> DynamoCatalogue:
    encoding = Encoding(EMBEDDER.dimensions, embedder)
    return DynamoCatalogue(table.client, table.table, encoding, table.clock)


def test_a_re_index_flags_all_that_lives_and_writes_nothing_else(store: Store) -> None:
    filled(store, *IDS)
    for each in IDS:
        unflagged(store, each)
    last = standing(store, IDS[2])
    store.records.replace(last, buried(last))
    before = {each: store.records.load(each) for each in IDS}

    done = reindex(indexing(store), lambda: False)

    assert (done.stage, done.marked) == (Stage.DONE, 2)
    assert [flag(store, each) for each in IDS] == [done.started_at, done.started_at, None]
    assert {each: store.records.load(each) for each in IDS} == before
    assert done.as_json()["embedder"] == EMBEDDER.name


def test_a_re_index_waits_until_the_present_embedder_has_made_every_vector(
    table: Store,
) -> None:
    filled(table, *IDS)
    index(indexing(table), *IDS)
    services = indexing(table, embedder=FakeEmbedder("other", EMBEDDER.dimensions))

    first = reindex(services, lambda: False)
    again = reindex(services, lambda: False)
    index(services, *IDS)
    last = reindex(services, lambda: False)

    assert [each.stage for each in (first, again)] == [Stage.CHECKING] * 2
    assert (last.stage, last.started_at) == (Stage.DONE, first.started_at)
    assert all(has_vector(services, each) for each in IDS)


def test_a_re_index_waits_for_no_vector_whose_time_is_over(table: Store) -> None:
    filled(table, *IDS)
    index(indexing(table), *IDS)
    catalogue = catalogue_of(table, "other")
    before = catalogue.page(None).lacking

    table.clock.advance(days=400)

    assert (before, catalogue.page(None).lacking) == (len(IDS), 0)


def test_a_re_index_flags_topics_as_it_does_records_and_no_receipt(table: Store) -> None:
    keys = [("topic#topic-1", "topic"), ("topic#topic-1", "access"), ("record#keyed", "record")]
    for partition, place in keys:
        item = {"pk": {"S": partition}, "sk": {"S": place}}
        if partition == "record#keyed":
            item["receipt_for"] = {"S": "record-1"}
        table.put(item)

    done = reindex(indexing(table), lambda: False)

    flagged = [each["pk"]["S"] for each in table.everything() if "stale" in each]
    assert (done.marked, flagged) == (1, ["topic#topic-1"])


def test_what_is_gone_when_its_turn_comes_gets_no_flag(table: Store) -> None:
    filled(table, IDS[0])
    catalogue = catalogue_of(table)
    (own_key,) = catalogue.page(None).own_keys
    before = standing(table, IDS[0])
    table.records.replace(before, buried(before))

    assert not catalogue.make_stale(own_key, "now")
    assert not catalogue.make_stale(("record#never", "record"), "now")

    assert [each["pk"] for each in table.everything() if "stale" in each] == []


def test_a_page_asks_for_nothing_but_what_it_names(table: Store) -> None:
    catalogue_of(table).page(None)

    ((_, asked),) = [each for each in table.watched.requests if each[0] == "Scan"]
    assert asked["Select"] == "SPECIFIC_ATTRIBUTES"


def test_progress_is_kept_and_nobody_keeps_it_twice(table: Store) -> None:
    catalogue = catalogue_of(table)
    assert catalogue.progress() is None

    first = catalogue.keep_progress({"after": None}, None)
    second = catalogue.keep_progress({"after": "here"}, first)

    assert catalogue.progress() == second
    for before in (None, first, replace(second, revision=7)):
        with pytest.raises(LostRace):
            catalogue.keep_progress({}, before)


def test_pages_follow_one_another(table: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("membrane.adapters.dynamodb.catalogue.ITEMS", 2)
    ids = [f"record-{number}" for number in range(5)]
    filled(table, *ids)
    index(indexing(table), *ids)

    found, lacking = set[tuple[str, str]](), 0
    catalogue = catalogue_of(table, "other")
    page = catalogue.page(None)
    while page.next is not None:
        found.update(page.own_keys)
        lacking += page.lacking
        page = catalogue.page(page.next)

    found.update(page.own_keys)
    assert found == {(f"record#{each}", "record") for each in ids}
    assert lacking + page.lacking == 5
