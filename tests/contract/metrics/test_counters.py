"""The contract of the counters: a tally and what it adds are one write, whatever comes between."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from membrane.adapters.dynamodb.metrics.counters import CELLS, MARKER_PERIOD
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.metrics.amounts import Cells, added
from membrane.domain.metrics.cells import GrowthCell, cells_of
from membrane.domain.metrics.tallies import Generations, Recount, Tally
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.usecases.ports.counters import MAX_RECOUNTS, Counters
from membrane.usecases.ports.records import LostRace
from tests.builders.stored_records import DEFAULT, NOW_S, lifecycle, stored
from tests.worlds.faults import cancelled, failure, intercept
from tests.worlds.stores import Store, TableStore

FIRST = Generations()
TOTAL = "total#episodic#exponential:3600:0:0"
GROWTH = GrowthCell.at(NOW_S).name


def tallied(
    record_id: str = "record-1",
    *,
    version: int = 1,
    generation: int = 1,
    scope: str = "team",
    sensitivity: Sensitivity = Sensitivity.LOW,
    salience: float = 1.0,
    kept: Lifecycle | None = None,
) -> Tally:
    """What such a record is counted as."""
    held = stored(record_id, scope=scope, sensitivity=sensitivity, salience=salience, kept=kept)
    return Tally(record_id, version, generation, scope, cells_of(held, {}))


def count(counters: Counters, *tallies: Tally, generations: Generations = FIRST) -> None:
    """Let records be counted so."""
    before = counters.tallies([each.record_id for each in tallies])
    recounts = [Recount(before.get(each.record_id), each) for each in tallies]
    counters.count(recounts, generations)


def cells(counters: Counters, scope: str | None = "team", generation: int = 1) -> Cells:
    """The cells of a place that hold anything."""
    every = {name: held for page in counters.pages(generation, scope) for name, held in page}
    left = {name: {what: n for what, n in held.items() if n} for name, held in every.items()}
    return {name: held for name, held in left.items() if held}


def test_nothing_is_counted_at_first(store: Store) -> None:
    assert store.counters.generations() == FIRST
    assert store.counters.tallies(["record-1"]) == {}
    assert cells(store.counters, None) == {}
    assert store.counters.progress() is None


def test_what_is_counted_stands_in_its_scope_and_in_all_together(store: Store) -> None:
    tally = tallied()

    count(store.counters, tally)

    assert cells(store.counters) == cells(store.counters, None) == tally.cells
    assert cells(store.counters, "") == cells(store.counters, "other") == {}
    assert store.counters.tallies(["record-1"]) == {"record-1": replace(tally, revision=1)}


def test_records_that_are_counted_together_add_up(store: Store) -> None:
    tallies = [tallied(f"record-{number}") for number in range(MAX_RECOUNTS)]

    count(store.counters, *tallies)

    assert cells(store.counters)[TOTAL]["low_records"] == MAX_RECOUNTS
    assert cells(store.counters)[GROWTH] == {"low_records": MAX_RECOUNTS}


def test_so_many_records_of_different_kinds_are_counted_as_come_together(store: Store) -> None:
    tallies = [
        tallied(
            f"record-{number}",
            scope=f"scope-{number}",
            kept=lifecycle(DEFAULT.model_copy(update={"half_life_seconds": 60 + number})),
        )
        for number in range(MAX_RECOUNTS)
    ]

    count(store.counters, *tallies)

    every = cells(store.counters, None)
    assert sum(name.startswith("total#") for name in every) == MAX_RECOUNTS
    assert cells(store.counters, "scope-7") == tallies[7].cells


def test_what_is_counted_otherwise_leaves_where_it_was(store: Store) -> None:
    count(store.counters, tallied())

    count(store.counters, tallied(version=2, scope="other", sensitivity=Sensitivity.HIGH))

    moved = tallied(scope="other", sensitivity=Sensitivity.HIGH)
    assert cells(store.counters) == {}
    assert cells(store.counters, "other") == cells(store.counters, None) == moved.cells


def test_what_counts_as_nothing_leaves_a_tally_for_some_days(store: Store) -> None:
    count(store.counters, tallied())

    count(store.counters, Tally("record-1", 2, 1, "team"))

    assert cells(store.counters, None) == {}
    assert store.counters.tallies(["record-1"])["record-1"].version == 2
    if isinstance(store, TableStore):
        (tally,) = store.partition("tally#record-1")
        assert int(tally["expires_at"]["N"]) == int(NOW_S + MARKER_PERIOD.total_seconds())


def test_a_tally_that_was_read_before_another_was_written_is_lost(store: Store) -> None:
    count(store.counters, tallied())
    (seen,) = store.counters.tallies(["record-1"]).values()
    count(store.counters, tallied(version=2, salience=0.5))
    before = cells(store.counters, None)

    for late in (None, seen):
        with pytest.raises(LostRace):
            store.counters.count([Recount(late, tallied(version=3))], FIRST)

    assert cells(store.counters, None) == before


def test_nothing_is_counted_for_generations_that_are_others_by_now(store: Store) -> None:
    building = store.counters.build(FIRST)

    with pytest.raises(LostRace):
        count(store.counters, tallied(), generations=FIRST)

    assert cells(store.counters, None) == {}
    count(store.counters, tallied(generation=2), generations=building)
    assert cells(store.counters, None, 1) == cells(store.counters, None, 2) != {}


def test_while_a_generation_is_built_what_changes_is_counted_in_both(store: Store) -> None:
    first, second = tallied("record-1"), tallied("record-2")
    count(store.counters, first, second)
    building = store.counters.build(FIRST)

    count(store.counters, replace(first, generation=2), generations=building)
    once = cells(store.counters, None, 2)
    count(store.counters, tallied(version=2, generation=2, salience=0.1), generations=building)

    assert once == first.cells
    changed = tallied(salience=0.1).cells
    assert cells(store.counters, None, 2) == changed
    assert cells(store.counters, None, 1) == added(changed, second.cells)


def test_generations_follow_each_other_and_only_who_knows_the_last_one_changes_it(
    store: Store,
) -> None:
    building = store.counters.build(FIRST)
    switched = store.counters.switch(building)

    assert (building, switched) == (Generations(1, 2), Generations(2))
    assert store.counters.generations() == switched
    for change in (store.counters.build, store.counters.switch):
        for before in (FIRST, building):
            with pytest.raises(LostRace):
                change(before)


def test_cells_come_from_the_last_one_back(store: Store) -> None:
    count(store.counters, *[tallied(f"record-{n}", salience=0.5**n) for n in range(9)])

    names = [name for page in store.counters.pages(1, "team") for name, _ in page]

    assert names == sorted(names, reverse=True)
    assert [name.partition("#")[0] for name in names] == ["total", "growth", *["bucket"] * 9]


def test_generations_that_are_alike_have_no_drift(store: Store) -> None:
    count(store.counters, *[tallied(f"record-{n}", salience=0.5**n) for n in range(9)])
    building = store.counters.build(FIRST)
    again = [tallied(f"record-{n}", salience=0.5**n, generation=2) for n in range(9)]
    count(store.counters, *again, generations=building)

    assert drift(store.counters, building) == 0


def test_drift_is_by_how_many_records_the_cells_differ(store: Store) -> None:
    first, second = tallied("record-1"), tallied("record-2", salience=0.1)
    count(store.counters, first, second)
    building = store.counters.build(FIRST)

    count(store.counters, replace(first, generation=2), generations=building)

    # a total and a bucket, in the scope and in all together
    assert drift(store.counters, building) == 4


def test_a_cell_whose_sums_alone_differ_is_off_by_one(store: Store) -> None:
    tally, astray = tallied(), Tally("astray", 1, 1, "team", {TOTAL: {"low_confidence": 3}})
    count(store.counters, tally, astray)
    building = store.counters.build(FIRST)

    count(store.counters, replace(tally, generation=2), generations=building)

    # the total, in the scope and in all together
    assert drift(store.counters, building) == 2


def drift(counters: Counters, generations: Generations) -> int:
    """Of all cells."""
    off, after = counters.drift(generations, None)
    while after is not None:
        more, after = counters.drift(generations, after)
        off += more
    return off


def test_a_generation_is_removed_whole_and_no_other(store: Store) -> None:
    tally = tallied()
    count(store.counters, tally)
    building = store.counters.build(FIRST)
    count(store.counters, replace(tally, generation=2), generations=building)

    while store.counters.remove(1):
        pass

    assert cells(store.counters, None, 1) == cells(store.counters, "team", 1) == {}
    assert cells(store.counters, None, 2) == tally.cells


def test_progress_is_kept_by_who_knows_the_last_one(store: Store) -> None:
    first = store.counters.keep({"stage": "begun"}, None)
    second = store.counters.keep({"stage": "records"}, first)

    assert store.counters.progress() == second
    for before in (None, first):
        with pytest.raises(LostRace):
            store.counters.keep({}, before)


def test_many_at_once_lose_nothing(dynoxide: TableStore) -> None:
    def counted(number: int) -> None:
        while True:
            try:
                count(dynoxide.counters, tallied(f"record-{number}"))
            except LostRace:
                continue
            return

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(counted, range(40)))

    assert cells(dynoxide.counters)[TOTAL]["low_records"] == 40


def test_more_cells_than_are_compared_at_once_are_all_compared_and_removed(
    dynoxide: TableStore,
) -> None:
    partition = {"pk": {"S": "counters#1"}}
    for number in range(CELLS + 3):
        name = {"sk": {"S": f"*#bucket#{number:012d}#episodic#pinned#zero"}}
        dynoxide.put({**partition, **name, "low_records": {"N": "1"}})
    building = dynoxide.counters.build(FIRST)

    off = drift(dynoxide.counters, building)
    while dynoxide.counters.remove(1):
        pass

    assert off == CELLS + 3
    assert dynoxide.partition("counters#1") == []


def test_a_cell_that_others_write_is_compared_as_of_one_moment(dynoxide: TableStore) -> None:
    count(dynoxide.counters, tallied())
    building = dynoxide.counters.build(FIRST)
    answers = [failure("TransactionConflictException"), cancelled("TransactionConflict")]
    intercept(dynoxide.client, "TransactGetItems", lambda: answers.pop() if answers else None)

    assert drift(dynoxide.counters, building) == 4
    assert answers == []


def test_a_growth_cell_expires_when_nobody_looks_at_it_any_more(table: TableStore) -> None:
    count(table.counters, tallied())

    growth = [item for item in table.partition("counters#1") if "growth" in item["sk"]["S"]]

    assert [int(item["expires_at"]["N"]) > NOW_S + 2 * 86_400 for item in growth] == [True, True]


def test_what_was_born_long_ago_is_counted_in_no_growth_cell(table: TableStore) -> None:
    tally = tallied()
    table.clock.advance(days=4)

    count(table.counters, tally)

    assert sorted(name.partition("#")[0] for name in cells(table.counters)) == ["bucket", "total"]
    assert cells(table.counters)[TOTAL]["low_records"] == 1


def test_counting_one_record_is_one_transaction(dynoxide: TableStore) -> None:
    asked: list[str] = []
    dynoxide.client.meta.events.register(
        "provide-client-params.dynamodb", lambda model, **_: asked.append(model.name)
    )

    count(dynoxide.counters, tallied())

    assert asked == ["BatchGetItem", "TransactWriteItems"]
