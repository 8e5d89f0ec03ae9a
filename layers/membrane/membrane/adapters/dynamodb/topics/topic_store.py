"""Topics in DynamoDB: every access pattern one method, every write conditional."""

from dataclasses import dataclass

from membrane.adapters.dynamodb.topics.topic_erasing import TopicErasing
from membrane.adapters.dynamodb.topics.topic_indexes import TopicIndexes
from membrane.adapters.dynamodb.topics.topic_scopes import TopicScopes
from membrane.adapters.dynamodb.topics.topic_writes import TopicWrites


@dataclass(frozen=True, slots=True)
class DynamoTopics(TopicErasing, TopicWrites, TopicIndexes, TopicScopes):
    """The TopicStore over one table and one bucket."""
