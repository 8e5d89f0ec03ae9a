"""Records and topics are found apart: whatever has the same scope and the same id in the other."""

from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.dynamodb.table.keys import RECORDS, TOPICS, SearchSpace
from membrane.domain.language.vocabulary import MemoryType
from tests.worlds.search_indexes import Library, entry, table_library
from tests.worlds.stores import Store


@dataclass(frozen=True, slots=True)
class Place:
    """A table, with a library of records and one of topics."""

    store: Store
    records: Library
    topics: Library

    def again(self, space: SearchSpace) -> Library:
        """As another environment sees it, which has nothing in memory."""
        return table_library(self.store, space=space)


@pytest.fixture
def place(store: Store) -> Place:
    records, topics = (table_library(store, space=space) for space in (RECORDS, TOPICS))
    return Place(store, records, topics)


def topic(topic_id: str, text: str, **others: Any) -> Any:
    return entry(topic_id, text, memory_type=MemoryType.ENTITY, **others)


def test_a_search_of_one_finds_nothing_of_the_other(place: Place) -> None:
    place.records.hold(entry("record", "the crane failed"))
    place.topics.hold(topic("topic", "the crane failed"))

    assert place.records.found("crane") == place.again(RECORDS).found("crane") == ["record"]
    assert place.topics.found("crane") == place.again(TOPICS).found("crane") == ["topic"]


def test_the_same_scope_and_id_stand_in_both(place: Place) -> None:
    mine, theirs = entry("same", "the crane failed"), topic("same", "a lighthouse")
    place.records.hold(mine)
    place.topics.hold(theirs)

    place.topics.drop(theirs)

    assert place.records.at("same") == [mine]
    assert place.topics.at("same") == []


def test_versions_of_one_keep_nothing_of_the_other_away(place: Place) -> None:
    crane = entry("same", "a crane")
    place.records.vectors.put_entry(crane, 9, None)

    assert place.topics.vectors.put_entry(topic("same", "a gull"), 1, None)
    place.topics.end("same", 2)

    assert place.records.at("same") == [crane]


def test_scopes_of_one_are_not_those_of_the_other(place: Place) -> None:
    place.records.hold(entry("record", "a crane", scope="records alone"))
    place.topics.hold(topic("topic", "a gull", scope="topics alone"))

    assert place.records.index.scopes() == ["records alone"]
    assert place.topics.index.scopes() == ["topics alone"]
