"""The search index: records by words and embedding; receipts of retrievals."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from membrane.domain.language.vocabulary import MemoryType, Sensitivity

if TYPE_CHECKING:
    from membrane.domain.search.entries import Entry
    from membrane.domain.search.questions import Question

MAX_FOUND = 200
"""The most candidates of one search; ranking follows."""

RECEIPT_PERIOD = timedelta(days=7)


class Embedder(Protocol):
    """Turns texts into dense vectors. May raise ResourceExhausted or Unavailable."""

    @property
    def name(self) -> str:
        """The name of the vector space; stored with each vector."""

    @property
    def dimensions(self) -> int: ...

    @property
    def concurrency(self) -> int | None:
        """The number of texts that a call of `embed` embeds at the same time; None = one by one."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector of length 1 for each text; all zeros for a text without content."""


@dataclass(frozen=True, slots=True)
class Search:
    question: "Question"
    dense: Sequence[float]
    """The vector of the question; the searched index has vectors of the same dimensions."""
    scopes: Sequence[str]
    """At most MAX_SCOPES; "" = unscoped."""
    ceiling: Sensitivity
    types: frozenset[MemoryType]


@dataclass(frozen=True, slots=True)
class SearchResult:
    entries: "Sequence[Entry]"
    """At most MAX_FOUND, the nearest first; all in the scopes and up to the ceiling."""
    examined_bytes: int
    """The number of bytes that the vector index examined."""


class Waiting(StrEnum):
    """The kind of a source that is set aside for a retry: the name of the id in the message."""

    RECORD = "record_id"
    TOPIC = "topic_id"
    CREATED = "created_record_id"
    """A new record, to send to a model if the record is a capture."""
    ENDED = "ended_record_id"
    """A changed step, whose thread has ended if the step has an outcome."""


class SetAside(Protocol):
    def __call__(
        self, source_id: str, scopes: Sequence[str], kind: Waiting = Waiting.RECORD
    ) -> None:
        """Queue a failed source with scopes of possible entries. Raises the queue's errors."""


class NamedTopic(NamedTuple):
    """A topic that refers to an entity."""

    topic_id: str
    title: str
    entity_id: str
