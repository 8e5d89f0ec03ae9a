"""Histories, edges and reads of topics."""

from dataclasses import replace

import pytest

from membrane.domain.topics.access import Access, AliasReads, Read, Signal
from membrane.domain.topics.topic import Edge, Line
from membrane.usecases.ports.records import LostRace
from tests.builders.stored_records import NOW, noise
from tests.builders.stored_topics import (
    LINE,
    changed,
    created,
    edge,
    edges,
    minute,
    read,
    revision,
    revisions,
    topic,
)
from tests.worlds.stores import Store

FAR = (
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00.000001Z",
    "0999-12-31T23:59:59Z",
    "1969-12-31T23:59:59.999999Z",
    "1970-01-01T00:00:00Z",
    "1970-01-01T00:00:00.000001Z",
    "2026-03-01T09:00:00Z",
    "2026-03-01T09:00:00.1Z",
    "2026-03-01T09:00:00.11Z",
    "9999-12-31T23:59:59.999999Z",
)
"""In order, as a careless key would not have them."""


def test_a_history_goes_from_the_newest_to_the_oldest(store: Store) -> None:
    told = [revision(number, valid_from=at) for number, at in enumerate(FAR)]

    created(store, topic(), revisions=[(LINE, each) for each in (*told[5:], *told[:5])])

    assert store.topics.history(LINE) == list(reversed(told))


def test_equal_times_go_by_when_they_were_told_and_then_by_their_order(store: Store) -> None:
    first = revision(9, recorded_at=minute(1))
    second = revision(10, recorded_at=minute(2))
    third = revision(100_000_000_000, recorded_at=minute(2))

    created(store, topic(), revisions=[(LINE, each) for each in (second, first, third)])

    assert store.topics.history(LINE) == [third, second, first]


@pytest.mark.parametrize("position", range(len(FAR)))
def test_a_history_until_an_instant_has_what_told_of_it_or_of_before(
    store: Store, position: int
) -> None:
    told = [revision(number, valid_from=at) for number, at in enumerate(FAR)]
    created(store, topic(), revisions=[(LINE, each) for each in told])

    found = store.topics.history(LINE, until=FAR[position])

    assert found == list(reversed(told[: position + 1]))


def test_an_instant_is_compared_to_its_last_digit(store: Store) -> None:
    told = [
        revision(number, valid_from=f"2026-03-01T09:00:00.0000000{number}Z") for number in (1, 2, 3)
    ]
    created(store, topic(), revisions=[(LINE, each) for each in told])

    found = store.topics.history(LINE, until="2026-03-01T09:00:00.00000002Z")

    assert {each.id for each in found} == {"revision-1", "revision-2"}


def test_of_a_history_the_newest_are_given_up_to_a_limit(store: Store) -> None:
    told = [each for _, each in revisions(20)]
    created(store, topic(), revisions=revisions(20))

    assert store.topics.history(LINE, limit=3) == told[:16:-1]
    assert store.topics.history(LINE, limit=2, until=minute(4)) == [told[4], told[3]]
    assert store.topics.history(LINE, limit=30) == told[::-1]


def test_of_a_history_the_oldest_are_given_up_to_a_limit(store: Store) -> None:
    told = [each for _, each in revisions(20)]
    created(store, topic(), revisions=revisions(20))

    assert store.topics.history(LINE, oldest_first=True, limit=3) == told[:3]
    assert store.topics.history(LINE, oldest_first=True, until=minute(4)) == told[:5]
    assert store.topics.history(LINE, oldest_first=True) == told


def test_lines_do_not_mix(store: Store) -> None:
    lines = [Line("topic-1", "a" * 16), Line("topic-1", "b" * 16), Line("topic-2", "a" * 16)]
    told = [(line, revision(number)) for number, line in enumerate(lines)]
    created(store, topic(), topic("topic-2", title="2"), revisions=told)

    for line, expected in told:
        assert store.topics.history(line) == [expected]


def test_a_history_of_several_pages_is_read_whole(store: Store) -> None:
    told = [revision(number, noise(30_000)) for number in range(60)]
    created(store, topic())
    before = topic()
    for start in range(0, 60, 20):
        some = [(LINE, each) for each in told[start : start + 20]]
        before = changed(store, before, revisions=some)

    assert store.topics.history(LINE) == told[::-1]
    assert store.topics.history(LINE, limit=50) == told[:9:-1]


def test_edges_are_found_from_both_ends_once_each(store: Store) -> None:
    there = [edge(), edge(kind="is"), edge("topic-2", "topic-1"), edge("topic-1", "topic-1")]
    created(store, topic(), topic("topic-2", title="2"), edges=there)

    assert set(store.topics.edges(["topic-1"], 10)) == set(there)
    assert set(store.topics.edges(["topic-2"], 10)) == set(there[:3])
    found = store.topics.edges(["topic-1", "topic-2", "topic-1"], 10)
    assert len(found) == 4
    assert set(found) == set(there)
    assert store.topics.edges([], 10) == []


def test_an_edge_is_known_by_its_ends_and_its_kind(store: Store) -> None:
    created(store, topic(), edges=[edge()])

    assert store.topics.find_edge("topic-1", "topic-2", "knows") == edge()
    assert store.topics.find_edge("topic-2", "topic-1", "knows") is None
    assert store.topics.find_edge("topic-1", "topic-2", "is") is None


def test_a_removed_edge_is_still_told_of(store: Store) -> None:
    created(store, topic(), edges=[edge()])
    removed = replace(edge(), removed_at=NOW)

    changed(store, topic(), edges=[removed])

    assert store.topics.find_edge("topic-1", "topic-2", "knows") == removed
    assert store.topics.edges(["topic-2"], 10) == [removed]


def test_an_edge_remembers_when_it_was_there_before(store: Store) -> None:
    earlier = ((minute(1), minute(2)), (minute(3), minute(4)))
    made_anew = replace(edge(), created_at=minute(5), earlier=earlier)

    created(store, topic(), edges=[made_anew])

    assert store.topics.find_edge("topic-1", "topic-2", "knows") == made_anew
    assert store.topics.edges(["topic-2"], 10) == [made_anew]


def test_of_an_edge_that_is_told_twice_the_last_stands(store: Store) -> None:
    removed = replace(edge(), removed_at=NOW)

    created(store, topic(), edges=[removed, edge()])

    assert store.topics.edges(["topic-1"], 10) == [edge()]


def test_so_many_edges_of_each_direction_are_given_as_are_asked_for(store: Store) -> None:
    toward = [edge(f"other-{number}", "topic-1") for number in range(8)]
    created(store, topic(), edges=[*edges(8), *toward])

    found = store.topics.edges(["topic-1"], 5)

    assert len([each for each in found if each.from_id == "topic-1"]) == 5
    assert len([each for each in found if each.to_id == "topic-1"]) == 5


def test_kinds_of_edges_may_be_any_text(store: Store) -> None:
    kinds = ["a#b", "", "日本", "x" * 256, "a\x00b"]
    there = [
        Edge(from_id="topic-1", to_id="topic-2", kind=kind, created_at=NOW, principal="p")
        for kind in kinds
    ]

    created(store, topic(), edges=there)

    assert set(store.topics.edges(["topic-2"], 10)) == set(there)


ACCESS = Access(
    topic=Signal(0.3, 1_772_355_600.25),
    fields={"colour": Signal(0.1, 7.0)},
    trail=(Read(1_772_355_600.25, "agent", ("colour",)), Read(3.0, "agent")),
    messages=("message-1", "message-2"),
    given={
        "topic-3": AliasReads(Signal(0.2, 5.5), {"colour": Signal(0.05, 5.5)}),
        "topic-4": AliasReads(),
    },
)


def test_how_a_topic_was_read_is_kept_beside_it(store: Store) -> None:
    created(store, topic(), topic("topic-2", title="2"))

    store.topics.keep_access("topic-1", Access(), ACCESS)

    assert store.topics.accesses(["topic-1", "topic-2"]) == {"topic-1": replace(ACCESS, version=1)}
    assert read(store) == topic()


def test_of_two_who_keep_how_a_topic_was_read_one_wins(store: Store) -> None:
    store.topics.keep_access("topic-1", Access(), ACCESS)
    (first,) = store.topics.accesses(["topic-1"]).values()
    store.topics.keep_access("topic-1", first, replace(ACCESS, messages=()))

    for before in (Access(), first):
        with pytest.raises(LostRace):
            store.topics.keep_access("topic-1", before, ACCESS)

    assert store.topics.accesses(["topic-1"])["topic-1"] == replace(ACCESS, messages=(), version=2)


def test_archived_revisions_are_whole_whatever_their_values(table: Store) -> None:
    told = [revision(number, {"n": [noise(500), number, None, 0.1]}) for number in range(100)]

    archive = table.topics.archive(LINE, told)

    assert table.topics.load_archive(LINE, archive) == told[::-1]
    assert table.topics.archive(LINE, told[::-1]) == archive
