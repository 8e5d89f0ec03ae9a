"""Indexing: whatever is told, in whatever order and however often, the vectors end up right."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.lifecycle.requests import DeleteRecord, Pin, Reinforce, RestoreRecord
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import AnyRecord
from membrane.domain.revision.requests import Contest, Retract
from membrane.domain.search.entries import Entry, unpack_terms
from membrane.domain.search.searchable import NAME
from membrane.domain.search.terms import mark, terms_of
from membrane.usecases.following.follow_changes import follow_all_or_set_aside
from membrane.usecases.machinery.long_jobs import OutOfTime
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.search.indexing.batch import OUTLIVES_S, PORTION, IndexTally, portion_size
from membrane.usecases.search.indexing.changes import ChangedSource, StreamChanges
from membrane.usecases.search.indexing.index_records import INDEX, index_records
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, event, observation, standing, written
from tests.fakes.clock import FakeClock
from tests.fakes.operators import Reports
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeEmbedder
from tests.fakes.topic_world import topical
from tests.fakes.vectors import FakeVectors, SetAsides

DAMAGED = ValueError("damaged")
BUSY = ResourceExhausted("busy")


@dataclass(slots=True)
class Damaged(FakeRecords):
    """Records of which some cannot be read."""

    damaged: set[str] = field(default_factory=set)

    def load(self, record_id: str, *, whole: bool = False) -> AnyRecord | None:
        """See DynamoRecords."""
        if record_id in self.damaged:
            raise DAMAGED
        return FakeRecords.load(self, record_id, whole=whole)


PATIENCE_S = 30.0
"""Only a failing test waits so long."""


@dataclass(slots=True)
class Ailing(FakeVectors):
    """Vectors of which some cannot be written, or only once something else has happened."""

    failures: dict[str, Exception] = field(default_factory=dict)
    rivals: dict[str, Callable[[], object]] = field(default_factory=dict)
    """By record id what others do just before its vector is put."""

    def put_entry(
        self, entry: Entry, version: int, expires_at_s: int | None, former: bytes | None = None
    ) -> bool:
        """See DynamoVectors."""
        if entry.record_id in self.failures:
            raise self.failures[entry.record_id]
        rival = self.rivals.pop(entry.record_id, None)
        if rival is not None:
            rival()
        return FakeVectors.put_entry(self, entry, version, expires_at_s, former)


@dataclass(frozen=True, slots=True)
class World:
    """Records, their vectors, and services over them."""

    clock: FakeClock
    records: Damaged
    vectors: Ailing
    embedder: FakeEmbedder
    reports: Reports
    set_aside: SetAsides
    services: TopicServices

    @classmethod
    def new(cls) -> "World":
        clock = FakeClock()
        records = Damaged(clock)
        vectors = Ailing(now=clock, ended=records.ended)
        embedder, reports, set_aside = FakeEmbedder(), Reports(), SetAsides()
        services = topical(
            now=clock,
            records=records,
            vectors=vectors,
            embedder=embedder,
            report=reports,
            set_aside=set_aside,
        )
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

    def found(self, scope: str = "team") -> list[str]:
        """The ids of what can be found in a scope."""
        return [each.record_id for each in self.vectors.entries if each.scope == scope]

    def words(self, record_id: str) -> set[int]:
        """The terms that a record is found by."""
        (entry,) = (each for each in self.vectors.entries if each.record_id == record_id)
        return set(unpack_terms(entry.terms))


@pytest.fixture
def world() -> World:
    return World.new()


def term(word: str) -> int:
    (found,) = terms_of(word)
    return found


# --- what is found --------------------------------------------------------------------------------


def test_a_record_is_found_by_its_words(world: World) -> None:
    record = world.event("the harbour crane failed")

    indexed = world.index(record.id)

    assert indexed == IndexTally(written=1)
    assert world.found() == [record.id]
    assert {term("harbour"), term("crane")} <= world.words(record.id)


def test_a_change_of_the_text_replaces_the_vector(world: World) -> None:
    record = world.event("the crane failed")
    world.index(record.id)

    world.reword(record.id, "lighthouse")
    world.index(record.id)

    assert world.found() == [record.id]
    assert mark(NAME, "lighthouse") in world.words(record.id)


def test_a_deleted_record_is_found_no_more_though_nothing_is_indexed(world: World) -> None:
    record = world.event("the crane failed")
    world.index(record.id)

    world.delete(record.id)

    assert world.found() == []
    assert world.index(record.id) == IndexTally(passed_over=1)


def test_a_restored_record_is_found_again(world: World) -> None:
    record = world.event("the crane failed")
    world.index(record.id)
    world.delete(record.id)

    world.restore(record.id)
    world.index(record.id)

    assert world.found() == [record.id]


def test_of_a_record_that_never_was_nothing_is_written(world: World) -> None:
    assert world.index("nobody") == IndexTally(passed_over=1)
    assert world.vectors.kept == {}


def test_a_record_that_moves_leaves_its_old_scope(world: World) -> None:
    record = world.event("the crane failed")
    world.index(record.id)

    world.store(record.id, scope="other")
    world.index(record.id)

    assert (world.found("team"), world.found("other")) == ([], [record.id])


def test_a_contested_fact_is_found_and_a_retracted_one_is_not(world: World) -> None:
    contested, retracted = world.fact("crane"), world.fact("harbour")
    world.index(contested.id, retracted.id)

    change(Contest(id=contested.id), world.services)
    change(Retract(id=retracted.id, actor="me", rationale="wrong"), world.services)
    world.index(contested.id, retracted.id)

    assert world.found() == [contested.id]


def test_a_record_that_takes_the_id_of_one_long_gone_is_found(world: World) -> None:
    record = world.event("the crane failed")
    for tag in ("one", "two", "three"):
        world.reword(record.id, tag)
    gone = standing(record.id, world.records)
    world.delete(record.id)

    world.clock.advance(days=1)
    later = gone.anchor._replace(at_s=gone.anchor.at_s + 86_400, born_s=gone.born_s + 86_400)
    world.records.places[record.id] = replace(gone, version=1, anchor=later)
    world.index(record.id)

    assert world.found() == [record.id]


# --- how long -------------------------------------------------------------------------------------


def test_ttl_removes_the_vector_of_what_may_be_pruned_an_hour_after_it_is_due(
    world: World,
) -> None:
    record = world.event("the crane failed")
    due_s = world.records.due_s(standing(record.id, world.records))

    world.index(record.id)

    assert due_s is not None
    assert world.vectors.kept[record.id].expires_at_s == due_s + OUTLIVES_S


def test_ttl_leaves_the_vector_of_what_is_never_pruned(world: World) -> None:
    record = world.event("the crane failed")
    change(Pin(id=record.id), world.services)

    world.index(record.id)

    assert world.vectors.kept[record.id].expires_at_s is None


def test_a_record_that_outlives_its_vector_gets_another(world: World) -> None:
    record = world.event("the crane failed")
    world.index(record.id)
    first_s = world.vectors.kept[record.id].expires_at_s
    assert first_s is not None

    world.clock.advance(hours=2)
    change(Reinforce(id=record.id, actor="me", rationale="useful"), world.services)
    world.clock.advance(seconds=first_s - world.clock().timestamp())
    removed = world.found()
    world.index(record.id)

    assert removed == []
    assert world.found() == [record.id]


def test_a_record_that_the_sweep_is_late_for_is_not_indexed_again_and_again(world: World) -> None:
    record = world.event("the crane failed")
    due_s = world.records.due_s(standing(record.id, world.records))
    assert due_s is not None

    world.clock.advance(seconds=due_s + OUTLIVES_S - world.clock().timestamp())

    assert world.index(record.id) == IndexTally(passed_over=1)


# --- order, repetition, rivals --------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(["reword", "pin", "delete", "restore", "move", "erase"]), max_size=6),
    st.randoms(use_true_random=False),
)
def test_in_whatever_order_and_however_often_changes_are_told_the_end_is_the_same(
    deeds: Sequence[str], chance: Random
) -> None:
    world = World.new()
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

    afresh = World.new()
    afresh.records.places.update(world.records.places)
    afresh.index(record_id)
    assert world.vectors.entries == afresh.vectors.entries


def test_whoever_is_late_with_an_older_version_changes_nothing(world: World) -> None:
    record = world.event("the crane failed")

    def newer() -> None:
        world.reword(record.id, "lighthouse")
        world.index(record.id)

    world.vectors.rivals[record.id] = newer
    indexed = world.index(record.id)

    assert indexed == IndexTally(passed_over=1)
    assert mark(NAME, "lighthouse") in world.words(record.id)


@pytest.mark.parametrize("erase", [False, True])
def test_whoever_is_late_with_a_vector_does_not_bring_back_what_is_gone(
    world: World, *, erase: bool
) -> None:
    record = world.event("the crane failed")

    world.vectors.rivals[record.id] = lambda: world.delete(record.id, erase=erase)
    world.index(record.id)

    assert world.found() == []


def test_a_record_that_comes_twice_in_a_batch_is_indexed_once(world: World) -> None:
    record = world.event("the crane failed")

    indexed = world.index(*[record.id] * 3)

    assert indexed == IndexTally(written=1)
    assert [len(texts) for texts in world.embedder.asked] == [1]


def test_the_texts_of_a_batch_are_embedded_together(world: World) -> None:
    world.index(*[world.event(f"crane {number}").id for number in range(PORTION + 1)])

    assert [len(texts) for texts in world.embedder.asked] == [PORTION, 1]


def test_the_next_texts_are_embedded_while_vectors_are_put(world: World) -> None:
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


def test_a_record_that_cannot_be_read_is_set_aside_alone(world: World) -> None:
    good, bad = world.event("the crane failed"), world.event("the crane fell")
    world.records.damaged.add(bad.id)

    world.follow(bad.id, good.id)

    assert world.found() == [good.id]
    assert world.set_aside.records == [(bad.id, ("team",))]
    assert world.reports.told[-1] == (INDEX, FAULT)
    assert world.reports.faults == [DAMAGED]


def test_a_text_that_the_embedder_refuses_is_set_aside_alone(world: World) -> None:
    good, bad = world.event("the crane failed"), world.event("the unspeakable")

    def refuse(texts: Sequence[str]) -> None:
        if any("unspeakable" in text for text in texts):
            raise DAMAGED

    world.embedder.failing = refuse
    world.follow(bad.id, good.id)

    assert world.found() == [good.id]
    assert world.set_aside.records == [(bad.id, ("team",))]


def test_a_vector_that_cannot_be_written_is_set_aside_alone(world: World) -> None:
    good, bad = world.event("the crane failed"), world.event("the crane fell")
    world.vectors.failures[bad.id] = DAMAGED

    world.follow(bad.id, good.id)

    assert world.found() == [good.id]
    assert world.set_aside.records == [(bad.id, ("team",))]


def test_a_record_without_a_turn_in_time_fails_alone(world: World) -> None:
    soon, late = world.event("the crane failed"), world.event("the crane fell")
    turns = iter((False, True))

    changed = [ChangedSource(each.id, ("team",)) for each in (soon, late)]
    indexed = index_records(changed, world.services, lambda: next(turns))

    assert world.found() == [soon.id]
    assert [each.changed.record_id for each in indexed.failed] == [late.id]
    assert [type(each.error) for each in indexed.failed] == [OutOfTime]
    assert world.reports.told[-1] == (INDEX, FAULT)


def test_portions_without_time_to_be_embedded_fail_and_the_first_one_is_put(world: World) -> None:
    made = [world.event(f"crane {number}") for number in range(2 * PORTION + 1)]
    turns = count()

    changed = [ChangedSource(each.id, ("team",)) for each in made]
    indexed = index_records(changed, world.services, lambda: next(turns) > len(made))

    assert (indexed.written, len(world.found())) == (
        2 * PORTION,
        2 * PORTION,
    )
    assert [type(each.error) for each in indexed.failed] == [OutOfTime]


def test_a_busy_embedder_fails_the_whole_batch(world: World) -> None:
    record = world.event("the crane failed")

    def busy(_texts: Sequence[str]) -> None:
        raise BUSY

    world.embedder.failing = busy
    with pytest.raises(ResourceExhausted):
        world.follow(record.id)

    assert world.set_aside.records == []
    assert world.reports.told == []


def test_what_was_embedded_before_the_embedder_was_busy_is_found(world: World) -> None:
    ids = [world.event(f"crane {number}").id for number in range(2 * PORTION)]

    def busy(_texts: Sequence[str]) -> None:
        if world.embedder.asked:
            raise BUSY

    world.embedder.failing = busy
    with pytest.raises(ResourceExhausted):
        world.index(*ids)

    assert world.found() == sorted(ids[:PORTION])


def test_a_failed_put_waits_for_the_texts_that_are_being_embedded_and_begins_no_others(
    world: World,
) -> None:
    size = PORTION
    ids = [world.event(f"crane {number}").id for number in range(3 * size)]
    world.vectors.failures[ids[0]] = Unavailable("no answer")

    with pytest.raises(Unavailable):
        world.index(*ids)

    assert len(world.embedder.asked) == 2
    assert world.found() == sorted(ids[1:size])


def test_a_store_that_does_not_answer_fails_the_batch_and_a_repeat_ends_right(world: World) -> None:
    records = [world.event(f"crane {number}") for number in range(3)]
    world.vectors.failures[records[1].id] = Unavailable("no answer")

    with pytest.raises(Unavailable):
        world.index(*[record.id for record in records])
    there = world.found()
    world.vectors.failures.clear()
    world.index(*[record.id for record in records])

    assert there == sorted([records[0].id, records[2].id])
    assert world.found() == sorted(record.id for record in records)


@pytest.mark.parametrize(
    ("concurrencies", "size"),
    [((None,), PORTION), ((1,), 1), ((8,), 8), ((8, None), PORTION), ((None, 64), 64)],
)
def test_a_portion_has_as_many_texts_as_a_concurrent_embedder_embeds_at_once(
    concurrencies: tuple[int | None, ...], size: int
) -> None:
    assert portion_size([FakeEmbedder(concurrency=each) for each in concurrencies]) == size
