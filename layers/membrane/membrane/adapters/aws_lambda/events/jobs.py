"""Run scheduled jobs and reply with counts."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from membrane.domain.language.json_text import JsonObject
from membrane.usecases.housekeeping.collect_blobs import collect_blobs
from membrane.usecases.ports.world import World

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


def collect(world: World, topics: "DynamoTopics", documents: "DynamoDocuments") -> JsonObject:
    """Remove orphaned blobs, and store the settings' decay classes for the day of a change."""
    world.ranks.keep_classes()
    return asdict(collect_blobs(world, topics, documents))
