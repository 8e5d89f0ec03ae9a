"""Changes too large for one transaction: nobody ever sees a part of one."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from membrane.adapters.dynamodb.table.attributes import Item, size_of
from membrane.domain.topics.requests.ingest import IngestTopic
from membrane.domain.topics.topic import Edge, Topic
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.topics import ReceiptTaken, TopicChange, TopicIdTaken, TopicReceipt
from membrane.usecases.topics.placing.place_topic import ingest_topic
from tests.builders.requests import OWNER, call
from tests.builders.stored_records import NOW, NOW_S, noise
from tests.builders.stored_topics import (
    LINE,
    created,
    edge,
    edges,
    happened,
    read,
    revision,
    revisions,
    topic,
)
from tests.fakes.topic_world import topical
from tests.worlds.depth import steps
from tests.worlds.faults import Killed, Moment, at, die
from tests.worlds.stores import Store, table_store

TOKEN = "token-1"
RECEIPT = TopicReceipt(b"i" * 12, b"f" * 32, ("topic-1",), {"topic_id": "topic-1"})

FEW = edges(8)[5:]
"""With the one that may be there already; settling calls for each edge at either end."""

BEFORE_IT_COUNTS = 7
"""The call of a long change with so few edges after which only its commit is missing."""


def long_change(
    before: Topic | None = None, *, count: int = 150, token: str = TOKEN, **parts: Any
) -> TopicChange:
    """So many revisions, by default with a new topic."""
    after = topic(title="Long") if before is None else happened(before, title="Long")
    usual: dict[str, Any] = {"revisions": revisions(count), "token": token}
    return TopicChange(topics=[(before, after)], **(usual | parts))


def expected(number: int) -> list[object]:
    """The history of so many revisions."""
    return [each for _, each in reversed(revisions(number))]


def marked(table: Store) -> Sequence[object]:
    """Items that name a change of several transactions, and the items of such changes."""
    return [
        item
        for item in table.everything()
        if "mark" in item or item["pk"]["S"].startswith("topic-change#")
    ]


@pytest.mark.parametrize("number", [98, 99, 100, 150])
def test_a_change_of_any_number_of_revisions_is_written_whole(store: Store, number: int) -> None:
    store.topics.commit(long_change(count=number))

    assert store.topics.history(LINE) == expected(number)
    assert read(store).title == "Long"


def test_a_change_of_a_thousand_revisions_is_written_whole(table: Store) -> None:
    table.topics.commit(long_change(count=1_000))

    assert table.topics.history(LINE) == expected(1_000)


def require_edges(store: Store, number: int) -> None:
    """So many are written in one change, and found from either end."""
    store.topics.commit(long_change(count=0, edges=edges(number)))

    assert set(store.topics.edges(["topic-1"], 400)) == set(edges(number))
    assert store.topics.edges(["other-7"], 10) == [edge("topic-1", "other-7")]
    assert store.topics.find_edge("topic-1", f"other-{number - 1}", "knows") is not None


def test_a_change_of_many_edges_is_written_whole(store: Store) -> None:
    require_edges(store, 60)


def test_a_change_of_three_hundred_edges_is_written_whole(table: Store) -> None:
    require_edges(table, 300)


def test_a_change_of_large_values_is_written_whole(store: Store) -> None:
    told = [revision(number, noise(60_000, number)) for number in range(90)]

    store.topics.commit(long_change(revisions=[(LINE, each) for each in told]))

    assert store.topics.history(LINE) == told[::-1]


def test_what_is_settled_is_as_it_was_and_nothing_is_left_to_settle(table: Store) -> None:
    table.topics.commit(long_change(edges=edges(20)))
    assert table.topics.unsettled_tokens(NOW_S + 9, 10) == [TOKEN]
    assert table.topics.unsettled_tokens(NOW_S - 9, 10) == []

    table.topics.settle(TOKEN)

    assert marked(table) == []
    assert table.topics.unsettled_tokens(NOW_S + 9, 10) == []
    assert table.topics.history(LINE) == expected(150)
    assert len(table.topics.edges(["topic-1"], 400)) == 20
    table.topics.settle(TOKEN)
    assert table.topics.history(LINE) == expected(150)


REFUSALS: dict[str, tuple[Callable[[Store], TopicChange], type[Exception]]] = {
    "a topic that has changed": (
        lambda store: long_change(replace(read(store), version=7), edges=edges(60)),
        LostRace,
    ),
    "an id that is taken": (lambda _: long_change(edges=edges(60)), TopicIdTaken),
    "a key that was used": (
        lambda store: long_change(read(store), receipt=RECEIPT, edges=edges(60)),
        ReceiptTaken,
    ),
}


@pytest.mark.parametrize(("change", "refusal"), REFUSALS.values(), ids=REFUSALS)
def test_a_long_change_that_is_refused_leaves_nothing(
    store: Store, change: Callable[[Store], TopicChange], refusal: type[Exception]
) -> None:
    created(store, topic(), receipt=RECEIPT, edges=[edge("topic-1", "other-7", "knows")])
    removed = replace(edge("topic-1", "other-7"), removed_at=NOW)
    asked = change(store)

    with pytest.raises(refusal):
        store.topics.commit(replace(asked, edges=[*asked.edges, removed]))

    assert store.topics.history(LINE) == []
    assert store.topics.edges(["topic-1"], 400) == [edge("topic-1", "other-7")]
    assert marked(store) == []


def state(table: Store) -> tuple[object, ...]:
    """All that readers see."""
    found = table.topics.load("topic-1")
    return (
        found,
        tuple(table.topics.history(LINE)),
        frozenset(table.topics.edges(["topic-1"], 400)),
        frozenset(table.topics.edges(["other-7"], 400)),
        table.topics.find_edge("topic-1", "other-7", "knows"),
    )


def test_broken_off_at_any_call_all_is_old_or_new_and_settling_keeps_it_so(
    table: Store,
) -> None:
    there = replace(edge("topic-1", "other-7"), removed_at=NOW)
    created(table, topic(), edges=[there])
    seen = set()

    for step in steps():
        before = read(table)
        told = [(LINE, revision(step * 1_000 + each, f"{step}.{each}")) for each in range(80)]
        again: list[Edge] = [replace(each, created_at=f"{NOW[:-1]}{step}Z") for each in edges(20)]
        change = long_change(before, token=f"token-{step}", revisions=told, edges=again)
        old, moment = state(table), Moment(step, die)

        with suppress(Killed), at(moment, table.client):
            table.topics.commit(change)

        left = state(table)
        is_new = read(table) == change.topics[0][1]
        assert is_new or left == old, f"broken off at call {step}"
        if is_new:
            assert len(table.topics.history(LINE)) == len(old[1]) + 80  # type: ignore[arg-type]  # a tuple
            assert set(again) <= set(table.topics.edges(["topic-1"], 400))
        seen.add(is_new)
        table.topics.settle(f"token-{step}")
        assert state(table) == left, f"settled after call {step}"
        assert marked(table) == []
        if not moment.has_come:
            break
    assert seen == {True, False}


@pytest.mark.parametrize("is_committed", [True, False])
def test_settling_that_is_broken_off_at_any_call_is_done_by_the_next(*, is_committed: bool) -> None:
    for step in steps():
        table = table_store()
        created(table, topic(), edges=[replace(edge("topic-1", "other-7"), removed_at=NOW)])
        old = state(table)
        began(table, is_committed=is_committed)
        left = state(table)
        assert (left == old) is not is_committed
        moment = Moment(step, die)

        with suppress(Killed), at(moment, table.client):
            table.topics.settle(TOKEN)

        assert state(table) == left, f"broken off at call {step}"
        table.topics.settle(TOKEN)
        assert state(table) == left
        assert marked(table) == []
        if not moment.has_come:
            break
    assert step > 5


def began(table: Store, *, is_committed: bool) -> None:
    """A long change, committed or broken off just before it would be."""
    change = long_change(read(table), count=98, edges=FEW)
    moment = Moment(99 if is_committed else BEFORE_IT_COUNTS, die)
    with suppress(Killed), at(moment, table.client):
        table.topics.commit(change)
    assert moment.has_come is not is_committed
    assert len(marked(table)) > 90


def test_a_slow_writer_whose_change_was_given_up_meanwhile_is_lost(table: Store) -> None:
    for step in range(0, 8, 2):
        moment = Moment(step, lambda: table.topics.settle(TOKEN))

        with at(moment, table.client), suppress(LostRace):
            table.topics.commit(long_change())

        assert moment.has_come
        found = table.topics.load("topic-1")
        assert len(table.topics.history(LINE)) == (0 if found is None else 150)
        table.topics.settle(TOKEN)
        assert len(table.topics.history(LINE)) == (0 if found is None else 150)
        assert marked(table) == []
        for item in table.everything():
            table.remove(item)


def test_an_edge_that_a_broken_change_holds_is_freed_by_who_needs_it(table: Store) -> None:
    created(table, topic())
    began(table, is_committed=False)
    removed = replace(edge("topic-1", "other-7"), removed_at=NOW)
    change = TopicChange(
        topics=[(read(table), happened(read(table)))], edges=[removed], token="token-2"
    )

    with pytest.raises(LostRace):
        table.topics.commit(change)
    table.topics.commit(change)

    assert marked(table) == []
    assert table.topics.edges(["topic-1"], 400) == [removed]


def test_a_long_change_frees_the_edges_that_another_one_holds(table: Store) -> None:
    created(table, topic())
    began(table, is_committed=True)
    again = [replace(each, removed_at=NOW) for each in FEW]
    change = long_change(
        read(table),
        revisions=[(LINE, revision(5_000 + each)) for each in range(90)],
        edges=again,
        token="token-2",
    )

    with pytest.raises(LostRace):
        table.topics.commit(change)
    table.topics.commit(change)

    assert set(table.topics.edges(["topic-1"], 400)) == set(again)
    assert len(table.topics.history(LINE)) == 98 + 90


def test_what_a_part_of_a_long_change_weighs_is_looked_at_a_few_times_at_most(
    table: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    weighed = 0

    def weigh(item: Item) -> int:
        nonlocal weighed
        weighed += 1
        return size_of(item)

    monkeypatch.setattr("membrane.adapters.dynamodb.topics.long_changes.size_of", weigh)
    services = topical(topics=table.topics, records=table.records, now=table.clock)
    fields = [{"name": f"field {each}", "value": each} for each in range(300)]
    told = {"placement": "new_topic", "title": "Sines", "fields": fields}
    request = IngestTopic.model_validate(told)

    ingest_topic(request, call(request, OWNER), services)

    assert weighed <= 4 * len(fields)
