"""What can be indexed, whatever it is: as it was loaded, and where its vector is kept."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.searchable import Searchable

if TYPE_CHECKING:
    from membrane.usecases.ports.search import Embedder, VectorStore

OUTLIVES_S = 3_600
"""Seconds for which a vector outlives its record's due instant: the sweep comes by then."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a vector is made from, as it was loaded."""

    id: str
    scope: str
    type: MemoryType
    sensitivity: Sensitivity
    version: int
    """Its `index_version`."""
    render: Callable[[], Searchable] | None
    """What of it is searched; None where it is not to be found."""
    due_s: int | None = None
    """When the sweep may take it; None = never."""

    @property
    def expires_at_s(self) -> int | None:
        """When TTL removes its vector."""
        return None if self.due_s is None else self.due_s + OUTLIVES_S

    def is_over(self, now_s: float) -> bool:
        """Whether the sweep is so late that TTL would remove the vector again and again."""
        return self.expires_at_s is not None and self.expires_at_s <= now_s


@dataclass(frozen=True, slots=True)
class Collection:
    """Things of one kind, and the vectors by which they are found."""

    load: Callable[[str], Source | None]
    load_all: Callable[[Sequence[str]], Mapping[str, Source]]
    """By id what `load` gives of each that is there; far fewer requests than ids."""
    vectors: "VectorStore"
    embedders: "Sequence[Embedder]"
    """The present one and, while it is changed, the former one."""
