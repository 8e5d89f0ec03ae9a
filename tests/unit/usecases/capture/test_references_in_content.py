"""References inside captured content: nobody replaces a reference there, so none is stored."""

from typing import Any

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.values import LargeValue, references_in
from membrane.domain.records.stored import StoredRecord
from tests.builders.captures import capture, captured
from tests.builders.hostile_contents import REFERENCES
from tests.builders.requests import refused
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_services
from tests.worlds.memory_table import TableRecords

STATE = {"thread_id": "t", "state": "planning"}
CLAIM, *_, BORROWED = REFERENCES


@pytest.fixture
def records() -> TableRecords:
    """The store."""
    return TableRecords(FakeClock())


def with_constraints(constraints: Any) -> dict[str, Any]:
    return {**STATE, "active_constraints": constraints}


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("place", ["list", "element"])
def test_a_working_state_with_a_reference_is_refused(
    records: TableRecords, reference: Any, place: str
) -> None:
    services = make_services(records=records, now=records.now)
    constraints = reference if place == "list" else [{"type": "budget", "value": reference}]

    with refused(records, InvalidArgument) as caught:
        capture(with_constraints(constraints), services, source_kind="working_state")

    assert caught.value.violations[0].field.startswith("content.active_constraints")


def test_a_reference_in_the_json_text_of_constraints_is_refused(records: TableRecords) -> None:
    services = make_services(records=records, now=records.now)

    with refused(records, InvalidArgument, "content.active_constraints must be in place"):
        capture(with_constraints('{"$upload":"abc"}'), services, source_kind="working_state")


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("field", ["args", "result"])
def test_a_tool_output_with_a_reference_is_refused(
    records: TableRecords, reference: Any, field: str
) -> None:
    services = make_services(records=records, now=records.now)
    content = {"tool": "psql", field: reference}

    with refused(records, InvalidArgument, f"content.{field} must be in place"):
        capture(content, services, source_kind="tool_output")


def test_deeper_inside_a_value_the_keys_are_ordinary(records: TableRecords) -> None:
    services = make_services(records=records, now=records.now)
    deep = {"deep": CLAIM, "deeper": [BORROWED]}

    captured(with_constraints([{"value": deep}]), services, source_kind="working_state")
    captured({"tool": "psql", "args": deep, "result": [CLAIM]}, services, source_kind="tool_output")

    held = [each for each in records.places.values() if isinstance(each, StoredRecord)]
    stored = [found for each in held for found in references_in(each.record.payload)]
    assert all(isinstance(each, LargeValue) for each in stored)
