"""What of a record is searched: rendered as text, as terms, and placed in time and thread."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Protocol

from membrane.domain.language.digests import digest
from membrane.domain.language.timestamps import seconds_of
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records.payloads import (
    MESSAGE_PREFIX,
    CompetencePayload,
    EntityPayload,
    EpisodicPayload,
    PlanGraphPayload,
    SemanticPayload,
    WorkingPayload,
)
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search.brief import happened_at
from membrane.domain.search.entries import Entry, order_of, pack_dense, pack_terms
from membrane.domain.search.rendering import MAX_SEARCHED_CHARACTERS, rendered
from membrane.domain.search.terms import mark, terms_of, words_of

WHO = "who"
"""The kind of a mark for who says or reports it."""

NAME = "name"
"""The kind of a mark for what it is about, by name or by tag."""

TELLS = "tells"
"""The kind of a mark for what a text has that questions ask for: see `TIME`, `NUMBER`."""

TIME = mark(TELLS, "time")
NUMBER = mark(TELLS, "number")
ASKS = mark(TELLS, "asks")
"""Of a text that ends in a question: what answers it comes after it."""

MAX_MARKS = 2_000
"""Marks of one record; the first ones stay. With its terms they leave an entry under 400 KB."""

IN_TIME = "time"
"""The thread of episodes that number no turns: their neighbours are those of the same time."""


@dataclass(frozen=True, slots=True)
class Searchable:
    """What an `Entry` is made from."""

    text: str
    """What is embedded."""
    terms: Mapping[int, int]
    """How often each term occurs, marks of speaker, tags and entities included."""
    happened_s: float
    thread: str = ""
    order: str = ""


def searchable(record: MemoryRecord) -> Searchable:
    text = rendered(record)
    who = _speaker(record, text)
    said = text.removeprefix(f"{who}: ") if who else text
    created_s = seconds_of(record.created_at)
    happened_s = seconds_of(happened_at(record))
    thread, position = _turn(record)
    return Searchable(
        text=f"{who}: {said}"[:MAX_SEARCHED_CHARACTERS] if who else said,
        terms=terms_of(said) | marks_of(said, [who], [*record.tags, *_names(record)]),
        happened_s=happened_s,
        thread=thread,
        order=order_of(happened_s, created_s, position) if thread else "",
    )


class Placed(Protocol):
    """A record, or what else has an entry."""

    @property
    def id(self) -> str:
        """Under which it is found."""

    @property
    def scope(self) -> str:
        """Empty = unscoped."""

    @property
    def type(self) -> MemoryType:
        """As what it is found."""

    @property
    def sensitivity(self) -> Sensitivity:
        """Of all of it."""


def entry_of(source: Placed, found: Searchable, dense: Iterable[float]) -> Entry:
    return Entry(
        record_id=source.id,
        scope=source.scope,
        type=source.type,
        sensitivity=source.sensitivity,
        terms=pack_terms(found.terms),
        dense=pack_dense(tuple(dense)),
        happened_s=found.happened_s,
        thread=digest(source.scope, found.thread).hex()[:32] if found.thread else "",
        order=found.order,
    )


# --- who ----------------------------------------------------------------------------------------

_SAYS = re.compile(r"(?P<who>[^\W\d_][\w.'-]{0,30}(?: [^\W\d_][\w.'-]{0,30}){0,2}): ")


def _speaker(record: MemoryRecord, text: str) -> str:
    """Who speaks in an episode, by its first words, else who reported it; else empty.

    The first words of a message are its own: "Note: " names nobody.
    """
    payload = record.payload
    if not isinstance(payload, EpisodicPayload):
        return ""
    is_message = any(event.event_kind.startswith(MESSAGE_PREFIX) for event in payload.timeline[:1])
    named = None if is_message else _SAYS.match(text)
    sources = record.provenance.sources
    reported_by = sources[0].created_by if sources else ""
    return named["who"] if named and named["who"][0].isupper() else reported_by


# --- marks --------------------------------------------------------------------------------------

_OF_TIME = """
    yesterday today tonight tomorrow ago last next week weekend month year morning afternoon
    evening night since monday tuesday wednesday thursday friday saturday sunday january february
    march april june july august september october november december recently soon summer winter
    spring autumn fall
"""
_TIME_WORDS = frozenset(_OF_TIME.split())
_OF_NUMBER = """
    two three four five six seven eight nine ten eleven twelve dozen couple several twice hundred
    thousand half both once
"""
_NUMBER_WORDS = frozenset(_OF_NUMBER.split())


def marks_of(said: str, who: Iterable[str] = (), names: Iterable[str] = ()) -> Counter[int]:
    """At most MAX_MARKS marks of what a text has, who says it, and what it is about; each once."""
    told = _telling(said, set(words_of(said)))
    speakers, about = _read(who), _read(names)
    return Counter(set(islice(chain(told, _named(WHO, speakers), _named(NAME, about)), MAX_MARKS)))


def _read(names: Iterable[str]) -> Iterator[str]:
    """The names, until together they have MAX_SEARCHED_CHARACTERS; of the last the beginning."""
    left = MAX_SEARCHED_CHARACTERS
    for name in names:
        yield name[:left]
        left -= len(name)
        if left <= 0:
            return


def _named(kind: str, names: Iterable[str]) -> Iterator[int]:
    for name in names:
        words = words_of(name)
        yield from (mark(kind, word) for word in words)
        if len(words) > 1:
            yield mark(kind, " ".join(words))


def _names(record: MemoryRecord) -> tuple[str, ...]:
    match record.payload:
        case EpisodicPayload(tool_graph=nodes):
            return tuple(node.tool for node in nodes)
        case WorkingPayload(thread_id=name):
            return (name,)
        case SemanticPayload(subject=name):
            return (name,)
        case CompetencePayload(skill_name=name, required_tools=tools):
            return (name, *tools)
        case PlanGraphPayload(plan_id=name, intent=intent):
            return (name, intent)
        case EntityPayload(canonical_name=name, aliases=aliases):
            return (name, *(alias.value for alias in aliases))


def _telling(said: str, words: set[str]) -> Iterator[int]:
    if words & _TIME_WORDS:
        yield TIME
    if words & _NUMBER_WORDS or any(word.isdecimal() for word in words):
        yield NUMBER
    if said.rstrip().endswith("?"):
        yield ASKS


# --- threads ------------------------------------------------------------------------------------

_POSITION = re.compile(r"\d{1,9}\Z")
_POSITION_DIGITS = 9
_HEX_ID = re.compile(r"[0-9a-fA-F-]{16}")
_HEX_ID_CHARACTERS = 16


def _turn(record: MemoryRecord) -> tuple[str, int | None]:
    """Thread and position: of a turn those in its ref (`D1:3`, `thread-1:turn-7`)."""
    match record.payload:
        case EpisodicPayload(timeline=(first, *_)):
            return _turn_named(first.ref)
        case EpisodicPayload():
            return IN_TIME, None
        case WorkingPayload(thread_id=thread):
            return f"working {thread}", None
        case _:
            return "", None


def _turn_named(ref: str) -> tuple[str, int | None]:
    """Thread and position in a ref that ends in a number; a hexadecimal id names no position."""
    position = _POSITION.search(ref, max(0, len(ref) - _POSITION_DIGITS))
    if position is None or _HEX_ID.fullmatch(ref, max(0, len(ref) - _HEX_ID_CHARACTERS)):
        return IN_TIME, None
    return f"ref {ref[: position.start()]}", int(position[0])
