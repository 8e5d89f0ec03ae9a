"""Stores that refuse writes to a fenced scope; deletions and erasures pass."""

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
    from membrane.adapters.dynamodb.erasure.fences import DynamoFences
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.domain.documents.document import Document, Version
    from membrane.domain.documents.items import Chunk
    from membrane.domain.language.values import LargeValue
    from membrane.usecases.ports.documents import Once, Receipt
    from membrane.usecases.ports.topics import TopicChange


def fence_topics(topics: "DynamoTopics", fences: "DynamoFences") -> "DynamoTopics":
    return cast("DynamoTopics", _FencedTopics(topics, fences))


def fence_documents(documents: "DynamoDocuments", fences: "DynamoFences") -> "DynamoDocuments":
    return cast("DynamoDocuments", _FencedDocuments(documents, fences))


def unfenced_topics(topics: "DynamoTopics") -> "DynamoTopics":
    """The store behind the fences; for the erasure itself."""
    return topics.unfenced if isinstance(topics, _FencedTopics) else topics


class _FencedTopics:
    """Passes every method on; `commit` asks the fences before a write of topics.

    A change that takes a revision out for good passes.
    """

    def __init__(self, topics: "DynamoTopics", fences: "DynamoFences") -> None:
        self.unfenced = topics
        self._fences = fences

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfenced, name)

    def commit(self, change: "TopicChange") -> None:
        scopes = {after.scope for _, after in change.topics}
        if scopes and not change.departed:
            self._fences.require_open(scopes)
        self.unfenced.commit(change)


class _FencedDocuments:
    """Passes every method on; the methods that write content ask the fences first.

    A deletion passes unless it moves former values, which are written before the deletion is
    decided. An erasure passes, and so do items that are taken off without a key, which would keep
    them for a repeat.
    """

    def __init__(self, documents: "DynamoDocuments", fences: "DynamoFences") -> None:
        self.unfenced = documents
        self._fences = fences

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unfenced, name)

    def replace(
        self,
        before: "Document | None",
        after: "Document",
        leaving: "Sequence[Version]" = (),
        *,
        history_until_s: float,
        large: "Mapping[LargeValue, bytes]",
        once: "Once | None" = None,
    ) -> None:
        if not after.is_deleted or any(version.text is not None for version in leaving):
            self._fences.require_open({after.place.scope})
        self.unfenced.replace(
            before, after, leaving, history_until_s=history_until_s, large=large, once=once
        )

    def put_chunk(self, before: "Chunk | None", after: "Chunk", once: "Once | None" = None) -> None:
        self._fences.require_open({after.place.scope})
        self.unfenced.put_chunk(before, after, once)

    def take_off(self, cut: "Sequence[tuple[Chunk, Chunk]]", once: "Once | None") -> None:
        if once is not None:
            self._fences.require_open({once.place.scope})
        self.unfenced.take_off(cut, once)

    def note(self, identity: str, operation_id: str, receipt: "Receipt", until_s: float) -> None:
        self._fences.require_open({receipt.place.scope})
        self.unfenced.note(identity, operation_id, receipt, until_s)
