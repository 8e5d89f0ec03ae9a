"""tests/events has an event for every way in which the template starts a function."""

import pytest

from membrane_local.template import Function
from tests.sample_events import SampleEvent, deployed_functions, events_for, sample_events
from tests.worlds.template import events

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

    assert {*function.open_routes, *function.closed_routes} <= asked


@pytest.mark.parametrize("event", [pytest.param(each, id=each.name) for each in sample_events()])
def test_an_http_event_is_for_a_route_that_there_is(event: SampleEvent) -> None:
    if event.content.get("version") == "2.0" and event.content.get("type") != "REQUEST":
        routes = {*event.function.open_routes, *event.function.closed_routes}
        assert event.content["routeKey"] in routes
