"""Indexing and re-indexing: whatever is told, refused or broken off, every vector ends up right."""

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.adapters.dynamodb import catalogue
from membrane.adapters.dynamodb.search.vector_items import Encoding
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.lifecycle.requests import DeleteRecord, Pin, RestoreRecord
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord
from membrane.domain.search.entries import Entry, mark, terms_of, unpack_terms
from membrane.domain.search.searchable import NAME
from membrane.table.items import Checkpoint
from membrane.usecases.follow_changes import follow_all_or_set_aside
from membrane.usecases.machinery.calls import OutOfTime, never
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.search.indexing import (
    INDEX,
    PORTION,
    ChangedSource,
    IndexTally,
    StreamChanges,
    index_records,
    portion_size,
)
from membrane.usecases.search.reindex import (
    Changeover,
    ReindexProgress,
    Stage,
    embedder_in_use,
    reindex,
)
from membrane.wiring.world import World
from tests.builders.records import ingest
from tests.builders.requests import call, change, event, observation, standing, written
from tests.fakes.chat_models import Reports
from tests.fakes.clock import FakeClock, FakeEmbedder, SetAsides
from tests.worlds.memory import DIMENSIONS, anew, make_world, table_of
from tests.worlds.memory_table import Over

DAMAGED = ValueError("damaged")
MADE_BY = Encoding(DIMENSIONS, "").attribute_name("embedder")
BUSY = ResourceExhausted("busy")


@dataclass
class Damaged(Over):
    """Records of which some cannot be read."""

    damaged: set[str] = field(default_factory=set)

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        """See DynamoRecords."""
        if record_id in self.damaged:
            raise DAMAGED
        held: AnyRecord | None = self.inner.load(record_id, whole=whole)
        return held

    def load_own(self, record_ids: Sequence[str]) -> Any:
        """See DynamoRecords."""
        if self.damaged.intersection(record_ids):
            raise DAMAGED
        return self.inner.load_own(record_ids)


PATIENCE_S = 30.0
"""Only a failing test waits so long."""


@dataclass
class Ailing(Over):
    """Vectors of which some cannot be written, or only once something else has happened."""

    failures: dict[str, Exception] = field(default_factory=dict)
    rivals: dict[str, Callable[[], object]] = field(default_factory=dict)
    """By record id what others do just before its vector is put."""

    def put_entry(
        self, entry: Entry, version: int, expires_at_s: int | None, former: bytes | None = None
    ) -> bool:
        """See VectorIndex."""
        if entry.record_id in self.failures:
            raise self.failures[entry.record_id]
        rival = self.rivals.pop(entry.record_id, None)
        if rival is not None:
            rival()
        is_put: bool = self.inner.put_entry(entry, version, expires_at_s, former)
        return is_put


@dataclass(frozen=True, slots=True)
class Scene:
    """Records, their vectors, and services over them."""

    clock: FakeClock
    records: Damaged
    vectors: Ailing
    embedder: FakeEmbedder
    reports: Reports
    set_aside: SetAsides
    services: World

    @classmethod
    def new(cls) -> "Scene":
        clock, reports, set_aside = FakeClock(), Reports(), SetAsides()
        embedder = FakeEmbedder(dimensions=DIMENSIONS)
        usual = make_world(now=clock, embedder=embedder, report=reports, set_aside=set_aside)
        records, vectors = Damaged(table_of(usual)), Ailing(usual.vectors)
        services = usual.but(records=records, vectors=vectors)
        return cls(clock, records, vectors, embedder, reports, set_aside, services)

    def event(self, summary: str, scope: str = "team", **fields: object) -> MemoryRecord:
        """A record of something that happened."""
        asked = event(summary=summary, scope=scope, **fields)
        return written(ingest(asked, call(asked), self.services))

    def fact(self, subject: str) -> MemoryRecord:
        """A record of a fact."""
        asked = observation(subject=subject, scope="team")
        return written(ingest(asked, call(asked), self.services))

    def reword(self, record_id: str, *tags: str) -> None:
        """Change what the record is found by."""
        self.store(record_id, tags=tags)

    def store(self, record_id: str, **fields: object) -> None:
        """The next version of the record, with these fields."""
        before = standing(record_id, self.records)
        after = before.next_version(before.record.model_copy(update=fields))
        self.records.replace(before, after)

    def delete(self, record_id: str, *, erase: bool = False) -> None:
        """Delete the record."""
        asked = DeleteRecord(id=record_id, actor="me", rationale="wrong", erase=erase)
        change(asked, self.services)

    def restore(self, record_id: str) -> None:
        """Take the deletion back."""
        change(RestoreRecord(id=record_id, actor="me", rationale="right"), self.services)

    def index(self, *record_ids: str) -> IndexTally:
        """Put the vectors of the records as they are now."""
        return index_records([ChangedSource(each, ("team",)) for each in record_ids], self.services)

    def follow(self, *record_ids: str) -> None:
        """The same, as after a batch of the stream."""
        changed = [ChangedSource(each, ("team",)) for each in record_ids]
        follow_all_or_set_aside(StreamChanges(records=changed), self.services)

    @property
    def entries(self) -> list[Entry]:
        """Of the records that can be found, by id."""
        found = self.services.search.at(self.records.ids, DIMENSIONS)
        return sorted(found, key=lambda entry: entry.record_id)

    def found(self, scope: str = "team") -> list[str]:
        """The ids of what can be found in a scope."""
        return [each.record_id for each in self.entries if each.scope == scope]

    def words(self, record_id: str) -> set[int]:
        """The terms that a record is found by."""
        (entry,) = (each for each in self.entries if each.record_id == record_id)
        return set(unpack_terms(entry.terms))


@pytest.fixture
def world() -> Scene:
    return Scene.new()


def term(word: str) -> int:
    (found,) = terms_of(word)
    return found


# --- what is found --------------------------------------------------------------------------------


def test_a_record_is_found_by_its_words(world: Scene) -> None:
    record = world.event("the harbour crane failed")

    indexed = world.index(record.id)

    assert indexed == IndexTally(written=1)
    assert world.found() == [record.id]
    assert {term("harbour"), term("crane")} <= world.words(record.id)


# --- how long -------------------------------------------------------------------------------------


# --- order, repetition, rivals --------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(["reword", "pin", "delete", "restore", "move", "erase"]), max_size=6),
    st.randoms(use_true_random=False),
)
def test_in_whatever_order_and_however_often_changes_are_told_the_end_is_the_same(
    deeds: Sequence[str], chance: Random
) -> None:
    world = Scene.new()
    record_id = world.event("the crane failed").id
    for number, deed in enumerate(deeds):
        held = world.records.load(record_id)
        alive = held is not None and held.tombstone is None
        match deed:
            case "reword" if alive:
                world.reword(record_id, f"word{number}")
            case "pin" if alive:
                change(Pin(id=record_id), world.services)
            case "delete" | "erase" if alive:
                world.delete(record_id, erase=deed == "erase")
            case "restore" if held and held.tombstone and not held.tombstone.is_erased:
                world.restore(record_id)
            case "move" if alive:
                world.store(record_id, scope="other" if number % 2 else "team")
            case _:
                continue
        if chance.random() < 0.5:
            world.index(record_id)

    for _ in range(2):
        world.index(record_id)

    afresh = Scene.new()
    afresh.records.places.update(world.records.places)
    afresh.index(record_id)
    assert world.entries == afresh.entries


def test_whoever_is_late_with_an_older_version_changes_nothing(world: Scene) -> None:
    record = world.event("the crane failed")

    def newer() -> None:
        world.reword(record.id, "lighthouse")
        world.index(record.id)

    world.vectors.rivals[record.id] = newer
    indexed = world.index(record.id)

    assert indexed == IndexTally(passed_over=1)
    assert mark(NAME, "lighthouse") in world.words(record.id)


def test_the_next_texts_are_embedded_while_vectors_are_put(world: Scene) -> None:
    ids = [world.event(f"crane {number}").id for number in range(PORTION + 1)]
    begun = threading.Event()
    waited: list[bool] = []

    def note(texts: Sequence[str]) -> None:
        if len(texts) == 1:
            begun.set()

    world.embedder.failing = note
    world.vectors.rivals[ids[0]] = lambda: waited.append(begun.wait(PATIENCE_S))
    world.index(*ids)

    assert waited == [True]


# --- failures -------------------------------------------------------------------------------------


def test_a_record_that_cannot_be_read_is_set_aside_alone(world: Scene) -> None:
    good, bad = world.event("the crane failed"), world.event("the crane fell")
    world.records.damaged.add(bad.id)

    world.follow(bad.id, good.id)

    assert world.found() == [good.id]
    assert world.set_aside.records == [(bad.id, ("team",))]
    assert world.reports.told[-1] == (INDEX, FAULT)
    assert world.reports.faults == [DAMAGED]


def test_a_text_that_the_embedder_refuses_is_set_aside_alone(world: Scene) -> None:
    good, bad = world.event("the crane failed"), world.event("the unspeakable")

    def refuse(texts: Sequence[str]) -> None:
        if any("unspeakable" in text for text in texts):
            raise DAMAGED

    world.embedder.failing = refuse
    world.follow(bad.id, good.id)

    assert world.found() == [good.id]
    assert world.set_aside.records == [(bad.id, ("team",))]


def test_a_vector_that_cannot_be_written_is_set_aside_alone(world: Scene) -> None:
    good, bad = world.event("the crane failed"), world.event("the crane fell")
    world.vectors.failures[bad.id] = DAMAGED

    world.follow(bad.id, good.id)

    assert world.found() == [good.id]
    assert world.set_aside.records == [(bad.id, ("team",))]


def test_a_record_without_a_turn_in_time_fails_alone(world: Scene) -> None:
    soon, late = world.event("the crane failed"), world.event("the crane fell")
    turns = iter((False, True))

    changed = [ChangedSource(each.id, ("team",)) for each in (soon, late)]
    indexed = index_records(changed, world.services, lambda: next(turns))

    assert world.found() == [soon.id]
    assert [each.changed.record_id for each in indexed.failed] == [late.id]
    assert [type(each.error) for each in indexed.failed] == [OutOfTime]
    assert world.reports.told[-1] == (INDEX, FAULT)


def test_a_busy_embedder_fails_the_whole_batch(world: Scene) -> None:
    record = world.event("the crane failed")

    def busy(_texts: Sequence[str]) -> None:
        raise BUSY

    world.embedder.failing = busy
    with pytest.raises(ResourceExhausted):
        world.follow(record.id)

    assert world.set_aside.records == []
    assert world.reports.told == []


def test_what_was_embedded_before_the_embedder_was_busy_is_found(world: Scene) -> None:
    ids = [world.event(f"crane {number}").id for number in range(2 * PORTION)]

    def busy(_texts: Sequence[str]) -> None:
        if world.embedder.asked:
            raise BUSY

    world.embedder.failing = busy
    with pytest.raises(ResourceExhausted):
        world.index(*ids)

    assert world.found() == sorted(ids[:PORTION])


def test_a_failed_put_waits_for_the_texts_that_are_being_embedded_and_begins_no_others(
    world: Scene,
) -> None:
    size = PORTION
    ids = [world.event(f"crane {number}").id for number in range(3 * size)]
    world.vectors.failures[ids[0]] = Unavailable("no answer")

    with pytest.raises(Unavailable):
        world.index(*ids)

    assert len(world.embedder.asked) == 2
    assert world.found() == sorted(ids[1:size])


@pytest.mark.parametrize(
    ("concurrencies", "size"),
    [((None,), PORTION), ((1,), 1), ((8,), 8), ((8, None), PORTION), ((None, 64), 64)],
)
def test_a_portion_has_as_many_texts_as_a_concurrent_embedder_embeds_at_once(
    concurrencies: tuple[int | None, ...], size: int
) -> None:
    assert portion_size([FakeEmbedder(concurrency=each) for each in concurrencies]) == size


@pytest.fixture(scope="module", autouse=True)
def short_pages() -> Iterator[None]:
    """A page of the catalogue is of two items."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "ITEMS", 2)
        yield


@dataclass
class AilingCatalogue(Over):
    """A catalogue of which items cannot be written for a while."""

    fails: bool = False

    def make_stale(self, own_key: tuple[str, str], since: str) -> bool:
        """See DynamoCatalogue."""
        if self.fails:
            raise Unavailable("no answer")
        is_there: bool = self.inner.make_stale(own_key, since)
        return is_there


@dataclass(slots=True)
class Reindexing:
    """A store with some records, and what the stream has told of them."""

    services: World
    told: dict[str, str] = field(default_factory=dict)

    @classmethod
    def new(cls, records: int = 7) -> "Reindexing":
        services = make_world(embedder=FakeEmbedder("old", DIMENSIONS))
        for number in range(records):
            asked = event(summary=f"crane {number}", scope=("", "team", "other")[number % 3])
            written(ingest(asked, call(asked), services))
        return cls(services)

    def use(self, embedder: str) -> None:
        """Take another embedder."""
        assert isinstance(self.services.now, FakeClock)
        self.services.now.advance(seconds=1)
        self.services = anew(self.services, embedders=(FakeEmbedder(embedder, DIMENSIONS),))

    def follow(self) -> int:
        """Index what the stream tells: those whose flag is another one than it told last."""
        stale = {
            each["pk"]["S"].removeprefix("record#"): each["stale"]["S"]
            for each in table_of(self.services).everything()
            if "stale" in each
        }
        changed = {each: flag for each, flag in stale.items() if self.told.get(each) != flag}
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
        return sorted(table_of(self.services).ids)

    @property
    def found(self) -> dict[str, str]:
        """Who made the vector, by id."""
        return {
            each["pk"]["S"].removeprefix("vector#"): each[MADE_BY]["S"]
            for each in table_of(self.services).everything()
            if MADE_BY in each
        }


def after(pages: int) -> Callable[[], bool]:
    """Time is up once so many pages were begun."""
    begun: Iterator[bool] = repeat(False, pages)  # noqa: FBT003 - is_out_of_time's answer
    return lambda: next(begun, True)


def test_a_step_ends_when_time_is_up_and_the_next_goes_on_from_there() -> None:
    world = Reindexing.new()
    steps = [reindex(world.services, after(1))]
    while not steps[-1].is_done:
        steps.append(reindex(world.services, after(1)))

    marked = [step.marked for step in steps]
    assert marked == sorted(marked)
    assert (marked[0] < 7, marked[-1], len(steps) > 7) == (True, 7, True)
    assert {step.started_at for step in steps} == {steps[0].started_at}


@given(st.lists(st.integers(min_value=0, max_value=4), max_size=8), st.booleans())
def test_whatever_is_ended_on_its_way_the_end_is_the_same(pages: list[int], again: bool) -> None:  # noqa: FBT001 - drawn
    world = Reindexing.new()
    world.follow()
    world.use("new")
    for some in pages:
        reindex(world.services, after(some), again=again)
        world.follow()

    world.reindexed()

    assert world.found == dict.fromkeys(world.ids, "new")


def test_a_change_of_embedder_on_the_way_begins_anew() -> None:
    world = Reindexing.new()
    world.follow()
    reindex(world.services, after(2))
    world.use("new")

    done = world.reindexed()

    assert (done.embedder, done.marked) == ("new", 7)
    assert set(world.found.values()) == {"new"}


def test_a_deployment_that_is_rolled_back_is_gone_through_again() -> None:
    world = Reindexing.new()
    world.follow()
    world.use("new")
    reindex(world.services, after(2))
    world.follow()
    world.use("old")

    world.reindexed()

    assert world.found == dict.fromkeys(world.ids, "old")


def test_what_the_store_refuses_for_a_while_is_taken_up_where_it_was() -> None:
    world = Reindexing.new()
    reindex(world.services, after(2))
    before = world.services.catalogue.progress()
    failing = AilingCatalogue(world.services.catalogue, fails=True)

    with pytest.raises(Unavailable):
        reindex(world.services.but(catalogue=failing), never)

    assert world.services.catalogue.progress() == before
    assert reindex(world.services, never).marked == 7


def test_two_at_once_do_not_run_into_each_other() -> None:
    world = Reindexing.new()
    reindex(world.services, after(1))

    def other() -> bool:
        reindex(world.services, after(2))
        return False

    assert not reindex(world.services, other).is_done
    assert reindex(world.services, never).is_done


PRESENT, FORMER = FakeEmbedder("present", 32), FakeEmbedder("former", 64)
BEGUN = ReindexProgress("present", "2026-11-22T00:00:00Z")


def asked(progress: ReindexProgress | None) -> str:
    """The name of the embedder that is asked."""
    kept = None if progress is None else Checkpoint(progress.as_json(), 1)
    return Changeover(PRESENT, FORMER, lambda: kept).name


def test_the_former_embedder_is_asked_until_the_re_index_is_done() -> None:
    assert asked(None) == "former"
    assert asked(BEGUN) == "former"
    assert asked(replace(BEGUN, stage=Stage.CHECKING)) == "former"
    assert asked(replace(BEGUN, stage=Stage.DONE)) == "present"


def test_once_it_is_done_nobody_asks_how_far_it_is() -> None:
    times = list[int]()

    def progress() -> Checkpoint:
        times.append(1)
        return Checkpoint(replace(BEGUN, stage=Stage.DONE).as_json(), 1)

    changeover = Changeover(PRESENT, FORMER, progress)
    dimensions = [len(changeover.embed(["a text"])[0]) for _ in range(3)]

    assert dimensions == [PRESENT.dimensions] * 3
    assert len(times) == 1


def test_an_embedder_that_is_in_use_stays_the_same_for_a_request() -> None:
    kept = [
        Checkpoint(replace(BEGUN, stage=Stage.DONE).as_json(), 1),
        Checkpoint(BEGUN.as_json(), 1),
    ]
    changeover = Changeover(PRESENT, FORMER, kept.pop)

    embedder = embedder_in_use(changeover)

    assert changeover.name == "present"
    assert embedder is FORMER
    assert embedder_in_use(PRESENT) is PRESENT
