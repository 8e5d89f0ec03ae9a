"""What removes an absorbing entity removes the absorbed entities along, in the same way."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

from membrane.domain.access.principals import Principal
from membrane.domain.entities.requests import MergeEntities, SplitEntity
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import AnyRecord, RemovedRecord, StoredRecord
from membrane.domain.revision.requests import Reclassify
from membrane.usecases.entities.merge_entities import merge_entities, split_entity
from membrane.usecases.lifecycle.sweep_due import sweep_due
from membrane.usecases.lifecycle.sweep_tally import SweepResult
from membrane.usecases.ports.names import NamePlace
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.services import Services
from tests.builders.captures import captured
from tests.builders.entities import add_entity
from tests.builders.requests import OWNER, call, change, refused
from tests.fakes.clock import FakeClock
from tests.worlds.dying_records import DyingRecords, KilledError
from tests.worlds.memory import make_services

CHAIN = ("One", "Two", "Three")
"""The names of entities of which each absorbed the next."""


@dataclass(slots=True)
class Failing(DyingRecords):
    """Loses each race for some records."""

    losing: frozenset[str] = frozenset()

    def replace(self, before: AnyRecord, after: AnyRecord, *, due_by_s: int | None = None) -> None:
        """See DynamoRecords."""
        if before.id in self.losing:
            raise LostRace
        DyingRecords.replace(self, before, after, due_by_s=due_by_s)

    def forget(self, before: AnyRecord, after: RemovedRecord) -> None:
        """See DynamoRecords."""
        if before.id in self.losing:
            raise LostRace
        self.step()
        self.store.forget(before, after)


@dataclass(slots=True)
class World:
    """A memory with entities that became one."""

    records: Failing = field(default_factory=lambda: Failing(FakeClock()))
    services: Services = field(init=False)

    def __post_init__(self) -> None:
        self.services = make_services(records=self.records, now=self.records.now)

    def chain(self) -> Sequence[str]:
        """The ids of three entities, of which the first absorbed the second and that the third."""
        one, two, three = (add_entity(name, self.services).id for name in CHAIN)
        self.merge(two, three)
        self.merge(one, two)
        return one, two, three

    def merge(self, into: str, *ids: str) -> None:
        request = MergeEntities(id=into, entity_ids=ids)
        merge_entities(request, call(request), self.services)

    def split(self, entity_id: str, absorbed: str) -> None:
        request = SplitEntity(id=entity_id, entity_id=absorbed)
        split_entity(request, call(request), self.services)

    def delete(self, record_id: str, principal: Principal = OWNER, *, erase: bool = False) -> None:
        change(DeleteRecord(id=record_id, erase=erase), self.services, principal)

    def restore(self, record_id: str) -> None:
        change(RestoreRecord(id=record_id), self.services)

    def held(self, record_id: str) -> AnyRecord:
        held: AnyRecord | None = self.records.load(record_id)
        assert held is not None
        return held

    def names_of(self, record_id: str) -> Sequence[str]:
        """The aliases of the entity; the identifiers are the ids of as many entities."""
        held = self.held(record_id)
        assert isinstance(held, StoredRecord)
        assert isinstance(held.record.payload, EntityPayload)
        aliases = [each.value for each in held.record.payload.aliases]
        assert len(held.record.payload.identifiers) == len(aliases)
        return aliases

    def sweep_after(self, days: float) -> SweepResult:
        assert isinstance(self.records.now, FakeClock)
        self.records.now.advance(days=days)
        swept = sweep_due(self.services, lambda: False)
        assert not swept.faults
        return swept

    def meant_by(self, name: str) -> str:
        """The id of the entity that a capture of the name mentions."""
        body = captured({"person": name}, self.services, sensitivity="low")
        [mention] = body["primary_record"]["interpretation"]["mentions"]
        return str(mention["canonical_entity_id"])


def reasons(ids: Sequence[str], world: World) -> list[str | None]:
    """The reason in each tombstone; None for a living record."""
    stones = [world.held(each).tombstone for each in ids]
    return [None if stone is None else stone.reason for stone in stones]


def test_a_deletion_takes_the_absorbed_entities_along() -> None:
    world = World()
    ids = world.chain()

    world.delete(ids[0])

    assert reasons(ids, world) == ["deleted"] * 3
    assert len({world.held(each).tombstone for each in ids}) == 1
    assert [world.held(each).trail[-1].action for each in ids] == ["delete"] * 3
    assert world.held(ids[2]).trail[-1].rationale == f"part of entity {ids[0]}"


def test_a_restore_brings_the_absorbed_entities_back() -> None:
    world = World()
    ids = world.chain()
    world.delete(ids[0])

    world.restore(ids[0])

    assert reasons(ids, world) == [None] * 3
    assert [world.meant_by(name) for name in CHAIN] == [ids[0]] * 3
    world.split(ids[0], ids[1])
    world.split(ids[1], ids[2])
    assert [world.meant_by(name) for name in CHAIN] == [*ids]


def test_an_erasure_erases_the_absorbed_entities() -> None:
    world = World()
    ids = world.chain()

    world.delete(ids[0], erase=True)

    assert reasons(ids, world) == ["erased"] * 3
    assert all(isinstance(world.held(each), RemovedRecord) for each in ids)
    assert not {world.meant_by(name) for name in CHAIN} & {*ids}


def test_a_deleted_entity_is_erased_with_the_absorbed_entities() -> None:
    world = World()
    ids = world.chain()
    world.delete(ids[0])

    world.delete(ids[0], erase=True)

    assert reasons(ids, world) == ["erased"] * 3


def test_a_sweep_prunes_the_absorbed_entities_along_and_forgets_them() -> None:
    world = World()
    ids = world.chain()

    world.sweep_after(days=4_000)

    assert reasons(ids, world) == ["salience fell to 0.001"] * 3
    assert [world.held(each).trail[-1].actor for each in ids] == ["decay-service"] * 3
    world.sweep_after(days=40)
    assert all(isinstance(world.held(each), RemovedRecord) for each in ids)


def test_a_sweep_counts_the_absorbed_entities_that_it_prunes_along() -> None:
    world = World()
    world.chain()
    add_entity("Four", world.services)

    pruned = world.sweep_after(days=4_000)
    forgotten = world.sweep_after(days=40)

    assert (pruned.by_type("pruned"), pruned.by_type("forgotten")) == ({"entity": 4}, {})
    assert (forgotten.by_type("pruned"), forgotten.by_type("forgotten")) == ({}, {"entity": 4})


def test_a_pruned_entity_comes_back_with_the_absorbed_entities() -> None:
    world = World()
    ids = world.chain()
    world.sweep_after(days=4_000)

    world.restore(ids[0])

    assert reasons(ids, world) == [None] * 3


def test_an_entity_that_was_split_off_or_replaced_stays() -> None:
    world = World()
    one, two = (add_entity(name, world.services).id for name in ("One", "Two"))
    world.merge(one, two)
    world.split(one, two)

    world.delete(one, erase=True)

    assert world.held(two).tombstone is None


@pytest.mark.parametrize("erase", [False, True])
@pytest.mark.parametrize("writes", range(4))
def test_a_deletion_that_breaks_off_is_finished_by_a_repeat(
    writes: int,
    erase: bool,  # noqa: FBT001
) -> None:
    world = World()
    ids = world.chain()
    world.records.writes_left = writes

    with suppress(KilledError):
        world.delete(ids[0], erase=erase)
    is_done = writes >= len(ids)
    assert (world.held(ids[0]).tombstone is not None) == is_done, "the absorbing entity goes last"
    world.records.writes_left = 10
    if not is_done:
        world.delete(ids[0], erase=erase)

    assert reasons(ids, world) == ["erased" if erase else "deleted"] * 3


def test_what_a_sweep_leaves_is_removed_when_the_document_of_the_entity_goes() -> None:
    world = World()
    ids = world.chain()
    world.records.losing = frozenset({ids[1]})

    world.sweep_after(days=4_000)
    assert world.held(ids[1]).tombstone is None
    world.records.losing = frozenset()
    world.sweep_after(days=40)

    assert world.held(ids[1]).tombstone is not None


def test_an_absorbed_entity_is_not_deleted_alone() -> None:
    world = World()
    ids = world.chain()

    for absorbing, absorbed in pairwise(ids):
        with refused(world.records, FailedPrecondition, f"part of entity {absorbing}: split"):
            world.delete(absorbed)

    assert [world.meant_by(name) for name in CHAIN] == [ids[0]] * 3


@pytest.mark.parametrize("is_deleted", [False, True])
def test_an_erased_entity_takes_its_names_from_the_absorbing_entities(
    is_deleted: bool,  # noqa: FBT001
) -> None:
    world = World()
    one, two, three = world.chain()
    if is_deleted:
        world.delete(one)
        world.restore(one)  # the names lead to the absorbing entity now
        world.delete(one)

    world.delete(three, erase=True)
    if is_deleted:
        world.restore(one)

    assert world.names_of(one) == ["Two"]
    assert world.names_of(two) == []
    assert [world.meant_by(name) for name in CHAIN[:2]] == [one] * 2
    assert world.meant_by("Three") not in {one, two, three}
    assert three not in str(world.services.names.buckets([NamePlace("project:alpha", "three")]))


def test_an_erased_entity_takes_along_what_it_has_absorbed() -> None:
    world = World()
    one, two, three = world.chain()

    world.delete(two, erase=True)

    assert reasons((one, two, three), world) == [None, "erased", "erased"]
    assert world.names_of(one) == []


@pytest.mark.parametrize("fields", [{"scope": "shared"}, {"sensitivity": "high"}])
def test_neither_an_absorbed_nor_an_absorbing_entity_moves(fields: dict[str, Any]) -> None:
    world = World()
    one, two, three = world.chain()

    for record_id, text in (
        (one, "has absorbed entities: split them off first"),
        (two, f"part of entity {one}: split"),
        (three, f"part of entity {two}: split"),
    ):
        with refused(world.records, FailedPrecondition, text):
            change(Reclassify(id=record_id, **fields), world.services)

    world.split(one, two)
    change(Reclassify(id=one, **fields), world.services)


def test_the_tags_of_merged_entities_change() -> None:
    world = World()
    ids = world.chain()

    for record_id in ids:
        change(Reclassify(id=record_id, scope="project:alpha", tags=("t",)), world.services)
