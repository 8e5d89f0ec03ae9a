"""An agent over an empty memory."""

import pytest

from tests.worlds.tools import Agent


@pytest.fixture
def agent() -> Agent:
    """With the rights to read, ingest and revise in one scope."""
    return Agent()
