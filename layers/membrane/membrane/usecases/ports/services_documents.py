"""The dependencies of keyed documents."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services import Services

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
    from membrane.usecases.ports.search import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentServices(Services):
    documents: "DynamoDocuments"
    embedder: "Callable[[], Embedder]"
    """Loads the embedder when a first text is embedded: most requests embed none."""
    cursor_key: Callable[[], bytes]
    """The key that seals cursors; equal in all execution environments."""
