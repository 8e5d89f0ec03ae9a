"""The dependencies of the tools that agents call."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from membrane.usecases.ports.services_topics import TopicServices

if TYPE_CHECKING:
    from membrane.domain.access.principals import Principal
    from membrane.usecases.ports.recent_writes import RecentWrites


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolServices(TopicServices):
    recent_writes: "RecentWrites"
    known_principals: "OrderedDict[str, tuple[Principal, float]]" = field(
        default_factory=OrderedDict
    )
    """The principals of keys lately seen; see `known_principal`."""
