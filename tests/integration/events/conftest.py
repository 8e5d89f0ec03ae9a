"""A local stack on each store that it keeps itself."""

from collections.abc import Iterator

import pytest

from membrane_local.dev_options import DevOptions
from tests.worlds.api import Api, api_over
from tests.worlds.quick_folders import quick_folder


@pytest.fixture(scope="module", params=["memory", "file"])
def stack(request: pytest.FixtureRequest) -> Iterator[Api]:
    """A stack in memory, and a stack on a file."""
    with quick_folder() as folder:
        store = str(folder / "memory.db") if request.param == "file" else None
        with api_over(DevOptions(store=store)) as found:
            yield found
