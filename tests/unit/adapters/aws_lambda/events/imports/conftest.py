"""A world of imports, fresh for each test."""

import pytest

from tests.worlds.importing import World


@pytest.fixture
def world() -> World:
    """Nothing is there yet."""
    return World()
