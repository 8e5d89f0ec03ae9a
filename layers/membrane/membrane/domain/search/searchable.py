"""Make the entry of a record: text, terms, marks, and the place in time and thread."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Protocol

from membrane.domain.language.json_text import digest
from membrane.domain.language.timestamps import seconds_of
from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.records import payloads
from membrane.domain.records.evidence import linked_entity_ids
from membrane.domain.records.interpretation import Interpretation, names_in
from membrane.domain.records.records import MemoryRecord
from membrane.domain.search import entries, rendering

WHO = "who"
"""The kind of a mark for the speaker or the reporter."""

NAME = "name"
"""The kind of a mark for a name or a tag."""

ENTITY = "entity"
"""The kind of a mark for an entity that the record is about, with the id of the entity."""

CALLED = "called"
"""The kind of a mark for a whole name of an entity, on the entity itself; see `whole_name`."""

TELLS = "tells"
"""The kind of a mark for a property of the text that questions ask for: see `TIME`, `NUMBER`."""

TIME = entries.mark(TELLS, "time")
NUMBER = entries.mark(TELLS, "number")
ASKS = entries.mark(TELLS, "asks")
"""The mark of a text that ends in a question; the answer follows in a later turn."""

MAX_MARKS = 2_000
"""Marks of one record; the first marks are kept. Terms and marks stay below 400 KB an entry."""

MAX_WHOLE_NAMES = 500
"""Whole names of one entity with a mark; words of all names have marks, too."""

_MAX_NAMES = 200
"""The names searched of one interpretation."""

IN_TIME = "time"
"""The thread of episodes without turn numbers: neighbours are the episodes of the same time."""


@dataclass(frozen=True, slots=True)
class Searchable:
    """The parts from which `entry_of` makes an entry, once the text is embedded."""

    text: str
    """The text to embed."""
    terms: Mapping[int, int]
    """The number of occurrences of each term, marks included."""
    happened_s: float
    thread: str = ""
    order: str = ""


def searchable(record: MemoryRecord) -> Searchable:
    text = with_interpretation(rendering.searched_text(record), record.interpretation)
    who = _speaker(record, text)
    said = text.removeprefix(f"{who}: ") if who else text
    created_s = seconds_of(record.created_at)
    happened_s = seconds_of(rendering.happened_at(record))
    thread, position = _turn(record)
    return Searchable(
        text=f"{who}: {said}"[: rendering.MAX_SEARCHED_CHARACTERS] if who else said,
        terms=entries.terms_of(said) | _marks(record, said, who),
        happened_s=happened_s,
        thread=thread,
        order=entries.order_of(happened_s, created_s, position) if thread else "",
    )


class Placed(Protocol):
    """A record or a topic: the source of an entry."""

    @property
    def id(self) -> str: ...

    @property
    def scope(self) -> str:
        """Empty = unscoped."""

    @property
    def type(self) -> MemoryType: ...

    @property
    def sensitivity(self) -> Sensitivity: ...


def entry_of(source: Placed, found: Searchable, dense: Iterable[float]) -> entries.Entry:
    return entries.Entry(
        record_id=source.id,
        scope=source.scope,
        type=source.type,
        sensitivity=source.sensitivity,
        terms=entries.pack_terms(found.terms),
        dense=entries.pack_dense(tuple(dense)),
        happened_s=found.happened_s,
        thread=digest(source.scope, found.thread).hex()[:32] if found.thread else "",
        order=found.order,
    )


# --- who ----------------------------------------------------------------------------------------

_SAYS = re.compile(r"(?P<who>[^\W\d_][\w.'-]{0,30}(?: [^\W\d_][\w.'-]{0,30}){0,2}): ")


def _speaker(record: MemoryRecord, text: str) -> str:
    """The speaker in an episode, from first words such as "Ann: ", else the reporter; else empty.

    The first words of a message are content: "Note: " in a message names no speaker.
    """
    payload = record.payload
    if not isinstance(payload, payloads.EpisodicPayload):
        return ""
    is_message = any(
        event.event_kind.startswith(payloads.MESSAGE_PREFIX) for event in payload.timeline[:1]
    )
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


def _marks(record: MemoryRecord, said: str, who: str) -> Counter[int]:
    names = [*record.tags, *_names(record)]
    return marks_of(said, [who], names, linked_entity_ids(record.relations), _whole_names(record))


def marks_of(
    said: str,
    who: Iterable[str] = (),
    names: Iterable[str] = (),
    entity_ids: Iterable[str] = (),
    called: Iterable[str] = (),
) -> Counter[int]:
    """At most MAX_MARKS marks: of properties of the text, of entities, of speakers, of names."""
    properties = _property_marks(said, set(entries.words_of(said)))
    entities = (entries.mark(ENTITY, each) for each in entity_ids)
    whole_names = (entries.mark(CALLED, each) for each in called)
    speakers = _name_marks(WHO, _cut_to_searched(who))
    about = _name_marks(NAME, _cut_to_searched(names))
    return Counter(
        set(islice(chain(properties, entities, whole_names, speakers, about), MAX_MARKS))
    )


def _cut_to_searched(names: Iterable[str]) -> Iterator[str]:
    """The names up to MAX_SEARCHED_CHARACTERS in total; the last name may be cut."""
    left = rendering.MAX_SEARCHED_CHARACTERS
    for name in names:
        yield name[:left]
        left -= len(name)
        if left <= 0:
            return


def _name_marks(kind: str, names: Iterable[str]) -> Iterator[int]:
    """A mark for each word of each name, and for a name of several words as a whole."""
    for name in names:
        words = entries.words_of(name)
        yield from (entries.mark(kind, word) for word in words)
        if len(words) > 1:
            yield entries.mark(kind, " ".join(words))


def _names(record: MemoryRecord) -> tuple[str, ...]:
    match record.payload:
        case payloads.EpisodicPayload(tool_graph=nodes):
            return tuple(node.tool for node in nodes)
        case payloads.WorkingPayload(thread_id=name):
            return (name,)
        case payloads.SemanticPayload(subject=name):
            return (name,)
        case payloads.CompetencePayload(skill_name=name, required_tools=tools):
            return (name, *tools)
        case payloads.PlanGraphPayload(plan_id=name, intent=intent):
            return (name, intent)
        case payloads.EntityPayload(canonical_name=name, aliases=aliases):
            return (name, *(alias.value for alias in aliases))


def _whole_names(record: MemoryRecord) -> Iterator[str]:
    """At most MAX_WHOLE_NAMES whole names of an entity."""
    if isinstance(record.payload, payloads.EntityPayload):
        several = map(whole_name, _cut_to_searched(names_of(record.payload)))
        yield from islice(filter(None, several), MAX_WHOLE_NAMES)


def names_of(entity: payloads.EntityPayload) -> Iterator[str]:
    """The canonical name, the aliases, and the identifiers of an entity."""
    yield entity.canonical_name
    yield from (alias.value for alias in entity.aliases)
    yield from (identifier.value for identifier in entity.identifiers)


def whole_name(name: str) -> str:
    """The words of a name, joined by spaces; the form in which names are compared."""
    return " ".join(entries.words_of(name))


def _property_marks(said: str, words: set[str]) -> Iterator[int]:
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
    """The thread and the position of a record; an event's ref has both (`D1:3`, `chat:turn-7`)."""
    match record.payload:
        case payloads.EpisodicPayload(timeline=(first, *_)):
            return _turn_in(first.ref)
        case payloads.EpisodicPayload():
            return IN_TIME, None
        case payloads.WorkingPayload(thread_id=thread):
            return f"working {thread}", None
        case _:
            return "", None


def _turn_in(ref: str) -> tuple[str, int | None]:
    """The thread and the position in a ref that ends in a number; a hexadecimal id has neither."""
    position = _POSITION.search(ref, max(0, len(ref) - _POSITION_DIGITS))
    if position is None or _HEX_ID.fullmatch(ref, max(0, len(ref) - _HEX_ID_CHARACTERS)):
        return IN_TIME, None
    return f"ref {ref[: position.start()]}", int(position[0])


def with_interpretation(text: str, interpretation: Interpretation | None) -> str:
    """The text, and the summary, the labels and the names whose words the text lacks.

    A mention names words of the content, so most interpretations add few words. A repeated word
    would count as more frequent.
    """
    if interpretation is None:
        return text
    return rendering.text_of([text, *_lines_beyond(set(entries.words_of(text)), interpretation)])


def _lines_beyond(said: set[str], interpretation: Interpretation) -> Iterator[str]:
    """The summary, and the names joined, without parts whose words are all among `said`."""
    summary = interpretation.summary[: rendering.MAX_SEARCHED_CHARACTERS]
    if not said.issuperset(entries.words_of(summary)):
        yield summary
        said.update(entries.words_of(summary))
    names = rendering.up_to(
        rendering.MAX_SEARCHED_CHARACTERS, islice(names_in(interpretation), _MAX_NAMES)
    )
    yield ", ".join(
        name for name in dict.fromkeys(names) if not said.issuperset(entries.words_of(name))
    )
