"""Records and topics are found apart: whatever has the same scope and the same id in the other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
from membrane.adapters.dynamodb.table.keys import RECORDS, TOPICS, SearchSpace
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.frequencies import Frequencies
from membrane.usecases.ports.catalogue import EntryPlace, Page
from membrane.usecases.ports.search import Standing
from membrane_local.storage.stores import one_at_a_time
from tests.builders.stored_records import stored
from tests.worlds.search_indexes import (
    EMBEDDER,
    OVER_TABLES,
    Library,
    entry,
    exact_library,
    states,
)
from tests.worlds.stores import TableStore


@dataclass(frozen=True, slots=True)
class Place:
    """A table, with a library of records and one of topics."""

    store: TableStore
    made_over: Callable[..., Library]
    records: Library
    topics: Library

    def again(self, space: SearchSpace) -> Library:
        """As another environment sees it, which has nothing in memory."""
        return self.made_over(self.store, space=space)


@pytest.fixture(params=OVER_TABLES)
def place(request: pytest.FixtureRequest) -> Place:
    """Each implementation over a table."""
    fixture, made_over = OVER_TABLES[request.param]
    store = request.getfixturevalue(fixture)
    assert isinstance(store, TableStore)
    if fixture == "moto":
        one_at_a_time(store.client)
    records, topics = (made_over(store, space=space) for space in (RECORDS, TOPICS))
    return Place(store, made_over, records, topics)


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

    assert place.records.index.at([("team", "same")]) == [mine]
    assert place.topics.index.at([("team", "same")]) == []
    assert place.records.entries.standing([("team", "same")]) != {}


def test_versions_of_one_keep_nothing_of_the_other_away(place: Place) -> None:
    place.records.entries.put(entry("same", "a crane"), Standing(9, b"digest"))

    assert place.topics.entries.put(topic("same", "a gull"), Standing(1, b"digest"))
    assert place.topics.entries.remove("team", "same", 2)
    assert place.records.entries.standing([("team", "same")]) == {
        ("team", "same"): Standing(9, b"digest")
    }


def test_frequencies_of_one_know_no_word_of_the_other(place: Place) -> None:
    def told(library: Library) -> Frequencies:
        return library.index.frequencies(["team"], Sensitivity.HYPER)

    place.records.hold(*(entry(f"record-{each}", "the crane failed") for each in range(4)))
    before = told(place.again(RECORDS))

    place.topics.hold(*(topic(f"topic-{each}", "a gull on the crane") for each in range(9)))

    assert told(place.again(RECORDS)) == before
    assert told(place.again(TOPICS)).documents == 9
    assert told(place.again(TOPICS)).shares.keys() != before.shares.keys()


def test_scopes_of_one_are_not_those_of_the_other(place: Place) -> None:
    place.records.hold(entry("record", "a crane", scope="records alone"))
    place.topics.hold(topic("topic", "a gull", scope="topics alone"))

    assert place.records.index.scopes() == ["records alone"]
    assert place.topics.index.scopes() == ["topics alone"]


def test_what_has_moved_in_one_has_not_in_the_other(place: Place) -> None:
    place.records.hold(entry("record", "a crane"))

    state = states(place.store, EMBEDDER.name, TOPICS).states(["team"])["team"]

    assert state.version == 0


def test_entries_of_one_are_counted_apart_from_those_of_the_other(place: Place) -> None:
    place.records.hold(entry("record", "a crane"))
    place.topics.hold(topic("topic", "a gull"), topic("other", "a gull"))

    assert place.records.entries.count("team", None) == (1, None)
    assert place.topics.entries.count("team", None) == (2, None)


# --- the catalogue --------------------------------------------------------------------------------


def whole(catalogue: DynamoCatalogue) -> Page:
    """All pages in one."""
    page = catalogue.page(None)
    records, entries = [*page.records], [*page.entries]
    while page.next is not None:
        page = catalogue.page(page.next)
        records += page.records
        entries += page.entries
    return Page(records, entries, None)


def test_each_catalogue_has_what_is_its_own(table: TableStore) -> None:
    exact_library(table, space=RECORDS).hold(entry("record-1", "a crane"))
    exact_library(table, space=TOPICS).hold(topic("topic-1", "a gull", scope=""))
    table.records.create(stored("record-1"))
    for sort_key in ("topic", "access"):
        table.put(
            {
                "pk": {"S": "topic#topic-1"},
                "sk": {"S": sort_key},
                "scope": {"S": "team"},
            }
        )
    records, topics = (
        DynamoCatalogue(table.client, table.table, space) for space in (RECORDS, TOPICS)
    )

    found = whole(topics)

    assert list(found.records) == [("topic-1", "team")]
    assert list(found.entries) == [EntryPlace("topic-1", "", 0)]
    assert [record_id for record_id, _ in whole(records).records] == ["record-1"]
    assert [each.record_id for each in whole(records).entries] == ["record-1"]
    assert (records.scope_after(None), topics.scope_after(None)) == ("team", "")


def test_each_catalogue_keeps_its_own_progress(table: TableStore) -> None:
    records, topics = (
        DynamoCatalogue(table.client, table.table, space) for space in (RECORDS, TOPICS)
    )

    kept = topics.keep({"of": "topics"}, None)

    assert records.progress() is None
    assert records.keep({"of": "records"}, None).progress == {"of": "records"}
    assert topics.progress() == kept
