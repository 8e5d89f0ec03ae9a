"""A world of fakes in which there are topics, fresh for each test."""

import pytest

from membrane.usecases.ports.services_topics import TopicServices
from tests.fakes.clock import BackOff, FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.topic_world import topical
from tests.fakes.topics import FakeTopics


@pytest.fixture
def records(clock: FakeClock) -> FakeRecords:
    """An empty store."""
    return FakeRecords(clock)


@pytest.fixture
def topics(records: FakeRecords) -> FakeTopics:
    """An empty store of topics, beside that of the records."""
    return FakeTopics(records)


@pytest.fixture
def services(topics: FakeTopics, back_off: BackOff) -> TopicServices:
    """The world of the use cases of topics."""
    return topical(topics=topics, back_off=back_off)
