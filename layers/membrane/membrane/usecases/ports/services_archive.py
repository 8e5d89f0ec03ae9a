"""The dependencies of exports and restores."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services_topics import TopicStoreServices

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.archive.topic_restores import DynamoTopicRestores


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveServices(TopicStoreServices):
    topic_restores: "DynamoTopicRestores"
