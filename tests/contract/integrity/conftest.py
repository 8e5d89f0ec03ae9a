"""Every table, with blobs in memory: a verification looks for the 256 shards of each anchor."""

from collections.abc import Iterator

import pytest

from tests.fakes.bucket import FakeBlobs
from tests.worlds.stores import TableStore, moto_store


@pytest.fixture
def moto() -> Iterator[TableStore]:
    """A store on moto, without moto's bucket, which takes 3 ms for each shard."""
    with moto_store(FakeBlobs()) as store:
        yield store
