"""A trace lives while a living skill names the trace as evidence, and ends after the skill."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.dynamodb.indexes.orders import DynamoDue
from membrane.domain.ingest.builder import Why, with_entry
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.lifecycle.requests import (
    ChangeLifecycle,
    DeleteRecord,
    Pin,
    RecordChange,
    Reinforce,
)
from membrane.domain.records.stored import AnyRecord, StoredRecord, id_within
from membrane.domain.revision.requests import Retract
from membrane.usecases.learning.consolidate import consolidate_all
from membrane.usecases.lifecycle.sweep_due import PUT_OFF_S, sweep_due
from membrane.usecases.ports.indexes import Due
from membrane.usecases.search.indexing import index_records
from membrane.wiring.world import World
from tests.builders.records import a_making
from tests.builders.requests import change
from tests.builders.traces import add_release
from tests.fakes.clock import StandIn
from tests.worlds.captures import services_over
from tests.worlds.faults import Killed, die
from tests.worlds.metering import meter, spent_by
from tests.worlds.search_indexes import expired, has_vector, index, indexing
from tests.worlds.stores import Store

DAY_S = 86_400
FADING_DAYS = 300
"""Days after which a trace or a skill that nobody uses has faded to the threshold."""

TRACE_DAYS = 90


@dataclass(frozen=True, slots=True)
class Learned:
    """A store with a skill of two traces."""

    store: Store
    services: World
    skill_id: str
    trace_ids: tuple[str, ...]

    def sweep_after(self, days: int) -> None:
        self.store.clock.advance(days=days)
        swept = sweep_due(self.services, lambda: False)
        assert (swept.faults, swept.failures) == ((), ())

    def use_for_days(self, days: int, step: int = 100) -> None:
        """Let the days pass with a use of the skill, and a sweep, in each step."""
        for _ in range(0, days, step):
            self.change(Reinforce(id=self.skill_id))
            self.sweep_after(step)

    def change(self, asked: RecordChange) -> None:
        change(asked, self.services)

    def living(self) -> set[str]:
        """The ids of the traces, and of the skill, that are alive."""
        ids = [self.skill_id, *self.trace_ids]
        return {each for each in ids if is_alive(self.services.records.load(each))}

    @property
    def every(self) -> set[str]:
        return {self.skill_id, *self.trace_ids}

    def next_visit_s(self, record_id: str) -> int | None:
        """The due second of the record in the index."""
        due, far_s = self.services.due, 2**40
        found = (each for shard in range(due.shards) for each in due.due(shard, far_s))
        return next((each.due_s for each in found if each.record_id == record_id), None)


@dataclass(frozen=True, slots=True)
class Interrupted(StandIn):
    """A due index before whose postponements something happens."""

    due_index: DynamoDue
    happen: Callable[[], object]

    @property
    def shards(self) -> int:
        return self.due_index.shards

    def due(self, shard: int, by_s: int) -> Iterator[Due]:
        """See DynamoDue."""
        yield from self.due_index.due(shard, by_s)

    def put_off(self, due: Due, until_s: int | None) -> None:
        """See DynamoDue."""
        self.happen()
        self.due_index.put_off(due, until_s)


@dataclass(frozen=True, slots=True)
class InTurn(StandIn):
    """A due index whose entries are swept by a single worker: moto fails under several threads."""

    due_index: DynamoDue
    shards: int = 1

    def due(self, shard: int, by_s: int) -> Iterator[Due]:  # noqa: ARG002 - as the protocol
        """See DynamoDue."""
        for each in range(self.due_index.shards):
            yield from self.due_index.due(each, by_s)

    def put_off(self, due: Due, until_s: int | None) -> None:
        """See DynamoDue."""
        self.due_index.put_off(due, until_s)


def is_alive(held: AnyRecord | None) -> bool:
    return held is not None and held.tombstone is None


def learned_in(store: Store, services: World) -> Learned:
    for thread, version in (("t-1", "1.2"), ("t-2", "1.3")):
        add_release(thread, version, services)
    store.clock.advance(hours=1)
    done = consolidate_all(services)
    (skill_id,) = done.skills
    swept = services.but(due=InTurn(services.due))
    return Learned(store, swept, skill_id, tuple(done.traces))


@pytest.fixture
def learned(store: Store) -> Learned:
    return learned_in(store, services_over(store))


def test_the_traces_of_a_skill_in_use_outlive_their_own_fading(learned: Learned) -> None:
    learned.use_for_days(3 * FADING_DAYS)

    assert learned.living() == learned.every
    now_s = epoch_seconds(learned.store.clock.now)
    for each in learned.trace_ids:
        visit_s = learned.next_visit_s(each)
        assert visit_s is not None
        assert now_s < visit_s <= now_s + TRACE_DAYS * DAY_S + 1


def test_the_traces_of_a_faded_skill_end_after_the_skill(learned: Learned) -> None:
    learned.use_for_days(FADING_DAYS)

    learned.sweep_after(FADING_DAYS)
    learned.sweep_after(1)

    assert learned.living() == set()


def test_a_damaged_skill_spares_no_trace(table: Store) -> None:
    learned = learned_in(table, services_over(table))
    (own,) = [
        each
        for each in table.everything()
        if (each["pk"]["S"], each["sk"]["S"]) == (f"record#{learned.skill_id}", "record")
    ]
    table.put({**own, "document": {"S": "{"}})
    learned.store.clock.advance(days=FADING_DAYS + 1)

    sweep_due(learned.services, lambda: False)

    for each in learned.trace_ids:
        assert not is_alive(learned.services.records.load(each))


def test_a_trace_waits_an_hour_at_least_for_the_prune_of_a_due_skill(learned: Learned) -> None:
    learned.store.clock.advance(days=FADING_DAYS + 1)
    now_s = epoch_seconds(learned.store.clock.now)
    trace_id = learned.trace_ids[0]
    due = Due(trace_id, learned.next_visit_s(trace_id) or 0)

    alone = learned.services.but(due=OneDue(learned.services.due, due))
    sweep_due(alone, lambda: False)

    assert learned.living() == learned.every
    visit_s = learned.next_visit_s(trace_id)
    assert visit_s is not None
    assert now_s + PUT_OFF_S <= visit_s <= now_s + PUT_OFF_S + 1


@dataclass(frozen=True, slots=True)
class OneDue(StandIn):
    """A due index with a single entry."""

    due_index: DynamoDue
    entry: Due
    shards: int = 1

    def due(self, shard: int, by_s: int) -> Iterator[Due]:  # noqa: ARG002 - as the protocol
        """See DynamoDue."""
        yield self.entry

    def put_off(self, due: Due, until_s: int | None) -> None:
        """See DynamoDue."""
        self.due_index.put_off(due, until_s)


@pytest.mark.parametrize(
    "asked",
    [
        lambda skill_id: DeleteRecord(id=skill_id),
        lambda skill_id: DeleteRecord(id=skill_id, erase=True),
        lambda skill_id: Retract(id=skill_id, actor="me", rationale="wrong"),
    ],
    ids=["deleted", "erased", "retracted"],
)
def test_the_traces_of_a_dismissed_skill_end_by_their_own_fading(
    learned: Learned, asked: Callable[[str], Any]
) -> None:
    change(asked(learned.skill_id), learned.services)

    learned.sweep_after(FADING_DAYS + 1)

    assert not learned.living() & {*learned.trace_ids}


def test_a_trace_without_its_skill_since_an_erasure_ends_by_its_own_fading(
    learned: Learned,
) -> None:
    first, second = learned.trace_ids
    learned.change(DeleteRecord(id=first, erase=True))
    assert learned.living() == {second}

    learned.sweep_after(FADING_DAYS + 1)

    assert learned.living() == set()


def test_a_skill_deleted_after_a_postponement_leaves_no_trace_for_good(learned: Learned) -> None:
    learned.use_for_days(4 * 100)
    learned.change(DeleteRecord(id=learned.skill_id))

    learned.sweep_after(TRACE_DAYS)

    assert learned.living() == set()


def test_a_skill_deleted_amid_a_postponement_leaves_no_trace_for_good(learned: Learned) -> None:
    learned.use_for_days(200)
    learned.change(Reinforce(id=learned.skill_id))
    learned.store.clock.advance(days=100, hours=1)

    def delete() -> None:
        if learned.skill_id in learned.living():
            learned.change(DeleteRecord(id=learned.skill_id))

    racing = learned.services.but(due=Interrupted(learned.services.due, delete))
    sweep_due(racing, lambda: False)
    assert learned.skill_id not in learned.living()

    learned.sweep_after(TRACE_DAYS)

    assert learned.living() == set()


def test_a_sweep_killed_before_a_postponement_is_completed_by_the_next(learned: Learned) -> None:
    learned.use_for_days(200)
    learned.change(Reinforce(id=learned.skill_id))
    learned.store.clock.advance(days=101)

    dying = learned.services.but(due=Interrupted(learned.services.due, die))
    with pytest.raises(Killed):
        sweep_due(dying, lambda: False)
    learned.sweep_after(0)

    assert learned.living() == learned.every
    now_s = epoch_seconds(learned.store.clock.now)
    assert all((learned.next_visit_s(each) or 0) > now_s for each in learned.trace_ids)


def test_the_traces_of_a_pinned_skill_live_on(learned: Learned) -> None:
    learned.change(Pin(id=learned.skill_id))

    for _ in range(10):
        learned.sweep_after(TRACE_DAYS)

    assert learned.living() == learned.every


def test_a_trace_that_the_skill_names_no_longer_ends_by_its_own_fading(learned: Learned) -> None:
    dropped, kept = learned.trace_ids
    records = learned.services.records
    before = records.load(learned.skill_id)
    assert isinstance(before, StoredRecord)
    provenance = before.record.provenance
    sources = tuple(each for each in provenance.sources if each.ref != dropped)
    record = before.record.model_copy(
        update={"provenance": provenance.model_copy(update={"sources": sources})}
    )
    making = a_making(record_id=before.id, now=learned.store.clock.now, principal="somebody")
    entered = with_entry(record, AuditAction.REVISE, Why("somebody", ""), making)
    records.replace(before, before.next_version(entered))

    learned.use_for_days(FADING_DAYS + 100)

    assert learned.living() == {learned.skill_id, kept}


def test_a_maximum_age_by_a_caller_ends_a_trace_of_a_skill_in_use(learned: Learned) -> None:
    aged, fading = learned.trace_ids
    limit = {"max_age_seconds": 10 * DAY_S}
    learned.change(ChangeLifecycle.model_validate({"id": aged, "decay": limit}))

    learned.sweep_after(11)

    assert learned.living() == {learned.skill_id, fading}


def test_a_spared_trace_is_found_until_it_ends(store: Store, learned: Learned) -> None:
    services = indexing(store)
    trace_id = learned.trace_ids[0]
    index(services, trace_id)

    for _ in range(8):
        learned.use_for_days(100)
        index_records(expired(store), services)
        assert has_vector(services, trace_id)
    learned.change(DeleteRecord(id=learned.skill_id))
    learned.sweep_after(TRACE_DAYS)

    assert learned.living() == set()
    assert not has_vector(services, trace_id)


def test_the_visit_to_a_spared_trace_reads_the_skill_and_moves_the_due_instant(
    table: Store,
) -> None:
    services = table.services
    learned = learned_in(table, services)
    learned.change(Pin(id=id_within(learned.skill_id, "plan")))
    learned.use_for_days(200)
    learned.change(Reinforce(id=learned.skill_id))
    table.clock.advance(days=101)
    spent = meter(table.client)

    cost = spent_by(lambda: sweep_due(services, lambda: False), spent)

    assert learned.living() == learned.every
    visits = len(learned.trace_ids)
    assert cost.requests == services.due.shards + 3 * visits
    assert cost.read_units == services.due.shards / 2 + 2 * visits
    assert cost.write_units == 4 * visits
