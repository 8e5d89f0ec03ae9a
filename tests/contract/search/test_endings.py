"""Vectors end with their records: in the write that ends the record, behind a prune, or by TTL."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

import pytest

from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.lifecycle.pruning import due_of
from membrane.domain.lifecycle.requests import (
    ChangeLifecycle,
    ChangeRequest,
    DeleteRecord,
    Penalize,
    Pin,
    Reinforce,
    RestoreRecord,
    Unpin,
)
from membrane.domain.records.sizes import MAX_CLAIMS
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import MAX_SOURCES
from membrane.domain.revision.requests import Retract
from membrane.domain.search.entries import Entry
from membrane.table.items import MAX_TOGETHER
from membrane.usecases.ingest.ingest_record import ingest_record
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.ports.indexes import Due
from membrane.usecases.search.indexing import OUTLIVES_S, index_records
from membrane.wiring.world import World
from tests.builders.requests import (
    a_fact,
    call,
    change,
    full_record,
    merge,
    relation,
    supersede,
    written,
)
from tests.builders.stored_records import event, stored
from tests.fakes.clock import StandIn
from tests.worlds.depth import cases
from tests.worlds.faults import Moment, at, failure, intercept, without_retries
from tests.worlds.search_indexes import (
    expired,
    flag,
    has_vector,
    index,
    indexing,
    search_for,
    vector_of,
)
from tests.worlds.stores import Store

WHY: dict[str, Any] = {"actor": "me", "rationale": "wrong"}
SECRET = "unspeakable"

End = Callable[[str, World], object]
"""What ends the record of that id."""


def fact(services: World, said: str) -> str:
    """The id of a new fact that says so."""
    asked = full_record(**a_fact(payload={"object": said}))
    return written(ingest_record(asked, call(asked), services)).id


def merged(record_id: str, services: World) -> None:
    change(merge(record_id, fact(services, "milk"), payload={"object": "chai"}), services)


def superseded(record_id: str, services: World) -> None:
    change(supersede(record_id, payload={"object": "mate"}), services)


def retracted(record_id: str, services: World) -> None:
    change(Retract(id=record_id, **WHY), services)


def deleted(record_id: str, services: World) -> None:
    change(DeleteRecord(id=record_id, **WHY), services)


def erased(record_id: str, services: World) -> None:
    change(DeleteRecord(id=record_id, erase=True, **WHY), services)


ENDS: dict[str, End] = {
    each.__name__: each for each in (superseded, merged, retracted, deleted, erased)
}


# --- in the write that ends the record ------------------------------------------------------------


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_what_ends_a_record_leaves_no_vector_of_it(store: Store, end: End) -> None:
    services = indexing(store)
    record_id = fact(services, "tea")
    index(services, record_id)
    before = has_vector(services, record_id)

    end(record_id, services)

    assert (before, has_vector(services, record_id)) == (True, False)
    assert index(services, record_id).passed_over == 1
    assert not has_vector(services, record_id)


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_no_word_of_a_record_that_ended_is_left_in_the_place_of_its_vector(
    table: Store, end: End
) -> None:
    services = indexing(table)
    record_id = fact(services, SECRET)
    index(services, record_id)

    end(record_id, services)
    if flag(table, record_id):  # superseded or merged: until the vector of the successor is put
        index(services, record_id)

    marker = vector_of(table, record_id)
    assert marker is not None
    assert marker.keys() == {"pk", "sk", "source_version", "removed", "expires_at"}


def test_a_record_that_is_restored_is_found_again(store: Store) -> None:
    services = indexing(store)
    record_id = fact(services, "tea")
    index(services, record_id)
    deleted(record_id, services)

    change(RestoreRecord(id=record_id, **WHY), services)
    index(services, record_id)

    assert has_vector(services, record_id)


def test_of_a_fact_that_was_superseded_many_times_the_active_one_is_found_first(
    store: Store,
) -> None:
    services = indexing(store)
    every = cases(300, 60)
    ids = [fact(services, "cup 0 of tea")]
    index(services, *ids)
    for number in range(1, every + 1):
        asked = supersede(ids[-1], payload={"object": f"cup {number} of tea"})
        ids.append(written(change(asked, services)).id)
        if number % 3:  # of the others the index function is late, and puts several at once
            index(services, *ids[-3:])
    index(services, *ids[::-1])

    found = services.search.search(search_for("cups of tea that the user likes", [""])).entries

    assert [each.record_id for each in found] == ids[-1:]


@pytest.mark.parametrize(("sources", "others"), [(MAX_SOURCES, 1), (12, 14), (1, 29)])
def test_the_largest_revision_has_room_in_one_transaction_for_the_ends_of_all_vectors(
    table: Store, sources: int, others: int
) -> None:
    services = indexing(table)
    ids = [fact(services, f"tea {number}") for number in range(sources)]
    cited = [relation(fact(services, f"milk {number}")) for number in range(others)]
    index(services, *ids)
    table.watched.requests.clear()

    change(merge(*ids, payload={"object": "chai"}, relations=cited), services, key="once")

    (written_together,) = (
        asked["TransactItems"]
        for name, asked in table.watched.requests
        if name == "TransactWriteItems"
    )
    assert len(written_together) <= MAX_TOGETHER - MAX_CLAIMS
    assert not any(has_vector(services, each) for each in ids)


# --- by TTL ---------------------------------------------------------------------------------------


def due_s(record: StoredRecord) -> int:
    found = due_of(record, {})
    assert found is not None
    return found


@dataclass(frozen=True, slots=True)
class Fading:
    """A record with a vector, in a store whose time passes."""

    store: Store
    services: World = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "services", indexing(self.store))
        self.store.records.create(stored(payload=event(summary=f"the {SECRET} crane")))
        assert index(self.services, "record-1").written == 1

    def wait(self, until_s: float) -> None:
        self.store.clock.advance(seconds=until_s - epoch_seconds(self.store.clock()))

    def ttl(self) -> int:
        """How many vectors are put again where TTL has removed what is over."""
        return index_records(expired(self.store), self.services).written

    def sweep(self) -> None:
        assert sweep_due(self.services, lambda: False).by_type("pruned") == {"episodic": 1}

    def change(self, kind: type[Reinforce] | type[Pin] | type[Unpin]) -> None:
        change(kind(id="record-1", **WHY), self.services)

    @property
    def is_indexed(self) -> bool:
        return has_vector(self.services, "record-1")

    @property
    def due_s(self) -> int:
        held = self.store.records.load("record-1")
        assert isinstance(held, StoredRecord)
        return due_s(held)


@pytest.fixture
def fading(store: Store) -> Fading:
    return Fading(store)


def test_a_pruned_records_vector_goes_at_once_and_does_not_come_back(fading: Fading) -> None:
    over_s = fading.due_s + OUTLIVES_S
    fading.wait(fading.due_s)
    fading.sweep()
    at_first = fading.is_indexed

    fading.wait(over_s)

    assert not at_first
    assert (fading.ttl(), fading.is_indexed) == (0, False)


@pytest.mark.parametrize("code", ["ThrottlingException", "InternalServerError"])
def test_a_vector_that_the_sweep_cannot_delete_expires(table: Store, code: str) -> None:
    fading = Fading(table)
    over_s = fading.due_s + OUTLIVES_S
    without_retries(table.client)
    intercept(table.client, "DeleteItem", lambda: failure(code))
    fading.wait(fading.due_s)

    fading.sweep()

    vector = vector_of(table, "record-1")
    assert vector is not None
    assert int(vector["expires_at"]["N"]) == over_s


def test_a_record_that_is_restored_amid_the_sweep_keeps_its_new_vector(table: Store) -> None:
    services, came, restored = indexing(table), 0, 0

    def restore(record_id: str) -> None:
        with suppress(FailedPrecondition):  # not pruned yet
            change(RestoreRecord(id=record_id), services)
            index(services, record_id)

    for step in count():
        record_id = f"record-{step}"
        born_s = epoch_seconds(table.clock())
        table.records.create(stored(record_id, born_s=born_s))
        index(services, record_id)
        table.clock.advance(seconds=due_s(stored(born_s=born_s)) - born_s)
        moment = Moment(step, partial(restore, record_id))
        with at(moment, table.client):
            sweep_due(services, lambda: False)
        found = table.records.load(record_id)
        assert isinstance(found, StoredRecord)
        is_living = found.tombstone is None
        assert has_vector(services, record_id) == is_living, f"restored at step {step}"
        restored += is_living
        if not moment.has_come:
            break
        came += 1

    assert 4 <= came < STEPS
    assert restored


SOONER: dict[str, ChangeRequest] = {
    "penalized": Penalize(id="record-1", amount=0.5, **WHY),
    "of a shorter half-life": ChangeLifecycle.model_validate(
        {"id": "record-1", "decay": {"half_life_seconds": 60}, **WHY}
    ),
}


@pytest.mark.parametrize("asked", SOONER.values(), ids=SOONER)
def test_a_record_that_is_due_sooner_than_when_it_was_indexed_leaves_no_vector_when_it_is_pruned(
    fading: Fading, asked: ChangeRequest
) -> None:
    at_first_s = fading.due_s
    change(asked, fading.services)
    before = flag(fading.store, "record-1")
    fading.wait(fading.due_s)
    sooner = epoch_seconds(fading.store.clock()) < at_first_s

    fading.sweep()

    assert (before, sooner, fading.is_indexed) == (None, True, False)
    assert "removed" in (vector_of(fading.store, "record-1") or {})


def test_a_record_that_was_pruned_by_ttl_alone_costs_no_marker(table: Store) -> None:
    fading = Fading(table)
    fading.change(Reinforce)
    fading.wait(fading.due_s)

    fading.sweep()

    assert "removed" not in (vector_of(table, "record-1") or {})


def test_a_vector_is_found_no_longer_once_its_time_is_over_though_ttl_is_late(
    table: Store,
) -> None:
    fading = Fading(table)
    fading.change(Reinforce)
    asked = search_for(f"the {SECRET} crane", ["project:alpha"])
    before = [each.record_id for each in fading.services.search.search(asked).entries]

    fading.wait(fading.due_s + OUTLIVES_S)

    assert before == ["record-1"]
    assert fading.services.search.search(asked).entries == []
    assert not fading.is_indexed
    assert vector_of(table, "record-1") is not None


def test_a_record_that_ttl_thought_due_by_a_threshold_of_then_is_indexed_at_its_next_change(
    fading: Fading,
) -> None:
    fading.wait(fading.due_s + OUTLIVES_S)
    fading.ttl()
    held = fading.store.records.load("record-1")
    assert isinstance(held, StoredRecord)
    fading.store.due.put_off(Due("record-1", fading.due_s), fading.due_s + 10**9)

    fading.change(Reinforce)

    assert flag(fading.store, "record-1") == "written"


def test_a_reinforced_records_vector_is_put_again_when_ttl_has_removed_it(fading: Fading) -> None:
    over_s = fading.due_s + OUTLIVES_S
    fading.wait(fading.due_s - 60)
    fading.change(Reinforce)
    assert flag(fading.store, "record-1") is None

    fading.wait(over_s)

    assert (fading.ttl(), fading.is_indexed) == (1, True)
    assert fading.ttl() == 0
    fading.wait(fading.due_s + OUTLIVES_S)
    assert (fading.ttl(), fading.is_indexed) == (0, False)


def test_a_record_that_the_sweep_is_late_for_is_not_put_again_and_again(fading: Fading) -> None:
    fading.wait(fading.due_s + OUTLIVES_S)

    assert (fading.ttl(), fading.is_indexed) == (0, False)
    assert index(fading.services, "record-1").passed_over == 1
    assert not fading.is_indexed


def test_a_record_that_lives_on_though_the_sweep_was_late_is_put_again(fading: Fading) -> None:
    fading.wait(fading.due_s + OUTLIVES_S)
    fading.ttl()

    fading.change(Reinforce)

    assert flag(fading.store, "record-1") == "written"
    index(fading.services, "record-1")
    assert fading.is_indexed


def test_a_pinned_records_vector_is_put_again_for_good_and_expires_once_it_is_unpinned(
    fading: Fading,
) -> None:
    over_s = fading.due_s + OUTLIVES_S
    fading.change(Pin)
    fading.wait(over_s)
    put_again = fading.ttl()
    fading.wait(over_s + 10**9)
    for_good = fading.ttl(), fading.is_indexed

    fading.change(Unpin)
    assert flag(fading.store, "record-1") == "written"
    index(fading.services, "record-1")
    fading.wait(fading.due_s)
    fading.sweep()
    fading.wait(epoch_seconds(fading.store.clock()) + OUTLIVES_S)

    assert (put_again, for_good) == (1, (0, True))
    assert (fading.ttl(), fading.is_indexed) == (0, False)


def test_a_pruned_record_that_is_erased_has_a_marker_against_late_vectors(
    fading: Fading,
) -> None:
    fading.wait(fading.due_s)
    fading.sweep()

    erased("record-1", fading.services)

    assert not fading.is_indexed
    assert "removed" in (vector_of(fading.store, "record-1") or {})


def test_markers_go_by_ttl_and_tell_nobody(table: Store) -> None:
    services = indexing(table)
    record_id = fact(services, "tea")
    erased(record_id, services)

    table.clock.advance(days=2)

    assert expired(table) == []
    assert vector_of(table, record_id) is None


# --- whoever comes first --------------------------------------------------------------------------


@dataclass(slots=True)
class Late(StandIn):
    """An index function that has loaded a record, and not yet put the record's vector."""

    puts: list[tuple[Entry, int, int | None]] = field(default_factory=list)

    def put_entry(
        self, entry: Entry, version: int, expires_at_s: int | None, former: bytes | None = None
    ) -> bool:
        assert former is None
        self.puts.append((entry, version, expires_at_s))
        return True

    def end_entry(self, source_id: str, version: int) -> None:
        raise AssertionError(f"{source_id} was superseded by version {version}")


def no_vector(table: Store, record_id: str) -> bool:
    """Whether nothing is left that a vector is made of, not only nothing that is shown."""
    found = vector_of(table, record_id)
    return found is None or "removed" in found


STEPS = 60
"""More than any of these takes; every test says that it reached the last."""


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_whatever_ends_a_record_amid_its_indexing_no_vector_is_left(table: Store, end: End) -> None:
    services, came = indexing(table), 0
    for step in count():
        record_id = fact(services, f"tea {step}")
        moment = Moment(step, partial(end, record_id, services))
        with at(moment, table.client):
            index(services, record_id)
        if not moment.has_come:
            break
        came += 1
        assert no_vector(table, record_id), f"ended at step {step}"

    assert 4 <= came < STEPS


@pytest.mark.parametrize("is_pruned", [False, True], ids=["living", "pruned"])
def test_an_old_version_that_is_put_amid_an_erasure_leaves_no_vector(
    table: Store, *, is_pruned: bool
) -> None:
    services, came = indexing(table), 0
    for step in count():
        late, record_id = Late(), f"record-{step}"
        born_s = epoch_seconds(table.clock())
        table.records.create(stored(record_id, born_s=born_s))
        index(services.but(vectors=late), record_id)
        if is_pruned:
            table.clock.advance(seconds=due_s(stored(born_s=born_s)) - born_s)
            sweep_due(services, lambda: False)
        moment = Moment(step, partial(put_all, services, late.puts))
        with at(moment, table.client):
            erased(record_id, services)
        put_all(services, late.puts)
        assert no_vector(table, record_id), f"put at step {step}"
        if not moment.has_come:
            break
        came += 1

    assert 4 <= came < STEPS


def put_all(services: World, puts: Sequence[tuple[Entry, int, int | None]]) -> None:
    for each in puts:
        services.vectors.put_entry(*each)
