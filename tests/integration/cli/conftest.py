"""One `membrane dev` of its own process for the commands of a worker."""

from collections.abc import Iterator

import pytest

from tests.e2e.stack import Stack, dev


@pytest.fixture(scope="session")
def running() -> Iterator[Stack]:
    with dev() as stack:
        yield stack


@pytest.fixture
def stack(running: Stack, monkeypatch: pytest.MonkeyPatch) -> Stack:
    """An empty stack with the machine's time, to which the environment leads."""
    running.call("POST", "/_dev/clock", {"frozen": False})
    assert running.call("POST", "/_dev/reset", {})[0] == 200
    monkeypatch.setenv("MEMBRANE_URL", running.url)
    monkeypatch.setenv("MEMBRANE_API_KEY", running.secret)
    return running
