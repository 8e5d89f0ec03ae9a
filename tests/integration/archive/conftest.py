"""Two local stacks per worker."""

from collections.abc import Iterator

import pytest

from tests.worlds.archiving import Pair, two_stacks
from tests.worlds.quick_folders import quick_folder


@pytest.fixture(scope="session")
def stacks() -> Iterator[Pair]:
    """The two stacks, with whatever earlier tests have left."""
    with quick_folder() as folder, two_stacks(folder) as found:
        yield found


@pytest.fixture
def pair(stacks: Pair) -> Pair:
    """Two empty stacks, with both clocks stopped at the same instant."""
    stacks.start_afresh()
    return stacks
