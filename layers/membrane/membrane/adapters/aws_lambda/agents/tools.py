"""The tools of the memory as tools of MCP."""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.adapters.aws_lambda.http.operations import reporting
from membrane.adapters.aws_lambda.mcp.features import Exchange, ToolResult
from membrane.domain.access.principals import Principal
from membrane.domain.language.errors import DomainError, InvalidArgument
from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.requests import CallTool, Profile, ToolFormat
from membrane.usecases.ports.services_tools import ToolServices
from membrane.usecases.tools.call_tool import call_tool
from membrane.usecases.tools.list_tools import description_of
from membrane.usecases.tools.table import tool_named, tools_of


@dataclass(frozen=True, slots=True)
class MemoryTools:
    """The Tools of a profile; a call may name a tool of any profile."""

    services: ToolServices
    profile: Profile

    def list(self, caller: Principal) -> Sequence[JsonObject]:
        """The tools that the key may call."""
        tools = tools_of(self.profile, caller)
        return [description_of(each, caller, ToolFormat.MCP) for each in tools]

    def call(
        self, name: str, arguments: JsonObject, caller: Principal, _exchange: Exchange
    ) -> ToolResult:
        """The answer of the tool; a refusal is an answer, too, so that the model can react.

        Raises NotFound, naming the tools that the key may call.
        """
        tool = tool_named(name, caller)
        try:
            with reporting(CallTool.__name__, self.services):
                answer = call_tool(tool, arguments, caller, self.services)
        except DomainError as error:
            return ToolResult([_text(_refusal(error))], is_error=True)
        # clients hold structured content to the output schema, also that of an error
        structured = None if answer.is_error else answer.reply
        return ToolResult([_text(answer.text)], structured, answer.is_error)


def _text(words: str) -> JsonObject:
    return {"type": "text", "text": words}


def _refusal(error: DomainError) -> str:
    """The sentence of the error, and a line for each further argument that breaks a rule."""
    further = error.violations[1:] if isinstance(error, InvalidArgument) else ()
    return "\n".join([str(error), *(each.message for each in further)])
