"""Analyse a task descriptor: terms, marks of names, named entities, and dates and times."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import chain, islice, pairwise
from types import MappingProxyType

from membrane.domain.language.names import STOPWORDS
from membrane.domain.language.timestamps import epoch_seconds
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.search.entries import Entry, mark, stem, term, unpack_terms, words_of
from membrane.domain.search.searchable import CALLED, ENTITY, NAME, NUMBER, TIME, WHO

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


FAINT = 0.6
"""The weight of a word that is common in questions, such as "discussed"."""

MAX_WORDS = 200
"""The words of a question that are searched for; more words make a search no better."""

MAX_NAME_WORDS = 6
"""The words of the longest name of an entity that is found in a question."""

ANSWER_KIND = 0.5
"""The weight of the mark for a time or a number in an answer; a name has the weight 1."""

_ASKING_WORDS = """
    according answer ask asked conversation current currently decide describe detail did discuss
    discussed explain fact feel find give go happen happened help information kind know learn
    likely list main make mention mentioned name need people person plan planning prefer question
    reason recall relevant remember said say says show sort take talk talked tell think thing things
    time told try type use used using want way work would
"""
_ASKING = frozenset(_ASKING_WORDS.split())
_ASKING_FOR_TIME = (
    *("when", "how long", "how often", "what time", "what date", "which date", "what day"),
    *("which day", "what month", "which month", "what year", "which year"),
)
_ASKING_FOR_NUMBER = ("how many", "how much", "how often", "how old", "how far", "how long")


WordRange = tuple[int, int]
"""The position of the first word, and the position after the last word."""

NO_NAMES: Mapping[int, Sequence[WordRange]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Question:
    """An analysed task descriptor."""

    text: str
    """The text to embed."""
    terms: Mapping[int, float]
    """Weights by term, for the part `lexical`."""
    marks: Mapping[int, float]
    """Weights by mark: of speakers, tags, entities, times, numbers. See `terms.mark`."""
    periods: tuple[Period, ...] = ()
    called: Mapping[int, Sequence[WordRange]] = field(default_factory=lambda: NO_NAMES)
    """Where in the question the names stand that an entity may have, by mark."""


def question_of(text: str, now: datetime) -> Question:
    words = words_of(text)[:MAX_WORDS]
    called = dict[int, list[WordRange]]()
    for place in _ranges_of_names(words):
        called.setdefault(mark(CALLED, " ".join(words[slice(*place)])), []).append(place)
    return Question(text, _terms(words), dict(_marks(words)), periods_in(text, now), called)


def _ranges_of_names(words: Sequence[str]) -> Iterator[WordRange]:
    """Runs of up to MAX_NAME_WORDS words, as possible names; a stop word alone is no name."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + MAX_NAME_WORDS, len(words)) + 1):
            if end - start > 1 or words[start] not in STOPWORDS:
                yield start, end


def _terms(words: list[str]) -> dict[int, float]:
    telling = [word for word in words if word not in STOPWORDS]
    return {term(stem(word)): FAINT if word in _ASKING else 1.0 for word in telling}


def _marks(words: list[str]) -> Iterator[tuple[int, float]]:
    """Marks for every word and pair of words; a mark that is no name matches no entry."""
    named = [word for word in words if word not in STOPWORDS]
    named += [f"{first} {second}" for first, second in pairwise(words)]
    for name in named:
        yield mark(WHO, name), 1.0
        yield mark(NAME, name), 1.0
    asked = f" {' '.join(words)} "
    if any(f" {asking} " in asked for asking in _ASKING_FOR_TIME):
        yield TIME, ANSWER_KIND
    if any(f" {asking} " in asked for asking in _ASKING_FOR_NUMBER):
        yield NUMBER, ANSWER_KIND


def named_entities(question: Question, entries: Iterable[Entry]) -> Sequence[str]:
    """The ids of the named entities.

    A word of a longer name does not name the entity, and a name does not count where it is a part
    of a longer name that another entity bears.
    """
    places = {
        entry.record_id: found
        for entry in entries
        if entry.type is MemoryType.ENTITY and (found := _word_ranges(question, entry))
    }
    every = set(chain.from_iterable(places.values()))
    return [
        each for each, found in places.items() if any(_is_longest(words, every) for words in found)
    ]


def _word_ranges(question: Question, entry: Entry) -> Sequence[WordRange]:
    marks = question.called.keys() & unpack_terms(entry.terms)
    return [words for each in marks for words in question.called[each]]


def _is_longest(words: WordRange, every: AbstractSet[WordRange]) -> bool:
    start, end = words
    return not any(other != words and other[0] <= start and end <= other[1] for other in every)


def marks_of_named(question: Question, entries: Iterable[Entry]) -> AbstractSet[int]:
    """The marks that records about the named entities bear."""
    return frozenset(mark(ENTITY, entity_id) for entity_id in named_entities(question, entries))
