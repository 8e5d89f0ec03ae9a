"""The stores over a table in memory, fresh for each test."""

from collections.abc import Iterator

import pytest

from membrane.adapters.bucket import S3Blobs
from tests.worlds.stores import BUCKET, Store, bucket, memory_store


@pytest.fixture
def store() -> Iterator[Store]:
    """A store with blobs in memory."""
    with memory_store() as made:
        yield made


@pytest.fixture
def table(store: Store) -> Store:
    """The store, for tests that look at the table's items or at calls of the client."""
    return store


@pytest.fixture
def bucketed() -> Iterator[Store]:
    """A store with blobs in a versioned bucket of moto's."""
    with bucket() as client, memory_store(S3Blobs(lambda: client, BUCKET)) as made:
        yield made
