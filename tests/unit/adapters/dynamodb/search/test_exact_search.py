"""What the exact search keeps in memory: how much, for how long, and who may load it."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Lock

import pytest

from membrane.adapters.dynamodb.search.corpora import Corpora, ScopeCorpus
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry, pack_dense, pack_terms
from membrane.domain.search.threads import order_of

HOUR_S = 3_600.0


def entry(record_id: str, position: int = 0) -> Entry:
    """A turn of the one thread."""
    return Entry(
        record_id=record_id,
        scope="team",
        type=MemoryType.EPISODIC,
        sensitivity=Sensitivity.LOW,
        terms=pack_terms({1: 1}),
        dense=pack_dense([1.0, 0.0]),
        happened_s=HOUR_S,
        thread="talk",
        order=order_of(HOUR_S, HOUR_S, position),
    )


def loading(*entries: Entry) -> tuple[list[int], Callable[[], Sequence[Entry]]]:
    """What loads these entries, and a list that grows with every load."""
    loads: list[int] = []

    def load() -> Sequence[Entry]:
        loads.append(len(entries))
        return list(entries)

    return loads, load


def test_a_scope_is_loaded_once_for_as_long_as_it_does_not_move() -> None:
    corpora = Corpora()
    loads, load = loading(entry("a"))

    first, second = (corpora.at("team", 3, load) for _ in range(2))

    assert first is second
    assert loads == [1]


def test_a_scope_that_has_moved_is_loaded_again() -> None:
    corpora = Corpora()
    corpora.at("team", 3, loading(entry("a"))[1])

    found = corpora.at("team", 4, loading(entry("a"), entry("b"))[1])

    assert (found.version, len(found.corpus.entries)) == (4, 2)
    assert corpora.newest("team") is found


def test_whoever_read_an_earlier_version_takes_the_later_one_that_is_there() -> None:
    corpora = Corpora()
    newest = corpora.at("team", 4, loading(entry("a"))[1])
    loads, load = loading()

    assert corpora.at("team", 3, load) is newest
    assert loads == []


def test_one_thread_loads_and_the_others_wait_for_it() -> None:
    corpora, together = Corpora(), Barrier(8)
    loads, load = loading(entry("a"))

    def ask(_: int) -> ScopeCorpus:
        together.wait()
        return corpora.at("team", 1, load)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(ask, range(8)))

    assert len(set(map(id, found))) == 1
    assert loads == [1]


def test_a_load_that_fails_is_tried_again() -> None:
    corpora = Corpora()

    def broken() -> Sequence[Entry]:
        raise OSError("the store did not answer")

    with pytest.raises(OSError, match="did not answer"):
        corpora.at("team", 1, broken)

    assert len(corpora.at("team", 1, loading(entry("a"))[1]).corpus.entries) == 1


def test_what_was_used_longest_ago_goes_first_when_room_is_short() -> None:
    size = Corpora().at("any", 1, loading(entry("a"))[1]).taken_bytes
    corpora = Corpora(max_bytes=2 * size)
    for scope in ("a", "b"):
        corpora.at(scope, 1, loading(entry("a"))[1])
    corpora.newest("a")

    corpora.at("c", 1, loading(entry("a"))[1])

    assert [corpora.newest(scope) is not None for scope in "abc"] == [True, False, True]


def test_a_scope_larger_than_all_room_is_kept_alone() -> None:
    corpora = Corpora(max_bytes=1)
    corpora.at("small", 1, loading(entry("a"))[1])

    found = corpora.at("large", 1, loading(*map(entry, "abc"))[1])

    assert corpora.newest("large") is found
    assert corpora.newest("small") is None


def test_many_threads_over_many_scopes_keep_to_the_room() -> None:
    size = Corpora().at("any", 1, loading(entry("a"))[1]).taken_bytes
    corpora, counting = Corpora(max_bytes=3 * size), Lock()
    loads: list[str] = []

    def ask(number: int) -> int:
        scope = f"scope-{number % 7}"

        def load() -> Sequence[Entry]:
            with counting:
                loads.append(scope)
            return [entry("a")]

        return len(corpora.at(scope, 1, load).corpus.entries)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(ask, range(200)))

    assert found == [1] * 200
    assert len(corpora.kept) <= 3
    assert set(loads) == {f"scope-{number}" for number in range(7)}


def test_neighbours_are_told_of_a_place_that_nothing_stands_at() -> None:
    turns = [entry(f"turn-{position}", position) for position in range(0, 20, 2)]
    held = ScopeCorpus.of(1, turns[::-1])

    between = held.beside(entry("not there", 9))

    names = [each.record_id for each in between]
    assert names == [f"turn-{position}" for position in (4, 6, 8, 10, 12, 14)]
