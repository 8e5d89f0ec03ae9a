"""Run scheduled jobs and reply with counts."""

from dataclasses import asdict

from membrane.domain.language.json_text import JsonObject
from membrane.usecases.housekeeping.collect_blobs import collect_blobs
from membrane.usecases.ports.documents import DocumentStore
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.topics import TopicStore


def collect(services: Services, topics: TopicStore, documents: DocumentStore) -> JsonObject:
    """Remove orphaned blobs, and store the settings' decay classes for the day of a change."""
    services.ranks.keep_classes()
    return asdict(collect_blobs(services, topics, documents))
