"""Indexing over a table: killed anywhere and repeated, it ends as if nothing had happened."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import pytest

from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
from membrane.adapters.dynamodb.search.entry_items import decode_entry
from membrane.adapters.dynamodb.search.entry_store import DynamoEntries
from membrane.adapters.dynamodb.search.scope_states import ScopeState, ScopeStates
from membrane.adapters.dynamodb.table.keys import entry_partition
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.indexing.batch import Changed, index_version
from membrane.usecases.search.indexing.index_records import index_records
from membrane.usecases.search.indexing.reindex import reindex
from tests.builders.requests import change
from tests.builders.stored_records import NOW_S, changed, event, stored
from tests.fakes.search import FakeEmbedder
from tests.fakes.world import make_reading_services
from tests.worlds.depth import cases
from tests.worlds.faults import Killed, die, hooks
from tests.worlds.stores import TableStore

EMBEDDER = FakeEmbedder("lexical", 384)
SECRET = "unspeakable"
IDS = ("record-1", "record-2", "record-3")
STEPS = 60


def services_over(
    table: TableStore, embedder: FakeEmbedder = EMBEDDER, shards: int = 1, *, vector: bool = False
) -> ReadingServices:
    usual = table.services
    others = {
        name: getattr(usual, name)
        for name in ("records", "now", "new_id", "new_salt", "back_off", "keys", "blobs", "uploads")
    }
    return make_reading_services(
        **others,
        embedder=embedder,
        entries=DynamoEntries(
            table.client, table.table, embedder.name, shards, table.clock, vector
        ),
        catalogue=DynamoCatalogue(table.client, table.table),
    )


def told(*record_ids: str, version: int = 1) -> list[Changed]:
    """What the stream tells of records of that version."""
    return [Changed(each, ("project:alpha",), index_version(NOW_S, version)) for each in record_ids]


def found(table: TableStore, scope: str = "project:alpha") -> list[str]:
    """The ids of what can be found."""
    items = table.partition(entry_partition(scope, 0))
    return [decode_entry(item).record_id for item in items if "removed" not in item]


def state(table: TableStore, embedder: str = EMBEDDER.name) -> ScopeState:
    return ScopeStates(table.client, table.table, embedder).states(["project:alpha"])[
        "project:alpha"
    ]


@dataclass(slots=True)
class Death:
    """From one step on nothing reaches the store any more, or comes back from it."""

    step: int
    steps: Iterator[int] = field(default_factory=count)
    has_come: bool = False

    def __call__(self, **_: object) -> None:
        if next(self.steps) >= self.step:
            self.has_come = True
            die()


@contextmanager
def dying(table: TableStore, death: Death) -> Iterator[None]:
    names = ("before-send.dynamodb", "after-call.dynamodb")
    for name in names:
        hooks(table.client).register(name, death)
    try:
        yield
    finally:
        for name in names:
            hooks(table.client).unregister(name, death)


def killed_at(step: int, table: TableStore, services: ReadingServices, batch: Any) -> bool:
    """Whether the process was killed at that step, or ended before it."""
    death = Death(step)
    with dying(table, death):
        try:
            index_records(batch, services)
        except Killed:
            return True
    return death.has_come


SAMPLE = (5, 12, 13, 17, 21, STEPS - 1)
"""Amid entries, before and after the scope is told of them, at the end, and beyond."""


@pytest.mark.parametrize("step", cases(range(STEPS), SAMPLE))
def test_killed_at_any_step_and_repeated_it_ends_right_and_its_readers_know(
    step: int, dynoxide: TableStore
) -> None:
    services = services_over(dynoxide)
    records = [stored(each, payload=event(summary=f"crane {each}")) for each in IDS]
    for each in records:
        dynoxide.records.create(each)
    index_records(told(IDS[0]), services)
    dynoxide.records.replace(the(dynoxide, IDS[0]), changed(the(dynoxide, IDS[0])))
    change(DeleteRecord(id=IDS[0], actor="me", rationale="wrong"), dynoxide.services)
    before = state(dynoxide)

    batch = [*told(IDS[0], version=3), *told(*IDS[1:])]
    was_killed = killed_at(step, dynoxide, services, batch)
    index_records(batch, services)

    assert found(dynoxide) == list(IDS[1:])
    assert state(dynoxide).version > before.version
    if step == STEPS - 1:
        assert not was_killed, "there are more steps than are tried"
    elif step in SAMPLE:
        assert was_killed, "the sample is of steps that there are not"


def test_what_is_erased_leaves_not_a_word_in_the_index(table: TableStore) -> None:
    services = services_over(table)
    table.records.create(stored(payload=event(summary=f"the {SECRET} crane")))
    index_records(told("record-1"), services)
    (before,) = table.partition(entry_partition("project:alpha", 0))

    erase = DeleteRecord(id="record-1", actor="me", rationale="law", erase=True)
    change(erase, table.services)
    index_records(told("record-1", version=2), services)

    (after,) = table.partition(entry_partition("project:alpha", 0))
    assert SECRET not in str(before)
    assert {"terms", "dense", "digest"} <= before.keys()
    assert not {"terms", "dense", "digest", "thread_pk"} & after.keys()


def test_records_with_spilled_audit_and_damaged_neighbours_are_indexed(table: TableStore) -> None:
    services = services_over(table)
    for each in IDS:
        table.records.create(stored(each, payload=event(summary=f"crane {each}")))
    for _ in range(20):
        table.records.replace(the(table, IDS[0]), changed(the(table, IDS[0])))
    table.put({**table.own_item(IDS[1]), "document": {"S": "{"}})

    indexed = index_records(told(*IDS), services)

    assert found(table) == [IDS[0], IDS[2]]
    assert [each.changed.record_id for each in indexed.failed] == [IDS[1]]


def test_a_batch_of_new_records_costs_few_requests(dynoxide: TableStore) -> None:
    services = services_over(dynoxide)
    ids = [f"record-{number}" for number in range(30)]
    for each in ids:
        dynoxide.records.create(stored(each, payload=event(summary=f"crane {each}")))
    index_records(told(ids[0]), services)
    dynoxide.watched.requests.clear()

    index_records(told(*ids[1:]), services)

    counts = [dynoxide.watched.operations().count(each) for each in ("BatchGetItem", "PutItem")]
    others = [each for each in dynoxide.watched.operations() if each == "UpdateItem"]
    assert counts == [2, 29 + 1]  # 29 entries and a snapshot
    assert len(others) == 2  # the scope moves, and names its snapshot


# --- re-indexing ----------------------------------------------------------------------------------


def test_a_re_index_goes_through_all_that_there_is(table: TableStore) -> None:
    services = services_over(table)
    for number in range(12):
        scope = ("project:alpha", "")[number % 2]
        table.records.create(stored(f"record-{number:02}", scope=scope))
    table.records.create(stored("record"))
    index_records([Changed("record", ())], services)

    done = reindex(services, lambda: False)

    assert done.is_done
    assert (done.indexed, done.unchanged, done.failed) == (12, 1, 0)
    assert len(found(table)) == 7
    assert len(found(table, "")) == 6


def test_a_re_index_with_another_embedder_lets_readers_in_again(table: TableStore) -> None:
    table.records.create(stored())
    index_records(told("record-1"), services_over(table))
    other = services_over(table, FakeEmbedder("other", 64))
    index_records([Changed("record-2", ("project:alpha",))], other)

    done = reindex(other, lambda: False)

    assert (done.indexed, done.scopes) == (1, 1)
    assert state(table).embedders == {"other"}


def test_a_re_index_after_the_vector_index_was_turned_on_gives_every_entry_a_vector(
    dynoxide: TableStore,
) -> None:
    dynoxide.records.create(stored())
    reindex(services_over(dynoxide), lambda: False)

    done = reindex(services_over(dynoxide, vector=True), lambda: False)

    assert (done.indexed, done.vector) == (1, True)
    (item,) = dynoxide.partition(entry_partition("project:alpha", 0))
    assert len(item["vector_640"]["L"]) == 640


def test_after_shards_were_raised_a_re_index_leaves_each_record_once_and_no_erased_word(
    table: TableStore,
) -> None:
    ids = [f"record-{number}" for number in range(8)]
    for each in ids:
        table.records.create(stored(each, payload=event(summary=f"the {SECRET} crane")))
    index_records(told(*ids), services_over(table))
    services = services_over(table, shards=4)
    change(DeleteRecord(id=ids[0], actor="me", rationale="law", erase=True), table.services)
    index_records(told(ids[0], version=2), services)

    reindex(services, lambda: False)

    items = [
        item
        for shard in range(4)
        for item in table.partition(entry_partition("project:alpha", shard))
    ]
    assert sorted(item["sk"]["S"] for item in items if "terms" in item) == ids[1:]
    assert state(table).documents == 7


def test_a_re_index_sets_right_what_a_death_before_the_scope_was_told_left_uncounted(
    dynoxide: TableStore,
) -> None:
    services = services_over(dynoxide)
    ids = [f"record-{number}" for number in range(12)]
    for each in ids:
        dynoxide.records.create(stored(each, payload=event(summary="crane")))
    death = Death(0)
    hooks(dynoxide.client).register("before-send.dynamodb.UpdateItem", death)
    with pytest.raises(Killed):
        index_records(told(*ids), services)
    hooks(dynoxide.client).unregister("before-send.dynamodb.UpdateItem", death)
    index_records(told(*ids), services)
    assert state(dynoxide).documents == 0

    reindex(services, lambda: False)

    assert (state(dynoxide).documents, state(dynoxide).snapshot.documents) == (12, 12)


def test_a_page_asks_for_nothing_but_what_it_names(table: TableStore) -> None:
    DynamoCatalogue(table.client, table.table).page(None)

    ((_, asked),) = [each for each in table.watched.requests if each[0] == "Scan"]
    assert asked["Select"] == "SPECIFIC_ATTRIBUTES"


def test_progress_is_kept_and_nobody_keeps_it_twice(table: TableStore) -> None:
    catalogue = DynamoCatalogue(table.client, table.table)
    assert catalogue.progress() is None

    first = catalogue.keep({"after": None}, None)
    second = catalogue.keep({"after": "here"}, first)

    assert catalogue.progress() == second
    for before in (None, first, replace(second, revision=7)):
        with pytest.raises(LostRace):
            catalogue.keep({}, before)


def test_pages_follow_one_another(table: TableStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("membrane.adapters.dynamodb.catalogue.ITEMS", 2)
    services, catalogue = services_over(table), DynamoCatalogue(table.client, table.table)
    scopes = ["project:alpha", "", "other", "-", "="]
    for number, scope in enumerate(scopes):
        table.records.create(stored(f"record-{number}", scope=scope))
    index_records([Changed(f"record-{number}", ()) for number in range(5)], services)

    records, entries = set[tuple[str, str]](), set[tuple[str, str]]()
    page = catalogue.page(None)
    while True:
        records.update(page.records)
        entries.update((each.record_id, each.scope) for each in page.entries)
        if page.next is None:
            break
        page = catalogue.page(page.next)
    registered, place = list[str](), catalogue.scope_after(None)
    while place is not None:
        registered.append(place)
        place = catalogue.scope_after(place)

    assert records == entries == {(f"record-{n}", scope) for n, scope in enumerate(scopes)}
    assert sorted(registered) == sorted(scopes)


def the(table: TableStore, record_id: str) -> Any:
    """The record as it is now."""
    return table.records.load(record_id)
