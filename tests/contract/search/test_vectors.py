"""The store of vectors: one item for each record, from which no older version takes its place."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.adapters.dynamodb.search.vector_items import Encoding, entry_in, vector_item
from membrane.domain.language.errors import ResourceExhausted, Unavailable
from membrane.domain.language.vocabulary import MARKER_PERIOD, Sensitivity
from membrane.domain.search.entries import SKETCH_DIMENSIONS, pack_dense
from membrane.table.index import ScopeRegistry
from membrane.table.items import CorruptItem, size_of, text
from membrane.table.keys import RECORDS, scope_at, scope_place
from tests.builders.stored_records import NOW_S
from tests.contract.search.conftest import Place
from tests.worlds.faults import failure, intercept
from tests.worlds.search_indexes import EMBEDDER, Library, entry, table_library
from tests.worlds.stores import Store

CRANE = entry("record-1", "the crane failed", thread="talk", position=1)
GULL = entry("record-1", "a gull", scope="other", sensitivity=Sensitivity.HIGH)
SIZE = EMBEDDER.dimensions + SKETCH_DIMENSIONS


# --- which version stands -------------------------------------------------------------------------


def test_an_entry_reads_back_as_it_was_put(library: Library) -> None:
    assert library.index.put_entry(CRANE, 3, None)

    assert library.at("record-1") == [CRANE]


def test_nothing_stands_where_nothing_was_put(library: Library) -> None:
    assert library.at("record-1") == []
    assert library.at() == []


@pytest.mark.parametrize("version", [2, 3], ids=["the same", "a later"])
def test_another_version_takes_the_place_of_all_that_stood_there(
    library: Library, version: int
) -> None:
    library.index.put_entry(CRANE, 2, None)

    assert library.index.put_entry(GULL, version, None)

    assert library.at("record-1") == [GULL]
    assert library.found("crane", ["team"]) == []


def test_a_late_older_version_never_overwrites(library: Library) -> None:
    library.index.put_entry(CRANE, 2, None)

    assert not library.index.put_entry(GULL, 1, None)

    assert library.at("record-1") == [CRANE]


def test_what_ends_a_vector_leaves_none_and_keeps_what_is_late_away(library: Library) -> None:
    library.index.put_entry(CRANE, 1, None)

    library.end("record-1", 2)

    assert not library.index.put_entry(CRANE, 1, None)
    assert library.at("record-1") == []
    assert library.found("crane") == []


def test_a_late_end_of_an_older_version_leaves_the_vector(library: Library) -> None:
    library.index.put_entry(CRANE, 3, None)

    library.index.end_entry("record-1", 2)

    assert library.at("record-1") == [CRANE]


def test_what_ends_a_vector_before_its_first_put_keeps_the_put_away(library: Library) -> None:
    library.end("record-1", 2)

    assert not library.index.put_entry(CRANE, 1, None)
    assert library.at("record-1") == []


def test_a_later_version_takes_the_place_of_what_ended_a_vector(library: Library) -> None:
    library.end("record-1", 2)

    assert library.index.put_entry(CRANE, 3, None)

    assert library.at("record-1") == [CRANE]


def test_more_ids_than_a_request_takes_are_had_once_each(library: Library) -> None:
    library.hold(*(entry(f"record-{number}", "a crane") for number in range(130)))

    found = library.at(*(f"record-{number % 140}" for number in range(280)))

    assert len(found) == 130


# --- the items ------------------------------------------------------------------------------------


def test_a_vector_is_one_item_of_small_integers_with_what_ranks_it(place: Place) -> None:
    place.library().index.put_entry(CRANE, 7, int(NOW_S) + 60)

    item = place.item("record-1")

    components = [each["N"] for each in item[f"vector_{SIZE}"]["L"]]
    assert len(components) == SIZE
    assert all(each.lstrip("-").isdecimal() and abs(int(each)) <= 127 for each in components)
    assert size_of({**item, f"vector_{SIZE}": text("")}) < 1_024
    assert (item["source_version"], item["expires_at"]) == ({"N": "7"}, {"N": f"{int(NOW_S) + 60}"})
    assert item.keys() == {
        "pk",
        "sk",
        "search_pk",
        "source_version",
        "type",
        "sensitivity",
        "happened_at",
        "expires_at",
        "terms",
        "thread",
        "thread_place",
        f"vector_{SIZE}",
        f"dense_{SIZE}",
        f"embedder_{SIZE}",
    }


def test_a_vector_for_good_does_not_expire(place: Place) -> None:
    place.library().index.put_entry(CRANE, 7, None)

    assert "expires_at" not in place.item("record-1")


def test_a_text_with_nothing_in_it_has_an_entry_and_no_vector(place: Place) -> None:
    nothing = replace(CRANE, terms=b"", dense=pack_dense([0.0] * EMBEDDER.dimensions))

    assert place.library().index.put_entry(nothing, 1, None)

    assert f"vector_{SIZE}" not in place.item("record-1")
    assert place.library().at("record-1") == [nothing]


def test_a_marker_holds_not_a_word_and_expires(place: Place) -> None:
    library = place.library()
    library.index.put_entry(CRANE, 1, None)

    library.end("record-1", 2)

    marker = place.item("record-1")
    assert marker.keys() == {"pk", "sk", "source_version", "removed", "expires_at"}
    assert marker["expires_at"] == {"N": str(int(NOW_S + MARKER_PERIOD.total_seconds()))}


def test_a_put_is_one_request_once_the_scope_has_the_level(place: Place) -> None:
    library = place.library()
    library.index.put_entry(CRANE, 1, None)
    place.store.watched.requests.clear()

    library.index.put_entry(CRANE, 2, None)

    assert place.store.watched.operations() == ["PutItem"]


def test_a_scope_is_registered_once_with_the_levels_of_its_vectors(place: Place) -> None:
    levels = (Sensitivity.LOW, Sensitivity.HIGH, Sensitivity.LOW)
    for number, level in enumerate(levels):
        for scope in ("team", "", "-", "="):
            each = entry(f"record-{number}", "a crane", scope=scope, sensitivity=level)
            place.library().index.put_entry(each, number, None)

    registry = ScopeRegistry(place.store.client, place.store.table)
    places = [item["sk"]["S"] for item in place.store.partition("scopes")]
    assert sorted(map(scope_at, places)) == ["", "-", "=", "team"]
    assert set(registry.levels(["team", "nowhere"])["team"]) == {Sensitivity.LOW, Sensitivity.HIGH}
    assert registry.levels(["nowhere"]) == {}


@given(st.text(max_size=40))
def test_no_two_scopes_have_the_same_place(scope: str) -> None:
    encoding = Encoding(EMBEDDER.dimensions, "some")
    crane = replace(CRANE, scope=scope)
    item = vector_item(crane, 1, None, 3, RECORDS)
    item |= {
        encoding.attribute_name("dense"): {"B": crane.dense},
        encoding.attribute_name("embedder"): text("some"),
    }

    assert scope_at(scope_place(scope)) == scope
    assert entry_in(item, encoding, RECORDS) == crane
    assert item.keys() <= {*encoding.attributes, "source_version"}


# --- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("ThrottlingException", ResourceExhausted),
        ("InternalServerError", Unavailable),
        ("TransactionConflictException", Unavailable),
    ],
)
@pytest.mark.parametrize("operation", ["PutItem", "UpdateItem"])
def test_a_store_that_is_busy_or_away_says_so(
    table: Store, operation: str, code: str, error: type[Exception]
) -> None:
    intercept(table.client, operation, lambda: failure(code))

    with pytest.raises(error):
        table_library(table).index.put_entry(CRANE, 1, None)


def test_a_scope_whose_registration_failed_is_registered_by_the_next_try(table: Store) -> None:
    answers = iter([failure("ThrottlingException")] * 9)
    library = table_library(table)
    intercept(table.client, "UpdateItem", lambda: next(answers, None))
    with pytest.raises(ResourceExhausted):
        library.index.put_entry(CRANE, 1, None)

    for _ in answers:
        pass
    library.index.put_entry(CRANE, 1, None)

    assert library.index.scopes() == ["team"]


@pytest.mark.parametrize("name", ["type", "sensitivity", "terms", "happened_at", "search_pk"])
def test_a_damaged_entry_is_never_taken_for_one(place: Place, name: str) -> None:
    library = place.library()
    library.index.put_entry(CRANE, 1, None)

    item = place.item("record-1")
    place.store.put({key: value for key, value in item.items() if key != name})

    with pytest.raises(CorruptItem, match=name):
        library.at("record-1")
