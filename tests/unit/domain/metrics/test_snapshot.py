"""Snapshots of counters that moved while they were read, or are wrong: never what cannot be."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import Sensitivity
from membrane.domain.metrics.amounts import (
    Amounts,
    Cells,
    added,
    drift_between,
    highest,
    over,
)
from membrane.domain.metrics.buckets import FADED
from membrane.domain.metrics.cells import cells_of
from membrane.domain.metrics.sheets import Sheet
from membrane.domain.metrics.snapshot import Snapshot, snapshot_of
from membrane.domain.salience.function import Anchor
from tests.builders.records import NOW, NOW_TEXT, a_lifecycle, a_stored_record

NOW_S = epoch_seconds(NOW)


def cells(*saliences: float, pinned: bool = False) -> Cells:
    """Of records born with these just now."""
    every: Cells = {}
    for salience in saliences:
        held = a_stored_record(a_lifecycle(pinned=pinned), Anchor(salience, NOW_S, NOW_S))
        every = added(every, cells_of(held, {}))
    return every


def told(read: Cells, times: Mapping[str, int]) -> Snapshot:
    """What the cells tell when those of a kind are met so many times."""
    sheet = Sheet(Sensitivity.HYPER)
    for name, amounts in sorted(read.items(), reverse=True):
        met = times.get(name.partition("#")[0], 1)
        sheet.add(name, {each: value * met for each, value in amounts.items()})
    sheet.is_whole = True
    return snapshot_of([sheet], NOW_TEXT, NOW_S, {})


@given(
    saliences=st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0]), min_size=1, max_size=6),
    pinned=st.booleans(),
    times=st.fixed_dictionaries(dict.fromkeys(["total", "growth", "bucket"], st.integers(-2, 4))),
)
def test_whatever_was_met_how_often_no_number_is_impossible(
    *, saliences: Sequence[float], pinned: bool, times: Mapping[str, int]
) -> None:
    snapshot = told(cells(*saliences, pinned=pinned), times)

    records = snapshot.total_records
    assert records == max(0, times["total"]) * len(saliences)
    assert sum(snapshot.salience_distribution.values()) == records
    assert min(snapshot.salience_distribution.values()) >= 0
    assert 0 <= snapshot.active_records <= records
    assert 0 <= snapshot.avg_salience <= 1
    assert 0 <= snapshot.memory_growth_rate <= 1


def test_records_that_moved_go_into_the_bounds_of_all_that_changes_with_time() -> None:
    read = cells(0.9, 0.9, 0.9, 0.1)

    once = told(read, {})
    astray = told(read, {"total": 2, "growth": 2})

    assert once.error_bounds == {}
    assert astray.total_records == 8
    assert astray.error_bounds.keys() == {
        "avg_salience",
        "salience_distribution",
        "active_records",
        "memory_growth_rate",
    }
    assert astray.error_bounds["memory_growth_rate"] >= 0.25


def test_what_is_pinned_above_one_may_have_more_and_no_other() -> None:
    read = cells(5.0, 0.5, pinned=True)

    (total,) = (amounts for name, amounts in read.items() if name.startswith("total#"))

    assert total["low_over3"] == 1
    assert told(read, {"bucket": 9}).avg_salience <= 8


@pytest.mark.parametrize(
    ("fades_in_s", "max_age_s", "most"),
    [(0, 0, FADED), (7_200, 0, 4 * FADED), (86_400, 0, 8), (0, 9_000, FADED), (1, 9_000, 8)],
)
def test_what_was_not_read_has_no_more_than_when_it_fades_tells(
    fades_in_s: int, max_age_s: int, most: float
) -> None:
    held = a_stored_record(a_lifecycle(max_age_seconds=max_age_s), Anchor(5.0, NOW_S, NOW_S))
    read = cells_of(held, {})
    (total,) = (name for name in read if name.startswith("total#"))
    sheet = Sheet(Sensitivity.HYPER)
    sheet.add(total, read[total])
    sheet.add(f"bucket#{int(NOW_S) + fades_in_s:012d}#episodic#pinned#zero", {})

    (unmet,) = sheet.extents(NOW_S, {})

    assert (unmet.records, unmet.least, unmet.most) == (1, 0, most)


@given(st.floats(1, 1e100, exclude_min=True))
def test_no_record_is_above_what_it_is_counted_under(salience: float) -> None:
    most = highest({over(salience): 1, "over400": 0, "records": 7})

    assert salience < most <= 2 * salience


@pytest.mark.parametrize(
    ("before", "after", "off"),
    [
        ({}, {"low_records": 0}, 0),
        ({"low_records": 2, "low_weight": 9}, {"low_records": 2, "low_weight": 9}, 0),
        ({"low_records": 2, "low_weight": 9}, {"low_records": 2, "low_weight": 3}, 1),
        ({"low_records": 2, "high_records": 1, "low_weight": 9}, {"high_records": 4}, 5),
    ],
)
def test_a_cell_is_off_by_its_records_or_by_one(before: Amounts, after: Amounts, off: int) -> None:
    assert drift_between(before, after) == drift_between(after, before) == off
