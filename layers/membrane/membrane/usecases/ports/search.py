"""The search index: entries of records that are found by their words and their meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.entries import Entry
from membrane.domain.search.frequencies import Frequencies
from membrane.domain.search.questions import Question

MAX_FOUND = 200
"""Entries that a search finds at most; they are then ranked exactly."""


class Embedder(Protocol):
    """Turns texts into dense vectors. May raise ResourceExhausted or Unavailable."""

    @property
    def name(self) -> str:
        """What tells its vectors from those of any other; stored with each."""

    @property
    def dimensions(self) -> int:
        """Of its vectors."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector of length 1 for each text; all zeros for one that has nothing in it."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched, and where."""

    question: Question
    dense: Sequence[float]
    """The question's own vector."""
    scopes: Sequence[str]
    """At most MAX_SCOPES; "" = unscoped."""
    ceiling: Sensitivity
    types: frozenset[MemoryType]
    frequencies: Frequencies
    """Of the same scopes, up to the same ceiling."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found."""

    entries: Sequence[Entry]
    """At most MAX_FOUND, the likeliest first; none outside the scopes or above the ceiling."""
    examined_bytes: int | None = None
    """What the vector index went through for it; None where no such index was asked."""


class SearchIndex(Protocol):
    """Entries, for reading. May lag behind the records; may raise what RecordStore does."""

    def scopes(self) -> Sequence[str]:
        """The scopes that have entries, in no order; MAX_SCOPES + 1 at most."""

    def frequencies(self, scopes: Sequence[str], ceiling: Sensitivity) -> Frequencies:
        """What the snapshots of these scopes tell of entries up to the ceiling, and of no other."""

    def search(self, search: Search) -> Found:
        """The likeliest entries; raises WrongEmbedder where those stored are of another one."""

    def at(self, places: Sequence[tuple[str, str]]) -> Sequence[Entry]:
        """The entries at these places, by scope and id, in no order; there may be none at some.

        As they are now; raises WrongEmbedder where one of them is of another embedder.
        """

    def beside(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Of each entry that has a thread, those just before and just after it.

        Of any sensitivity: who asks must look at each. Once each, and none of `entries`.
        """


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands in the index for a record: of which version of it, and made from what."""

    version: int
    digest: bytes
    """Of the searchable text, of what is filtered by, and of the embedder; empty once removed."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How entries are written now; those that were written otherwise have to be made anew."""

    embedder: str
    vector: bool
    """Whether they carry a vector for the vector index."""
    shards: int
    """Over how many the entries of a scope are spread."""


class EntryStore(Protocol):
    """Entries, for writing. May raise what RecordStore does."""

    @property
    def layout(self) -> Layout:
        """How it writes."""

    def standing(self, places: Sequence[tuple[str, str]]) -> Mapping[tuple[str, str], Standing]:
        """By scope and record id what stands there; good for sparing work alone: others write."""

    def put(self, entry: Entry, standing: Standing) -> bool:
        """Write an entry; False, and nothing is done, where a later version's stands there."""

    def remove(self, scope: str, record_id: str, version: int) -> bool:
        """Leave a marker in the entry's place, so that nothing older comes back; as `put`."""

    def displace(self, scope: str, record_id: str, shard: int) -> bool:
        """Remove the entry in that shard; False, and nothing is done, where it belongs there."""

    def disown(self, scope: str, record_id: str) -> bool:
        """Remove an entry that another embedder made; False, and nothing is done, for any other.

        An entry of whatever version may then be put in its place.
        """

    def moved(self, scope: str, added: int) -> None:
        """Tell readers that the scope has other entries now, so many more; once a batch.

        Makes a new snapshot of its frequencies where there is none, and where the scope has doubled
        or lost more than half of its entries since the last one.
        """

    def count(self, scope: str, after: str | None) -> tuple[int, str | None]:
        """How many entries the next part of the scope has, and where the part after it begins."""

    def settled(self, scope: str, documents: int) -> None:
        """Tell readers that the scope has about so many entries, all by the present embedder."""


class Waiting(StrEnum):
    """What is set aside for a later try, as its message names it."""

    RECORD = "record_id"
    """To be counted and indexed."""
    TOPIC = "topic_id"
    FED = "fed_record_id"
    """A record that topics are to be fed with."""


class SetAside(Protocol):
    """Keeps what failed by itself for a later try, by its key alone."""

    def __call__(
        self, source_id: str, scopes: Sequence[str], kind: Waiting = Waiting.RECORD
    ) -> None:
        """`scopes` are those in which it may have an entry. May raise what RecordStore does."""
