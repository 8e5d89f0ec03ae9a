"""The times that a text names."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.timestamps import from_epoch_seconds
from membrane.domain.search.periods import MAX_PERIODS, YEARS_BACK, Period, periods_in
from tests.growth import calls

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
"""A Saturday."""


def spans(text: str, now: datetime = NOW) -> list[tuple[str, str]]:
    """First day, and the first day after it."""
    days = [(period.from_s, period.to_s) for period in periods_in(text, now)]
    return [
        (from_epoch_seconds(start).date().isoformat(), from_epoch_seconds(end).date().isoformat())
        for start, end in days
    ]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("What happened on 8 May 2023?", ("2023-05-08", "2023-05-09")),
        ("the 8th of May, 2023", ("2023-05-08", "2023-05-09")),
        ("May 8th, 2023", ("2023-05-08", "2023-05-09")),
        ("on 2023-05-08", ("2023-05-08", "2023-05-09")),
        ("2023-05", ("2023-05-01", "2023-06-01")),
        ("in December 2023", ("2023-12-01", "2024-01-01")),
        ("sept. 2023", ("2023-09-01", "2023-10-01")),
        ("in 2022", ("2022-01-01", "2023-01-01")),
        ("today", ("2026-11-21", "2026-11-22")),
        ("Yesterday", ("2026-11-20", "2026-11-21")),
        ("last week", ("2026-11-09", "2026-11-16")),
        ("this week", ("2026-11-16", "2026-11-22")),
        ("last month", ("2026-10-01", "2026-11-01")),
        ("last year", ("2025-01-01", "2026-01-01")),
        ("three days ago", ("2026-11-18", "2026-11-19")),
        ("2 weeks ago", ("2026-11-04", "2026-11-11")),
        ("last Friday", ("2026-11-20", "2026-11-21")),
        ("on Saturday", ("2026-11-14", "2026-11-15")),
    ],
)
def test_a_time_is_read(text: str, span: tuple[str, str]) -> None:
    assert spans(text) == [span]


def test_a_month_without_a_year_is_that_of_each_of_the_last_years() -> None:
    found = spans("What did we do in June?")

    assert len(found) == YEARS_BACK
    assert found[0] == ("2026-06-01", "2026-07-01")
    assert found[-1] == ("2017-06-01", "2017-07-01")


@pytest.mark.parametrize(
    "text", ["", "Who may march?", "31 February 2023", "version 3.13", "2023-13", "may I?", "1066"]
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert spans(text) == []


@pytest.mark.parametrize("text", ["the May bill", "in may", "since March"])
def test_may_and_march_are_months_where_they_are_named(text: str) -> None:
    assert len(spans(text)) == YEARS_BACK


def test_several_times_are_read_each_once() -> None:
    assert spans("2022, yesterday, and 2022 again") == [
        ("2022-01-01", "2023-01-01"),
        ("2026-11-20", "2026-11-21"),
    ]


@given(st.text(), st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)))  # noqa: DTZ001 - given its zone below
def test_any_text_at_any_time_is_read(text: str, now: datetime) -> None:
    assert all(period.from_s < period.to_s for period in periods_in(text, now.replace(tzinfo=UTC)))


def test_no_more_periods_are_made_of_a_text_than_it_may_name() -> None:
    text = "Jan Feb Mar Apr " * 6_250

    made = calls(Period.__init__, lambda: periods_in(text, NOW))

    assert made <= 2 * MAX_PERIODS


def test_the_first_of_too_many_periods_are_read() -> None:
    days = [f"{day} {month}" for month in ("Jan", "Mar", "May", "Jul") for day in range(1, 32)]

    assert len(periods_in(", ".join(days), NOW)) == MAX_PERIODS
    assert spans(", ".join(days))[0] == ("2026-01-01", "2026-01-02")
