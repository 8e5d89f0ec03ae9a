"""The composition root of topics: the services of retrieval, plus index and store of topics."""

import os
from dataclasses import fields
from functools import cache, partial
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.table.keys import TOPICS
from membrane.adapters.messaging.sqs import Send, send_message, tell_reason
from membrane.usecases.ports.services_search import ReadingServices
from membrane.usecases.ports.services_topics import TopicServices
from membrane.wiring import services as wiring
from membrane.wiring.search import build_index, reading_services
from membrane.wiring.search_settings import SearchSettings, read_search_settings
from membrane.wiring.services import sqs_client
from membrane.wiring.topic_settings import TopicSettings, read_topic_settings
from membrane.wiring.topic_store import build_topic_store

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


def topic_services() -> TopicServices:
    return wiring.replacement_of(TopicServices) or _from_environment()


def build_topics(
    usual: ReadingServices,
    table: str,
    search: SearchSettings,
    topics: TopicSettings,
    dynamodb: "DynamoDBClient",
    *,
    send: Send | None = None,
) -> TopicServices:
    index, vectors = build_index(dynamodb, table, search, usual.embedders, usual, TOPICS)
    return TopicServices(
        **{each.name: getattr(usual, each.name) for each in fields(ReadingServices)},
        topics=build_topic_store(usual, table, dynamodb),
        topic_search=index,
        topic_vectors=vectors,
        send_to_reasoning=partial(
            tell_reason, send or partial(send_message, sqs_client), topics.queue
        ),
        topic_policy=topics.policy,
    )


@cache
def _from_environment() -> TopicServices:
    table, search = wiring.environment_settings().table, read_search_settings(os.environ)
    topics = read_topic_settings(os.environ)
    return build_topics(reading_services(), table, search, topics, wiring.table_client())


if "AWS_LAMBDA_RUNTIME_API" in os.environ:
    # As in `services`: the start has a whole processor.
    topic_services()
