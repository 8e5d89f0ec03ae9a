"""The dependencies of the topic use cases."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from membrane.domain.topics.policy import TopicPolicy
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_search import ReadingServices

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.search.vector_search import VectorSearch
    from membrane.adapters.dynamodb.search.vector_store import DynamoVectors
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics

from membrane.usecases.ports.surroundings import SendToReasoning


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicStoreServices(Services):
    """For use cases that write topics and never search."""

    topics: "DynamoTopics"
    topic_policy: TopicPolicy = field(default_factory=TopicPolicy)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicServices(ReadingServices):
    topics: "DynamoTopics"
    topic_search: "VectorSearch"
    topic_vectors: "DynamoVectors"
    send_to_reasoning: SendToReasoning
    topic_policy: TopicPolicy = field(default_factory=TopicPolicy)


TopicWritingServices = TopicServices | TopicStoreServices
"""The services of a write to topics, with or without the search."""
