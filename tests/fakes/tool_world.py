"""Services of tools over fakes."""

from dataclasses import fields
from typing import Any

from membrane.adapters.dynamodb.access.recent_writes import DynamoRecentWrites
from membrane.usecases.access.kept_keys import KeptKeys
from membrane.usecases.ports.access_tokens import AccessTokens
from membrane.usecases.ports.services_tools import BearerServices, ToolServices
from membrane.usecases.ports.services_topics import TopicServices
from tests.fakes.recent_writes import FakeRecentWrites
from tests.fakes.topic_world import topical


def tooled(*, recent_writes: DynamoRecentWrites | None = None, **others: Any) -> ToolServices:
    """ToolServices over fakes, but for the parts given; see `topical`."""
    usual = topical(**others)
    return ToolServices(
        **{each.name: getattr(usual, each.name) for each in fields(TopicServices)},
        recent_writes=recent_writes or FakeRecentWrites(usual.now),
    )


def bearing(*, access_tokens: AccessTokens | None = None, **others: Any) -> BearerServices:
    """BearerServices over fakes, but for the parts given; see `tooled`."""
    usual = tooled(**others)
    return BearerServices(
        **{each.name: getattr(usual, each.name) for each in fields(ToolServices)},
        kept_keys=KeptKeys(usual.keys, usual.now),
        access_tokens=access_tokens,
    )
