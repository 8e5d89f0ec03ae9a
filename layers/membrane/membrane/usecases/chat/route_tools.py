"""The tools that a conversation's route offers to the model."""

from collections.abc import Mapping

from membrane.domain.access.principals import Principal
from membrane.domain.chat.requests import Route
from membrane.domain.chat.turns import OfferedTool
from membrane.domain.tools.requests import Profile
from membrane.domain.tools.schemas import input_schema
from membrane.usecases.tools.memstate.table import GRAPH_SNAPSHOT, PLANNING, READING, WRITING
from membrane.usecases.tools.table import tools_of
from membrane.usecases.tools.tool import Tool

_OF_INGEST = frozenset(
    each.name for each in (*READING, *WRITING, *PLANNING) if each.name != GRAPH_SNAPSHOT
)
_OF_QUERY = frozenset(each.name for each in READING)


def tools_for(route: Route, profile: Profile, principal: Principal) -> Mapping[str, Tool]:
    """The tools by name that the route opens and the principal may call, in the table's order."""
    return {
        each.name: each for each in tools_of(profile, principal) if _is_open(each, route, profile)
    }


def offer_of(tool: Tool) -> OfferedTool:
    """The tool as the model sees the tool; a conversation has one user, so no tool takes a user."""
    return OfferedTool(tool.name, tool.description, input_schema(tool.arguments))


def _is_open(tool: Tool, route: Route, profile: Profile) -> bool:
    """MemState's three sets; in other profiles, `query` opens the tools that only read."""
    match route:
        case Route.BOTH:
            return True
        case Route.QUERY if profile is not Profile.MEMSTATE:
            return tool.effect.read_only
        case Route.QUERY:
            return tool.name in _OF_QUERY
        case Route.INGEST:
            return profile is not Profile.MEMSTATE or tool.name in _OF_INGEST
