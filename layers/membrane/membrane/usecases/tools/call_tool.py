"""Call a tool: permission, user, arguments, the tool itself, and the note of what was written."""

from typing import Any

from membrane.domain.access.principals import Principal, for_user
from membrane.domain.language.errors import Aborted, InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.language.violations import validate
from membrane.domain.records.stored import fingerprint_of
from membrane.domain.tools.requests import CallTool
from membrane.domain.tools.schemas import as_schema_says
from membrane.usecases.machinery.calls import TRANSIENT, Call
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.tools.table import tool_named
from membrane.usecases.tools.tool import Tool, ToolAnswer


def call_tool(
    tool: Tool, given: Any, principal: Principal, world: World, key: str | None = None
) -> ToolAnswer:
    """The answer to a call with JSON arguments, under an idempotency key if there is one.

    The next call of the same key reads what the tool wrote, for the same user or
    without one. Raises PermissionDenied and InvalidArgument, and the errors of the tool.
    """
    if not tool.is_open_to(principal):
        principal.require(tool.permission)
    if tool.takes_text and isinstance(given, str):
        given = _object_in(given)
    if not isinstance(given, dict):
        raise InvalidArgument("the arguments must be a JSON object")
    narrowed, asked = for_user(principal, given)
    arguments = validate(tool.arguments, as_schema_says(tool.arguments, asked))
    fingerprint = b"" if key is None else fingerprint_of(asked)
    call = Call(narrowed, f"tools/{tool.name}", key, fingerprint)
    answer = tool.run(arguments, call, world)
    if answer.written:
        readers = [narrowed] if principal.user_required else [narrowed, principal]
        for identity in dict.fromkeys(each.identity for each in readers):
            _note(answer, identity, call.rpc, world)
    return answer


def call_named_tool(request: CallTool, call: Call, world: World) -> ToolAnswer:
    """Call the tool of the name, in any profile; raises NotFound for a tool not open to the key."""
    tool = tool_named(request.name, call.principal)
    return call_tool(tool, request.arguments, call.principal, world, call.key)


def _object_in(text: str) -> JsonObject:
    """The JSON object of the text; an empty object for any other text."""
    try:
        found = parse_json(text)
    except InvalidArgument:
        return {}
    return found if isinstance(found, dict) else {}


def _note(answer: ToolAnswer, identity: str, rpc: str, world: World) -> None:
    """Note what the tool wrote; a failure is reported to operators, because the write stands."""
    try:
        world.recent_writes.note(identity, answer.written)
    except (*TRANSIENT, Aborted) as fault:
        world.report(rpc, FAULT, fault)
