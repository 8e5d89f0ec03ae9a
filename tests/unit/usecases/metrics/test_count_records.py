"""Counting: whatever is told, in whatever order and however often, each record counts once."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import DomainError, ResourceExhausted, Unavailable
from membrane.domain.lifecycle.requests import (
    DeleteRecord,
    Pin,
    RecordChange,
    Reinforce,
    RestoreRecord,
)
from membrane.domain.metrics.tallies import Generations, Recount
from membrane.domain.records.stored import SHOWN_ENTRIES, Held
from membrane.usecases.following.follow_records import follow_records
from membrane.usecases.machinery.long_jobs import OutOfTime
from membrane.usecases.metrics import count_records as counting
from membrane.usecases.metrics.count_records import COUNT, MAX_TRIES, count_records
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.search.indexing.batch import Changed
from tests.builders.requests import change, standing
from tests.fakes.metrics import FakeCounters
from tests.fakes.records import FakeRecords
from tests.worlds.counted_records import Directly, World, require_right

DAMAGED = ValueError("damaged")


@dataclass(slots=True)
class Damaged(FakeRecords):
    """Records of which some cannot be read."""

    damaged: set[str] = field(default_factory=set)
    loaded: list[Sequence[str]] = field(default_factory=list)

    def load_all(self, record_ids: Sequence[str], *, whole: bool = False) -> Mapping[str, Held]:
        """See RecordStore."""
        self.loaded.append(record_ids)
        if self.damaged & {*record_ids}:
            raise DAMAGED
        return FakeRecords.load_all(self, record_ids, whole=whole)


@dataclass(slots=True)
class Trails(FakeRecords):
    """Records, and which of them were loaded with their whole trail."""

    loaded_whole: list[str] = field(default_factory=list)

    def load(self, record_id: str, *, whole: bool = False) -> Held | None:
        """See RecordStore."""
        if whole:
            self.loaded_whole.append(record_id)
        return FakeRecords.load(self, record_id, whole=whole)


@dataclass(slots=True)
class Contended(FakeCounters):
    """Counters that others change between a look and a write."""

    rivals: list[Callable[[], object]] = field(default_factory=list)
    failure: Exception | None = None

    def count(self, recounts: Sequence[Recount], generations: Generations) -> None:
        """See Counters."""
        if self.failure is not None:
            raise self.failure
        if self.rivals:
            self.rivals.pop()()
        FakeCounters.count(self, recounts, generations)


def test_a_record_that_is_told_of_again_and_late_counts_once() -> None:
    world = World.new()
    record = world.ingest()
    change(Reinforce(id=record.id), world.services)

    counted = [world.count(record.id).counted for _ in range(3)]

    assert counted == [1, 0, 0]
    require_right(world.measure(), Directly.of(world))


def test_what_is_told_of_a_version_that_was_counted_needs_no_look_at_the_record() -> None:
    world = World.new(Damaged)
    record = world.ingest()
    world.count()
    assert isinstance(world.records, Damaged)
    world.records.loaded.clear()
    version = world.counters.kept_tallies[record.id].version

    told = [Changed(record.id, (), version), Changed(record.id, (), version - 1)]
    counted = [count_records([each], world.services) for each in told]

    assert [each.unchanged for each in counted] == [1, 1]
    assert world.records.loaded == []


def test_what_is_deleted_counts_no_more_and_again_once_it_is_restored() -> None:
    world = World.new()
    record = world.ingest()
    totals = []
    for asked in (None, DeleteRecord(id=record.id), RestoreRecord(id=record.id)):
        if asked is not None:
            change(asked, world.services)
        world.count()
        totals.append(world.measure().total_records)

    assert totals == [1, 0, 1]
    require_right(world.measure(), Directly.of(world))


def test_what_is_gone_without_a_trace_counts_no_more() -> None:
    world = World.new()
    record = world.ingest()
    world.count()
    del world.records.places[record.id]

    told = Changed(record.id, (), world.counters.kept_tallies[record.id].version + 1)
    counted = [count_records([told], world.services).counted for _ in range(2)]

    assert counted == [1, 0]
    assert world.measure().total_records == 0


def test_a_record_that_moves_counts_in_its_new_scope_and_level_alone() -> None:
    world = World.new()
    record = world.ingest(scope="team", sensitivity="low")
    world.count()
    before = standing(record.id, world.records)
    update = {"scope": "other", "sensitivity": type(record.sensitivity)("high")}
    world.records.places[record.id] = before.changed(before.record.model_copy(update=update))

    world.count()

    seen = [
        world.measure(scopes=["team"]).total_records,
        world.measure(scopes=["other"]).total_records,
        world.measure(scopes=["other"], max_sensitivity="low").total_records,
        world.measure().total_records,
    ]
    assert seen == [0, 1, 0, 1]


def test_who_comes_second_counts_what_is_there_by_then() -> None:
    counters = Contended()
    world = World.new(counters=counters)
    record = world.ingest()

    def rival() -> None:
        change(Reinforce(id=record.id), world.services)
        world.count(record.id)

    counters.rivals.append(rival)
    world.count(record.id)

    assert world.counters.kept_tallies[record.id].revision == 1
    require_right(world.measure(), Directly.of(world))


def test_a_generation_that_is_begun_meanwhile_is_counted_in_too() -> None:
    counters = Contended()
    world = World.new(counters=counters)
    record = world.ingest()

    counters.rivals.append(lambda: counters.build(counters.generations()))
    world.count(record.id)

    assert world.counters.kept_tallies[record.id].generation == 2
    assert world.counters.cells[1, None] == world.counters.cells[2, None]


def test_who_always_comes_second_asks_for_the_batch_again() -> None:
    counters = Contended()
    world = World.new(counters=counters)
    record = world.ingest()

    def rival() -> None:
        generations = counters.generations()
        counters.kept_generations = Generations(generations.current + 1)

    counters.rivals += [rival] * MAX_TRIES

    with pytest.raises(Unavailable):
        world.count(record.id)


def test_a_damaged_record_keeps_back_no_other() -> None:
    world = World.new(Damaged)
    good, bad = world.ingest(), world.ingest()
    assert isinstance(world.records, Damaged)
    world.records.damaged.add(bad.id)

    counted = world.count()

    assert [failed.changed.record_id for failed in counted.failed] == [bad.id]
    assert list(world.counters.kept_tallies) == [good.id]
    assert world.reports.told[-1] == (COUNT, FAULT)


REINFORCED = 30
"""More audit entries than a record is loaded with."""


def long_and_short() -> tuple[World, Trails, str, str]:
    """A world with a record of 31 audit entries, the ingest's among them, and one of a single."""
    world = World.new(Trails)
    long, short = world.ingest(), world.ingest()
    for _ in range(REINFORCED):
        change(Reinforce(id=long.id), world.services)
    assert isinstance(world.records, Trails)
    return world, world.records, long.id, short.id


def test_a_trail_up_to_the_bound_is_counted_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MAX_COUNTED_ENTRIES", REINFORCED + 1)
    world, records, long, _ = long_and_short()

    world.count()

    assert records.loaded_whole == [long]
    require_right(world.measure(), Directly.of(world))


def test_a_trail_above_the_bound_is_not_read_and_all_its_entries_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "MAX_COUNTED_ENTRIES", REINFORCED)
    world, records, _, _ = long_and_short()

    counted = world.count()

    measured = world.measure()
    assert (counted.counted, counted.failed) == (2, [])
    assert records.loaded_whole == []
    assert (measured.total_records, measured.total_audit_entries) == (2, REINFORCED + 2)
    assert measured.retrieval_usefulness == SHOWN_ENTRIES / (REINFORCED + 2)


def test_when_time_is_over_a_long_trail_waits_alone() -> None:
    world, records, long, short = long_and_short()

    counted = count_records([Changed(long, ()), Changed(short, ())], world.services, lambda: True)

    assert [(each.changed.record_id, type(each.error)) for each in counted.failed] == [
        (long, OutOfTime)
    ]
    assert list(world.counters.kept_tallies) == [short]
    assert records.loaded_whole == []


def test_a_busy_store_asks_for_the_batch_again() -> None:
    world = World.new(counters=Contended(failure=ResourceExhausted("busy")))
    world.ingest()

    with pytest.raises(ResourceExhausted):
        world.count()


def test_counters_that_fail_keep_back_nothing_of_the_search() -> None:
    world = World.new(counters=Contended(failure=Unavailable("no answer")))
    record = world.ingest("semantic")

    with pytest.raises(Unavailable):
        follow_records([Changed(record.id, ("team",))], world.services)

    assert world.services.entries.standing([("team", record.id)])


def test_a_record_that_fails_by_itself_in_both_is_told_once() -> None:
    world = World.new(Damaged)
    record = world.ingest()
    assert isinstance(world.records, Damaged)
    world.records.damaged.add(record.id)

    followed = follow_records([Changed(record.id, ("team",))], world.services)

    assert [each.record_id for each in followed.failed] == [record.id]


def test_what_only_fades_otherwise_is_not_looked_at_for_the_search() -> None:
    world = World.new()
    record = world.ingest()

    changed = Changed(record.id, ("team",), is_searched=False)
    followed = follow_records([changed], world.services)

    assert (followed.counted.counted, followed.indexed.written) == (1, 0)


ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            ["ingest", "pin", "reinforce", "delete", "restore", "count", "build", "switch"]
        ),
        st.integers(0, 5),
    ),
    max_size=30,
)


@given(ACTS)
def test_both_generations_have_what_is_counted_in_them_whatever_comes_when(
    acts: list[tuple[str, int]],
) -> None:
    world = World.new()
    for what, position in acts:
        _act(world, what, position)

    generations = world.counters.generations()
    for generation in {generations.current, generations.newest}:
        tallies = [
            tally
            for tally in world.counters.kept_tallies.values()
            if tally.generation >= generation
        ]
        assert _counted(world, generation) == sum(1 for tally in tallies if tally.cells)


def _act(world: World, what: str, position: int) -> None:
    named = list(world.records.places)
    generations = world.counters.generations()
    record_id = named[position % len(named)] if named else ""
    match what:
        case "ingest":
            world.ingest()
        case "build" if generations.building is None:
            world.counters.build(generations)
        case "switch" if generations.building is not None:
            world.count(anew=True)
            world.counters.switch(generations)
        case "count" if named:
            world.count(record_id)
        case "pin" | "reinforce" | "delete" | "restore" if named:
            asked = {
                "pin": Pin,
                "reinforce": Reinforce,
                "delete": DeleteRecord,
                "restore": RestoreRecord,
            }
            _try(world, asked[what](id=record_id))


def _try(world: World, asked: RecordChange) -> None:
    with suppress(DomainError):  # one that is deleted cannot be pinned, and so on
        change(asked, world.services)


def _counted(world: World, generation: int) -> int:
    cells = world.counters.cells.get((generation, None), {})
    return sum(
        amount
        for name, amounts in cells.items()
        if name.startswith("total#")
        for level, amount in amounts.items()
        if level.endswith("_records")
    )
