"""Names that a model read become links to known entities, and entities of the capture's place."""

from typing import Any

import pytest

from membrane.domain.capture.made_records import entity_id_for
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.interpretation import Mention
from membrane.domain.records.payloads import EntityPayload
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.capture.resolve_mentions import MAX_CREATED, resolve_mentions
from membrane.usecases.ports.services import Services
from tests.builders.captured_records import newest, proposed_mentions, stored_capture
from tests.builders.entities import add_entity
from tests.builders.proposals import mention
from tests.builders.requests import change
from tests.worlds.faults import Killed, mortal
from tests.worlds.memory import make_services, table_of
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def services(records: TableRecords) -> Services:
    """A memory whose entities can be told by name."""
    return make_services(records=records, now=records.now)


@pytest.fixture
def held(services: Services) -> StoredRecord:
    """A capture whose names no form marks."""
    return stored_capture("ana moved the ledger", services, sensitivity="medium")


def resolved(services: Services, held: StoredRecord, *mentions: dict[str, Any]) -> list[Mention]:
    return [*resolve_mentions(proposed_mentions(*mentions), held, services)]


def entities(services: Services) -> list[str]:
    """The canonical names of all entities, deleted ones without."""
    return [
        each.record.payload.canonical_name
        for each in table_of(services).places.values()
        if isinstance(each, StoredRecord) and isinstance(each.record.payload, EntityPayload)
    ]


def test_an_offered_id_stays(services: Services, held: StoredRecord) -> None:
    (found,) = resolved(services, held, mention("ana", entity_id="e-1"))

    assert found.canonical_entity_id == "e-1"
    assert entities(services) == []


def test_a_name_leads_to_the_entity_that_bears_it(services: Services, held: StoredRecord) -> None:
    ana = add_entity("Ana Petrova", services, payload={"aliases": ["Ana"]})

    (found,) = resolved(services, held, mention("ana"))

    assert found.canonical_entity_id == ana.id


@pytest.mark.parametrize("confidence", [0.0, 0.3])
def test_a_known_name_keeps_the_confidence_of_the_model(
    services: Services, held: StoredRecord, confidence: float
) -> None:
    ana = add_entity("Ana", services)

    (found,) = resolved(services, held, mention("ana", confidence=confidence))

    assert (found.canonical_entity_id, found.confidence) == (ana.id, confidence)


def test_an_alias_of_the_model_leads_to_the_entity_that_bears_it(
    services: Services, held: StoredRecord
) -> None:
    ana = add_entity("Ana", services)

    (found,) = resolved(services, held, mention("the boss", aliases=["Ana"]))

    assert found.canonical_entity_id == ana.id


def test_a_new_name_becomes_an_entity_with_scope_and_sensitivity_of_the_capture(
    services: Services, held: StoredRecord
) -> None:
    (found,) = resolved(services, held, mention("ana", aliases=["petrova"]))

    entity = newest(found.canonical_entity_id, services).record
    assert isinstance(entity.payload, EntityPayload)
    assert (entity.scope, entity.sensitivity) == (held.scope, held.sensitivity)
    assert (entity.payload.canonical_name, entity.payload.primary_type) == ("ana", "Person")
    assert entity.payload.aliases == ()
    assert (entity.audit_log[0].actor, entity.audit_log[0].principal) == (
        "interpretation",
        "interpretation",
    )
    assert found.aliases == ("petrova",)
    assert entities(services) == ["ana"]


def test_equal_names_become_one_entity(services: Services, held: StoredRecord) -> None:
    one, other = resolved(services, held, mention("ana"), mention("ANA"))

    assert one.canonical_entity_id == other.canonical_entity_id != ""


def test_a_known_entity_gains_no_alias_type_or_identifier(
    services: Services, held: StoredRecord
) -> None:
    ana = newest(add_entity("Ana", services).id, services)

    resolved(services, held, mention("ana", entity_kind="tool", aliases=["root"]))

    assert newest(ana.id, services) == ana


@pytest.mark.parametrize(
    "weak", [mention("ana", confidence=0.4), mention("the"), mention("x"), mention("it")]
)
def test_an_unlikely_name_creates_nothing(
    services: Services, held: StoredRecord, weak: dict[str, Any]
) -> None:
    (found,) = resolved(services, held, weak)

    assert found.canonical_entity_id == ""
    assert entities(services) == []


@pytest.mark.parametrize("hidden", [{"scope": "project:beta"}, {"sensitivity": "hyper"}])
def test_an_entity_out_of_the_capture_s_sight_neither_counts_nor_hinders(
    services: Services, held: StoredRecord, hidden: dict[str, Any]
) -> None:
    ana = add_entity("Ana", services, **hidden)

    (found,) = resolved(services, held, mention("ana"))

    assert found.canonical_entity_id not in ("", ana.id)


def test_a_model_creates_a_limited_number_of_entities(
    services: Services, held: StoredRecord
) -> None:
    many = [mention(f"name{number}") for number in range(MAX_CREATED + 5)]

    found = resolved(services, held, *many)

    assert len(entities(services)) == MAX_CREATED
    assert [each.canonical_entity_id for each in found[MAX_CREATED:]] == [""] * 5


def test_a_repeat_finds_what_it_made(services: Services, held: StoredRecord) -> None:
    first = resolved(services, held, mention("ana"), mention("ledger"))

    assert resolved(services, held, mention("ana"), mention("ledger")) == first
    assert sorted(entities(services)) == ["ana", "ledger"]


def test_an_entity_that_was_deleted_since_is_not_made_again(
    services: Services, held: StoredRecord
) -> None:
    (first,) = resolved(services, held, mention("ana"))
    change(DeleteRecord(id=first.canonical_entity_id), services)

    (second,) = resolved(services, held, mention("ana"))

    assert second.canonical_entity_id == ""
    assert first.canonical_entity_id == entity_id_for(held.id, "ana")


def test_a_kill_before_the_write_leaves_nothing(held: StoredRecord, records: TableRecords) -> None:
    services = make_services(records=records, now=records.now)
    life = mortal(records.client, 0)

    with pytest.raises(Killed):
        resolved(services, held, mention("ana"))
    assert entities(services) == []
    life.writes_left = 1
    (found,) = resolved(services, held, mention("ana"))

    assert found.canonical_entity_id == entity_id_for(held.id, "ana")
