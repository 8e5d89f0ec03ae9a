"""The composition root of the topic store alone, for functions without searches."""

import os
from functools import cache
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics
from membrane.usecases.erasure.fenced_stores import fence_topics
from membrane.usecases.ports.services import Services
from membrane.usecases.ports.services_topics import TopicServices
from membrane.wiring import services as wiring

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


def topic_store() -> "DynamoTopics":
    replacement = wiring.replacement_of(TopicServices)
    return _from_environment() if replacement is None else replacement.topics


def build_topic_store(usual: Services, table: str, dynamodb: "DynamoDBClient") -> "DynamoTopics":
    topics = DynamoTopics(dynamodb, table, usual.blobs, usual.now, usual.retention, usual.elapsed_s)
    return fence_topics(topics, usual.fences)


@cache
def _from_environment() -> "DynamoTopics":
    table = wiring.environment_settings().table
    return build_topic_store(wiring.services(), table, wiring.table_client())


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # As in `services`: the start has a whole processor.
    topic_store()
