"""The entities among the candidates of a search that the question names by a whole name."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.search.entries import Entry, unpack_terms
from membrane.domain.search.questions import Question, WordRange
from membrane.domain.search.searchable import ENTITY
from membrane.domain.search.terms import mark


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
