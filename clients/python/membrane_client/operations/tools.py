"""Tools for agents: the list for a model's API, and the call that the model asks for."""

from membrane_client.core.api import Api
from membrane_client.core.parameters import Json, Opt
from membrane_client.core.protocol import NOT_GIVEN, Steps
from membrane_client.values.tools import CalledTool, ToolList


def list_tools(
    api: Api, *, format: str = "mcp", profile: str = "agent", user: str | None = None
) -> Steps[ToolList]:
    """The tools that the key may call.

    `format` is `mcp`, `anthropic`, `openai` or `bedrock`; `profile` is `agent`, `search` or
    `memstate`.
    """
    return api.read("GET /v1/tools", locals(), ToolList)


def call_tool(
    api: Api,
    name: str,
    arguments: Opt[Json] = NOT_GIVEN,
    *,
    user: str | None = None,
    idempotency_key: str | None = None,
) -> Steps[CalledTool]:
    """The answer of a tool of any profile.

    A tool that found nothing to change answers with `is_error`.
    """
    return api.write("POST /v1/tools/{name}", locals(), CalledTool)
