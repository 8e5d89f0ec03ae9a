"""tests/events has an event for every way in which the template starts a function."""

import json
from typing import Any

import pytest

from membrane_local.template import Function
from tests.builders.requests import BUS_IDENTITY, keyed_id
from tests.sample_events import (
    NEEDED_BY,
    SampleEvent,
    deployed_functions,
    events_for,
    sample_event,
    sample_events,
)
from tests.worlds.template import events, routes

KINDS = {
    "EventBridgeRule": "bus",
    "SQS": "queue",
    "DynamoDB": "stream",
    "ScheduleV2": "schedule",
}
FUNCTIONS = [pytest.param(each, id=each.logical_id) for each in deployed_functions()]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_source_of_a_function_has_an_event(function: Function) -> None:
    names = {each.name for each in events_for(function)}

    assert names
    for kind, source in KINDS.items():
        if events(function.logical_id, kind):
            assert f"{function.folder.name}_{source}" in names


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_route_of_a_function_has_an_event(function: Function) -> None:
    asked = {each.content.get("routeKey") for each in events_for(function)}

    assert routes(function.logical_id).keys() <= asked


@pytest.mark.parametrize("event", [pytest.param(each, id=each.name) for each in sample_events()])
def test_an_http_event_is_for_a_route_that_there_is(event: SampleEvent) -> None:
    if event.content.get("version") == "2.0" and event.content.get("type") != "REQUEST":
        assert event.content["routeKey"] in routes(event.function.logical_id)


@pytest.mark.parametrize("source", ["http", "bus", "queue", "direct"])
def test_an_outcome_names_the_record_of_the_event_that_comes_before_it(source: str) -> None:
    (needed,) = NEEDED_BY["ingest_outcome"]
    before = sample_event(needed)
    made = keyed_id(BUS_IDENTITY, "IngestEvent", before.content["id"])

    outcome = outcome_in(sample_event(f"ingest_outcome_{source}").content)

    assert outcome["target_record_id"] == made


def outcome_in(event: dict[str, Any]) -> dict[str, Any]:
    """The request that an event of any source carries."""
    match event:
        case {"Records": [{"body": str(body)}]} | {"body": str(body)}:
            return dict(json.loads(body))
        case {"detail": dict(detail)}:
            return detail
        case _:
            return event
