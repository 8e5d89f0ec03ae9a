"""Stores that refuse writes to a fenced scope; deletions and erasures pass."""

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.erasure.fences import DynamoFences
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
    from membrane.usecases.ports.topics import TopicChange


def fence_topics(topics: "DynamoTopics", fences: "DynamoFences") -> "DynamoTopics":
    return cast("DynamoTopics", _FencedTopics(topics, fences))


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
