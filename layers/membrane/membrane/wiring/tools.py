"""The composition root of the tools: the services of topics, plus the recent writes of keys."""

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING

from membrane.adapters.dynamodb.access.recent_writes import DynamoRecentWrites
from membrane.usecases.ports.services_tools import ToolServices
from membrane.usecases.ports.services_topics import TopicServices
from membrane.wiring import services as wiring
from membrane.wiring.topics import topic_services

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


def tool_services() -> ToolServices:
    return wiring.replacement_of(ToolServices) or _from_environment()


def build_tools(usual: TopicServices, table: str, dynamodb: "DynamoDBClient") -> ToolServices:
    return ToolServices(
        **{each.name: getattr(usual, each.name) for each in fields(TopicServices)},
        recent_writes=DynamoRecentWrites(dynamodb, table, usual.now),
    )


@cache
def _from_environment() -> ToolServices:
    table = wiring.environment_settings().table
    return build_tools(topic_services(), table, wiring.table_client())
