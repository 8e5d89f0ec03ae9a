"""Two local stacks per worker."""

from collections.abc import Iterator

import pytest

from tests.worlds.archiving import Pair, two_stacks


@pytest.fixture(scope="session")
def stacks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """The two stacks, with whatever earlier tests have left."""
    with two_stacks(tmp_path_factory.mktemp("archive")) as found:
        yield found


@pytest.fixture
def pair(stacks: Pair) -> Pair:
    """Two empty stacks, with both clocks stopped at the same instant."""
    stacks.start_afresh()
    return stacks
