"""The search index: records found by their words and their meaning; receipts of searches."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Protocol

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.answer_receipts import AnswerReceipt
from membrane.domain.search.entries import Entry
from membrane.domain.search.questions import Question

MAX_FOUND = 200
"""Entries that a search finds at most; they are then ranked."""

RECEIPT_PERIOD = timedelta(days=7)


class Embedder(Protocol):
    """Turns texts into dense vectors. May raise ResourceExhausted or Unavailable."""

    @property
    def name(self) -> str:
        """What tells its vectors from those of any other; stored with each."""

    @property
    def dimensions(self) -> int: ...

    @property
    def portion(self) -> int:
        """How many texts it is best given at a time, where there are many."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector of length 1 for each text; all zeros for one that has nothing in it."""


@dataclass(frozen=True, slots=True)
class Search:
    question: Question
    dense: Sequence[float]
    """The question's own vector; the index that is searched has vectors of its dimensions."""
    scopes: Sequence[str]
    """At most MAX_SCOPES; "" = unscoped."""
    ceiling: Sensitivity
    types: frozenset[MemoryType]


@dataclass(frozen=True, slots=True)
class SearchResult:
    entries: Sequence[Entry]
    """At most MAX_FOUND, the nearest first; none outside the scopes or above the ceiling."""
    examined_bytes: int
    """What the vector index went through for it."""


class SearchIndex(Protocol):
    """Entries, for reading. May lag behind the records; may raise what RecordStore does."""

    def scopes(self, prefix: str = "") -> Sequence[str]:
        """The scopes with that prefix that have, or had, entries, in no order.

        MAX_SCOPES + 1 at most.
        """

    def search(self, search: Search) -> SearchResult:
        """The nearest entries; raises WrongEmbedder where another embedder made one of them."""

    def at(self, source_ids: Sequence[str], dimensions: int) -> Sequence[Entry]:
        """The entries of these ids, in no order, with dense vectors of so many dimensions.

        Some may have none. Raises WrongEmbedder where another embedder made one of them.
        """


class VectorStore(Protocol):
    """Entries, for writing. May raise what RecordStore does."""

    def put_entry(
        self, entry: Entry, version: int, expires_at_s: int | None, former: bytes | None = None
    ) -> bool:
        """Write an entry; False, and nothing is done, where a later version's stands there.

        `former` is the packed vector by the former embedder, while the embedder is changed. The
        entry goes at `expires_at_s`, in seconds since 1970; None = never.
        """


class Waiting(StrEnum):
    """What is set aside for a later try, as its message names it."""

    RECORD = "record_id"
    TOPIC = "topic_id"
    FED = "fed_record_id"
    """A record that topics are to be fed with."""


class SetAside(Protocol):
    def __call__(
        self, source_id: str, scopes: Sequence[str], kind: Waiting = Waiting.RECORD
    ) -> None:
        """`scopes` are those in which it may have an entry. May raise what RecordStore does."""


class AnswerReceipts(Protocol):
    """Receipts of retrievals. May raise ResourceExhausted or Unavailable."""

    def keep(self, receipt: AnswerReceipt) -> None:
        """Keep it for RECEIPT_PERIOD, as one item of 4 KB at most."""

    def find(self, receipt_id: str) -> AnswerReceipt | None:
        """The receipt, unless its time is over."""
