"""Find the names of entities in a task: by first word, between word borders, longest first."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from membrane.domain.language.names import term_of
from membrane.domain.language.stop_words import STOPWORDS

MAX_SEARCHED_CHARACTERS = 10_000
"""The beginning of a task in which names are looked for."""

_WORD = re.compile(r"\S+")
_BORDER = "\"'`.,;:!?()[]{}<>*@"
"""Characters that may stand around a name and belong to the sentence."""
_POSSESSIVE = re.compile(r"['\u2019]s?\Z")


class Named(NamedTuple):
    """A name in a task, and the entity that bears the name."""

    start: int
    """The position in the normal form of the task."""
    term: str
    entity_id: str

    def is_within(self, other: "Named") -> bool:
        """Whether the name is a part of a longer name."""
        is_longer = len(other.term) > len(self.term)
        end, other_end = self.start + len(self.term), other.start + len(other.term)
        return is_longer and other.start <= self.start and end <= other_end


class TaskWords:
    """The words of a task at which names may begin."""

    def __init__(self, task: str) -> None:
        self._text = term_of(task[:MAX_SEARCHED_CHARACTERS])
        self._places: dict[str, list[int]] = {}
        for found in _WORD.finditer(self._text):
            for start, word in _readings(found[0]):
                places = self._places.setdefault(word, [])
                if found.start() + start not in places[-1:]:
                    places.append(found.start() + start)

    def best(self, limit: int) -> Sequence[str]:
        """The words to look up: no stop words before the rest, longer words first."""
        ranked = sorted(self._places, key=lambda each: (each in STOPWORDS, -len(each), each))
        return ranked[:limit]

    def names_among(self, word: str, entity_ids: Mapping[str, str]) -> Iterator[Named]:
        """The names among `entity_ids`, by term, that begin with `word` and stand in the task."""
        for term, entity_id in entity_ids.items():
            for start in self._places.get(word, ()):
                if self._text.startswith(term, start) and self._ends_at_border(start + len(term)):
                    yield Named(start, term, entity_id)

    def _ends_at_border(self, end: int) -> bool:
        return not (self._text[end - 1 : end + 1].isalnum() and end < len(self._text))


def _readings(word: str) -> Iterator[tuple[int, str]]:
    """The word as it stands and without the marks of the sentence around it, with positions."""
    bare = word.lstrip(_BORDER)
    for start, begun in dict.fromkeys(((0, word), (len(word) - len(bare), bare))):
        ended = begun.rstrip(_BORDER)
        for each in dict.fromkeys((begun, ended, _POSSESSIVE.sub("", ended))):
            if each:
                yield start, each


def longest(several: Iterable[Named]) -> Iterator[Named]:
    """The names that are no part of a longer name."""
    every = list(several)
    return (each for each in every if not any(each.is_within(other) for other in every))
