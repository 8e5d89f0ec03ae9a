"""Search over a table in memory, fresh for each test."""

from dataclasses import dataclass
from typing import Any

import pytest

from membrane.table.keys import vector_key
from tests.worlds.search_indexes import Library, table_library
from tests.worlds.stores import Item, Store


@dataclass(frozen=True, slots=True)
class Place:
    """A table, over which libraries are made."""

    store: Store

    def library(self, **other: Any) -> Library:
        """A library, by default of the usual embedder and one shard."""
        return table_library(self.store, **other)

    def item(self, record_id: str) -> Item:
        """What stands in the place of a record's vector."""
        key = vector_key(record_id)
        found = [each for each in self.store.everything() if each.items() >= key.items()]
        (item,) = found
        return item


@pytest.fixture
def place(store: Store) -> Place:
    """The table of search."""
    return Place(store)


@pytest.fixture
def library(place: Place) -> Library:
    """Search over the table."""
    return place.library()
