"""Every implementation of the store, fresh for each test."""

from collections.abc import Iterator

import pytest

from tests.worlds.dynoxide_server import run_server
from tests.worlds.stores import EMULATORS, Store, TableStore, dynoxide_store, fake_store, moto_store


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """The address of a DynamoDB-compatible server that lives as long as the session."""
    with run_server(None) as address:
        yield address


@pytest.fixture
def moto() -> Iterator[TableStore]:
    """A store on moto."""
    with moto_store() as store:
        yield store


@pytest.fixture
def dynoxide(endpoint: str) -> Iterator[TableStore]:
    """A store on dynoxide: the strictest emulator, and the only one that counts capacity."""
    with dynoxide_store(endpoint) as store:
        yield store


@pytest.fixture(params=EMULATORS)
def table(request: pytest.FixtureRequest) -> TableStore:
    """Each store that is over a DynamoDB-like table."""
    store = request.getfixturevalue(request.param)
    assert isinstance(store, TableStore)
    return store


@pytest.fixture(params=["fake", *EMULATORS])
def store(request: pytest.FixtureRequest) -> Store:
    """Each implementation of the ports: the contract is one for all."""
    if request.param == "fake":
        return fake_store()
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Store)
    return found
