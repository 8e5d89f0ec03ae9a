"""Go through the documents below a prefix, in the order of their places, within the limits."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from membrane.domain.documents.document import Document
from membrane.domain.documents.filters import matches
from membrane.domain.documents.places import searchable_prefix
from membrane.domain.documents.requests import SearchDocuments
from membrane.domain.language.values import LargeValue
from membrane.usecases.documents.showing import value_of, visible
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World

MAX_EXAMINED = 5_000
"""Documents that a call reads, hidden documents included."""

MAX_LARGE_VALUES = 16
"""Large values that a call reads from the bucket."""

MAX_CHARACTERS = 8 * 1024 * 1024
"""Characters of JSON after which a call ends: finding all words takes 2 to 3 s of CPU."""


class Candidate(NamedTuple):
    """A document that meets the filter."""

    document: Document
    value: Any
    """The value as JSON if filter or words need the value; None for a value that was not read."""


class Found(NamedTuple):
    """A document for the reply; `score` is None without searchable texts."""

    document: Document
    score: float | None = None


@dataclass(slots=True)
class Examination:
    """A walk through documents; `after` is the place behind which the walk goes on."""

    request: SearchDocuments
    scope: str
    call: Call
    world: World
    now_s: float
    after: str | None
    is_ended: bool = False
    """Whether no document is left behind `after`."""
    examined: int = 0
    """The visible documents that were compared with the filter."""
    read: int = 0
    """The stored documents that were read."""
    _before: str | None = None
    """The place of the document before the last candidate."""
    _large_values: int = 0
    _characters: int = 0

    @property
    def has_query(self) -> bool:
        return bool(self.request.query.strip())

    def candidates(self, page_sizes: Iterable[int]) -> Iterator[Candidate]:
        """The visible documents that meet the filter, with one request for each page size.

        A filter or words that need a further large value end the walk early.
        """
        prefix = searchable_prefix(self.request.namespace_prefix)
        for wanted in page_sizes:
            size = min(wanted, MAX_EXAMINED - self.read)
            if size < 1:
                return
            page = self.world.documents.page(self.scope, prefix, self.after, size)
            last = page.documents[-1] if page.documents else None
            self.read += len(page.documents)
            for document in page.documents:
                if self._is_spent(document):
                    return
                self._before, self.after = self.after, document.place.sort_text
                self.is_ended = page.last is None and document is last
                yield from self._matches_in(document)
            self.after = page.last or self.after
            self.is_ended = page.last is None
            if self.is_ended:
                return

    def go_back(self) -> None:
        """Stand before the last candidate again."""
        self.after, self.is_ended = self._before, False

    def _matches_in(self, document: Document) -> Iterator[Candidate]:
        if not self._is_eligible(document):
            return
        self.examined += 1
        if isinstance(document.current.text, str):
            self._characters += len(document.current.text)
        value = self._value(document) if self._needs_value(document) else None
        if matches(self.request.filter, value):
            yield Candidate(document, value)

    def _is_eligible(self, document: Document) -> bool:
        prefix = self.request.namespace_prefix
        is_below = document.place.namespace[: len(prefix)] == prefix
        return is_below and visible(document, self.call.principal, self.now_s)

    def _needs_value(self, document: Document) -> bool:
        return bool(self.request.filter) or (self.has_query and bool(document.index))

    def _is_spent(self, document: Document) -> bool:
        """Whether the document is beyond the limits of the call."""
        if self._characters >= MAX_CHARACTERS:
            return True
        is_large = isinstance(document.current.text, LargeValue)
        return (
            is_large
            and self._large_values >= MAX_LARGE_VALUES
            and self._is_eligible(document)
            and self._needs_value(document)
        )

    def _value(self, document: Document) -> Any:
        text = document.current.text
        if isinstance(text, LargeValue):
            self._large_values += 1
            self._characters += text.size
            return json.loads(self.world.records.value(text))
        return value_of(text)
