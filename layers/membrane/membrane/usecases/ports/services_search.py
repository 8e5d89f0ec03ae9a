"""The dependencies of retrieval and indexing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.catalogue import DynamoCatalogue
    from membrane.adapters.dynamodb.search.vector_search import VectorSearch
    from membrane.adapters.dynamodb.search.vector_store import DynamoVectors
    from membrane.domain.search.score import Weights
    from membrane.usecases.ports.search import Embedder, SetAside, TopicsOfEntities


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingServices(Services):
    search: "VectorSearch"
    vectors: "DynamoVectors"
    embedder: "Embedder"
    """The embedder of questions; retrieval searches the vectors of this embedder."""
    embedders: "Sequence[Embedder]"
    """The embedders of indexed texts: the present and, during a change, the former embedder."""
    set_aside: "SetAside"
    catalogue: "DynamoCatalogue"
    cursor_key: Callable[[], bytes]
    """The key that seals cursors; equal in all execution environments."""
    weights: "Weights"
    score_floor: float
    """The default of `min_score`."""
    topics_of_entities: "TopicsOfEntities"
    receipt_wait_s: float = 2.0
    """Seconds that a finished answer waits for the write of the receipt."""
