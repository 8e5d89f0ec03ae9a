"""The names that an entity claims: found by them, unless another active entity bears them."""

import pytest

from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.revision.requests import Retract, Supersede
from membrane.usecases.ports.names import NamePlace
from membrane.usecases.ports.services import Services
from tests.builders.entities import add_entity, entity_payload
from tests.builders.requests import change
from tests.fakes.world import make_services


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


def test_levels_hold_names_apart(services: Services) -> None:
    low = add_entity("Bob", services)
    high = add_entity("Bob", services, sensitivity="high")

    assert holder(services, "bob") == low.id
    assert holder(services, "bob", Sensitivity.HIGH) == high.id
