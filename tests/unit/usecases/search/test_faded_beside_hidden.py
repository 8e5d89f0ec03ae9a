"""Records that have faded to almost nothing are retrieved alike with and without hidden records."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.access.principals import principal_of
from membrane.domain.language.json_text import Body
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.stored import StoredRecord
from membrane.domain.salience.decay_defaults import PolicyDefaults
from membrane.domain.salience.function import Anchor
from membrane.domain.salience.lifecycle import Lifecycle
from membrane.domain.search.requests import Retrieve
from membrane.usecases.search.rank.order import Allowance, RankOrder, RankQuery, Row
from membrane.usecases.search.retrieve import retrieve
from tests.builders.generated_lifecycles import CURVES
from tests.builders.records import a_lifecycle, a_stored_record
from tests.builders.requests import call
from tests.fakes.clock import MORNING, FakeClock
from tests.fakes.records import FakeRecords
from tests.fakes.world import make_reading_services
from tests.worlds.depth import examples

NOW_S = epoch_seconds(MORNING)
OWN, FOREIGN = "team:own", "team:foreign"
POLICY = PolicyDefaults(custom_curves=CURVES)
READER = principal_of("reader", ["read"], [OWN], Sensitivity.LOW)
EVENT = a_stored_record()

SECOND = a_lifecycle(half_life_seconds=1)
PINNED = a_lifecycle(pinned=True)
EVERY_WAY = (
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

TINY = st.integers(-300, 0).map(lambda exponent: float(f"1e{exponent}"))
SALIENCES = st.sampled_from([0.0, 1e-300, 1e-100, 1e-20, 1.0]) | TINY | st.floats(0.0, 2.0)
AGES = st.sampled_from([0.0, 60.0, 1e6]) | st.floats(0.0, 30_000.0) | st.floats(0.0, 1e9)
PLACES = st.sampled_from(
    [
        (OWN, Sensitivity.LOW),
        (OWN, Sensitivity.MEDIUM),
        (OWN, Sensitivity.HIGH),
        (OWN, Sensitivity.HYPER),
        (FOREIGN, Sensitivity.LOW),
    ]
)
"""The first two are shown to the reader, the second redacted."""


def a_record(
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
    parts = st.lists(st.tuples(SALIENCES, AGES, lifecycles, PLACES), max_size=30)
    return parts.map(
        lambda each: [
            a_record(f"r{number * 37 % 101}", *of_one) for number, of_one in enumerate(each)
        ]
    )


FADED = fading_records(st.sampled_from(EVERY_WAY)) | st.sampled_from(EVERY_WAY).flatmap(
    lambda lifecycle: fading_records(st.just(lifecycle))
)
"""Records of many decay classes, or of one class."""


def records_shown(records: Sequence[StoredRecord]) -> list[StoredRecord]:
    return [each for each in records if each.scope == OWN and each.sensitivity.level <= 2]


def store_of(records: Sequence[StoredRecord]) -> FakeRecords:
    store = FakeRecords(FakeClock(), POLICY)
    for each in records:
        store.create(each)
    return store


def pages_of_answer(records: Sequence[StoredRecord], **asked: Any) -> list[Sequence[Body]]:
    """The records of every page that the reader gets."""
    store = store_of(records)
    services = make_reading_services(records=store, now=store.now, policy=POLICY)
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
    services = make_reading_services(records=store, now=store.now, policy=POLICY)
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


@settings(max_examples=examples(500))
@given(FADED, st.just(0.0) | SALIENCES, st.integers(1, 40))
def test_hidden_records_change_no_word_and_no_place(
    records: list[StoredRecord], min_salience: float, limit: int
) -> None:
    asked = {"min_salience": min_salience, "limit": limit}

    assert pages_of_answer(records, **asked) == pages_of_answer(records_shown(records), **asked)


@settings(max_examples=examples(500))
@given(FADED, st.just(0.0) | SALIENCES, st.integers(1, 9))
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
    visible = [a_record("least", 1e-120, 0.0, PINNED), a_record("more", 1e-100, 0.0, PINNED)]
    hidden = [
        a_record(f"r{number}", 0.0, 0.0, PINNED, (OWN, Sensitivity.HYPER))
        for number in range(faded)
    ]

    found = rows_of_walk([*visible, *hidden], rank_query(1e-125), 1)

    assert [row.record_id for row in found] == ["more"]
