"""The known entities and records that a model is offered for a capture."""

from typing import Any

import pytest

from membrane.domain.revision.requests import Retract
from membrane.usecases.capture.find_candidates import find_candidates
from membrane.usecases.capture.read_material import read_material
from membrane.usecases.ports.services import Services
from tests.builders.captured_records import stored_capture
from tests.builders.entities import add_entity
from tests.builders.ingesting import ingest
from tests.builders.requests import OWNER, call, change, event, written


def offered(services: Services, content: Any, **fields: Any) -> list[str]:
    """The ids that a model is offered for a capture of the content."""
    held = stored_capture(content, services, **fields)
    found = find_candidates(held, read_material(held, services), services)
    return [each.id for each in found]


def test_entities_that_the_text_names_come_first_in_the_order_of_the_text(
    services: Services,
) -> None:
    ana = add_entity("Ana Petrova", services, payload={"aliases": ["Ana"]})
    ledger = add_entity("Ledger", services)
    add_entity("Unrelated", services)

    found = offered(services, {"text": "the Ledger is with Ana"})

    assert found == [ledger.id, ana.id]


def test_a_retracted_longer_name_leaves_the_shorter_name_its_place(services: Services) -> None:
    falcon = add_entity("Project Falcon", services)
    delta = add_entity("Project Falcon Delta", services)
    change(Retract(id=delta.id, rationale="cancelled"), services)

    assert offered(services, "the Project Falcon Delta review") == [falcon.id]


def test_the_context_is_searched_for_names_too(services: Services) -> None:
    ledger = add_entity("Ledger", services)

    assert offered(services, "it went down", context={"about": "Ledger"}) == [ledger.id]


def test_records_that_the_capture_is_linked_to_are_offered(services: Services) -> None:
    seen = event(ref="deploy:7", scope="project:alpha")
    deploy = written(ingest(seen, call(seen), services))

    assert offered(services, {"text": "broken", "reply_to": deploy.id}) == [deploy.id]


def test_the_newest_episodes_that_share_a_ref_are_offered(services: Services) -> None:
    first = stored_capture({"ref": "deploy:7", "text": "started"}, services)
    second = stored_capture({"ref": "deploy:7", "text": "failed"}, services)

    found = offered(services, {"ref": "deploy:7", "text": "rolled back"})

    assert set(found) == {first.id, second.id}


@pytest.mark.parametrize(
    "hidden", [{"scope": "project:beta"}, {"sensitivity": "medium"}, {"sensitivity": "hyper"}]
)
def test_other_scopes_and_higher_levels_are_never_offered(
    services: Services, hidden: dict[str, Any]
) -> None:
    add_entity("Ledger", services, **hidden)
    shared = add_entity("Ana", services, scope="", sensitivity="public")

    assert offered(services, "Ana says the Ledger is down", sensitivity="low") == [shared.id]


def test_at_most_twenty_are_offered(services: Services) -> None:
    names = [f"Service{chr(65 + number)}x" for number in range(24)]
    for name in names:
        add_entity(name, services)

    assert len(offered(services, " ".join(names))) == 20


def test_a_capture_without_names_or_refs_has_no_candidates(services: Services) -> None:
    assert offered(services, "nothing of note", principal=OWNER) == []
