"""The contract of search by the vector index, of records and of topics apart."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.table.items import CorruptItem
from membrane.table.keys import RECORDS, TOPICS, SearchSpace
from membrane.usecases.ports.search import MAX_FOUND
from tests.contract.search.conftest import Place
from tests.worlds.search_indexes import EMBEDDER, Library, entry, table_library
from tests.worlds.stores import Store

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


def test_the_scopes_of_a_prefix_are_those_that_begin_with_it(library: Library) -> None:
    others = ("t:a", "t:ab:1", "t:a-b:1", "x:t:a:1", "=t:a:1", "")
    inside = ("t:a:1", "t:a:user:Ü", "t:a:")

    library.hold(*(entry(f"n{at}", "x", scope=each) for at, each in enumerate((*others, *inside))))

    assert set(library.index.scopes("t:a:")) == set(inside)


def test_no_more_scopes_are_told_than_show_that_there_are_too_many(library: Library) -> None:
    library.hold(
        *(
            entry(f"note-{number}", "ferry", scope=f"scope-{number}")
            for number in range(MAX_SCOPES + 3)
        )
    )

    assert len(library.index.scopes()) == MAX_SCOPES + 1


# --- embedders ----------------------------------------------------------------------------------


def test_a_vector_of_another_embedder_is_neither_found_nor_had_silently(place: Place) -> None:
    place.library(embedder="older").hold(entry("old", "ferry"))
    library = place.library()
    library.hold(entry("new", "ferry"), entry("clean", "ferry", scope="elsewhere"))

    with pytest.raises(WrongEmbedder) as refusal:
        library.found("ferry")
    with pytest.raises(WrongEmbedder, match="membrane reindex"):
        library.at("old")

    assert all(word in str(refusal.value) for word in ("older", EMBEDDER.name, "reindex"))
    assert library.found("ferry", ["elsewhere"]) == ["clean"]


def test_once_the_present_embedder_has_made_its_vector_a_record_is_found_again(
    place: Place,
) -> None:
    place.library(embedder="older").hold(entry("note", "ferry"))
    library = place.library()

    library.hold(entry("note", "ferry"))

    assert library.found("ferry") == ["note"]


# --- over a table -------------------------------------------------------------------------------


def test_a_damaged_entry_surfaces(place: Place) -> None:
    library = place.library()
    library.hold(entry("note", "ferry"))

    place.store.put({**place.item("note"), "happened_at": {"S": "yesterday"}})

    with pytest.raises(CorruptItem, match="happened_at"):
        library.found("ferry")


def test_shards_are_searched_together(place: Place) -> None:
    library = place.library(shards=4)
    names = [f"note-{number}" for number in range(20)]

    library.hold(*(entry(name, "ferry") for name in names))

    partitions = {place.item(name)["search_pk"]["S"] for name in names}
    assert len(partitions) == 4
    assert set(library.found("ferry")) == set(names)


@dataclass(frozen=True, slots=True)
class TwoSpaces:
    """A table, with a library of records and one of topics."""

    store: Store
    records: Library
    topics: Library

    def again(self, space: SearchSpace) -> Library:
        """As another environment sees it, which has nothing in memory."""
        return table_library(self.store, space=space)


@pytest.fixture
def both(store: Store) -> TwoSpaces:
    records, topics = (table_library(store, space=space) for space in (RECORDS, TOPICS))
    return TwoSpaces(store, records, topics)


def topic(topic_id: str, text: str, **others: Any) -> Any:
    return entry(topic_id, text, memory_type=MemoryType.ENTITY, **others)


def test_a_search_of_one_finds_nothing_of_the_other(both: TwoSpaces) -> None:
    both.records.hold(entry("record", "the crane failed"))
    both.topics.hold(topic("topic", "the crane failed"))

    assert both.records.found("crane") == both.again(RECORDS).found("crane") == ["record"]
    assert both.topics.found("crane") == both.again(TOPICS).found("crane") == ["topic"]


def test_the_same_scope_and_id_stand_in_both(both: TwoSpaces) -> None:
    mine, theirs = entry("same", "the crane failed"), topic("same", "a lighthouse")
    both.records.hold(mine)
    both.topics.hold(theirs)

    both.topics.drop(theirs)

    assert both.records.at("same") == [mine]
    assert both.topics.at("same") == []


def test_versions_of_one_keep_nothing_of_the_other_away(both: TwoSpaces) -> None:
    crane = entry("same", "a crane")
    both.records.index.put_entry(crane, 9, None)

    assert both.topics.index.put_entry(topic("same", "a gull"), 1, None)
    both.topics.end("same", 2)

    assert both.records.at("same") == [crane]


def test_scopes_of_one_are_not_those_of_the_other(both: TwoSpaces) -> None:
    both.records.hold(entry("record", "a crane", scope="records alone"))
    both.topics.hold(topic("topic", "a gull", scope="topics alone"))

    assert both.records.index.scopes() == ["records alone"]
    assert both.topics.index.scopes() == ["topics alone"]
