"""Search over each implementation, fresh for each test."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.dynamodb.table.keys import vector_key
from membrane_local.storage.stores import one_at_a_time
from tests.worlds.search_indexes import OVER_TABLES, Library, fake_library
from tests.worlds.stores import Item, TableStore


@dataclass(frozen=True, slots=True)
class Place:
    """A table, and what makes libraries over it."""

    store: TableStore
    made_over: Callable[..., Library]

    def library(self, **other: Any) -> Library:
        """A library, by default of the usual embedder and one shard."""
        return self.made_over(self.store, **other)

    def item(self, record_id: str) -> Item:
        """What stands in the place of a record's vector."""
        key = vector_key(record_id)
        found = [each for each in self.store.everything() if each.items() >= key.items()]
        (item,) = found
        return item


@pytest.fixture(params=OVER_TABLES)
def place(request: pytest.FixtureRequest) -> Place:
    """Each implementation over a table."""
    return place_of(request, request.param)


@pytest.fixture(params=["fake", *OVER_TABLES])
def library(request: pytest.FixtureRequest) -> Library:
    """Each implementation: the contract is one for all."""
    if request.param == "fake":
        return fake_library()
    return place_of(request, request.param).library()


def place_of(request: pytest.FixtureRequest, name: str) -> Place:
    """The place of that name."""
    fixture, made_over = OVER_TABLES[name]
    store = request.getfixturevalue(fixture)
    assert isinstance(store, TableStore)
    if fixture == "moto":
        one_at_a_time(store.client)
    return Place(store, made_over)
