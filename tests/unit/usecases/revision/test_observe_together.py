"""The facts of one source that share a transaction, and the facts left out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from membrane.adapters.dynamodb.erasure.fences import FENCE_PERIOD_S
from membrane.domain.access.principals import CONSOLIDATION
from membrane.domain.ingest.builder import Why
from membrane.domain.language.errors import ScopeFenced, TooLarge
from membrane.domain.language.values import MAX_REPLY_BYTES
from membrane.domain.records import sizes
from membrane.domain.records.evidence import facts_derived_by
from membrane.domain.records.records import MemoryRecord
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.conflicts import Observation
from membrane.table.items import LostRace
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.records import Change
from membrane.usecases.revision import heads
from membrane.usecases.revision.derived_facts import linked_version, observe_together
from tests.builders.derived_facts import derivation
from tests.builders.observations import CONTEST, KEEP, Beliefs
from tests.builders.records import ingest
from tests.builders.requests import call, event, observation, written
from tests.worlds.memory_table import TableRecords

Observed = tuple[Observation, Call]


@dataclass(slots=True)
class FailingRecords(TableRecords):
    """Fails the next creation."""

    failure: Exception | None = None
    created: list[str] = field(default_factory=list)

    def create(self, new: StoredRecord, **others: Any) -> None:
        """See DynamoRecords."""
        if self.failure is not None:
            raise self.failure
        self.created.append(new.id)
        self.store.create(new, **others)


@dataclass(slots=True)
class World:
    """A record as evidence, and a store of facts."""

    beliefs: Beliefs = field(default_factory=Beliefs)
    records: FailingRecords = field(init=False)
    primary: MemoryRecord = field(init=False)

    def __post_init__(self) -> None:
        self.records = FailingRecords(self.beliefs.clock)
        self.beliefs.records = self.records
        self.beliefs.switch(KEEP)
        asked = event()
        self.primary = written(ingest(asked, call(asked), self.beliefs.services))
        self.records.created.clear()

    def fact(self, value: Any, predicate: str) -> Observed:
        seen = derivation(value, self.primary, self.beliefs.services, CONTEST, predicate=predicate)
        return (seen, call(observation(), key=f"{predicate}/{value}"[:40]))

    def linked(self, fact_ids: Sequence[str]) -> Change:
        before = self.beliefs.now(self.primary.id)
        making = call(event()).making(before.id, self.beliefs.clock(), self.beliefs.services)
        return before, linked_version(before, fact_ids, Why(CONSOLIDATION, "linked"), making)

    def write(self, *facts: Observed) -> Sequence[str | None]:
        return observe_together(facts, self.linked, self.beliefs.services)

    def links(self) -> Sequence[str]:
        return facts_derived_by(self.beliefs.now(self.primary.id).record.relations)


def test_new_facts_are_created_in_one_write_with_the_change_of_the_evidence() -> None:
    world = World()

    ids = world.write(world.fact("tea", "likes"), world.fact("milk", "hates"))

    assert world.beliefs.active() == ["tea", "milk"]
    assert world.records.created == [ids[0]]
    assert list(world.links()) == ids
    assert world.beliefs.now(world.primary.id).version == 2
    assert {*map(frozenset, world.beliefs.holders())} == {frozenset({each}) for each in ids}


def test_a_known_fact_is_reinforced_in_the_write_of_the_new_ones() -> None:
    world = World()
    known = world.beliefs.made("tea")

    ids = world.write(world.fact("milk", "hates"), world.fact("tea", "likes"))

    assert ids[1] == known.id
    assert list(world.links()) == ids
    assert world.beliefs.now(known.id).version == 2


def test_known_facts_alone_are_reinforced_without_a_creation() -> None:
    world = World()
    known = world.beliefs.made("tea")

    ids = world.write(world.fact("tea", "likes"))

    assert ids == [known.id]
    assert len(world.records.created) == 1
    assert list(world.links()) == ids


def test_a_second_fact_of_a_head_is_left_out() -> None:
    world = World()

    ids = world.write(
        world.fact("tea", "likes"), world.fact("coffee", "likes"), world.fact("milk", "hates")
    )

    assert [each is None for each in ids] == [False, True, False]
    assert world.beliefs.active() == ["tea", "milk"]


def test_a_fact_that_contests_several_known_facts_is_left_out() -> None:
    world = World()
    world.beliefs.made("tea")
    world.beliefs.made("coffee")

    ids = world.write(world.fact("water", "likes"), world.fact("milk", "hates"))

    assert [each is None for each in ids] == [True, False]
    assert world.beliefs.active() == ["tea", "coffee", "milk"]


def test_a_fact_with_a_large_value_is_left_out() -> None:
    world = World()

    ids = world.write(world.fact("x" * 200_000, "likes"), world.fact("milk", "hates"))

    assert [each is None for each in ids] == [True, False]
    assert world.beliefs.active() == ["milk"]


def test_a_fact_of_a_full_head_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World()
    world.beliefs.switch(CONTEST)
    world.beliefs.made("tea")
    monkeypatch.setattr(heads, "MAX_HOLDERS", 1)

    ids = world.write(world.fact("coffee", "likes"), world.fact("milk", "hates"))

    assert [each is None for each in ids] == [True, False]


def test_a_fact_that_a_known_fact_has_no_room_for_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World()
    world.beliefs.made("tea", tags=[f"{number}".rjust(200, "x") for number in range(100)])
    monkeypatch.setattr(sizes, "GROWTH_BYTES", 10_000 - MAX_REPLY_BYTES)

    ids = world.write(world.fact("coffee", "likes"), world.fact("milk", "hates"))

    assert [each is None for each in ids] == [True, False]


def test_without_a_fact_for_the_transaction_the_evidence_stays_as_it_is() -> None:
    world = World()

    assert world.write() == []
    assert world.write(world.fact("x" * 200_000, "likes")) == [None]
    assert world.beliefs.now(world.primary.id).version == 1


def test_facts_that_do_not_fit_together_are_all_left_out() -> None:
    world = World()
    world.records.failure = TooLarge("no room")
    before = world.records.everything()

    ids = world.write(world.fact("tea", "likes"), world.fact("milk", "hates"))

    assert ids == [None, None]
    assert world.records.everything() == before


def test_a_fact_under_the_id_of_an_earlier_try_is_a_lost_race() -> None:
    world = World()
    (made,) = world.write(world.fact("tea", "likes"))
    assert made is not None
    juice, by_juice = world.fact("juice", "drinks")
    record = juice.record.model_copy(update={"id": made})
    before = world.records.everything()

    with pytest.raises(LostRace):
        world.write((juice._replace(record=record), by_juice), world.fact("milk", "hates"))

    assert world.records.everything() == before


def test_a_fenced_scope_ends_the_work() -> None:
    world = World()
    world.records.fence(world.primary.scope)
    world.beliefs.clock.advance(seconds=FENCE_PERIOD_S + 1)

    with pytest.raises(ScopeFenced):
        world.write(world.fact("tea", "likes"))
