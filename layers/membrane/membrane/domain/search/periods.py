"""Find the dates and times in a text: "8 May 2023", "in June", "last week", "yesterday"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

from membrane.domain.language.timestamps import epoch_seconds

YEARS_BACK = 10
"""A month without a year means the month in every one of the last YEARS_BACK years."""

MAX_PERIODS = 1_000
"""The most periods from the dates of a text, and as many from words such as "last week".

A month without a year counts YEARS_BACK times.
"""

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_UNITS = {"day": 1, "week": 7, "month": 30, "year": 365}
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}

_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in _MONTHS if name != "may") + "|may|sept"
_AFTER_PREPOSITION = re.compile(
    r"\b(?:in|of|since|during|by|until|last|this|early|late|mid) $", re.IGNORECASE
)
_PREPOSITION_CHARACTERS = len("x during ")
"""The characters before a month in which a preposition may stand."""
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ISO = re.compile(rf"\b{_YEAR}-(?P<number>\d\d)(?:-(?P<day>\d\d))?\b")
_DAY_FIRST = re.compile(
    rf"\b{_DAY} (?:of )?(?P<month>{_MONTH})\b\.?(?:,? {_YEAR}\b)?", re.IGNORECASE
)
_MONTH_FIRST = re.compile(rf"\b(?P<month>{_MONTH})\b\.? {_DAY}\b(?:,? {_YEAR}\b)?", re.IGNORECASE)
_MONTH_ALONE = re.compile(rf"\b(?P<month>{_MONTH})\b\.?(?:,? (?:of )?{_YEAR}\b)?", re.IGNORECASE)
_YEAR_ALONE = re.compile(rf"\b{_YEAR}\b")
_AGO = re.compile(
    r"\b(?P<count>\d{1,3}|an?|one|two|three|four|five|six) (?P<unit>day|week|month|year)s? ago\b",
    re.IGNORECASE,
)
_LAST = re.compile(
    rf"\b(?P<which>last|this|past) (?P<unit>week|month|year|{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE
)
_ON = re.compile(rf"\bon (?P<unit>{'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)
_NEAR = re.compile(r"\b(?P<unit>yesterday|today)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Period:
    """From `from_s` inclusive to `to_s` exclusive, in seconds since 1970."""

    from_s: float
    to_s: float


def periods_in(text: str, now: datetime) -> tuple[Period, ...]:
    """The periods named in a text, in UTC, relative to `now`; without repeats, dates first.

    A month or a day without a year gives a period for each of the last YEARS_BACK years.
    """
    plain = " ".join(text.split())
    dates = islice(_on_the_calendar(plain, now), MAX_PERIODS)
    words = islice(_from_now(plain, now.astimezone(UTC)), MAX_PERIODS)
    return tuple(dict.fromkeys([*dates, *words]))


# --- dates --------------------------------------------------------------------------------------


def _on_the_calendar(plain: str, now: datetime) -> Iterator[Period]:
    """Periods from dates; the most exact form reads first, and a later form skips read text."""
    rest = plain
    for form in (_ISO, _DAY_FIRST, _MONTH_FIRST, _MONTH_ALONE, _YEAR_ALONE):
        for match in form.finditer(rest):
            yield from _periods_of(match, plain, now)
        rest = form.sub(lambda match: "#" * len(match[0]), rest)


def _periods_of(match: re.Match[str], plain: str, now: datetime) -> Iterator[Period]:
    named = match.groupdict()
    month = _month_of(named)
    if month is None and named.get("month") is None and "number" not in named:
        yield from _period(int(named["year"]))
    elif month is not None and not _is_a_verb(match, plain):
        year_given = named.get("year")
        recent = range(now.year, now.year - YEARS_BACK, -1)
        for year in (int(year_given),) if year_given else recent:
            yield from _period(year, month, int(named.get("day") or 0))


def _month_of(named: dict[str, str | None]) -> int | None:
    if name := named.get("month"):
        return 1 + [month[:3] for month in _MONTHS].index(name[:3].lower())
    number = int(named.get("number") or 0)
    return number if 1 <= number <= len(_MONTHS) else None


def _is_a_verb(match: re.Match[str], plain: str) -> bool:
    """Whether "may" or "march" is a verb: in small letters or first, without a preposition."""
    if match[0].lower() not in ("may", "march"):
        return False
    start = match.start()
    is_name = match[0][0].isupper() and start > 0
    before = plain[max(0, start - _PREPOSITION_CHARACTERS) : start]
    return not is_name and _AFTER_PREPOSITION.search(before) is None


def _period(year: int, month: int = 0, day: int = 0) -> Iterator[Period]:
    """The period of a year, of a month or of a day; empty for a date that does not exist."""
    try:
        start = datetime(year, month or 1, day or 1, tzinfo=UTC)
    except ValueError:
        return
    if day:
        yield _between(start, start + timedelta(days=1))
    elif month:
        yield _between(start, (start + timedelta(days=31)).replace(day=1))
    else:
        yield _between(start, start.replace(year=year + 1))


# --- from now -----------------------------------------------------------------------------------


def _from_now(plain: str, now: datetime) -> Iterator[Period]:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    for match in _NEAR.finditer(plain):
        yield _days_back(today, 1 if match["unit"].lower() == "yesterday" else 0, 1)
    for match in _AGO.finditer(plain):
        count = _NUMBERS.get(match["count"].lower()) or int(match["count"])
        days = _UNITS[match["unit"].lower()]
        yield _days_back(today, count * days + days // 2, days)  # half a unit either way
    for match in _LAST.finditer(plain):
        yield _last(today, match["which"].lower(), match["unit"].lower())
    for match in _ON.finditer(plain):
        yield _weekday(today, match["unit"].lower())


def _last(today: datetime, which: str, unit: str) -> Period:
    if unit in _WEEKDAYS:
        return _weekday(today, unit)
    start = _start_of(unit, today)
    if which == "this":
        return _between(start, today + timedelta(days=1))
    return _between(_start_of(unit, start - timedelta(days=1)), start)


def _start_of(unit: str, day: datetime) -> datetime:
    """The first day of the week, month or year of a day."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def _weekday(today: datetime, name: str) -> Period:
    back = (today.weekday() - _WEEKDAYS.index(name) - 1) % 7 + 1
    return _days_back(today, back, 1)


def _days_back(today: datetime, back: int, days: int) -> Period:
    start = today - timedelta(days=back)
    return _between(start, start + timedelta(days=days))


def _between(start: datetime, end: datetime) -> Period:
    return Period(epoch_seconds(start), epoch_seconds(end))
