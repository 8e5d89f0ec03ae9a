"""What a schedule starts: a job, and its counts as the reply."""

from dataclasses import asdict

from membrane.domain.language.json_text import JsonObject
from membrane.usecases.housekeeping.collect_blobs import collect_blobs
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.topics import TopicStore


def collect(services: Services, topics: TopicStore) -> JsonObject:
    """Remove orphaned blobs, and keep the decay classes of the settings for the day they change."""
    services.ranks.keep_classes()
    return asdict(collect_blobs(services, topics))
