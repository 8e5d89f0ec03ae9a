"""Add the interpretation of a captured record to the text by which search finds the record."""

from collections.abc import Iterator
from itertools import islice

from membrane.domain.records.interpretation import Interpretation, names_in
from membrane.domain.search.rendering import MAX_SEARCHED_CHARACTERS, text_of, up_to
from membrane.domain.search.terms import words_of

_MAX_NAMES = 200
"""The names searched of one interpretation."""


def with_interpretation(text: str, interpretation: Interpretation | None) -> str:
    """The text, and the summary, the labels and the names whose words the text lacks.

    A mention names words of the content, so most interpretations add few words. A repeated word
    would count as more frequent.
    """
    if interpretation is None:
        return text
    return text_of([text, *_lines_beyond(set(words_of(text)), interpretation)])


def _lines_beyond(said: set[str], interpretation: Interpretation) -> Iterator[str]:
    """The summary, and the names joined, without parts whose words are all among `said`."""
    summary = interpretation.summary[:MAX_SEARCHED_CHARACTERS]
    if not said.issuperset(words_of(summary)):
        yield summary
        said.update(words_of(summary))
    names = up_to(MAX_SEARCHED_CHARACTERS, islice(names_in(interpretation), _MAX_NAMES))
    yield ", ".join(name for name in dict.fromkeys(names) if not said.issuperset(words_of(name)))
