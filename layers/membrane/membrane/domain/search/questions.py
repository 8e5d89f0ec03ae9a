"""Analyse a task descriptor: terms, marks of names, periods of time, and the entities it names."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, pairwise
from types import MappingProxyType

from membrane.domain.language.names import STOPWORDS
from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.search.entries import Entry, unpack_terms
from membrane.domain.search.periods import Period, periods_in
from membrane.domain.search.searchable import CALLED, ENTITY, NAME, NUMBER, TIME, WHO
from membrane.domain.search.terms import mark, stem, term, words_of

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
    """Where the names of the entity stand in the question."""
    marks = question.called.keys() & unpack_terms(entry.terms)
    return [words for each in marks for words in question.called[each]]


def _is_longest(words: WordRange, every: AbstractSet[WordRange]) -> bool:
    start, end = words
    return not any(other != words and other[0] <= start and end <= other[1] for other in every)


def marks_of_named(question: Question, entries: Iterable[Entry]) -> AbstractSet[int]:
    """The marks that records about the named entities bear."""
    return frozenset(mark(ENTITY, entity_id) for entity_id in named_entities(question, entries))
