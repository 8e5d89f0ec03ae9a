"""RFC 3339 timestamps: which are accepted, and the one spelling they are given."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from membrane.domain.language.timestamps import (
    NOT_GIVEN,
    epoch_seconds,
    from_epoch_seconds,
    normalise,
    rfc3339,
)

FIRST, LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
OFFSETS = st.integers(-(24 * 60 - 1), 24 * 60 - 1).map(
    lambda minutes: timezone(timedelta(minutes=minutes))
)
INSTANTS = st.builds(
    lambda microseconds, zone: (FIRST + timedelta(microseconds=microseconds)).astimezone(zone),
    st.integers(0, (LAST - FIRST) // timedelta(microseconds=1)),
    OFFSETS,
)


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
        ("2026-01-31T00:00:00Z", "2026-01-31T00:00:00Z"),
        ("2026-01-31T23:59:59Z", "2026-01-31T23:59:59Z"),
        ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"),
        ("2026-01-31T12:00:00+00:00", "2026-01-31T12:00:00Z"),
        ("2026-01-31T12:00:00-00:00", "2026-01-31T12:00:00Z"),
        ("2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00Z"),
        ("2026-01-31T12:00:00-05:30", "2026-01-31T17:30:00Z"),
        ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z"),
        ("2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00Z"),
        ("2026-01-31T12:00:00+23:59", "2026-01-30T12:01:00Z"),
        ("2026-01-31T12:00:00-23:59", "2026-02-01T11:59:00Z"),
        ("2026-01-31T12:00:00.5Z", "2026-01-31T12:00:00.5Z"),
        ("2026-01-31T12:00:00,5Z", "2026-01-31T12:00:00.5Z"),
        ("2026-01-31T12:00:00.500000Z", "2026-01-31T12:00:00.5Z"),
        ("2026-01-31T12:00:00.000Z", "2026-01-31T12:00:00Z"),
        ("2026-01-31T12:00:00.123456789Z", "2026-01-31T12:00:00.123456789Z"),
        ("2026-01-31T12:00:00.000000001Z", "2026-01-31T12:00:00.000000001Z"),
        ("2026-01-31T12:00:00.1234567899Z", "2026-01-31T12:00:00.123456789Z"),
        ("2026-01-31T12:00:00.0000000001Z", "2026-01-31T12:00:00Z"),
        ("2026-01-31T12:00:00.999999999999+02:00", "2026-01-31T10:00:00.999999999Z"),
        ("2026-01-31T12:00:00." + "3" * 1_000 + "Z", "2026-01-31T12:00:00.333333333Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("0001-01-01T01:00:00+01:00", "0001-01-01T00:00:00Z"),
        ("0999-06-15T12:00:00Z", "0999-06-15T12:00:00Z"),
        ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
        ("9999-12-31T23:59:59+14:00", "9999-12-31T09:59:59Z"),
    ],
    ids=lambda text: text[:40],
)
def test_an_rfc_3339_timestamp_is_spelled_in_utc(text: str, utc: str) -> None:
    spelled = normalise(text)

    assert spelled == utc


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-01-31",
        "12:00:00Z",
        "2026-01-31T12:00Z",
        "2026-01-31T12:00:00",
        "2026-01-31T12:00:00.5",
        "2026-01-31 12:00:00Z",
        "2026-01-31t12:00:00Z",
        "2026-01-31T12:00:00z",
        "2026-01-31T12:00:00 Z",
        "2026-01-31T12:00:00ZZ",
        "2026-01-31T12:00:00Z\n",
        " 2026-01-31T12:00:00Z",
        "2026-01-31T12:00:00.Z",
        "2026-01-31T12:00:00;5Z",
        "2026-01-31T12:00:00.5.5Z",
        "2026-01-31T12:00:00+0200",
        "2026-01-31T12:00:00+02",
        "2026-01-31T12:00:00+2:00",
        "2026-01-31T12:00:00UTC",
        "2026-1-31T12:00:00Z",
        "26-01-31T12:00:00Z",
        "20260131T120000Z",
        "2026-031T12:00:00Z",
        "2026-W05-6T12:00:00Z",
        "12026-01-31T12:00:00Z",
        "-2026-01-31T12:00:00Z",
        "+2026-01-31T12:00:00Z",
        "202\N{ARABIC-INDIC DIGIT SIX}-01-31T12:00:00Z",
        "1769860800",
        "\x002026-01-31T12:00:00Z",
    ],
    ids=ascii,
)
def test_another_form_is_refused_with_an_example_of_the_right_one(text: str) -> None:
    with pytest.raises(ValueError, match="expected the form 2026-01-31T12:00:00Z, with a zone"):
        normalise(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-00-31T12:00:00Z",
        "2026-13-31T12:00:00Z",
        "2026-01-00T12:00:00Z",
        "2026-01-32T12:00:00Z",
        "2026-02-29T12:00:00Z",
        "2026-04-31T12:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T12:60:00Z",
        "2026-01-31T12:00:60Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
    ],
)
def test_an_instant_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="a part of the date is out of range"):
        normalise(text)


@pytest.mark.parametrize("offset", ["+24:00", "+25:00", "-25:00", "+02:60", "-99:99"])
def test_an_offset_that_does_not_exist_is_refused(offset: str) -> None:
    text = f"2026-01-31T12:00:00{offset}"

    with pytest.raises(ValueError, match="the zone's offset is out of range"):
        normalise(text)


@pytest.mark.parametrize(
    ("instant", "text"),
    [
        (datetime(2026, 1, 31, 12, tzinfo=UTC), "2026-01-31T12:00:00Z"),
        (datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=UTC), "2026-01-31T12:00:00.25Z"),
        (datetime(2026, 1, 31, 12, 0, 0, 1, tzinfo=UTC), "2026-01-31T12:00:00.000001Z"),
        (datetime(2026, 1, 31, 1, tzinfo=timezone(timedelta(hours=2))), "2026-01-30T23:00:00Z"),
        (datetime(1, 1, 1, tzinfo=UTC), NOT_GIVEN),
    ],
    ids=str,
)
def test_an_instant_is_written_as_normalise_writes_it(instant: datetime, text: str) -> None:
    written = rfc3339(instant)

    assert written == text
    assert normalise(written) == written


@given(INSTANTS)
def test_normalising_agrees_with_datetime_to_the_microsecond(instant: datetime) -> None:
    text = instant.isoformat()

    spelled = normalise(text)

    assert datetime.fromisoformat(spelled) == instant
    assert spelled == rfc3339(instant)


@given(INSTANTS, st.text("0123456789", max_size=12), st.sampled_from(".,"))
def test_normalising_twice_changes_nothing_more(
    instant: datetime, fraction: str, separator: str
) -> None:
    whole = instant.replace(microsecond=0, tzinfo=None).isoformat()
    text = f"{whole}{separator + fraction if fraction else ''}{instant.isoformat()[-6:]}"

    once = normalise(text)

    assert normalise(once) == once


@given(st.text(max_size=40))
def test_any_other_text_is_refused_without_repeating_it(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(expected the form|a part of|the zone)") as caught:
        normalise(f"{text}not a time{text}")

    assert "not a time" not in str(caught.value)


@pytest.mark.parametrize(
    ("instant", "seconds"),
    [
        (datetime(1970, 1, 1, tzinfo=UTC), 0.0),
        (datetime(2026, 1, 31, 12, tzinfo=UTC), 1_769_860_800.0),
        (datetime(2026, 1, 31, 12, 0, 0, 500_000, tzinfo=UTC), 1_769_860_800.5),
        (datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), -1.0),
    ],
    ids=str,
)
def test_seconds_count_from_1970(instant: datetime, seconds: float) -> None:
    counted = epoch_seconds(instant)

    assert counted == seconds


@given(st.integers(0, 2**33 * 1_000_000))
@example(4_477_061_705_470_527)
def test_an_instant_survives_being_counted_in_seconds(microseconds: int) -> None:
    instant = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)

    seconds = epoch_seconds(instant)

    assert from_epoch_seconds(seconds) == instant
