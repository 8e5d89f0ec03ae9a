"""Records in the order of their salience, from the rank index, whatever is hidden beside them."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.access.principals import principal_of
from membrane.domain.language.cursors import decode, encode
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import Body
from membrane.domain.language.requests import validate
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.function import Anchor, salience_at
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.domain.search.requests import Retrieve
from membrane.usecases.ports.indexes import RankEntry
from membrane.usecases.search.rank.order import ALLOWANCE, Allowance, RankOrder, RankQuery, Row
from membrane.usecases.search.rank.streams import Resume, name_of
from membrane.usecases.search.retrieve import retrieve
from membrane.wiring.world import World
from tests.builders.observations import CURVES
from tests.builders.records import a_lifecycle, a_stored_record
from tests.builders.requests import call
from tests.fakes.clock import MORNING, FakeClock
from tests.worlds.depth import examples
from tests.worlds.memory import CURSOR_KEY, make_world, table_of
from tests.worlds.memory_table import Over, TableRecords

NOW_S = epoch_seconds(MORNING)
LEVELS = tuple(Sensitivity)
LOW, HYPER = Sensitivity.LOW, Sensitivity.HYPER
SCOPES = ("", "project:alpha", "project:beta")
TYPES = (MemoryType.EPISODIC, MemoryType.SEMANTIC)

PLAIN = a_lifecycle()
BRIEF = a_lifecycle(half_life_seconds=60)
FLOORED = a_lifecycle(min_salience=0.25)
AGEING = a_lifecycle(max_age_seconds=7_200)
LINEAR = a_lifecycle(curve="linear")
STEPS = a_lifecycle(curve="custom", custom_curve="steps")
PINNED = a_lifecycle(pinned=True)
EVERY_WAY = (PLAIN, BRIEF, FLOORED, AGEING, LINEAR, STEPS, PINNED)

TIGHT = Allowance(a_type=12, a_partition=4)
"""Windows of 3 rows and more, and calls that soon have read all that they may."""

EVENT = a_stored_record()

POLICY = PolicyDefaults(custom_curves=CURVES)


def a_record(
    record_id: str,
    *,
    salience: float = 1.0,
    age_s: float = 0.0,
    older_s: float = 0.0,
    lifecycle: Lifecycle = PLAIN,
    scope: str = "",
    memory_type: MemoryType = MemoryType.EPISODIC,
    sensitivity: Sensitivity = LOW,
) -> StoredRecord:
    """A record whose salience was that, so long ago; it was made so much earlier."""
    at_s = NOW_S - age_s
    parts = {
        "id": record_id,
        "type": memory_type,
        "scope": scope,
        "sensitivity": sensitivity,
        "salience": salience,
        "lifecycle": lifecycle,
    }
    anchor = Anchor(salience, at_s, at_s - older_s)
    return replace(EVENT, record=EVENT.record.model_copy(update=parts), anchor=anchor)


def holding(records: Sequence[StoredRecord]) -> World:
    """A world with these records."""
    clock = FakeClock()
    store = TableRecords(clock, POLICY)
    for each in records:
        store.create(each)
    return make_world(records=store, now=clock, policy=POLICY)


def wanted(
    ceiling: Sensitivity = HYPER, own: Sensitivity = HYPER, min_salience: float = 0.0
) -> RankQuery:
    return RankQuery(SCOPES, TYPES, ceiling, own, min_salience, NOW_S)


def in_order(records: Sequence[StoredRecord], asked: RankQuery) -> list[Row]:
    """All that is to be given, sorted."""
    rows = [
        Row(
            each.id,
            salience_at(NOW_S, each.anchor, each.record.lifecycle, CURVES),
            each.anchor.born_s,
            each.sensitivity,
        )
        for each in records
        if each.sensitivity.level <= asked.ceiling.level + 1
    ]
    rows.sort(key=lambda row: (-row.salience, -row.born_s, row.record_id))
    return [row for row in rows if row.salience >= asked.min_salience]


def sent(resume: Resume) -> Resume:
    """As a cursor brings it back."""
    return Resume.of_json(decode(encode(resume.as_json(), b"me", CURSOR_KEY), b"me", CURSOR_KEY))


def pages(
    asked: RankQuery,
    services: World,
    takes: Sequence[Sequence[int]] = ((1_000,),),
    unused: Sequence[int] = (0,),
    allowance: Allowance = ALLOWANCE,
) -> Iterator[list[Row]]:
    """What each call used: it takes rows a few times, and uses all but the last so many."""
    resume = None
    for sizes, leave in zip(cycle(takes), cycle(unused)):
        order = RankOrder(asked, services, resume, allowance)
        taken = [row for size in sizes for row in order.take(size)]
        used = taken[: max(1, len(taken) - leave)]
        yield used
        if order.exhausted and len(used) == len(taken):
            return
        before, resume = resume, sent(order.resume_after(used[-1] if used else None))
        assert resume != before, "each call gets further"
        asked = replace(asked, now_s=asked.now_s + 60)  # what is not to be looked at any more


def walk(
    asked: RankQuery,
    services: World,
    takes: Sequence[Sequence[int]] = ((1_000,),),
    unused: Sequence[int] = (0,),
    allowance: Allowance = ALLOWANCE,
) -> list[Row]:
    """All pages, joined."""
    return [row for page in pages(asked, services, takes, unused, allowance) for row in page]


SALIENCES = st.one_of(
    st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.floats(1e-6, 2.0), st.floats(1e-100, 1e100)
)
AGES = st.one_of(st.sampled_from([0.0, 60.0, 3_600.0]), st.floats(-2.0, 30_000.0))


def numbered(records: Sequence[StoredRecord]) -> list[StoredRecord]:
    """The records with ids of their own, in no order."""
    return [
        replace(each, record=each.record.model_copy(update={"id": f"r{number * 37 % 101}"}))
        for number, each in enumerate(records)
    ]


RECORDS = st.lists(
    st.builds(
        lambda **parts: a_record("", **parts),
        salience=SALIENCES,
        age_s=AGES,
        older_s=st.sampled_from([0.0, 0.5, 3_000.0, 8_000.0]),
        lifecycle=st.sampled_from(EVERY_WAY),
        scope=st.sampled_from(SCOPES),
        memory_type=st.sampled_from(TYPES),
        sensitivity=st.sampled_from(LEVELS),
    ),
    max_size=40,
).map(numbered)
DENSE = st.lists(
    st.builds(
        lambda **parts: a_record("", **parts),
        salience=st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0]),
        age_s=st.one_of(st.sampled_from([0.0, 1e6]), st.floats(-2.0, 300.0)),
        older_s=st.floats(0.0, 100.0),
        lifecycle=st.sampled_from([PLAIN, FLOORED, LINEAR, PINNED]),
    ),
    min_size=20,
    max_size=60,
).map(numbered)
"""Of one scope and type, many of one salience: more than the windows of TIGHT hold."""

SIZES = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=3).filter(any), min_size=1)
UNUSED = st.lists(st.integers(0, 3), min_size=1)
WANTED = st.builds(
    wanted, st.sampled_from(LEVELS), st.just(HYPER), st.sampled_from([0.0, 0.1, 0.25, 1.0])
)


@given(RECORDS, WANTED, SIZES, UNUSED)
def test_all_pages_together_are_all_records_in_order(
    records: list[StoredRecord], asked: RankQuery, takes: list[list[int]], unused: list[int]
) -> None:
    found = walk(asked, holding(records), takes, unused)

    assert found == in_order(records, asked)


@given(st.one_of(RECORDS, DENSE), WANTED, SIZES, UNUSED)
def test_a_call_that_may_read_little_loses_nothing_and_gives_nothing_twice(
    records: list[StoredRecord], asked: RankQuery, takes: list[list[int]], unused: list[int]
) -> None:
    scopes = sorted({each.scope for each in records})
    narrow = replace(asked, scopes=scopes)

    found = walk(narrow, holding(records), takes, unused, TIGHT)

    assert sorted(found, key=str) == sorted(in_order(records, asked), key=str)


@given(
    st.lists(st.tuples(AGES, st.sampled_from(SCOPES)), max_size=60, unique=True),
    SIZES,
    UNUSED,
)
def test_what_fades_by_rank_is_in_exact_order_however_little_a_call_may_read(
    made: list[tuple[float, str]], takes: list[list[int]], unused: list[int]
) -> None:
    records = [
        a_record(f"r{number}", age_s=float(number) + age_s, scope=scope)
        for number, (age_s, scope) in enumerate(made)
    ]

    found = walk(wanted(), holding(records), takes, unused, TIGHT)

    assert found == in_order(records, wanted())


# --- Windows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(examples(25)))
@pytest.mark.parametrize("other", [PINNED, LINEAR, FLOORED], ids=["pinned", "linear", "floored"])
def test_windows_of_rows_that_other_clocks_set_ahead_join_without_a_gap(
    other: Lifecycle, seed: int
) -> None:
    draw = random.Random(seed)
    records = [
        a_record(
            f"r{number}",
            salience=draw.choice([1.0, 1.0, 2.0]),
            age_s=draw.choice([0.0, 0.0, 0.0, -draw.uniform(0, 4), draw.uniform(0, 2)]),
            older_s=draw.uniform(0, 9_000),
            lifecycle=draw.choice([PLAIN, other]),
        )
        for number in range(30)
    ]
    narrow = replace(wanted(), scopes=("",), types=(MemoryType.EPISODIC,))

    found = walk(narrow, holding(records), [[1 + seed % 3]], allowance=Allowance(20, 5))

    assert sorted(row.record_id for row in found) == sorted(each.id for each in records)


# --- What is read -------------------------------------------------------------------------------


@dataclass
class Counted(Over):
    """Ranks that count what was read."""

    tops: list[int] = field(default_factory=list)

    def top(self, *asked: Any) -> Sequence[RankEntry]:
        """See DynamoRanks."""
        found: Sequence[RankEntry] = self.inner.top(*asked)
        self.tops.append(len(found))
        return found


def counting(records: Sequence[StoredRecord]) -> World:
    """A world with these records that counts what is read."""
    services = holding(records)
    return services.but(ranks=Counted(services.ranks))


def tops(services: World) -> list[int]:
    """How many rows each read gave."""
    assert isinstance(services.ranks, Counted)
    return services.ranks.tops


def fading(count: int) -> list[StoredRecord]:
    """Records that fade as most do, ten seconds apart."""
    return [a_record(f"r{number}", age_s=10.0 * number) for number in range(count)]


@pytest.mark.parametrize("count", [100, 1_500])
def test_a_page_reads_little_more_than_it_gives_however_much_is_stored(count: int) -> None:
    services = counting(fading(count))
    one_type = replace(wanted(), scopes=("",), types=(MemoryType.EPISODIC,))

    first = RankOrder(one_type, services)
    rows = first.take(10)
    assert (len(tops(services)), sum(tops(services))) == (2, 15)
    tops(services).clear()
    later = RankOrder(one_type, services, first.resume_after(rows[-1]))

    assert [row.record_id for row in later.take(10)] == [f"r{number}" for number in range(10, 20)]
    assert (len(tops(services)), sum(tops(services))) == (2, 15)


@pytest.mark.parametrize("lifecycle", [PLAIN, LINEAR])
def test_one_call_reads_a_thousand_rows_of_a_type_at_most(lifecycle: Lifecycle) -> None:
    records = [
        a_record(f"r{number}", age_s=number / 2, lifecycle=lifecycle) for number in range(1_500)
    ]
    services = counting(records)
    order = RankOrder(replace(wanted(), scopes=("",)), services)

    taken = order.take(5_000)

    assert sum(tops(services)) <= 1_000
    assert len(taken) > 500
    assert not order.exhausted
    assert order.take(5_000) == [], "there is no more in this call"


def test_no_row_is_read_below_the_least_salience_wanted() -> None:
    services = counting(fading(1_500))
    asked = replace(wanted(min_salience=0.9), scopes=("",), types=(MemoryType.EPISODIC,))
    order = RankOrder(asked, services)

    first = order.take(20)
    rest = order.take(1_000)

    assert {row.salience >= 0.9 for row in (*first, *rest)} == {True}
    assert order.exhausted
    assert sum(tops(services)) <= 25 + 50


# --- What may not be seen -----------------------------------------------------------------------


@given(RECORDS, WANTED, SIZES, UNUSED)
def test_what_may_not_be_seen_changes_nothing_of_what_is_given(
    records: list[StoredRecord], asked: RankQuery, takes: list[list[int]], unused: list[int]
) -> None:
    visible = [each for each in records if each.sensitivity.level <= asked.ceiling.level + 1]

    found = list(pages(asked, holding(records), takes, unused))

    assert found == list(pages(asked, holding(visible), takes, unused))


# --- Going on -----------------------------------------------------------------------------------


def test_what_changes_between_pages_loses_no_other_record_and_ends() -> None:
    records = [
        *fading(30),
        *(a_record(f"l{n}", age_s=11.0 * n, lifecycle=LINEAR) for n in range(30)),
        *(a_record(f"p{n}", salience=1 - n / 40, lifecycle=PINNED) for n in range(30)),
    ]
    services = holding(records)
    store = table_of(services)
    given_ids: list[str] = []

    for number, page in enumerate(pages(wanted(), services, [[7]], allowance=TIGHT)):
        given_ids += [row.record_id for row in page]
        for changed in (records[number], records[-number - 1]):
            newer = Anchor(1.0, NOW_S + 60 * number, changed.anchor.born_s)
            moved = a_record(changed.id, lifecycle=(PLAIN, PINNED, LINEAR)[number % 3])
            store.places[changed.id] = replace(moved, anchor=newer)
        if number == 14:
            del store.places["r20"]

    unchanged = {each.id for each in records[len(records) // 3 : -len(records) // 3]}
    assert unchanged <= set(given_ids)


# --- Forged cursors -----------------------------------------------------------------------------

SPOTS = st.fixed_dictionaries(
    {"rank": st.floats(-1e101, 1e101).filter(lambda rank: rank == 0 or abs(rank) > 1e-130)},
    optional={"record_id": st.sampled_from(["", "r1", "r36", "none"])},
)
KEYS = st.tuples(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["", "r1", "r99", "\x00"]),
).map(list)
PLACES = st.fixed_dictionaries(
    {}, optional={"start": SPOTS, "passed": KEYS, "end": SPOTS, "behind": KEYS}
)


@given(RECORDS, WANTED, st.data())
def test_a_forged_place_shows_nothing_that_an_honest_one_does_not(
    records: list[StoredRecord], asked: RankQuery, data: st.DataObject
) -> None:
    services = holding(records)
    names = [name_of(each) for scope in SCOPES for each in services.ranks.partitions(scope)]
    forged = data.draw(
        st.fixed_dictionaries(
            {"now_s": st.floats(0, 1e11)},
            optional={
                "lowest": KEYS,
                "places": st.dictionaries(st.sampled_from([*names, "none"]), PLACES),
            },
        )
    )

    order = RankOrder(asked, services, Resume.of_json(forged), TIGHT)
    found = order.take(20)

    assert {row.record_id for row in found} <= {
        each.id for each in records if each.sensitivity.level <= asked.ceiling.level + 1
    }
    Resume.of_json(order.resume_after(None).as_json())


@pytest.mark.parametrize(
    "forged",
    [
        [],
        {},
        {"now_s": "1"},
        {"now_s": True},
        {"now_s": -1.0},
        {"now_s": 1e12},
        {"now_s": 10**400},
        {"now_s": 1.0, "lowest": [1.0, 2.0]},
        {"now_s": 1.0, "lowest": [1.0, 2.0, 3.0]},
        {"now_s": 1.0, "lowest": [1.0, 2.0, "x" * 129]},
        {"now_s": 1.0, "lowest": {"0": 1.0}},
        {"now_s": 1.0, "places": []},
        {"now_s": 1.0, "places": {"a": None}},
        {"now_s": 1.0, "places": {"a": {"start": {"rank": 1e103}}}},
        {"now_s": 1.0, "places": {"a": {"start": {"rank": -1e103}}}},
        {"now_s": 1.0, "places": {"a": {"end": {"rank": 1e-140}}}},
        {"now_s": 1.0, "places": {"a": {"end": {"rank": 1.0, "record_id": "a b"}}}},
        {"now_s": 1.0, "places": {"a": {"end": {"record_id": "a"}}}},
        {"now_s": 1.0, "places": {"a": {"passed": [1.0]}}},
        {"now_s": 1.0, "places": {str(number): {} for number in range(1_001)}},
    ],
)
def test_what_is_no_resume_is_refused(forged: object) -> None:
    with pytest.raises(InvalidArgument, match="the cursor is not one of ours"):
        Resume.of_json(forged)


def test_a_cursor_is_short_where_records_fade_by_rank() -> None:
    services = holding(fading(50))
    order = RankOrder(wanted(), services)
    rows = order.take(20)

    cursor = encode(order.resume_after(rows[-1]).as_json(), b"me", CURSOR_KEY)

    assert len(cursor) < 200


OWN, FOREIGN = "team:own", "team:foreign"
READER = principal_of("reader", ["read"], [OWN], Sensitivity.LOW)

SECOND = a_lifecycle(half_life_seconds=1)
EVERY_CLASS = (
    SECOND,
    PINNED,
    a_lifecycle(),
    a_lifecycle(half_life_seconds=3_162_240_000),
    a_lifecycle(min_salience=0.25),
    a_lifecycle(min_salience=1e-20),
    a_lifecycle(half_life_seconds=1, min_salience=1e-100),
    a_lifecycle(max_age_seconds=7_200),
    a_lifecycle(curve="linear"),
    a_lifecycle(curve="custom", custom_curve="steps"),
)

TINY = st.integers(-100, 0).map(lambda exponent: float(f"1e{exponent}"))
ANY_SALIENCES = st.sampled_from([0.0, 1e-100, 1e-20, 1.0]) | TINY | st.floats(1e-100, 2.0)
ANY_AGES = st.sampled_from([0.0, 60.0, 1e6]) | st.floats(0.0, 30_000.0) | st.floats(0.0, 1e9)
IN_SCOPES = st.sampled_from(
    [
        (OWN, Sensitivity.LOW),
        (OWN, Sensitivity.MEDIUM),
        (OWN, Sensitivity.HIGH),
        (OWN, Sensitivity.HYPER),
        (FOREIGN, Sensitivity.LOW),
    ]
)
"""The first two are shown to the reader, the second redacted."""


def a_faded_record(
    record_id: str,
    salience: float,
    age_s: float,
    lifecycle: Lifecycle,
    place: tuple[str, Sensitivity] = (OWN, Sensitivity.LOW),
) -> StoredRecord:
    scope, sensitivity = place
    parts = {
        "id": record_id,
        "type": MemoryType.EPISODIC,
        "scope": scope,
        "sensitivity": sensitivity,
        "salience": salience,
        "lifecycle": lifecycle,
    }
    anchor = Anchor(salience, NOW_S - age_s, NOW_S - age_s)
    return replace(EVENT, record=EVENT.record.model_copy(update=parts), anchor=anchor)


def fading_records(
    lifecycles: st.SearchStrategy[Lifecycle],
) -> st.SearchStrategy[list[StoredRecord]]:
    parts = st.lists(st.tuples(ANY_SALIENCES, ANY_AGES, lifecycles, IN_SCOPES), max_size=30)
    return parts.map(
        lambda each: [
            a_faded_record(f"r{number * 37 % 101}", *of_one) for number, of_one in enumerate(each)
        ]
    )


FADED = fading_records(st.sampled_from(EVERY_CLASS)) | st.sampled_from(EVERY_CLASS).flatmap(
    lambda lifecycle: fading_records(st.just(lifecycle))
)
"""Records of many decay classes, or of one class."""


def records_shown(records: Sequence[StoredRecord]) -> list[StoredRecord]:
    return [each for each in records if each.scope == OWN and each.sensitivity.level <= 2]


def store_of(records: Sequence[StoredRecord]) -> TableRecords:
    store = TableRecords(FakeClock(), POLICY)
    for each in records:
        store.create(each)
    return store


def pages_of_answer(records: Sequence[StoredRecord], **asked: Any) -> list[Sequence[Body]]:
    """The records of every page that the reader gets."""
    store = store_of(records)
    services = make_world(records=store, now=store.now, policy=POLICY)
    pages, cursor = list[Sequence[Body]](), None
    while not pages or cursor is not None:
        request = validate(Retrieve, {**asked, "trust": {"scopes": [OWN]}, "cursor": cursor})
        answer = retrieve(request, call(request, READER), services)
        pages.append(answer.records)
        cursor = answer.next_cursor
    return pages


def rows_of_walk(records: Sequence[StoredRecord], asked: RankQuery, limit: int) -> list[Row]:
    """The rows of every page, where a call may read few rows."""
    store, rows, resume = store_of(records), list[Row](), None
    services = make_world(records=store, now=store.now, policy=POLICY)
    while True:
        order = RankOrder(asked, services, resume, Allowance(a_type=12, a_partition=4))
        page = order.take(limit)
        rows += page
        if order.exhausted:
            return sorted(rows, key=lambda row: row.record_id)
        resume = order.resume_after(page[-1] if page else None)


def rank_query(min_salience: float) -> RankQuery:
    return RankQuery(
        [OWN], [MemoryType.EPISODIC], Sensitivity.LOW, Sensitivity.LOW, min_salience, NOW_S
    )


@given(FADED, st.just(0.0) | ANY_SALIENCES, st.integers(1, 40))
def test_hidden_records_change_no_word_and_no_place(
    records: list[StoredRecord], min_salience: float, limit: int
) -> None:
    asked = {"min_salience": min_salience, "limit": limit}

    assert pages_of_answer(records, **asked) == pages_of_answer(records_shown(records), **asked)


@given(FADED, st.just(0.0) | ANY_SALIENCES, st.integers(1, 9))
def test_hidden_records_take_no_record_out_of_a_walk_that_reads_little(
    records: list[StoredRecord], min_salience: float, limit: int
) -> None:
    asked = rank_query(min_salience)

    assert rows_of_walk(records, asked, limit) == rows_of_walk(records_shown(records), asked, limit)


@pytest.mark.parametrize("faded", [0, 6])
def test_a_pinned_record_below_the_least_salience_has_salience_0_whatever_is_hidden_beside_it(
    faded: int,
) -> None:
    """So the index may end a walk at the rank of salience 0."""
    visible = [
        a_faded_record("least", 1e-120, 0.0, PINNED),
        a_faded_record("more", 1e-100, 0.0, PINNED),
    ]
    hidden = [
        a_faded_record(f"r{number}", 0.0, 0.0, PINNED, (OWN, Sensitivity.HYPER))
        for number in range(faded)
    ]

    found = rows_of_walk([*visible, *hidden], rank_query(1e-125), 1)

    assert [row.record_id for row in found] == ["more"]
