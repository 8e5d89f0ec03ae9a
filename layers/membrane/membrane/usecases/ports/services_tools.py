"""The dependencies of the tools of agents, and of functions that authenticate callers."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services_topics import TopicServices

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.access.recent_writes import DynamoRecentWrites
    from membrane.usecases.ports.access_tokens import AccessTokens
    from membrane.usecases.ports.keys import KeyFinder


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServices(TopicServices):
    recent_writes: "DynamoRecentWrites"


@dataclass(frozen=True, slots=True, kw_only=True)
class BearerServices(ToolServices):
    kept_keys: "KeyFinder"
    access_tokens: "AccessTokens | None"
    """None = only API keys authenticate."""
    web_origins: frozenset[str] = frozenset()
    """Origins of the web pages that may call."""
