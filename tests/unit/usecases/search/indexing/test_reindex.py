"""Re-indexing: from wherever it is taken up, the present embedder makes every vector."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import Unavailable
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.usecases.machinery.long_jobs import never
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.indexing.changes import ChangedSource
from membrane.usecases.search.indexing.index_records import index_records
from membrane.usecases.search.indexing.reindex import ReindexProgress, Stage, reindex
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, event, written
from tests.fakes.clock import FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeEmbedder
from tests.fakes.vectors import FakeCatalogue, FakeVectors
from tests.fakes.world import make_reading_services


@dataclass(slots=True)
class Ailing(FakeCatalogue):
    """A catalogue of which some items cannot be written."""

    failing: set[str] = field(default_factory=set)

    def make_stale(self, own_key: tuple[str, str], since: str) -> bool:
        """See DynamoCatalogue."""
        if own_key[0].removeprefix("record#") in self.failing:
            raise Unavailable("no answer")
        return FakeCatalogue.make_stale(self, own_key, since)


@dataclass(slots=True)
class World:
    """A store with some records, and what the stream has told of them."""

    clock: FakeClock
    records: FakeRecords
    vectors: FakeVectors
    catalogue: Ailing
    services: ReadingServices
    told: dict[str, str] = field(default_factory=dict)

    @classmethod
    def new(cls, records: int = 7) -> "World":
        clock = FakeClock()
        stored = FakeRecords(clock)
        vectors = FakeVectors("old", clock, stored.ended)
        catalogue = Ailing(stored, vectors)
        services = make_reading_services(
            now=clock,
            records=stored,
            vectors=vectors,
            catalogue=catalogue,
            embedder=FakeEmbedder("old"),
        )
        world = cls(clock, stored, vectors, catalogue, services)
        for number in range(records):
            asked = event(summary=f"crane {number}", scope=("", "team", "other")[number % 3])
            written(ingest(asked, call(asked), services))
        return world

    def use(self, embedder: str) -> None:
        """Take another embedder."""
        self.clock.advance(seconds=1)
        self.vectors.embedder = embedder
        made = FakeEmbedder(embedder)
        self.services = replace(self.services, embedder=made, embedders=(made,))

    def follow(self) -> int:
        """Index what the stream tells: those whose flag is another one than it told last."""
        stale = self.records.stale.items()
        changed = {each: flag for each, flag in stale if self.told.get(each) != flag}
        self.told |= changed
        index_records([ChangedSource(each, ()) for each in changed], self.services)
        return len(changed)

    def reindexed(self) -> ReindexProgress:
        """After a re-index that is gone on with until it is done, and that the stream follows."""
        done = reindex(self.services, never)
        while not done.is_done:
            self.follow()
            done = reindex(self.services, never)
        return done

    @property
    def ids(self) -> list[str]:
        """Of all records."""
        return sorted(self.records.places)

    @property
    def found(self) -> dict[str, str]:
        """Who made the vector, by id."""
        return {each.entry.record_id: each.embedder for each in self.vectors.living}


def after(pages: int) -> Callable[[], bool]:
    """Time is up once so many pages were begun."""
    begun: Iterator[bool] = repeat(False, pages)  # noqa: FBT003 - is_out_of_time's answer
    return lambda: next(begun, True)


def test_every_record_gets_a_vector_and_is_counted() -> None:
    world = World.new()

    done = world.reindexed()

    assert (done.stage, done.marked, done.embedder) == (Stage.DONE, 7, "old")
    assert world.follow() == 7
    assert world.found == dict.fromkeys(world.ids, "old")


def test_another_embedder_makes_every_vector_anew() -> None:
    world = World.new()
    world.follow()
    world.use("new")

    done = world.reindexed()

    assert (done.embedder, done.marked, done.is_done) == ("new", 7, True)
    assert world.found == dict.fromkeys(world.ids, "new")


def test_it_is_not_done_while_vectors_of_another_embedder_are_left() -> None:
    world = World.new()
    world.follow()
    world.use("new")

    waiting = [reindex(world.services, never).stage for _ in range(3)]
    world.follow()

    assert waiting == [Stage.CHECKING] * 3
    assert reindex(world.services, never).is_done


def test_a_step_ends_when_time_is_up_and_the_next_goes_on_from_there() -> None:
    world = World.new()
    steps = [reindex(world.services, after(1))]
    while not steps[-1].is_done:
        steps.append(reindex(world.services, after(1)))

    assert [step.marked for step in steps] == [2, 4, 6, 7, 7, 7, 7, 7]
    assert {step.started_at for step in steps} == {steps[0].started_at}


@given(st.lists(st.integers(min_value=0, max_value=4), max_size=8), st.booleans())
def test_whatever_is_ended_on_its_way_the_end_is_the_same(pages: list[int], again: bool) -> None:  # noqa: FBT001 - drawn
    world = World.new()
    world.follow()
    world.use("new")
    for some in pages:
        reindex(world.services, after(some), again=again)
        world.follow()

    world.reindexed()

    assert world.found == dict.fromkeys(world.ids, "new")


def test_behind_its_end_it_begins_anew_and_makes_up_for_changes_that_were_lost() -> None:
    world = World.new()
    world.follow()
    world.reindexed()
    world.vectors.kept.pop(world.ids[0])
    world.clock.advance(seconds=1)

    done = world.reindexed()
    world.follow()

    assert done.marked == 7
    assert sorted(world.found) == world.ids


def test_one_that_was_ended_on_its_way_begins_anew_only_where_it_is_asked_for() -> None:
    world = World.new()
    reindex(world.services, after(2))

    on = reindex(world.services, after(0))
    anew = reindex(world.services, after(0), again=True)

    assert (on.marked, anew.marked) == (4, 0)


def test_a_change_of_embedder_on_the_way_begins_anew() -> None:
    world = World.new()
    world.follow()
    reindex(world.services, after(2))
    world.use("new")

    done = world.reindexed()

    assert (done.embedder, done.marked) == ("new", 7)
    assert set(world.found.values()) == {"new"}


def test_a_deployment_that_is_rolled_back_is_gone_through_again() -> None:
    world = World.new()
    world.follow()
    world.use("new")
    reindex(world.services, after(2))
    world.follow()
    world.use("old")

    world.reindexed()

    assert world.found == dict.fromkeys(world.ids, "old")


def test_what_is_deleted_is_passed_over_and_stays_unfound() -> None:
    world = World.new()
    world.follow()
    gone, *others = world.ids
    change(DeleteRecord(id=gone, actor="me", rationale="wrong"), world.services)
    world.use("new")

    done = world.reindexed()

    assert done.marked == 6
    assert world.found == dict.fromkeys(others, "new")


def test_what_the_store_refuses_for_a_while_is_taken_up_where_it_was() -> None:
    world = World.new()
    reindex(world.services, after(2))
    before = world.catalogue.progress()
    world.catalogue.failing.update(world.ids)

    with pytest.raises(Unavailable):
        reindex(world.services, never)

    assert world.catalogue.progress() == before
    world.catalogue.failing.clear()
    assert reindex(world.services, never).marked == 7


def test_two_at_once_do_not_run_into_each_other() -> None:
    world = World.new()
    reindex(world.services, after(1))

    def other() -> bool:
        reindex(world.services, after(1))
        return False

    assert not reindex(world.services, other).is_done
    assert reindex(world.services, never).is_done


def test_progress_reads_back_as_it_was_kept() -> None:
    begun = ReindexProgress("lexical", "2026-03-01T09:00:00Z")
    progress = replace(begun, stage=Stage.CHECKING, after="x", marked=7, lacking=3)

    assert ReindexProgress.of_json(progress.as_json()) == progress
