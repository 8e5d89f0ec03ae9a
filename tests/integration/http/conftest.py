"""A stack whose operator has set topics otherwise: short histories, soon alike, fed by facts."""

from collections.abc import Iterator

import pytest

from membrane_local.dev_options import DevOptions
from tests.integration.conftest import NO_SCHEDULES, emptied
from tests.worlds.api import Api, api_over
from tests.worlds.quick_folders import quick_folder
from tests.worlds.topic_client import Topics

SETTINGS = {
    "TopicMaxHistory": "3",
    "TopicSummaryHistory": "2",
    "TopicSimilarity": "0.5",
    "TopicMaxAccess": "1",
    "TopicBump": "0.4",
    "TopicFeeds": "true",
}


@pytest.fixture(scope="session")
def tuned_api() -> Iterator[Api]:
    """The stack, for all tests of a worker."""
    with quick_folder() as folder:
        parameters = SETTINGS | NO_SCHEDULES
        options = DevOptions(store=str(folder / "memory.db"), parameters=parameters)
        with api_over(options) as found:
            yield found


@pytest.fixture
def tuned(tuned_api: Api) -> Topics:
    """The stack with an empty store and the machine's time."""
    return Topics(emptied(tuned_api))


@pytest.fixture
def topics(api: Api) -> Topics:
    """A client of the usual stack, who may do everything."""
    return Topics(api)
