"""Both searches agree: the vector index leads to what looking at every entry leads to."""

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry
from tests.worlds.depth import examples
from tests.worlds.search_indexes import (
    Library,
    entry,
    exact_library,
    ranked,
    vector_library,
)
from tests.worlds.stores import TableStore

CONVERSATIONS = Path(__file__).parents[2] / "bench" / "sets" / "conversations.json"
TURNS, QUESTIONS = 300, 25

WORDS = ("ferry", "ferries", "harbour", "crane", "nine", "Ann", "photographer", "soup", "staging")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
"""None is empty: what says nothing has no vector, and is found as a neighbour alone."""

THREADS = st.sampled_from(("", "talk", "work"))
NOTES = st.tuples(TEXTS, st.sampled_from(MemoryType), st.sampled_from(Sensitivity), THREADS)
"""What is drawn of an entry: drawn whole, its vector would be all that a failure shows."""

scopes = count()
"""An example has a scope of its own: they share one table."""


class Both:
    """Both searches over one table, whose entries have vectors.

    No dataclass: hypothesis would show a failing example with all that the table was asked.
    """

    def __init__(self, store: TableStore) -> None:
        self.exact, self.vectors = exact_library(store), vector_library(store)

    def __iter__(self) -> Iterator[Library]:
        return iter((self.exact, self.vectors))


@pytest.fixture
def both(dynoxide: TableStore) -> Both:
    """Over dynoxide, the one emulator that has a vector index."""
    return Both(dynoxide)


# Always the same examples: where scores differ in their last digits alone, the order is free.
@settings(max_examples=examples(30), derandomize=True)
@given(
    notes=st.lists(NOTES, min_size=1, max_size=14),
    text=TEXTS,
    ceiling=st.sampled_from(Sensitivity),
    types=st.sets(st.sampled_from(MemoryType), min_size=1),
)
def test_what_the_index_can_give_whole_is_found_and_ranked_alike(
    both: Both,
    notes: list[tuple[str, MemoryType, Sensitivity, str]],
    text: str,
    ceiling: Sensitivity,
    types: set[MemoryType],
) -> None:
    exact, vectors = both
    scope = f"scope-{next(scopes)}"
    vectors.hold(
        *(
            entry(
                f"note-{number}",
                words,
                scope=scope,
                memory_type=memory_type,
                sensitivity=sensitivity,
                thread=thread,
                position=number,
            )
            for number, (words, memory_type, sensitivity, thread) in enumerate(notes)
        )
    )
    search = exact.search(text, [scope], ceiling, types)

    found = [[each.record_id for each in library.index.search(search).entries] for library in both]

    assert found[0] == found[1]
    assert ranked(exact, search) == ranked(vectors, search)


def test_of_conversations_that_it_cannot_give_whole_nearly_the_same_comes_first(
    both: Both,
) -> None:
    exact, vectors = both
    turns, questions = conversations()
    vectors.hold(*turns)
    searches = [exact.search(question) for question in questions]

    pairs = [(ranked(exact, search), ranked(vectors, search)) for search in searches]

    assert len(pairs) == QUESTIONS
    assert sum(of_all[0] == nearest[0] for of_all, nearest in pairs) >= 0.95 * QUESTIONS
    shared = sum(len({*of_all} & {*nearest}) for of_all, nearest in pairs)
    assert shared >= 0.97 * sum(len(of_all) for of_all, _ in pairs)


def conversations() -> tuple[Sequence[Entry], Sequence[str]]:
    """The first turns of the bench's conversations, and questions about them."""
    read: Any = json.loads(CONVERSATIONS.read_text("utf-8"))
    told = read["records"][:TURNS]
    keys = {each["key"] for each in told}
    questions = [each["text"] for each in read["queries"] if keys.issuperset(each["expected"])]
    return [_turn(each) for each in told], questions[:QUESTIONS]


def _turn(told: Any) -> Entry:
    thread, _, turn = told["ref"].rpartition(":")
    text = f"{told['source']}: {told['summary']}"
    return entry(told["key"], text, thread=thread, position=int(turn))
