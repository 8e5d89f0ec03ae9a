"""One local stack per worker, emptied for every test."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.worlds.api import Api, api_with

NO_SCHEDULES = {
    "ConsolidateSchedule": "rate(1000000 hours)",
    "DecaySchedule": "rate(1000000 hours)",
    "ReasonSchedule": "rate(36500 days)",
    "AnchorSchedule": "rate(36500 days)",
}
"""Rates at which nothing fires in a test, however far a test moves the clock.

A schedule's function runs in a thread of the stack, so a test that moves the clock past a schedule
and then reads would read before or after the function, as the machine pleases. A test invokes the
function by itself. The schedules have tests of their own, on stacks of their own.
"""

CROWDED = "is crowded by"
"""The predicate of facts each of which replaces the one before."""

PATIENCE_S = 600.0
"""How long a reset waits for the index after a test of large records: a machine may be busy."""


@pytest.fixture(scope="session")
def local_api() -> Iterator[Api]:
    """The stack without schedules, open for direct invocation by a principal like the bus's."""
    direct = (
        '{"actor_id": "direct", "permissions": ["ingest"], "scopes": ["events"], '
        '"max_sensitivity": "low"}'
    )
    parameters = {
        "ChatModel": "scripted",
        "DirectPrincipal": direct,
        "ConflictPolicies": json.dumps({CROWDED: "replace"}),
    } | NO_SCHEDULES
    with api_with(parameters) as found:
        yield found


@pytest.fixture
def api(local_api: Api) -> Api:
    """The stack with an empty store and the machine's time."""
    return emptied(local_api)


def emptied(api: Api) -> Api:
    """The stack as it began, with the machine's time, wherever a test left its clock."""
    api.forget_keys()
    replace(api.application, patience_s=PATIENCE_S).reset()
    clock = api.functions.clock
    clock.freeze(frozen=False)
    clock.set_to(datetime.now(UTC))
    return api


def stilled(api: Api) -> Api:
    """The stack as it began, with a standing clock, and a stream that nobody reads."""
    api.forget_keys()
    api.application.reset()
    api.functions.clock.freeze(frozen=True)
    api.post("/_dev/stream", {"paused": True})
    return api
