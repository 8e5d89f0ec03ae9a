"""The world of the use cases that retrieve, and of those that keep the search index."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.domain.search.fusion import Weights
    from membrane.usecases.ports.catalogue import Catalogue
    from membrane.usecases.ports.search import (
        AnswerReceipts,
        Embedder,
        SearchIndex,
        SetAside,
        VectorStore,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingServices(Services):
    search: "SearchIndex"
    vectors: "VectorStore"
    embedder: "Embedder"
    """Of questions: its vectors are searched."""
    embedders: "Sequence[Embedder]"
    """Of what is indexed: the present one and, while it is changed, the former one."""
    set_aside: "SetAside"
    catalogue: "Catalogue"
    receipts: "AnswerReceipts"
    cursor_key: Callable[[], bytes]
    """The key under which cursors are sealed, the same in every environment."""
    weights: "Weights"
    score_floor: float
    """What scores less for a task is left out, where the request does not say."""
