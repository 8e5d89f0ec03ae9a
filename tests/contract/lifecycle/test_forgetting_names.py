"""The names that lead to an entity stay as long as the entity can be restored, and go with it."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from membrane.domain.language.timestamps import from_epoch_seconds
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.records.stored import StoredRecord
from membrane.table.keys import shard_of
from membrane.usecases.lifecycle.sweep_due import sweep_shard
from membrane.usecases.ports.records import NameBucket, NameChange, NamePlace
from membrane.wiring.world import World
from tests.builders.proposals import add_entity, captured
from tests.builders.requests import change
from tests.builders.stored_records import stored
from tests.worlds.metering import meter
from tests.worlds.stores import Store

SCOPE = "project:alpha"
ORION = NamePlace(SCOPE, "orion")
HUNTER = NamePlace(SCOPE, "hunter")


@pytest.fixture
def services(store: Store) -> World:
    return services_of(store)


def services_of(store: Store) -> World:
    return store.services


def add_orion(services: World) -> str:
    """The id of an entity with two names of one first word and one name of another."""
    aliases = [{"value": "Orion Belt"}, {"value": "Hunter"}]
    return add_entity("Orion", services, payload={"aliases": aliases}).id


def names_in(services: World) -> dict[tuple[str, Sensitivity], Mapping[str, str]]:
    """The stored names by first word and level."""
    return {
        (place.word, level): bucket.entity_ids
        for place, buckets in services.names.beginning_with(SCOPE, "")
        for level, bucket in buckets.items()
    }


def name_again(services: World, place: NamePlace, level: Sensitivity, entity_id: str) -> None:
    """Let the first word lead to an entity at a level, beside the names that are there."""
    before = services.names.buckets([place]).get(place, {}).get(level) or NameBucket(place, level)
    names = {**before.entity_ids, f"{place.word} {entity_id[:8]}": entity_id}
    new = stored(f"beside-{level}-{place.word}")
    services.records.create(new, names=[NameChange(before, names)])


def delete(services: World, entity_id: str, *, erase: bool = False) -> None:
    change(DeleteRecord(id=entity_id, erase=erase), services)


def pass_restore_period(store: Store, entity_id: str) -> None:
    held = store.records.load(entity_id)
    assert held is not None
    assert held.tombstone is not None
    store.clock.now = from_epoch_seconds(held.tombstone.due_s or 0)


def sweep(services: World, entity_id: str) -> None:
    """Sweep the entity's shard."""
    shard = shard_of(entity_id, services.due.shards)
    swept = sweep_shard(shard, world=services, is_out_of_time=lambda: False)
    assert (swept.faults, swept.failures) == ((), ())


def is_named(services: World, entity_id: str) -> bool:
    """Whether a stored name leads to the entity."""
    return any(entity_id in ids.values() for ids in names_in(services).values())


def test_a_deletion_that_can_be_restored_keeps_the_names(services: World) -> None:
    entity_id = add_orion(services)
    before = names_in(services)

    delete(services, entity_id)

    assert names_in(services) == before
    change(RestoreRecord(id=entity_id), services)
    reply = captured("Orion is bright", services)
    assert reply["primary_record"]["interpretation"]["mentions"][0]["canonical_entity_id"] == (
        entity_id
    )


def test_the_names_go_when_the_restore_period_ends(store: Store) -> None:
    services = services_of(store)
    entity_id = add_orion(services)

    delete(services, entity_id)
    pass_restore_period(store, entity_id)
    sweep(services, entity_id)

    assert names_in(services) == {}


def test_an_erasure_takes_the_names_at_once_and_at_every_level(services: World) -> None:
    entity_id = add_orion(services)
    name_again(services, ORION, Sensitivity.HIGH, entity_id)

    delete(services, entity_id, erase=True)

    assert names_in(services) == {}


def test_the_names_of_others_stay(services: World) -> None:
    entity_id = add_orion(services)
    other_id = add_entity("Orion Nebula", services).id
    name_again(services, HUNTER, Sensitivity.HIGH, "e" * 8)

    delete(services, entity_id, erase=True)

    assert names_in(services) == {
        ("orion", Sensitivity.LOW): {"orion nebula": other_id},
        ("hunter", Sensitivity.HIGH): {"hunter eeeeeeee": "e" * 8},
    }


def test_an_entity_without_stored_names_is_erased_all_the_same(services: World) -> None:
    first_id = add_orion(services)
    second_id = add_orion(services)

    delete(services, second_id, erase=True)

    assert set(names_in(services)["orion", Sensitivity.LOW].values()) == {first_id}


def test_the_last_name_of_a_first_word_takes_the_item_along(table: Store) -> None:
    entity_id = add_orion(table.services)

    delete(table.services, entity_id, erase=True)

    assert table.partition(f"names#={SCOPE}") == []


def test_an_expired_tombstone_with_its_content_goes_with_the_names(store: Store) -> None:
    services = services_of(store)
    entity_id = add_orion(services)
    delete(services, entity_id)
    held = services.records.load(entity_id)
    assert isinstance(held, StoredRecord)
    assert held.tombstone is not None

    store.clock.now = from_epoch_seconds(held.tombstone.expires_at_s)
    services.records.discard(entity_id)

    assert names_in(services) == {}
    assert services.records.load(entity_id) is None


def test_an_entity_costs_one_read_more_to_forget_than_another_record(table: Store) -> None:
    services = table.services
    entity_id = add_orion(services)
    services.records.create(stored("other"))

    cost = meter(table.client)
    delete(services, "other", erase=True)
    of_other = replace(cost)
    delete(services, entity_id, erase=True)

    assert (cost - of_other).requests == of_other.requests + 1
