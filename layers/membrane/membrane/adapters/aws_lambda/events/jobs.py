"""Run scheduled jobs and reply with counts."""

from dataclasses import asdict

from membrane.domain.language.json_text import JsonObject
from membrane.usecases.housekeeping.collect_blobs import collect_blobs
from membrane.usecases.ports.world import World


def collect(world: World) -> JsonObject:
    """Remove orphaned blobs, and store the settings' decay classes for the day of a change."""
    world.ranks.keep_classes()
    return asdict(collect_blobs(world))
