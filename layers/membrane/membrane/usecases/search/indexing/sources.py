"""What can be indexed, whatever it is: as it was loaded, and where it and its entries are kept."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.domain.language.vocabulary import MemoryType, Sensitivity
from membrane.domain.search.searchable import Searchable

if TYPE_CHECKING:
    from membrane.usecases.ports.search import Embedder, EntryStore


@dataclass(frozen=True, slots=True)
class Source:
    """What an entry is made from, as it was loaded."""

    id: str
    scope: str
    type: MemoryType
    sensitivity: Sensitivity
    version: int
    """Its `index_version`."""
    render: Callable[[], Searchable] | None
    """What of it is searched; None where it is not to be found."""


@dataclass(frozen=True, slots=True)
class Collection:
    """Things of one kind, and the entries by which they are found."""

    load: Callable[[str], Source | None]
    load_all: Callable[[Sequence[str]], Mapping[str, Source]]
    """By id what `load` gives of each that is there; far fewer requests than ids."""
    entries: "EntryStore"
    embedder: "Embedder"
