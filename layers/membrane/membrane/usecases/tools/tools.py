"""Call a tool, list the tools that a key may call, and complete the beginning of a name to ids."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.access.principals import Principal, for_user
from membrane.domain.entities.requests import ListEntities
from membrane.domain.language.errors import Aborted, InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json
from membrane.domain.language.names import MAX_NAME_CHARACTERS, term_of
from membrane.domain.language.requests import validate
from membrane.domain.records.stored import fingerprint_of
from membrane.domain.tools.requests import CallTool, ListTools, ToolFormat
from membrane.domain.tools.schemas import as_schema_says, input_schema, output_schema
from membrane.domain.tools.schemas import for_user as schema_for_user
from membrane.domain.topics.requests.reading import ListTopics
from membrane.usecases.entities.list_entities import list_entities
from membrane.usecases.machinery.calls import TRANSIENT, Call
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.tools.table import tool_named, tools_of
from membrane.usecases.tools.tool import Effect, Tool, ToolAnswer
from membrane.usecases.topics.reading.list_topics import list_topics

if TYPE_CHECKING:
    from membrane.domain.tools.replies import ToolList


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


def list_tools(request: ListTools, call: Call, _world: World) -> "ToolList":
    """The tools of the profile, in a fixed order."""
    tools = tools_of(request.profile, call.principal)
    return {"tools": [description_of(each, call.principal, request.format) for each in tools]}


def description_of(tool: Tool, principal: Principal, form: ToolFormat) -> JsonObject:
    """The description of a tool; with the argument `user` for a key with a user prefix."""
    arguments = input_schema(tool.arguments)
    if principal.user_prefix and not principal.user_scope:
        arguments = schema_for_user(arguments, required=principal.user_required)
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


MAX_LISTED = 100
"""The most ids of a completion, and the topics by salience among which a completion looks."""


class Completed(NamedTuple):
    ids: Sequence[str]
    has_more: bool
    """Whether further entities or topics may begin with the text."""


def complete_entities(text: str, principal: Principal, world: World) -> Completed:
    """Ids of the entities whose name begins with the text; raises the errors of the list."""
    request = ListEntities(q=text[:MAX_NAME_CHARACTERS], limit=MAX_LISTED)
    page = list_entities(request, _call(principal), world).body
    return Completed([each["id"] for each in page["entities"]], "next_cursor" in page)


def complete_topics(text: str, principal: Principal, world: World) -> Completed:
    """Ids of the topics whose title or id begins with the text; raises the errors of the list."""
    page = list_topics(ListTopics(limit=MAX_LISTED), _call(principal), world).body
    begin = text[:MAX_NAME_CHARACTERS]
    term = term_of(begin)
    ids = [
        each["id"]
        for each in page["topics"]
        if term_of(each["title"]).startswith(term) or each["id"].startswith(begin)
    ]
    return Completed(ids, "next_cursor" in page)


def _call(principal: Principal) -> Call:
    return Call(principal, "completion/complete", None, b"")
