"""RFC 3339 timestamps in UTC, stored as text to keep every digit of a second."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import floor

NOT_GIVEN = "0001-01-01T00:00:00Z"
"""The zero time of Membrane; in a request: no timestamp was given."""

_PATTERN = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))",
    re.ASCII,
)
_SHAPE = "expected the form 2026-01-31T12:00:00Z, with a zone"


def normalise(text: str) -> str:
    """The instant in UTC with `Z`; the fraction is cut to nanoseconds, without trailing zeros.

    Raises ValueError, with the reason as message, if `text` is not an RFC 3339 timestamp.
    """
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(_SHAPE)
    whole, fraction, sign, hours, minutes = match.groups()
    offset = None if sign is None else _offset(sign, int(hours), int(minutes))
    try:
        local = datetime.fromisoformat(whole)
        utc = whole if offset is None else (local - offset).isoformat()
    except (ValueError, OverflowError) as error:
        raise ValueError("a part of the date is out of range") from error
    return _with_fraction(utc, (fraction or "")[:9])


@lru_cache(maxsize=16)  # a request formats the same instant many times
def rfc3339(instant: datetime) -> str:
    """The instant, which must have a time zone, in the form that `normalise` returns."""
    utc = instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    return _with_fraction(*utc.split("."))


def is_before(timestamp: str, other: str) -> bool:
    """Whether a normalised timestamp is before a second one, exact to the last digit.

    Without the `Z`, timestamps sort as text: a shorter fraction is a prefix of a longer one.
    """
    return timestamp.removesuffix("Z") < other.removesuffix("Z")


def later(timestamp: str, other: str) -> str:
    return other if is_before(timestamp, other) else timestamp


def epoch_seconds(instant: datetime) -> float:
    """Seconds since 1970, to the microsecond."""
    return (instant - _EPOCH) / _SECOND


def seconds_of(timestamp: str) -> float:
    """Seconds since 1970, to the microsecond."""
    return epoch_seconds(datetime.fromisoformat(timestamp))


def from_epoch_seconds(seconds: float) -> datetime:
    """The instant `seconds` after the start of 1970, rounded to the microsecond."""
    whole = floor(seconds)  # apart from the fraction, whose product with 1,000,000 is exact enough
    return _EPOCH + timedelta(seconds=whole, microseconds=round((seconds - whole) * 1_000_000))


_HOURS_A_DAY = 24
_MINUTES_AN_HOUR = 60
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)


def _offset(sign: str, hours: int, minutes: int) -> timedelta:
    if hours >= _HOURS_A_DAY or minutes >= _MINUTES_AN_HOUR:
        raise ValueError("the zone's offset is out of range")
    offset = timedelta(hours=hours, minutes=minutes)
    return offset if sign == "+" else -offset


def _with_fraction(utc: str, fraction: str) -> str:
    digits = fraction.rstrip("0")
    return f"{utc}.{digits}Z" if digits else f"{utc}Z"
