"""The dependencies of the tools that agents call."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from membrane.usecases.ports.services_topics import TopicServices

if TYPE_CHECKING:
    from membrane.usecases.ports.recent_writes import RecentWrites


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServices(TopicServices):
    recent_writes: "RecentWrites"
