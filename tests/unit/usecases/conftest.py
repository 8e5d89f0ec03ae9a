"""A world over a table in memory, fresh for each test."""

import pytest

from membrane.wiring.world import World
from tests.fakes.clock import BackOff, FakeClock
from tests.worlds.memory import make_world
from tests.worlds.memory_table import TableRecords


@pytest.fixture
def clock() -> FakeClock:
    """The time, which stands still."""
    return FakeClock()


@pytest.fixture
def records(clock: FakeClock) -> TableRecords:
    """An empty store."""
    return TableRecords(clock)


@pytest.fixture
def back_off() -> BackOff:
    """Remembers the pauses asked for."""
    return BackOff()


@pytest.fixture
def services(clock: FakeClock, records: TableRecords, back_off: BackOff) -> World:
    """The world of the use cases."""
    return make_world(records=records, now=clock, back_off=back_off)
