"""Re-indexing: from wherever it is taken up, it leaves every record as it should be found."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.adapters.dynamodb.table.keys import shard_of
from membrane.domain.language.errors import Aborted, Unavailable
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.usecases.ports.search import Standing
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.indexing.batch import Changed
from membrane.usecases.search.indexing.index_records import index_records
from membrane.usecases.search.indexing.reindex import Reindexed, Stage, reindex
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, event, written
from tests.fakes.clock import FakeClock
from tests.fakes.entries import FakeCatalogue, FakeEntries, SetAsides
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeEmbedder
from tests.fakes.world import make_reading_services


@dataclass(frozen=True, slots=True)
class World:
    """A store with some records in three scopes, of which none is indexed yet."""

    records: FakeRecords
    entries: FakeEntries
    catalogue: FakeCatalogue
    services: ReadingServices
    set_aside: SetAsides

    @classmethod
    def new(cls, records: int = 7) -> "World":
        clock = FakeClock()
        stored, entries = FakeRecords(clock), FakeEntries("old", clock)
        catalogue, set_aside = FakeCatalogue(stored, entries), SetAsides()
        services = make_reading_services(
            now=clock,
            records=stored,
            entries=entries,
            catalogue=catalogue,
            embedder=FakeEmbedder("old"),
            set_aside=set_aside,
        )
        world = cls(stored, entries, catalogue, services, set_aside)
        for number in range(records):
            asked = event(summary=f"crane {number}", scope=("", "team", "other")[number % 3])
            written(ingest(asked, call(asked), services))
        return world

    def under(self, embedder: str) -> ReadingServices:
        """The services once the embedder is another one."""
        self.entries.embedder_name = embedder
        return replace(self.services, embedder=FakeEmbedder(embedder))

    def ids(self) -> list[str]:
        """Of all records, by scope."""
        return sorted(self.records.places)

    def found(self) -> list[str]:
        """The ids of all that can be found."""
        every = [each.entry for each in self.entries.places.values() if each.entry is not None]
        return sorted(each.record_id for each in every)


def never() -> bool:
    return False


def after(pages: int) -> Callable[[], bool]:
    """Time is up once so many pages were begun."""
    begun: Iterator[bool] = repeat(False, pages)  # noqa: FBT003 - is_out_of_time's answer
    return lambda: next(begun, True)


def test_every_record_is_indexed_and_counted() -> None:
    world = World.new()

    done = reindex(world.services, never)

    assert done.is_done
    assert (done.indexed, done.removed, done.failed, done.scopes) == (7, 0, 0, 3)
    assert world.found() == world.ids()


def test_a_step_ends_when_time_is_up_and_the_next_goes_on_from_there() -> None:
    world = World.new()
    steps = [reindex(world.services, after(1))]
    while not steps[-1].is_done:
        steps.append(reindex(world.services, after(1)))

    assert len(steps) > 5
    assert steps[-1].indexed == 7
    assert world.found() == world.ids()


@given(st.lists(st.integers(min_value=0, max_value=3), max_size=8))
def test_whatever_is_ended_on_its_way_the_end_is_the_same(pages: list[int]) -> None:
    world = World.new()
    for some in pages:
        reindex(world.services, after(some))

    done = reindex(world.services, never)

    assert done.is_done
    assert world.found() == world.ids()
    assert [state.documents for state in world.entries.scopes.values()] == [3, 2, 2]


def test_behind_its_end_it_begins_anew_and_makes_up_for_changes_that_were_lost() -> None:
    world = World.new()
    reindex(world.services, never)
    del world.entries.places[next(iter(world.entries.places))]

    second = reindex(world.services, never)

    assert second.is_done
    assert (second.indexed, second.failed) == (1, 0)
    assert world.found() == world.ids()


def test_one_that_was_ended_on_its_way_begins_anew_only_where_it_is_asked_for() -> None:
    world = World.new()
    reindex(world.services, after(2))

    on = reindex(world.services, after(0))
    anew = reindex(world.services, after(0), again=True)

    assert on.after is not None
    assert (anew.after, anew.indexed) == (None, 0)


def test_a_deployment_that_is_rolled_back_leaves_scopes_that_a_re_index_opens_again() -> None:
    world = World.new()
    reindex(world.services, never)
    index_records([Changed(world.ids()[0], ())], world.under("new"))
    services = world.under("old")

    reindex(services, never)

    assert all(each.embedder == "old" for each in world.entries.places.values())
    assert all(each.embedders == {"old"} for each in world.entries.scopes.values())


def test_another_embedder_makes_every_entry_anew_and_readers_are_told() -> None:
    world = World.new()
    reindex(world.services, never)
    services = world.under("new")
    index_records([Changed(world.ids()[0], ())], services)
    scope = world.records.places[world.ids()[0]].scope  # type: ignore[union-attr]  # a record
    assert world.entries.scopes[scope].embedders == {"old", "new"}

    done = reindex(services, never)

    assert (done.embedder, done.indexed, done.unchanged) == ("new", 6, 1)
    assert all(each.embedder == "new" for each in world.entries.places.values())
    assert all(each.embedders == {"new"} for each in world.entries.scopes.values())


def test_a_change_of_embedder_on_the_way_begins_anew() -> None:
    world = World.new()
    reindex(world.services, after(2))

    done = reindex(world.under("new"), never)

    assert (done.embedder, done.is_done) == ("new", True)
    assert all(each.embedder == "new" for each in world.entries.places.values())


def test_a_change_of_shards_on_the_way_begins_anew() -> None:
    world = World.new()
    reindex(world.services, after(2))

    world.entries.spread(4)
    done = reindex(world.services, never)

    assert (done.shards, done.is_done) == (4, True)
    assert world.entries.strays == {}
    assert world.found() == world.ids()


def test_entries_in_a_shard_that_is_no_longer_theirs_go_and_those_of_erased_records_too() -> None:
    world = World.new(40)
    reindex(world.services, never)
    world.entries.spread(4)
    strays = len(world.entries.strays)
    scope, erased, _ = next(iter(world.entries.strays))
    change(DeleteRecord(id=erased, actor="me", rationale="law", erase=True), world.services)
    index_records([Changed(erased, (scope,))], world.services)

    done = reindex(world.services, never)

    assert strays > 20
    assert world.entries.strays == {}
    assert done.removed == strays
    assert world.found() == sorted({*world.ids()} - {erased})


def test_what_stands_in_a_wrong_shard_does_not_wait_for_the_embedder() -> None:
    world = World.new(1)
    reindex(world.services, never)
    (record_id,) = world.ids()
    world.entries.spread(next(n for n in range(2, 9) if shard_of(record_id, n)))

    def busy(_texts: object) -> None:
        raise Unavailable("no answer")

    embedder = FakeEmbedder("old", failing=busy)
    with pytest.raises(Unavailable):
        reindex(replace(world.services, embedder=embedder), never)

    assert world.entries.strays == {}


def test_a_record_that_another_embedder_refuses_does_not_close_its_scope() -> None:
    world = World.new(3)
    reindex(world.services, never)
    services = world.under("new")

    def refuse(texts: object) -> None:
        if "crane 1" in str(texts):
            raise ValueError

    done = reindex(replace(services, embedder=FakeEmbedder("new", failing=refuse)), never)

    assert (done.indexed, done.removed) == (2, 1)
    assert all(each.embedder == "new" for each in world.entries.places.values())
    assert world.set_aside.records == [(world.ids()[1], ("team",))]
    index_records([Changed(*world.set_aside.records[0])], services)
    assert world.found() == world.ids()


def test_a_record_and_its_entry_are_looked_at_once() -> None:
    world = World.new(3)
    reindex(world.services, never)

    def refuse(_texts: object) -> None:
        raise ValueError

    services = world.under("new")
    reindex(replace(services, embedder=FakeEmbedder("new", failing=refuse)), never)

    assert sorted(each for each, _ in world.set_aside.records) == world.ids()


def test_a_re_index_sets_right_how_many_entries_a_scope_has() -> None:
    world = World.new(12)
    reindex(world.services, never)
    for state in world.entries.scopes.values():
        state.documents = -7

    step = reindex(world.services, after(14))
    while not step.is_done:
        step = reindex(world.services, after(1))

    assert step.scopes == 3
    assert [state.documents for state in world.entries.scopes.values()] == [4, 4, 4]


def test_entries_whose_record_is_gone_are_removed() -> None:
    world = World.new()
    reindex(world.services, never)
    gone, deleted = world.ids()[:2]
    del world.records.places[gone]
    change(DeleteRecord(id=deleted, actor="me", rationale="wrong"), world.services)

    done = reindex(world.services, never, again=True)

    assert done.removed == 2
    assert world.found() == world.ids()[1:]


def test_an_entry_in_a_scope_that_its_record_has_left_is_removed() -> None:
    world = World.new(1)
    (record_id,) = world.ids()
    reindex(world.services, never)
    (entry,) = world.entries.entries("")
    world.entries.put(replace(entry, scope="elsewhere"), Standing(1, b"digest"))
    world.entries.moved("elsewhere", 1)

    reindex(world.services, never, again=True)

    assert world.entries.entries("elsewhere") == []
    assert world.found() == [record_id]


def test_a_record_that_cannot_be_indexed_is_counted_and_set_aside() -> None:
    world = World.new(3)

    def refuse(texts: object) -> None:
        if "crane 1" in str(texts):
            raise ValueError

    embedder = FakeEmbedder("old", failing=refuse)
    done = reindex(replace(world.services, embedder=embedder), never)

    assert (done.indexed, done.failed) == (2, 1)
    assert len(world.set_aside.records) == 1


def test_what_the_store_refuses_for_a_while_is_taken_up_where_it_was() -> None:
    world = World.new()
    reindex(world.services, after(2))
    before = world.catalogue.progress()

    def busy(_texts: object) -> None:
        raise Unavailable("no answer")

    embedder = FakeEmbedder("old", failing=busy)
    with pytest.raises(Unavailable):
        reindex(replace(world.services, embedder=embedder), never)

    assert world.catalogue.progress() == before
    assert reindex(world.services, never).indexed == 7


def test_two_at_once_do_not_run_into_each_other() -> None:
    world = World.new()
    reindex(world.services, after(1))

    def other() -> bool:
        reindex(world.services, after(1))
        return False

    with pytest.raises(Aborted, match="at the same time"):
        reindex(world.services, other)

    assert reindex(world.services, never).is_done
    assert world.found() == world.ids()


def test_progress_reads_back_as_it_was_kept() -> None:
    progress = Reindexed("lexical", vector=True, shards=4, started_at="2026-03-01T09:00:00Z")
    progress = replace(progress, stage=Stage.SCOPES, after="x", scope="y", counted=3, indexed=7)

    assert Reindexed.of_json(progress.as_json()) == progress
