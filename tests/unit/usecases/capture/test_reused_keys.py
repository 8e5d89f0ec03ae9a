"""A capture under a key whose first capture is gone, while records that it made are still there."""

from datetime import timedelta
from typing import Any

import pytest

from membrane.domain.language.json_text import Body
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.stored import AnyRecord
from membrane.usecases.capture.reply_to_capture import earlier_reply
from membrane.usecases.ports.services import Services
from tests.builders.captures import capture, capture_request
from tests.builders.requests import OWNER, call, change
from tests.fakes.clock import FakeClock
from tests.worlds.captures import require_sound_captures
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

OWNS = {"subject": "Orchid", "predicate": "owned_by", "object": "Team Lumo"}
PROJECTS = {"entities": [f"Orchid {number}" for number in range(20)], "text": "x"}


@pytest.fixture
def records() -> TableRecords:
    """The store."""
    return TableRecords(FakeClock())


@pytest.fixture
def services(records: TableRecords) -> Services:
    """An empty memory."""
    return make_services(records=records, now=records.now)


def captured_under(key: str, content: Any, services: Services, **fields: Any) -> Body:
    return capture(content, services, key=key, **fields).body


def advance(records: TableRecords, **time: float) -> None:
    assert isinstance(records.now, FakeClock)
    records.now.advance(seconds=timedelta(**time).total_seconds())


def delete(record_id: str, services: Services) -> None:
    change(DeleteRecord(id=record_id), services)


def wait_until_free(record_id: str, records: TableRecords) -> None:
    """Wait until the tombstone under the id has expired."""
    held = records.places[record_id]
    assert isinstance(held, AnyRecord)
    assert held.tombstone is not None
    advance(records, seconds=held.tombstone.expires_at_s - records.now().timestamp() + 1)
    assert records.load(record_id) is None


def test_a_key_is_free_again_while_the_entities_of_the_first_capture_are_not(
    services: Services, records: TableRecords
) -> None:
    first = captured_under("k", PROJECTS, services)
    entities = [each["id"] for each in first["created_records"]]
    delete(first["primary_record"]["id"], services)
    advance(records, days=1)
    for each in entities[1:]:
        delete(each, services)
    wait_until_free(first["primary_record"]["id"], records)

    again = captured_under("k", PROJECTS, services)

    mentions = again["primary_record"]["interpretation"]["mentions"]
    found = [each.get("canonical_entity_id", "") for each in mentions]
    assert found == [entities[0], *[""] * (len(entities) - 1)]
    assert again["primary_record"]["interpretation"]["status"] == "tentative"
    assert again["created_records"] == []
    require_sound_captures(records.places)


def test_a_key_is_free_again_while_the_fact_of_the_first_capture_is_not(
    services: Services, records: TableRecords
) -> None:
    first = captured_under("k", OWNS, services, source_kind="observation")
    captured_under("other", OWNS, services, source_kind="observation")
    delete(first["primary_record"]["id"], services)
    wait_until_free(first["primary_record"]["id"], records)
    stated = {**OWNS, "object": "Team Orca"}

    again = captured_under("k", stated, services, source_kind="observation")

    interpretation = again["primary_record"]["interpretation"]
    assert interpretation["status"] == "tentative"
    assert list(interpretation["relation_candidates"]) == [{"predicate": "derived_semantic"}]
    assert again["created_records"] == []
    request = capture_request(stated, source_kind="observation")
    asked = call(request, OWNER, key="k")
    held = records.load(again["primary_record"]["id"])
    assert held is not None
    assert earlier_reply(held, asked, services).replayed
