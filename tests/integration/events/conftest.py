"""A local stack on each emulator that has streams."""

from collections.abc import Iterator

import pytest

from membrane_local.dev_options import DevOptions
from tests.worlds.api import Api, api_over
from tests.worlds.quick_folders import quick_folder


@pytest.fixture(scope="module", params=["moto", "dynoxide"])
def stack(request: pytest.FixtureRequest) -> Iterator[Api]:
    """A stack on each emulator that has streams."""
    with quick_folder() as folder:
        store = str(folder / "memory.db") if request.param == "dynoxide" else None
        with api_over(DevOptions(store=store)) as found:
            yield found
