"""A world of fakes, fresh for each test."""

import pytest

from membrane.usecases.ports.services import Services
from tests.fakes.clock import BackOff, FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_services


@pytest.fixture
def clock() -> FakeClock:
    """The time, which stands still."""
    return FakeClock()


@pytest.fixture
def records(clock: FakeClock) -> FakeRecords:
    """An empty store."""
    return FakeRecords(clock)


@pytest.fixture
def back_off() -> BackOff:
    """Remembers the pauses asked for."""
    return BackOff()


@pytest.fixture
def services(clock: FakeClock, records: FakeRecords, back_off: BackOff) -> Services:
    """The world of the use cases."""
    return make_services(records=records, now=clock, back_off=back_off)
