"""The composition root of exports and restores: the usual services, and the store of topics."""

import os
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.archive.topic_restores import DynamoTopicRestores
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_archive import ArchiveServices
from membrane.wiring import services as wiring
from membrane.wiring.topic_store import topic_store

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


def archive_services() -> ArchiveServices:
    """The services of the environment, or the replacement by `services.serving`."""
    return wiring.replacement_of(ArchiveServices) or _from_environment()


def build_archive(
    usual: Services, topics: "DynamoTopics", table: str, dynamodb: "DynamoDBClient"
) -> ArchiveServices:
    return ArchiveServices(
        **{each.name: getattr(usual, each.name) for each in fields(Services)},
        topics=topics,
        topic_restores=DynamoTopicRestores(
            dynamodb, table, usual.blobs, usual.now, usual.retention, usual.elapsed_s
        ),
    )


@cache
def _from_environment() -> ArchiveServices:
    table = wiring.environment_settings().table
    return build_archive(wiring.services(), topic_store(), table, wiring.table_client())


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # As in `services`: the start has a whole processor.
    archive_services()
