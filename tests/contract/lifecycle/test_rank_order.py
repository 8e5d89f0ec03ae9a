"""The rank index from its highest rank down, and records in the order of salience on each store."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from membrane.domain.access.principals import principal_of
from membrane.domain.language.cursors import decode, encode
from membrane.domain.language.fields import MAX_SALIENCE
from membrane.domain.language.requests import validate
from membrane.domain.language.vocabulary import DecayCurve, MemoryType, Sensitivity
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.function import Anchor, decay_class, rank_of, salience_at
from membrane.domain.salience.lifecycle import DecayProfile, Lifecycle
from membrane.domain.search.requests import Retrieve
from membrane.usecases.ports.indexes import Position, RankEntry, RankPartition
from membrane.usecases.search.rank.order import Allowance, RankOrder, RankQuery, Row
from membrane.usecases.search.rank.streams import Resume
from membrane.usecases.search.retrieve import retrieve
from membrane.wiring.world import World
from tests.builders.generated_records import PROFILES, SCOPES
from tests.builders.requests import call
from tests.builders.stored_records import DEFAULT, NOW_S, buried, lifecycle, stored
from tests.fakes.clock import FakeEmbedder
from tests.worlds.memory import CURSOR_KEY, DIMENSIONS
from tests.worlds.metering import meter
from tests.worlds.stores import Store

SCOPE = "project:alpha"
ALL = 1_000
LINEAR = lifecycle(
    DecayProfile(curve=DecayCurve.LINEAR, half_life_seconds=3_600, reinforcement_gain=0.2)
)
PINNED = lifecycle(pinned=True)
USUAL = lifecycle()


def partition_of(kept: Lifecycle = USUAL, scope: str = SCOPE, shard: int = 0) -> RankPartition:
    return RankPartition(scope, MemoryType.EPISODIC, decay_class(kept), shard)


def create(store: Store, records: Sequence[StoredRecord]) -> None:
    for each in records:
        store.records.create(each)


def placed(records: Sequence[StoredRecord]) -> list[RankEntry]:
    """What the index tells of the records."""
    return [
        RankEntry(
            each.id, rank_of(each.anchor, each.record.lifecycle), each.anchor, each.sensitivity
        )
        for each in records
    ]


def falling(count: int) -> list[StoredRecord]:
    """Records from the highest rank down, of five sensitivities."""
    levels = list(Sensitivity)
    return [
        stored(
            f"record-{number}",
            salience=1 / (number + 1),
            sensitivity=levels[number % len(levels)],
            born_s=NOW_S - number / 3,
        )
        for number in range(count)
    ]


def level(count: int, kept: Lifecycle = PINNED) -> list[StoredRecord]:
    """Records of one rank."""
    return [stored(f"record-{number}", kept=kept) for number in range(count)]


def after(entry: RankEntry) -> Position:
    return Position(entry.rank, entry.record_id)


# --- The index ----------------------------------------------------------------------------------


def test_the_top_of_a_partition_is_the_highest_rank_with_all_that_the_index_has(
    store: Store,
) -> None:
    records = falling(7)
    create(store, [*records, stored("elsewhere", scope="other"), stored("pinned", kept=PINNED)])

    assert store.ranks.top(partition_of(), ALL) == placed(records)
    assert store.ranks.top(partition_of(), 3) == placed(records[:3])


def test_an_empty_partition_has_no_top(store: Store) -> None:
    assert store.ranks.top(partition_of(), ALL) == []
    assert store.ranks.top(partition_of(), ALL, Position(1.0, "record-1")) == []


@pytest.mark.parametrize("entries", [1, 2, 3, 7, 8])
def test_reading_goes_on_behind_the_last_entry(store: Store, entries: int) -> None:
    records = falling(7)
    create(store, records)
    found = list(store.ranks.top(partition_of(), entries))

    while more := store.ranks.top(partition_of(), entries, after(found[-1])):
        assert len(more) <= entries
        found += more

    assert found == placed(records)


def test_a_rank_alone_is_the_place_before_its_entries(store: Store) -> None:
    records = falling(5)
    create(store, records)
    entries = placed(records)

    assert store.ranks.top(partition_of(), ALL, Position(entries[2].rank)) == entries[2:]
    between = (entries[1].rank + entries[2].rank) / 2
    assert store.ranks.top(partition_of(), ALL, Position(between)) == entries[2:]
    assert store.ranks.top(partition_of(), ALL, Position(1e100)) == entries
    assert store.ranks.top(partition_of(), ALL, Position(-1e100)) == []


@pytest.mark.parametrize("entries", [1, 2, 5])
def test_entries_of_one_rank_are_gone_through_one_after_the_other(
    store: Store, entries: int
) -> None:
    records = level(5)
    create(store, records)
    every = store.ranks.top(partition_of(PINNED), ALL)
    found = list(store.ranks.top(partition_of(PINNED), entries))

    while more := store.ranks.top(partition_of(PINNED), entries, after(found[-1])):
        found += more

    assert found == every
    assert sorted(each.record_id for each in found) == [each.id for each in records]


def test_the_place_of_an_entry_outlives_it(store: Store) -> None:
    create(store, level(5))
    every = store.ranks.top(partition_of(PINNED), ALL)
    gone = every[2]
    before = store.records.load(gone.record_id)
    assert isinstance(before, StoredRecord)

    store.records.replace(before, buried(before))

    assert store.ranks.top(partition_of(PINNED), ALL, after(gone)) == every[3:]
    assert store.ranks.top(partition_of(PINNED), ALL) == [*every[:2], *every[3:]]


@pytest.mark.parametrize("record_id", ["a", "record-2x", "zzz"])
def test_a_place_that_no_entry_ever_had_is_as_good(store: Store, record_id: str) -> None:
    create(store, level(5))
    every = store.ranks.top(partition_of(PINNED), ALL)

    found = store.ranks.top(partition_of(PINNED), ALL, Position(0.0, record_id))

    assert list(found) == [each for each in every if each.record_id < record_id]


def test_ranks_come_back_to_the_last_digit(store: Store) -> None:
    saliences = [MAX_SALIENCE, 1 + 2**-52, 0.1, 1e-100, 0.0]
    records = [stored(f"record-{number}", salience=each) for number, each in enumerate(saliences)]
    create(store, records)

    found = store.ranks.top(partition_of(), ALL)

    assert found == placed(records)
    for number, entry in enumerate(found):
        assert store.ranks.top(partition_of(), ALL, Position(entry.rank)) == found[number:]


def test_no_scope_shows_the_top_of_another(store: Store) -> None:
    create(store, [stored(f"record-{n}", scope=scope) for n, scope in enumerate(SCOPES)])

    for number, scope in enumerate(SCOPES):
        found = store.ranks.top(partition_of(scope=scope), ALL)
        assert [each.record_id for each in found] == [f"record-{number}"]


def test_pages_that_end_early_are_followed_by_the_next(table: Store) -> None:
    records = falling(7)
    create(table, records)

    def cut_short(params: dict[str, Any], **_: object) -> None:
        """As after a megabyte."""
        params["Limit"] = min(params["Limit"], 2)

    table.client.meta.events.register("provide-client-params.dynamodb.Query", cut_short)

    assert table.ranks.top(partition_of(), 5) == placed(records[:5])
    assert table.ranks.top(partition_of(), ALL) == placed(records)


def test_a_read_is_one_query_of_as_much_as_is_asked_for(table: Store) -> None:
    create(table, falling(30))
    spent = meter(table.client)

    table.ranks.top(partition_of(), 5, Position(1e100))

    assert (spent.requests, spent.read_units) == (1, 0.5)


# --- The order ----------------------------------------------------------------------------------


def of_every_kind() -> list[StoredRecord]:
    """Records that fade in all ways, of several scopes, some of one salience."""
    kinds = [PINNED, *map(lifecycle, PROFILES)]
    made = []
    for number in range(60):
        kept = kinds[number % len(kinds)]
        born_s = NOW_S - number * 97 % 5_000
        record = stored(
            f"record-{number}",
            kept=kept,
            scope=("", SCOPE)[number % 2],
            salience=(1.0, 0.5, 0.0, 0.125 + number / 7)[number * 5 % 4],
            sensitivity=list(Sensitivity)[number * 3 % 5],
            born_s=born_s,
        )
        anchor = Anchor(record.anchor.salience, min(NOW_S, born_s + number), born_s)
        made.append(replace(record, anchor=anchor))
    return made


def services_of(store: Store) -> World:
    return store.services


def expected(records: Sequence[StoredRecord], asked: RankQuery, services: World) -> list[Row]:
    curves = services.policy.custom_curves
    rows = [
        Row(
            each.id,
            salience_at(asked.now_s, each.anchor, each.record.lifecycle, curves),
            each.anchor.born_s,
            each.sensitivity,
        )
        for each in records
        if each.sensitivity.level <= asked.ceiling.level + 1
    ]
    return sorted(rows, key=lambda row: (-row.salience, -row.born_s, row.record_id))


def walk(asked: RankQuery, services: World, size: int, allowance: Allowance) -> list[Row]:
    """Page by page, each with the cursor of the one before."""
    resume, found = None, list[Row]()
    while True:
        order = RankOrder(asked, services, resume, allowance)
        page = order.take(size)
        found += page
        if order.exhausted:
            return found
        state = order.resume_after(page[-1] if page else None).as_json()
        resume = Resume.of_json(decode(encode(state, b"me", CURSOR_KEY), b"me", CURSOR_KEY))


@pytest.mark.parametrize("size", [7, ALL])
@pytest.mark.parametrize("ceiling", [Sensitivity.PUBLIC, Sensitivity.HYPER])
def test_records_of_all_partitions_come_in_one_order(
    store: Store, size: int, ceiling: Sensitivity
) -> None:
    records = of_every_kind()
    create(store, records)
    services = services_of(store)
    asked = RankQuery(["", SCOPE], list(MemoryType), ceiling, Sensitivity.HYPER, 0.0, NOW_S + 60)

    found = walk(asked, services, size, Allowance())

    assert found == expected(records, asked, services)


ALMOST_NOTHING = [
    (kept, salience)
    for kept in (
        USUAL,
        PINNED,
        lifecycle(DEFAULT.model_copy(update={"half_life_seconds": 1})),
        lifecycle(DEFAULT.model_copy(update={"min_salience": 1e-50})),
    )
    for salience in (0.0, 1e-120, 1e-100, 1e-80, 1e-20)
]


@pytest.mark.parametrize("limit", [3, 40])
@pytest.mark.parametrize("min_salience", [0.0, 1e-125, 1e-60])
def test_hidden_records_change_no_place_of_records_that_have_almost_faded(
    store: Store, limit: int, min_salience: float
) -> None:
    for number, (kept, salience) in enumerate(ALMOST_NOTHING):
        faded = partial(stored, kept=kept, salience=salience)
        alone, beside = faded(f"alone-{number}", scope="a"), faded(f"beside-{number}", scope="b")
        unseen = faded(f"unseen-{number}", scope="b", sensitivity=Sensitivity.HYPER)
        create(store, [alone, beside, unseen])
    store.clock.advance(seconds=100)
    asked = {"limit": limit, "min_salience": min_salience}

    found = [pages_of_retrieval(store, scope, asked) for scope in ("a", "b")]

    assert found[0] == found[1]
    assert found[0]


def pages_of_retrieval(
    store: Store, scope: str, asked: Mapping[str, Any]
) -> list[list[tuple[str, float]]]:
    """The number and the salience of each record that a reader gets, page by page."""
    services = store.under(
        embedders=(FakeEmbedder(dimensions=DIMENSIONS),),
        cursor_key=lambda: CURSOR_KEY,
        score_floor=0.0,
    )
    reader = principal_of("reader", ["read"], [scope], Sensitivity.LOW)
    pages, cursor = list[list[tuple[str, float]]](), None
    while not pages or cursor is not None:
        request = validate(Retrieve, {**asked, "trust": {"scopes": [scope]}, "cursor": cursor})
        answer = retrieve(request, call(request, reader), services)
        rows = [(each["id"].partition("-")[2], each["salience"]) for each in answer.records]
        pages.append(rows)
        cursor = answer.next_cursor
    return pages


def test_windows_join_without_a_gap(store: Store) -> None:
    records = [
        stored(f"{kind}-{number}", kept=kept, born_s=NOW_S - number % 7)
        for kind, kept in (("pinned", PINNED), ("linear", LINEAR))
        for number in range(25)
    ]
    create(store, records)
    services = services_of(store)
    asked = RankQuery(
        [SCOPE], [MemoryType.EPISODIC], Sensitivity.LOW, Sensitivity.LOW, 0.0, NOW_S + 60
    )

    found = walk(asked, services, 4, Allowance(a_type=20, a_partition=5))

    assert sorted(found, key=str) == sorted(expected(records, asked, services), key=str)


def test_records_of_several_shards_come_in_one_order(table: Store) -> None:
    services = table.under(rank_shards=3)
    records = of_every_kind()
    for each in records:
        services.records.create(each)
    asked = RankQuery(
        ["", SCOPE], [MemoryType.EPISODIC], Sensitivity.HYPER, Sensitivity.HYPER, 0.0, NOW_S
    )

    found = walk(asked, services, 20, Allowance())

    assert found == expected(records, asked, services)


def test_a_page_costs_the_same_however_far_down_it_is(table: Store) -> None:
    create(table, falling(60))
    services = table.services
    asked = RankQuery(
        [SCOPE], [MemoryType.EPISODIC], Sensitivity.HYPER, Sensitivity.HYPER, 0.0, NOW_S
    )
    spent = meter(table.client)
    resume, costs = None, []

    for _ in range(5):
        requests, read = spent.requests, spent.read_units
        order = RankOrder(asked, services, resume)
        resume = order.resume_after(order.take(10)[-1])
        costs.append((spent.requests - requests, spent.read_units - read))

    assert len(set(costs)) == 1
    assert costs[0][0] == 2 + 2, "the classes, and one page of each partition"
