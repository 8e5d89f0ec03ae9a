"""The dependencies of the topic use cases."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from membrane.domain.topics.policy import TopicPolicy
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_search import ReadingServices

if TYPE_CHECKING:
    from membrane.domain.language.json_text import JsonObject
    from membrane.usecases.ports.search import SearchIndex, VectorStore
    from membrane.usecases.ports.topics import TopicStore

SendToReasoning = Callable[["JsonObject", int], None]
"""Send a message to the reasoning function after 0 to 900 s; may raise Unavailable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicStoreServices(Services):
    """For use cases that write topics and never search."""

    topics: "TopicStore"
    topic_policy: TopicPolicy = field(default_factory=TopicPolicy)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicServices(ReadingServices):
    topics: "TopicStore"
    topic_search: "SearchIndex"
    topic_vectors: "VectorStore"
    send_to_reasoning: SendToReasoning
    topic_policy: TopicPolicy = field(default_factory=TopicPolicy)


TopicWritingServices = TopicServices | TopicStoreServices
"""The services of a write to topics, with or without the search."""
