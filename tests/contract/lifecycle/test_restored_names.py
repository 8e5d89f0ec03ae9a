"""A restored entity is found by its names from the restore on, in one transaction."""

from functools import partial

import pytest

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.revision.requests import Reclassify, Retract
from membrane.usecases.ports.records import NamePlace
from membrane.wiring.world import World
from tests.builders.proposals import add_entity, captured
from tests.builders.requests import change
from tests.builders.stored_records import stored
from tests.worlds.metering import meter, spent_by
from tests.worlds.stores import Store

ORION = NamePlace("project:alpha", "orion")


@pytest.fixture
def services(store: Store) -> World:
    return store.services


def delete(entity_id: str, services: World) -> None:
    change(DeleteRecord(id=entity_id), services)


def holder(services: World) -> str:
    """The entity that the name Orion leads to."""
    return services.names.buckets([ORION])[ORION][Sensitivity.LOW].entity_ids["orion"]


def deleted_with_the_name_taken(services: World) -> str:
    """The id of a deleted entity whose name leads to another deleted entity."""
    first = add_entity("Orion", services).id
    delete(first, services)
    second = add_entity("Orion", services).id
    assert holder(services) == second
    delete(second, services)
    return first


def test_captures_find_a_restored_entity_whose_name_another_had_taken(services: World) -> None:
    entity_id = deleted_with_the_name_taken(services)

    change(RestoreRecord(id=entity_id), services)

    assert holder(services) == entity_id
    reply = captured("Orion is bright", services)
    (mention,) = reply["primary_record"]["interpretation"]["mentions"]
    assert mention["canonical_entity_id"] == entity_id


def test_captures_find_an_entity_whose_retraction_is_undone(services: World) -> None:
    first = add_entity("Orion", services).id
    change(Retract(id=first), services)
    second = add_entity("Orion", services).id
    change(Retract(id=second), services)

    change(Reclassify(id=first, retracted=False), services)

    assert holder(services) == first


def test_a_restore_reads_the_names_of_an_entity_and_of_no_other_record(
    table: Store,
) -> None:
    services = table.services
    services.records.create(stored("other"))
    kept, taken = add_entity("Lyra", services).id, deleted_with_the_name_taken(services)
    for each in ("other", kept):
        delete(each, services)
    spent = meter(table.client)

    of_other, of_kept, of_taken = (
        spent_by(partial(change, RestoreRecord(id=each), services), spent).requests
        for each in ("other", kept, taken)
    )

    assert (of_kept - of_other, of_taken - of_other) == (1, 2)
