"""A keeper of topics over an empty memory."""

import pytest

from tests.worlds.memstate_tools import Keeper


@pytest.fixture
def keeper() -> Keeper:
    """With the rights to read, ingest and revise in one scope."""
    return Keeper()
