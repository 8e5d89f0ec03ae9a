"""A client of the local stack."""

from collections.abc import Iterator

import pytest

from membrane_client import Membrane
from tests.e2e.stack import Stack


@pytest.fixture
def memory(stack: Stack) -> Iterator[Membrane]:
    with Membrane(stack.url, stack.secret) as client:
        yield client
