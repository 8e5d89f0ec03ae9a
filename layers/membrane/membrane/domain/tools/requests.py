"""Requests that list the tools for agents, and call one."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from membrane.domain.language.requests import FromPath, FromQuery, Request, RequestPart


class Profile(StrEnum):
    """A set of tools under one switch."""

    AGENT = "agent"
    """The eight tools of Membrane."""
    SEARCH = "search"
    """`search` and `fetch`, for clients that know only the two names."""
    MEMSTATE = "memstate"
    """The tools of MemState, by name and argument, over topics."""


class ToolFormat(StrEnum):
    """The API for whose calls a list of tools is made."""

    MCP = "mcp"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    BEDROCK = "bedrock"


class ListTools(RequestPart):
    """List the tools for agents that the key may call, as JSON schemas."""

    format: FromQuery[Annotated[ToolFormat, Field(strict=False)]] = ToolFormat.MCP
    """Whose form the descriptions have: `mcp`, `anthropic` (Messages), `openai` (Chat Completions)
    or `bedrock` (Converse). Absent or empty: `mcp`, the only form with the schema of the answer."""
    profile: FromQuery[Annotated[Profile, Field(strict=False)]] = Profile.AGENT
    """Set of tools: `agent`; `search` for `search` and `fetch` alone; `memstate` for the tools of
    MemState over topics. Absent or empty: `agent`."""


class CallTool(Request):
    """Call a tool for agents."""

    name: FromPath[str]
    """Name of the tool, of any profile."""
    arguments: dict[str, Any] = {}
    """Arguments of the tool, as the tool's schema describes the object. Absent: no arguments."""
