"""A local stack on each emulator that has streams."""

from collections.abc import Iterator

import pytest

from membrane_local.dev_options import DevOptions
from tests.worlds.api import Api, api_over


@pytest.fixture(scope="module", params=["moto", "dynoxide"])
def stack(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Api]:
    """A stack on each emulator that has streams."""
    store = None
    if request.param == "dynoxide":
        store = str(tmp_path_factory.mktemp("store") / "memory.db")
    with api_over(DevOptions(store=store)) as found:
        yield found
