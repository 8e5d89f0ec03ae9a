"""Indexing: whatever is told, in whatever order and however often, the index ends up right."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.vocabulary import RevisionStatus
from membrane.domain.lifecycle.requests import DeleteRecord, Pin, RestoreRecord
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import Held, StoredRecord
from membrane.domain.search.entries import Entry, unpack_terms
from membrane.domain.search.searchable import NAME
from membrane.domain.search.terms import mark, terms_of
from membrane.usecases.machinery.long_jobs import OutOfTime
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.search import Standing
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.search.indexing.batch import PORTION, Changed, index_version
from membrane.usecases.search.indexing.index_records import INDEX, index_or_set_aside, index_records
from tests.builders.ingesting import ingest
from tests.builders.requests import call, change, event, observation, standing, written
from tests.fakes.clock import FakeClock
from tests.fakes.entries import FakeEntries, SetAsides
from tests.fakes.operators import Reports
from tests.fakes.records import FakeRecords
from tests.fakes.search import FakeEmbedder
from tests.fakes.world import make_reading_services

DAMAGED = ValueError("damaged")
BUSY = ResourceExhausted("busy")


@dataclass(slots=True)
class Damaged(FakeRecords):
    """Records of which some cannot be read."""

    damaged: set[str] = field(default_factory=set)

    def load(self, record_id: str, *, whole: bool = False) -> Held | None:
        """See RecordStore."""
        if record_id in self.damaged:
            raise DAMAGED
        return FakeRecords.load(self, record_id, whole=whole)


@dataclass(slots=True)
class Ailing(FakeEntries):
    """Entries of which some cannot be written, or only once something else has happened."""

    failures: dict[str, Exception] = field(default_factory=dict)
    rivals: dict[str, Callable[[], object]] = field(default_factory=dict)
    """By record id what others do just before its entry is put."""
    deaf: dict[str, Exception] = field(default_factory=dict)
    """By scope why its readers cannot be told."""

    def put(self, entry: Entry, standing: Standing) -> bool:
        """See EntryStore."""
        if entry.record_id in self.failures:
            raise self.failures[entry.record_id]
        rival = self.rivals.pop(entry.record_id, None)
        if rival is not None:
            rival()
        return FakeEntries.put(self, entry, standing)

    def moved(self, scope: str, added: int) -> None:
        """See EntryStore."""
        if scope in self.deaf:
            raise self.deaf[scope]
        FakeEntries.moved(self, scope, added)


@dataclass(frozen=True, slots=True)
class World:
    """Records, their entries, and services over them."""

    clock: FakeClock
    records: Damaged
    entries: Ailing
    embedder: FakeEmbedder
    reports: Reports
    set_aside: SetAsides
    services: ReadingServices

    def event(self, summary: str, scope: str = "team", **fields: object) -> MemoryRecord:
        """A record of something that happened."""
        asked = event(summary=summary, scope=scope, **fields)
        return written(ingest(asked, call(asked), self.services))

    def reword(self, record_id: str, *tags: str) -> None:
        """Change what the record is found by."""
        self.store(record_id, lambda record: record.model_copy(update={"tags": tags}))

    def move(self, record_id: str, scope: str) -> None:
        """Put the record into another scope."""
        self.store(record_id, lambda record: record.model_copy(update={"scope": scope}))

    def store(self, record_id: str, edit: Callable[[MemoryRecord], MemoryRecord]) -> None:
        """The next version of the record."""
        before = standing(record_id, self.records)
        self.records.places[record_id] = before.changed(edit(before.record))

    def index(self, *record_ids: str, scope: str = "team") -> None:
        """Index them as they are now."""
        index_records([self.told(each, scope) for each in record_ids], self.services)

    def told(self, record_id: str, *scopes: str) -> Changed:
        """What the stream tells of the record as it is now."""
        held = self.records.places[record_id]
        assert isinstance(held, Held)
        born_s = held.anchor.born_s if isinstance(held, StoredRecord) else held.born_s
        return Changed(record_id, scopes, index_version(born_s, held.version))

    def found(self, scope: str = "team") -> list[str]:
        """The ids of what can be found in a scope."""
        return [entry.record_id for entry in self.entries.entries(scope)]

    def words(self, record_id: str, scope: str = "team") -> set[int]:
        """The terms that a record is found by."""
        kept = self.entries.places[scope, record_id].entry
        return set() if kept is None else set(unpack_terms(kept.terms))


@pytest.fixture
def world() -> World:
    return new_world()


def new_world() -> World:
    clock = FakeClock()
    records, entries = Damaged(clock), Ailing(now=clock)
    embedder, reports, set_aside = FakeEmbedder(), Reports(), SetAsides()
    services = make_reading_services(
        now=clock,
        records=records,
        entries=entries,
        embedder=embedder,
        report=reports,
        set_aside=set_aside,
    )
    return World(clock, records, entries, embedder, reports, set_aside, services)


def term(word: str) -> int:
    (found,) = terms_of(word)
    return found


# --- what is found --------------------------------------------------------------------------------


def test_a_record_is_found_by_its_words(world: World) -> None:
    record = world.event("the harbour crane failed")

    world.index(record.id)

    assert world.found() == [record.id]
    assert {term("harbour"), term("crane")} <= world.words(record.id)


def test_a_change_of_the_text_replaces_the_entry(world: World) -> None:
    record = world.event("the crane failed")
    world.index(record.id)

    world.reword(record.id, "lighthouse")
    world.index(record.id)

    places = [place for place in world.entries.places if place[1] == record.id]
    assert places == [("team", record.id)]
    assert mark(NAME, "lighthouse") in world.words(record.id)


def test_a_text_that_has_not_changed_is_neither_embedded_nor_written(world: World) -> None:
    record = world.event("the crane failed")
    world.index(record.id)
    before = world.entries.places["team", record.id]
    moves = list(world.entries.moves)

    change(Pin(id=record.id), world.services)
    indexed = index_records([world.told(record.id, "team")], world.services)

    assert (indexed.written, indexed.unchanged) == (0, 1)
    assert world.entries.places["team", record.id] is before
    assert len(world.embedder.asked) == 1
    assert world.entries.moves == moves


def test_a_deleted_record_leaves_a_marker_without_a_word_of_it(world: World) -> None:
    record = world.event("the crane failed")
    world.index(record.id)

    change(DeleteRecord(id=record.id, actor="me", rationale="wrong"), world.services)
    world.index(record.id)

    assert world.found() == []
    assert world.entries.places["team", record.id].entry is None


def test_a_restored_record_is_found_again(world: World) -> None:
    record = world.event("the crane failed")
    change(DeleteRecord(id=record.id, actor="me", rationale="wrong"), world.services)
    world.index(record.id)

    change(RestoreRecord(id=record.id, actor="me", rationale="right"), world.services)
    world.index(record.id)

    assert world.found() == [record.id]


def test_what_ttl_removed_is_found_no_more(world: World) -> None:
    record = world.event("the crane failed")
    world.index(record.id)

    del world.records.places[record.id]
    index_records([Changed(record.id, ("team",))], world.services)

    assert world.found() == []


def test_of_a_record_that_never_was_nothing_is_written(world: World) -> None:
    indexed = index_records([Changed("nobody", ("team",))], world.services)

    assert (indexed.written, indexed.removed) == (0, 0)
    assert world.entries.places == {}


def test_a_record_that_moves_leaves_its_old_scope(world: World) -> None:
    record = world.event("the crane failed", scope="team")
    world.index(record.id)

    world.move(record.id, "other")
    index_records([world.told(record.id, "team", "other")], world.services)

    assert (world.found("team"), world.found("other")) == ([], [record.id])


@pytest.mark.parametrize(
    ("status", "is_found"),
    [
        (RevisionStatus.ACTIVE, True),
        (RevisionStatus.CONTESTED, True),
        (RevisionStatus.RETRACTED, False),
    ],
)
def test_a_retracted_fact_is_not_found_and_a_contested_one_is(
    world: World, status: RevisionStatus, *, is_found: bool
) -> None:
    asked = observation(subject="crane", scope="team")
    record = written(ingest(asked, call(asked), world.services))

    def revised(record: MemoryRecord) -> MemoryRecord:
        assert isinstance(record.payload, SemanticPayload)
        revision = {**(record.payload.model_dump().get("revision") or {}), "status": status}
        payload = SemanticPayload.model_validate(
            {**record.payload.model_dump(exclude_none=True), "revision": revision}
        )
        return record.model_copy(update={"payload": payload})

    world.index(record.id)
    world.store(record.id, revised)
    world.index(record.id)

    assert bool(world.found()) is is_found


def test_a_record_that_takes_the_id_of_one_long_gone_is_found(world: World) -> None:
    record = world.event("the crane failed")
    for tag in ("one", "two", "three"):
        world.reword(record.id, tag)
    gone = standing(record.id, world.records)
    change(DeleteRecord(id=record.id, actor="me", rationale="wrong"), world.services)
    world.index(record.id)

    world.clock.advance(days=1)
    later = gone.anchor._replace(born_s=gone.anchor.born_s + 86_400)
    world.records.places[record.id] = replace(gone, version=1, anchor=later)
    world.index(record.id)

    assert world.found() == [record.id]


# --- order, repetition, rivals --------------------------------------------------------------------


@given(
    st.lists(st.sampled_from(["reword", "pin", "delete", "restore", "move"]), max_size=6),
    st.randoms(use_true_random=False),
)
def test_in_whatever_order_and_however_often_changes_are_told_the_end_is_the_same(
    deeds: Sequence[str], chance: "st.DrawFn"
) -> None:
    world = new_world()
    record = world.event("the crane failed")
    told = [world.told(record.id, "team")]
    for number, deed in enumerate(deeds):
        alive = standing(record.id, world.records).tombstone is None
        match deed:
            case "reword" if alive:
                world.reword(record.id, f"word{number}")
            case "pin" if alive:
                change(Pin(id=record.id), world.services)
            case "delete" if alive:
                change(DeleteRecord(id=record.id, actor="me", rationale="no"), world.services)
            case "restore" if not alive:
                change(RestoreRecord(id=record.id, actor="me", rationale="no"), world.services)
            case "move" if alive:
                world.move(record.id, "other" if number % 2 else "team")
            case _:
                continue
        told.append(world.told(record.id, "team", "other"))
        if chance.random() < 0.5:  # type: ignore[attr-defined]  # a random.Random
            index_records([told[-1]], world.services)

    chance.shuffle(told)  # type: ignore[attr-defined]  # a random.Random
    for each in [*told, *told]:
        index_records([each], world.services)

    afresh = new_world()
    afresh.records.places.update(world.records.places)
    index_records([Changed(record.id, ("team", "other"))], afresh.services)
    for scope in ("team", "other"):
        assert world.entries.entries(scope) == afresh.entries.entries(scope)


def test_whoever_is_late_with_an_older_version_changes_nothing(world: World) -> None:
    record = world.event("the crane failed")
    older = world.told(record.id, "team")

    def newer() -> None:
        world.reword(record.id, "lighthouse")
        world.index(record.id)

    world.entries.rivals[record.id] = newer
    index_records([older], world.services)

    assert mark(NAME, "lighthouse") in world.words(record.id)
    assert world.entries.places["team", record.id].standing.version > older.version


def test_whoever_is_late_with_an_upsert_does_not_bring_back_what_was_deleted(world: World) -> None:
    record = world.event("the crane failed")

    def deleted() -> None:
        change(DeleteRecord(id=record.id, actor="me", rationale="wrong"), world.services)
        world.index(record.id)

    world.entries.rivals[record.id] = deleted
    world.index(record.id)

    assert world.found() == []


def test_who_comes_between_and_finds_the_text_unchanged_is_not_undone(world: World) -> None:
    record = world.event("the crane failed")
    world.index(record.id)
    first = world.words(record.id)

    def back_again() -> None:
        world.reword(record.id)
        world.index(record.id)

    world.reword(record.id, "lighthouse")
    world.entries.rivals[record.id] = back_again
    world.index(record.id)

    assert world.words(record.id) == first


# --- readers of the scope -------------------------------------------------------------------------


def test_a_scope_moves_once_a_batch(world: World) -> None:
    records = [world.event(f"crane {number}") for number in range(5)]
    others = [world.event(f"crane {number}", scope="other") for number in range(2)]

    ids = [record.id for record in (*records, *others)]
    index_records([Changed(each, ()) for each in ids], world.services)

    assert sorted(world.entries.moves) == [("other", 2), ("team", 5)]


def test_a_batch_that_was_ended_before_it_told_readers_tells_them_when_it_is_repeated(
    world: World,
) -> None:
    records = [world.event(f"crane {number}") for number in range(2)]
    told = [world.told(record.id, "team") for record in records]
    index_records(told, world.services)

    world.entries.moves.clear()
    change(Pin(id=records[0].id), world.services)
    index_records(told, world.services)

    assert [scope for scope, _ in world.entries.moves] == ["team"]
    assert len(world.embedder.asked) == 1


def test_a_removal_by_hand_that_was_ended_before_it_told_readers_tells_them_when_it_is_repeated(
    world: World,
) -> None:
    record = world.event("the crane failed")
    world.index(record.id)
    change(Pin(id=record.id), world.services)  # a version later than the entry's
    told = world.told(record.id, "team")
    del world.records.places[record.id]

    index_records([told], world.services)
    world.entries.moves.clear()
    index_records([told], world.services)

    assert world.entries.moves == [("team", 0)]


def test_whoever_is_late_with_the_last_version_of_what_is_gone_does_not_bring_it_back(
    world: World,
) -> None:
    record = world.event("the crane failed")
    world.index(record.id)
    world.reword(record.id, "lighthouse")

    def gone() -> None:
        told = world.told(record.id, "team")
        del world.records.places[record.id]
        index_records([told], world.services)

    world.entries.rivals[record.id] = gone
    world.index(record.id)

    assert world.found() == []


def test_a_scope_whose_readers_cannot_be_told_keeps_no_other_back(world: World) -> None:
    records = [world.event("the crane failed", scope=scope) for scope in ("deaf", "team")]
    world.entries.deaf["deaf"] = Unavailable("no answer")

    with pytest.raises(Unavailable):
        index_records([Changed(each.id, ()) for each in records], world.services)

    assert world.entries.moves == [("team", 1)]


def test_what_ended_a_batch_is_told_even_if_readers_cannot_be(world: World) -> None:
    records = [world.event(f"crane {number}") for number in range(2)]
    world.entries.failures[records[1].id] = BUSY
    world.entries.deaf["team"] = Unavailable("no answer")

    with pytest.raises(ResourceExhausted):
        world.index(*[record.id for record in records])


def test_a_record_that_comes_twice_in_a_batch_is_indexed_once(world: World) -> None:
    record = world.event("the crane failed")

    indexed = index_records([world.told(record.id, "team")] * 3, world.services)

    assert (indexed.written, indexed.unchanged) == (1, 0)
    assert world.entries.moves == [("team", 1)]


# --- failures -------------------------------------------------------------------------------------


def test_a_record_that_cannot_be_read_is_set_aside_alone(world: World) -> None:
    good, bad = world.event("the crane failed"), world.event("the crane fell")
    world.records.damaged.add(bad.id)

    indexed = index_or_set_aside(
        [world.told(each.id, "team") for each in (bad, good)], world.services
    )

    assert world.found() == [good.id]
    assert world.set_aside.records == [(bad.id, ("team",))]
    assert world.reports.told[-1] == (INDEX, FAULT)
    assert world.reports.faults == [DAMAGED]
    assert [each.error for each in indexed.failed] == [DAMAGED]


def test_a_text_that_the_embedder_refuses_is_set_aside_alone(world: World) -> None:
    good, bad = world.event("the crane failed"), world.event("the unspeakable")

    def refuse(texts: Sequence[str]) -> None:
        if any("unspeakable" in text for text in texts):
            raise DAMAGED

    world.embedder.failing = refuse
    index_or_set_aside([world.told(each.id, "team") for each in (bad, good)], world.services)

    assert world.found() == [good.id]
    assert world.set_aside.records == [(bad.id, ("team",))]


def test_an_entry_that_cannot_be_written_is_set_aside_alone(world: World) -> None:
    good, bad = world.event("the crane failed"), world.event("the crane fell")
    world.entries.failures[bad.id] = DAMAGED

    index_or_set_aside([world.told(each.id, "team") for each in (bad, good)], world.services)

    assert world.found() == [good.id]
    assert world.set_aside.records == [(bad.id, ("team",))]


def test_a_record_without_a_turn_in_time_fails_alone(world: World) -> None:
    soon, late = world.event("the crane failed"), world.event("the crane fell")
    turns = iter((False, True))

    indexed = index_records(
        [world.told(each.id, "team") for each in (soon, late)],
        world.services,
        lambda: next(turns),
    )

    assert world.found() == [soon.id]
    assert [each.changed.record_id for each in indexed.failed] == [late.id]
    assert [type(each.error) for each in indexed.failed] == [OutOfTime]
    assert world.reports.told[-1] == (INDEX, FAULT)


def test_a_busy_embedder_fails_the_whole_batch(world: World) -> None:
    record = world.event("the crane failed")

    def busy(_texts: Sequence[str]) -> None:
        raise BUSY

    world.embedder.failing = busy
    with pytest.raises(ResourceExhausted):
        world.index(record.id)

    assert world.set_aside.records == []
    assert world.reports.told == []


def test_what_has_to_go_does_not_wait_for_the_embedder(world: World) -> None:
    deleted = world.event("the crane failed")
    world.index(deleted.id)
    change(DeleteRecord(id=deleted.id, actor="me", rationale="law", erase=True), world.services)
    new = world.event("the crane fell")

    def busy(_texts: Sequence[str]) -> None:
        raise BUSY

    world.embedder.failing = busy
    with pytest.raises(ResourceExhausted):
        world.index(new.id, deleted.id)

    assert world.entries.places["team", deleted.id].entry is None
    assert world.entries.moves[-1] == ("team", -1)


def test_an_embedder_that_is_soon_busy_gets_on_with_every_try(world: World) -> None:
    ids = [world.event(f"crane {number}").id for number in range(2 * PORTION + 1)]
    found = []
    for _ in range(3):
        asked = len(world.embedder.asked)

        def busy(_texts: Sequence[str], once: int = asked + 1) -> None:
            if len(world.embedder.asked) >= once:
                raise BUSY

        world.embedder.failing = busy
        with suppress(ResourceExhausted):
            world.index(*ids)
        found.append(len(world.found()))

    assert found == [PORTION, 2 * PORTION, 2 * PORTION + 1]
    assert world.entries.scopes["team"].documents == len(ids)


def test_a_store_that_does_not_answer_fails_the_batch_and_a_repeat_ends_right(world: World) -> None:
    records = [world.event(f"crane {number}") for number in range(3)]
    world.entries.failures[records[1].id] = Unavailable("no answer")

    with pytest.raises(Unavailable):
        world.index(*[record.id for record in records])
    moved = list(world.entries.moves)
    world.entries.failures.clear()
    world.index(*[record.id for record in records])

    assert moved == [("team", 2)]
    assert world.found() == sorted(record.id for record in records)
    assert world.entries.scopes["team"].documents == 3
