"""One local stack on moto per worker, emptied for every test."""

from collections.abc import Iterator

import pytest

from tests.e2e.stack import Stack, dev


@pytest.fixture(scope="session")
def running_stack() -> Iterator[Stack]:
    """`membrane dev` with the options that README gives it, on a free port."""
    with dev("--api-key", "local-key") as stack:
        yield stack


@pytest.fixture
def stack(running_stack: Stack) -> Stack:
    """The stack with an empty store and the machine's time."""
    running_stack.call("POST", "/_dev/clock", {"frozen": False})
    status, _ = running_stack.call("POST", "/_dev/reset")
    assert status == 200
    return running_stack
