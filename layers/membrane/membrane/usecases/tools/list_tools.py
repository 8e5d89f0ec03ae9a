"""List the tools that a key may call, in the form of the API that an agent is written for."""

from typing import TYPE_CHECKING

from membrane.domain.access.principals import Principal
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.requests import ListTools, ToolFormat
from membrane.domain.tools.schemas import for_user, input_schema, output_schema
from membrane.usecases.machinery.calls import Call
from membrane.usecases.ports.world import World
from membrane.usecases.tools.table import tools_of
from membrane.usecases.tools.tool import Effect, Tool

if TYPE_CHECKING:
    from membrane.domain.tools.replies import ToolList


def list_tools(request: ListTools, call: Call, _world: World) -> "ToolList":
    """The tools of the profile, in a fixed order."""
    tools = tools_of(request.profile, call.principal)
    return {"tools": [description_of(each, call.principal, request.format) for each in tools]}


def description_of(tool: Tool, principal: Principal, form: ToolFormat) -> JsonObject:
    """The description of a tool; with the argument `user` for a key with a user prefix."""
    arguments = input_schema(tool.arguments)
    if principal.user_prefix and not principal.user_scope:
        arguments = for_user(arguments, required=principal.user_required)
    named = {"name": tool.name, "description": tool.description}
    match form:
        case ToolFormat.MCP:
            return {
                **named,
                "title": tool.title,
                "inputSchema": arguments,
                "outputSchema": output_schema(tool.reply),
                "annotations": _annotations(tool.effect),
            }
        case ToolFormat.ANTHROPIC:
            return {**named, "input_schema": arguments}
        case ToolFormat.OPENAI:
            return {"type": "function", "function": {**named, "parameters": arguments}}
        case ToolFormat.BEDROCK:
            return {"toolSpec": {**named, "inputSchema": {"json": arguments}}}


def _annotations(effect: Effect) -> JsonObject:
    """The hints of MCP that differ from what a client assumes of a tool without the hint."""
    hints: JsonObject = {"openWorldHint": False}
    if effect.read_only:
        return {"readOnlyHint": True, **hints}
    if not effect.destructive:
        hints["destructiveHint"] = False
    if effect.idempotent:
        hints["idempotentHint"] = True
    return hints
