"""The entities among the candidates of a search that the question names by a whole name."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from membrane.domain.language.vocabulary import MemoryType
from membrane.domain.search.entries import Entry, unpack_terms
from membrane.domain.search.questions import Question
from membrane.domain.search.searchable import ENTITY
from membrane.domain.search.terms import mark


def named_entities(question: Question, entries: Iterable[Entry]) -> Iterator[str]:
    """The ids of the named entities; a word of a longer name does not name the entity."""
    for entry in entries:
        is_entity = entry.type is MemoryType.ENTITY
        if is_entity and not question.called.isdisjoint(unpack_terms(entry.terms)):
            yield entry.record_id


def marks_of_named(question: Question, entries: Iterable[Entry]) -> AbstractSet[int]:
    """The marks that records about the named entities bear."""
    return frozenset(mark(ENTITY, entity_id) for entity_id in named_entities(question, entries))
