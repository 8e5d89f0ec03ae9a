"""The contract of search: one for the fake, for every entry looked at, and for the vector index."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import pytest

from membrane.adapters.dynamodb.search.exact_search import MAX_EXACT
from membrane.adapters.dynamodb.table.attributes import CorruptItem
from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.language.errors import FailedPrecondition, WrongEmbedder
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.frequencies import Frequencies
from membrane.usecases.ports.search import MAX_FOUND
from membrane_local.storage.stores import one_at_a_time
from tests.worlds.search_indexes import (
    EMBEDDER,
    EXACT,
    OVER_TABLES,
    Library,
    entry,
    fake_library,
    talk,
)
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
        """What stands for an entry."""
        (found,) = (each for each in self.store.everything() if each["sk"] == {"S": record_id})
        return found


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


# --- what is found ------------------------------------------------------------------------------


def test_what_shares_the_questions_words_is_found_first(library: Library) -> None:
    library.hold(
        entry("deploy", "the deployment to staging failed on a missing secret"),
        entry("lunch", "lunch was soup and bread"),
        entry("tests", "all tests of the parser passed"),
    )

    found = library.found("why did deployments fail on staging?")

    assert found[0] == "deploy"


def test_what_shares_parts_of_words_alone_is_found(library: Library) -> None:
    library.hold(
        entry("camera", "Ann works as a photographer"), entry("bread", "Bob bakes sourdough loaves")
    )

    found = library.found("photography")

    assert found[0] == "camera"


def test_nothing_is_found_outside_the_scopes(library: Library) -> None:
    library.hold(
        entry("mine", "the secret of the cellar"),
        entry("theirs", "the secret of the cellar", scope="others"),
        entry("nobodys", "the secret of the cellar", scope=""),
    )

    assert library.found("secret cellar", ["team"]) == ["mine"]
    assert library.found("secret cellar", [""]) == ["nobodys"]
    assert set(library.found("secret cellar", ["team", ""])) == {"mine", "nobodys"}


@pytest.mark.parametrize("scope", ["-", "=", "=team", "0#=team", "team#", "tea", "team ", "TEAM"])
def test_no_scope_passes_for_another(library: Library, scope: str) -> None:
    library.hold(entry("mine", "the secret of the cellar"), entry("free", "a secret", scope=""))

    assert library.found("secret cellar", [scope]) == []


@pytest.mark.parametrize("ceiling", Sensitivity)
def test_nothing_is_found_above_the_ceiling(library: Library, ceiling: Sensitivity) -> None:
    library.hold(
        *(entry(level, "the secret of the cellar", sensitivity=level) for level in Sensitivity)
    )

    found = library.found("secret cellar", ceiling=ceiling)

    assert set(found) == {level for level in Sensitivity if level.level <= ceiling.level}


@pytest.mark.parametrize(
    "types", [{MemoryType.SEMANTIC}, {MemoryType.WORKING, MemoryType.ENTITY}, set(MemoryType)]
)
def test_only_the_types_that_are_asked_for_are_found(
    library: Library, types: set[MemoryType]
) -> None:
    library.hold(*(entry(each, "a plan of the cellar", memory_type=each) for each in MemoryType))

    assert set(library.found("cellar", types=types)) == types


def test_the_best_of_several_scopes_come_first_together(library: Library) -> None:
    library.hold(
        entry("far", "a word about the harbour", scope="a"),
        entry("near", "the crane in the harbour lifts containers", scope="b"),
        entry("other", "nothing of that kind", scope="c"),
    )

    found = library.found("crane lifts containers harbour", ["a", "b", "c"])

    assert found[:2] == ["near", "far"]


def test_what_was_written_anew_is_found_by_its_new_words_alone(library: Library) -> None:
    library.hold(entry("note", "the ferry leaves at nine"), entry("other", "the harbour is closed"))
    library.found("ferry")

    library.hold(entry("note", "an umbrella was found"))

    assert library.found("umbrella")[0] == "note"
    assert library.found("ferry nine leaves")[:1] != ["note"]


def test_what_was_removed_is_not_found(library: Library) -> None:
    note = entry("note", "the ferry leaves at nine")
    library.hold(note)
    before = library.found("ferry")

    library.drop(note)

    assert (before, library.found("ferry")) == (["note"], [])


def test_of_two_that_speak_alike_the_smaller_id_comes_first(library: Library) -> None:
    library.hold(*(entry(name, "the ferry leaves at nine") for name in ("b", "c", "a")))

    assert library.found("ferry") == ["a", "b", "c"]


def test_no_more_is_found_than_can_be_ranked_exactly(library: Library) -> None:
    levels = (Sensitivity.PUBLIC, Sensitivity.LOW, Sensitivity.MEDIUM)
    library.hold(
        *(
            entry(f"{level}-{number}", f"ferry number {number}", sensitivity=level)
            for level in levels
            for number in range(90)
        )
    )

    assert len(library.found("ferry")) == MAX_FOUND


@pytest.mark.parametrize("text", ["", "?!", "the of and"])
def test_a_question_that_says_nothing_finds_nothing(library: Library, text: str) -> None:
    library.hold(entry("note", "the ferry leaves at nine"))

    assert library.found(text) == []


def test_an_entry_that_says_nothing_is_no_trouble(library: Library) -> None:
    library.hold(entry("mute", ""), entry("note", "the ferry leaves at nine"))

    assert library.found("ferry")[0] == "note"


def test_a_search_of_many_threads_gives_each_the_same(library: Library) -> None:
    library.hold(*(entry(f"note-{number}", f"ferry number {number}") for number in range(30)))
    alone = library.found("ferry number 7")

    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(library.found, ["ferry number 7"] * 16))

    assert together == [alone] * 16


# --- what there is ------------------------------------------------------------------------------


def test_the_scopes_are_those_that_have_entries(library: Library) -> None:
    before = library.index.scopes()

    library.hold(entry("a", "x", scope=""), entry("b", "x", scope="=odd"), entry("c", "x"))

    assert before == []
    assert set(library.index.scopes()) == {"", "=odd", "team"}


def test_no_more_scopes_are_told_than_show_that_there_are_too_many(library: Library) -> None:
    library.hold(
        *(entry("note", "ferry", scope=f"scope-{number}") for number in range(MAX_SCOPES + 3))
    )

    assert len(library.index.scopes()) == MAX_SCOPES + 1


def test_the_frequencies_are_those_of_the_scopes_together(library: Library) -> None:
    library.hold(*(entry(f"a-{number}", "ferry", scope="a") for number in range(3)))
    library.hold(entry("b", "harbour", scope="b"))

    ceiling = Sensitivity.LOW
    one, both = (library.index.frequencies(scopes, ceiling) for scopes in (["a"], ["a", "b"]))

    assert (one.documents, both.documents) == (3, 4)
    assert library.index.frequencies(["nowhere"], ceiling).documents == 0


def test_the_frequencies_are_those_of_what_the_ceiling_lets_through(library: Library) -> None:
    library.hold(
        *(entry(f"open-{number}", "ferry") for number in range(3)),
        *(
            entry(f"shut-{number}", "ferry and crane", sensitivity=Sensitivity.HIGH)
            for number in range(2)
        ),
    )

    low, high = (
        library.index.frequencies(["team"], ceiling)
        for ceiling in (Sensitivity.MEDIUM, Sensitivity.HIGH)
    )

    assert low.documents == 3
    assert low.shares.keys() < high.shares.keys()
    assert library.index.frequencies(["team"], Sensitivity.PUBLIC) == Frequencies()


# --- entries by their places ----------------------------------------------------------------------


def test_entries_are_had_by_their_places_once_each(library: Library) -> None:
    crane, gull = entry("crane", "a crane"), entry("gull", "a gull", scope="")
    library.hold(crane, gull, entry("other", "an other"))
    places = [("team", "crane"), ("", "gull"), ("team", "crane"), ("team", "gull")]

    found = library.index.at(places)

    assert sorted(found, key=lambda each: each.record_id) == [crane, gull]


def test_at_a_place_whose_entry_was_removed_is_nothing(library: Library) -> None:
    crane = entry("crane", "a crane")
    library.hold(crane)
    library.drop(crane)

    assert library.index.at([("team", "crane"), ("nowhere", "crane")]) == []
    assert library.index.at([]) == []


def test_more_places_than_a_request_takes_are_had(library: Library) -> None:
    library.hold(*(entry(f"record-{number}", "a crane") for number in range(130)))

    found = library.index.at([("team", f"record-{number}") for number in range(140)])

    assert len(found) == 130


def test_an_entry_of_another_embedder_is_not_had_silently(place: Place) -> None:
    place.library(embedder="other").hold(entry("crane", "a crane"))

    with pytest.raises(WrongEmbedder, match="membrane reindex"):
        place.library().index.at([("team", "crane")])


# --- neighbours ---------------------------------------------------------------------------------


def test_beside_a_turn_are_those_just_before_and_just_after(library: Library) -> None:
    turns = talk(*(f"number {number}" for number in range(12)))
    library.hold(*turns, *talk("other", "words", thread="elsewhere"))

    assert library.beside(turns[6]) == {f"talk:{turn}" for turn in (3, 4, 5, 7, 8, 9)}
    assert library.beside(turns[0]) == {"talk:1", "talk:2", "talk:3"}
    assert library.beside(turns[10]) == {"talk:7", "talk:8", "talk:9", "talk:11"}


def test_what_is_asked_about_is_not_beside_itself(library: Library) -> None:
    turns = talk("one", "two", "three", "four", "five")
    library.hold(*turns)

    assert library.beside(turns[1], turns[2], turns[3]) == {"talk:0", "talk:4"}


def test_neighbours_may_be_of_any_sensitivity_for_the_reader_to_look_at(library: Library) -> None:
    first, second = talk("one", "two")
    library.hold(first, replace(second, sensitivity=Sensitivity.HYPER))

    (found,) = library.index.beside([first])

    assert found == replace(second, sensitivity=Sensitivity.HYPER)


def test_a_thread_of_the_same_name_in_another_scope_is_another(library: Library) -> None:
    turns = talk("one", "two")
    library.hold(*turns, *talk("three", "four", "five", scope="others"))

    assert library.beside(turns[1]) == {"talk:0"}


def test_what_has_no_thread_has_no_neighbours(library: Library) -> None:
    note = entry("note", "ferry")
    library.hold(note, entry("another", "ferry"))

    assert library.beside(note) == set()
    assert library.beside() == set()


def test_what_is_not_indexed_yet_has_neighbours_all_the_same(library: Library) -> None:
    turns = talk("one", "two", "three")
    library.hold(turns[0], turns[2])

    assert library.beside(turns[1]) == {"talk:0", "talk:2"}


def test_a_turn_that_was_removed_is_beside_nothing(library: Library) -> None:
    turns = talk("one", "two", "three")
    library.hold(*turns)
    library.beside(turns[0])

    library.drop(turns[1])
    library.found("three")

    assert library.beside(turns[0]) == {"talk:2"}


# --- embedders ----------------------------------------------------------------------------------


def test_a_scope_that_another_embedder_wrote_into_is_refused(place: Place) -> None:
    place.library(embedder="older-256").hold(entry("old", "ferry"))
    library = place.library()
    library.hold(entry("new", "ferry"), entry("clean", "ferry", scope="elsewhere"))

    with pytest.raises(WrongEmbedder) as refusal:
        library.found("ferry")

    assert all(word in str(refusal.value) for word in ("older-256", EMBEDDER.name, "reindex"))
    assert library.found("ferry", ["elsewhere"]) == ["clean"]


def test_an_entry_of_another_embedder_is_refused_though_its_scope_tells_nothing(
    place: Place,
) -> None:
    library, turns = place.library(), talk("ferry", "harbour")
    library.hold(*turns)

    place.store.put({**place.item("talk:1"), "embedder": {"S": "older-256"}})

    with pytest.raises(WrongEmbedder):
        library.found("harbour")
    with pytest.raises(WrongEmbedder):
        library.index.beside(turns[:1])


def test_once_the_scope_is_settled_it_is_searched_again(place: Place) -> None:
    place.library(embedder="older-256").hold(entry("note", "ferry"))
    library = place.library()
    library.hold(entry("note", "ferry"))

    library.entries.settled("team", 1)

    assert library.found("ferry") == ["note"]


# --- over a table -------------------------------------------------------------------------------


def test_a_damaged_entry_surfaces(place: Place) -> None:
    library = place.library()
    library.hold(entry("note", "ferry"))

    place.store.put({**place.item("note"), "happened_at": {"S": "yesterday"}})

    with pytest.raises(CorruptItem, match="happened_at"):
        library.found("ferry")


def test_shards_are_searched_together(place: Place) -> None:
    one_at_a_time(place.store.client)
    library = place.library(shards=4)
    names = [f"note-{number}" for number in range(20)]

    library.hold(*(entry(name, "ferry") for name in names))

    partitions = {item["pk"]["S"] for item in place.store.everything() if item["sk"]["S"] in names}
    assert len(partitions) == 4
    assert set(library.found("ferry")) == set(names)


# --- without a vector index ---------------------------------------------------------------------


@pytest.fixture(params=EXACT)
def exact(request: pytest.FixtureRequest) -> Place:
    """The exact search over each kind of table."""
    return place_of(request, request.param)


def reads(place: Place) -> Counter[str]:
    """How many entries' Queries and other reads there were so far."""
    return Counter(
        name for name in place.store.watched.operations() if name in ("Query", "BatchGetItem")
    )


def test_a_scope_that_has_not_moved_is_not_read_again(exact: Place) -> None:
    library = exact.library()
    library.hold(*talk("the ferry leaves", "at nine"))
    search = library.search("ferry")
    library.index.search(search)
    before = reads(exact)

    found = library.index.search(search).entries
    library.index.beside(found)

    assert reads(exact) - before == Counter(BatchGetItem=1)


def test_only_the_scope_that_has_moved_is_read_again(exact: Place) -> None:
    library = exact.library()
    library.hold(*(entry(name, "ferry", scope=name[0]) for name in ("a1", "b1", "b2", "b3")))
    search = library.search("ferry", ["a", "b"])
    library.index.search(search)
    library.hold(entry("b4", "ferry", scope="b"))
    before = reads(exact)

    found = {each.record_id for each in library.index.search(search).entries}

    assert found == {"a1", "b1", "b2", "b3", "b4"}
    assert reads(exact) - before == Counter(BatchGetItem=1, Query=1)


def test_entries_are_read_strongly_consistent_after_their_version(exact: Place) -> None:
    library = exact.library()
    library.hold(entry("note", "ferry"))

    library.found("ferry")

    queries = [asked for name, asked in exact.store.watched.requests if name == "Query"]
    of_entries = [asked for asked in queries if "FilterExpression" in asked]
    assert of_entries
    assert of_entries[-1]["ConsistentRead"] is True


def test_neighbours_are_found_in_an_environment_that_has_searched_nothing(exact: Place) -> None:
    turns = talk("one", "two", "three")
    exact.library().hold(*turns)

    assert exact.library().beside(turns[1]) == {"talk:0", "talk:2"}


def test_a_scope_with_too_many_entries_is_refused_naming_the_vector_index(exact: Place) -> None:
    library = exact.library()
    library.hold(entry("note", "ferry"))
    (state,) = (each for each in exact.store.everything() if each["sk"] == {"S": "search"})

    exact.store.put({**state, "documents": {"N": str(MAX_EXACT + 1)}})

    with pytest.raises(FailedPrecondition, match="vector index: deploy with VectorIndex=true"):
        library.found("ferry")


# --- agreement ----------------------------------------------------------------------------------
