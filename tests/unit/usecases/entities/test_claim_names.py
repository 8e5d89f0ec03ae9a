"""The names that an entity claims: found by them, unless another active entity bears them."""

import pytest

from membrane.domain.entities.requests import MergeEntities, SplitEntity
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.lifecycle.requests import DeleteRecord, RestoreRecord
from membrane.domain.revision.requests import Reclassify, Retract, Supersede
from membrane.usecases.entities.merge_entities import merge_entities, split_entity
from membrane.usecases.ports.names import NamePlace
from membrane.usecases.ports.services import Services
from tests.builders.entities import add_entity, entity_payload
from tests.builders.requests import call, change
from tests.worlds.memory import make_services


@pytest.fixture
def services() -> Services:
    """An empty memory."""
    return make_services()


def holder(services: Services, term: str, level: Sensitivity = Sensitivity.LOW) -> str | None:
    """The id under a term."""
    place = NamePlace("project:alpha", term.partition(" ")[0])
    buckets = services.names.buckets([place]).get(place, {})
    return buckets[level].entity_ids.get(term) if level in buckets else None


def test_an_entity_is_found_by_name_alias_and_identifier(services: Services) -> None:
    bob = add_entity(
        "Robert Miller",
        services,
        payload={
            "aliases": ["Bob", "bobby  M"],
            "identifiers": [{"namespace": "github", "value": "bobm"}],
        },
    )

    found = [holder(services, each) for each in ("robert miller", "bob", "bobby m", "bobm")]

    assert found == [bob.id] * 4


def test_a_name_stays_with_the_active_entity_that_bears_it(services: Services) -> None:
    first = add_entity("Bob", services)
    add_entity("Bob", services)

    assert holder(services, "bob") == first.id


def test_a_name_of_a_retracted_entity_is_free(services: Services) -> None:
    first = add_entity("Bob", services)
    change(Retract(id=first.id), services)

    second = add_entity("Bob", services)

    assert holder(services, "bob") == second.id


def test_a_successor_takes_the_names_over(services: Services) -> None:
    first = add_entity("cart-service", services)
    new = {"type": "entity", "sensitivity": "low", "scope": "project:alpha"}
    payload = entity_payload("checkout-api", aliases=["cart-service"])

    asked = Supersede.model_validate({"id": first.id, "new_record": {**new, "payload": payload}})
    change(asked, services)

    taken = {holder(services, "cart-service"), holder(services, "checkout-api")}
    assert len(taken) == 1
    assert first.id not in taken


def test_a_restored_entity_claims_the_names_that_nobody_bears(services: Services) -> None:
    first = add_entity("Bob", services)
    change(DeleteRecord(id=first.id), services)
    second = add_entity("Bob", services)
    assert holder(services, "bob") == second.id
    change(DeleteRecord(id=second.id), services)

    change(RestoreRecord(id=first.id), services)

    assert holder(services, "bob") == first.id


def test_a_restored_entity_leaves_a_name_to_the_active_entity_with_the_name(
    services: Services,
) -> None:
    first = add_entity("Bob", services, payload={"aliases": ["Bobby"]})
    change(DeleteRecord(id=first.id), services)
    second = add_entity("Bob", services)

    change(RestoreRecord(id=first.id), services)

    assert (holder(services, "bob"), holder(services, "bobby")) == (second.id, first.id)


def test_an_entity_whose_retraction_is_undone_claims_the_names_again(services: Services) -> None:
    first = add_entity("Bob", services)
    change(Retract(id=first.id), services)
    second = add_entity("Bob", services)
    change(Retract(id=second.id), services)

    change(Reclassify(id=first.id, retracted=False), services)

    assert holder(services, "bob") == first.id


def test_a_retraction_undone_in_another_scope_takes_the_names_there(services: Services) -> None:
    bob = add_entity("Bob", services)
    change(Retract(id=bob.id), services)

    change(Reclassify(id=bob.id, retracted=False, sensitivity=Sensitivity.HIGH), services)

    assert holder(services, "bob") is None
    assert holder(services, "bob", Sensitivity.HIGH) == bob.id


def test_a_retracted_entity_that_moves_leaves_no_name_behind(services: Services) -> None:
    bob = add_entity("Bob", services)
    change(Retract(id=bob.id), services)

    change(Reclassify(id=bob.id, sensitivity=Sensitivity.HIGH), services)

    assert holder(services, "bob") is None
    assert holder(services, "bob", Sensitivity.HIGH) is None


def merged(services: Services) -> tuple[str, str]:
    """The ids of the entities Robert and Bob, of which Robert has absorbed Bob."""
    robert, bob = add_entity("Robert", services), add_entity("Bob", services)
    request = MergeEntities(id=robert.id, entity_ids=(bob.id,))
    merge_entities(request, call(request), services)
    return robert.id, bob.id


def split(robert: str, bob: str, services: Services) -> None:
    request = SplitEntity(id=robert, entity_id=bob)
    split_entity(request, call(request), services)


def test_a_name_of_an_absorbed_entity_stays_with_the_absorbing_entity(services: Services) -> None:
    _, bob = merged(services)

    add_entity("Bob", services)

    assert holder(services, "bob") == bob


def test_a_released_entity_takes_the_names_that_the_other_had_by_the_merge_alone(
    services: Services,
) -> None:
    robert, bob = merged(services)
    change(DeleteRecord(id=robert), services)
    change(RestoreRecord(id=robert), services)
    assert holder(services, "bob") == robert

    split(robert, bob, services)

    assert holder(services, "bob") == bob


def test_levels_hold_names_apart(services: Services) -> None:
    low = add_entity("Bob", services)
    high = add_entity("Bob", services, sensitivity="high")

    assert holder(services, "bob") == low.id
    assert holder(services, "bob", Sensitivity.HIGH) == high.id
