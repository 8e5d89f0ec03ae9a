"""Stacks that several files ask, each emptied or begun anew for every test."""

from collections.abc import Iterator

import pytest

from tests.integration.conftest import NO_SCHEDULES, emptied
from tests.worlds.api import Api, api_with
from tests.worlds.recall import frozen
from tests.worlds.talks import Talk, begin_anew, talking
from tests.worlds.topic_client import Topics

SETTINGS = {
    "TopicMaxHistory": "3",
    "TopicSummaryHistory": "2",
    "TopicSimilarity": "0.5",
    "TopicMaxAccess": "1",
    "TopicBump": "0.4",
}
"""Of an operator who set topics otherwise: short histories, soon alike."""


@pytest.fixture(scope="session")
def tuned_api() -> Iterator[Api]:
    """The stack, for all tests of a worker."""
    with api_with(SETTINGS | NO_SCHEDULES) as found:
        yield found


@pytest.fixture
def tuned(tuned_api: Api) -> Topics:
    """The stack with an empty store and the machine's time."""
    return Topics(emptied(tuned_api))


@pytest.fixture
def still(api: Api) -> Iterator[Api]:
    """The usual stack with its clock frozen at noon, and the machine's time again afterwards."""
    with frozen(api):
        yield api


@pytest.fixture
def topics(api: Api) -> Topics:
    """A client of the usual stack, who may do everything."""
    return Topics(api)


@pytest.fixture(scope="module")
def begun() -> Iterator[Talk]:
    """A stack whose chat has a model behind an endpoint, for the tests of a file."""
    with talking() as talk:
        yield talk


@pytest.fixture
def talk(begun: Talk) -> Talk:
    """The stack with an empty store and the machine's time."""
    begin_anew(begun)
    return begun
