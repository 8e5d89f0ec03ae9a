"""The methods of MCP, the table of their names, and the result of a request by its version."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from membrane.adapters.aws_lambda.mcp.errors import (
    BAD_REQUEST,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CLIENT_CAPABILITY,
    NOT_FOUND,
    OK,
    RESOURCE_NOT_FOUND,
    McpError,
)
from membrane.adapters.aws_lambda.mcp.features import (
    Caching,
    Completions,
    Exchange,
    Features,
    InputRequired,
    Progress,
    Prompts,
    Resources,
    Tools,
)
from membrane.adapters.aws_lambda.mcp.messages import fields_present
from membrane.adapters.aws_lambda.mcp.metadata import (
    CURRENT,
    SERVER_INFO,
    SUPPORTED,
    version_after_handshake,
)
from membrane.adapters.aws_lambda.mcp.params import object_of, optional_text, text_of, texts_of
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import JsonObject, parse_json

NAMED_BY = {"ref/prompt": "name", "ref/resource": "uri"}
"""The field of a reference that names the prompt or the template."""

CAPABILITIES = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""The capability that a client needs to answer a request of the method."""


class Call(NamedTuple):
    params: JsonObject
    version: str
    features: Features[Any]
    caller: Any
    """The authenticated caller, whom only the features read."""
    exchange: Exchange

    @property
    def is_current(self) -> bool:
        return self.version == CURRENT

    @property
    def cursor(self) -> str | None:
        """The place in a list; the empty text is no place. Raises McpError."""
        return optional_text(self.params, "cursor") or None

    def refuse_cursor(self) -> None:
        """Raises McpError for a cursor into a list that has one page."""
        if self.cursor is not None:
            raise McpError(INVALID_PARAMS, "params.cursor is not a cursor of this list")


class Answer(NamedTuple):
    result: JsonObject
    """The result in the form of every version."""
    caching: Caching | None = None
    """Of a result that a client of the current version may keep."""
    progress: Sequence[Progress] = ()


def list_tools(tools: Tools[Any], call: Call) -> Answer:
    call.refuse_cursor()
    return Answer({"tools": list(tools.list(call.caller))}, call.features.caching)


def call_tool(tools: Tools[Any], call: Call) -> Answer | InputRequired:
    name, arguments = text_of(call.params, "name"), _arguments_in(call.params)
    found = tools.call(name, arguments, call.caller, call.exchange)
    if found is None:
        raise McpError(INVALID_PARAMS, "params.name is not the name of a tool")
    if isinstance(found, InputRequired):
        return found
    result = fields_present(
        content=list(found.content),
        structuredContent=found.structured,
        isError=found.is_error or None,
    )
    return Answer(result, progress=found.progress)


def _arguments_in(params: JsonObject) -> JsonObject:
    """The arguments, which some models send as JSON text; an empty text is absent."""
    sent = params.get("arguments")
    if not isinstance(sent, str):
        return object_of(params, "arguments")
    text = sent.strip().removeprefix("\ufeff")
    try:
        found = parse_json(text) if text else None
    except InvalidArgument as error:
        why = f"params.arguments must be a JSON object: {error}"
        raise McpError(INVALID_PARAMS, why) from error
    return object_of(fields_present(arguments=found), "arguments")


def list_resources(resources: Resources[Any], call: Call) -> Answer:
    page = resources.list(call.caller, call.cursor)
    result = fields_present(resources=list(page.items), nextCursor=page.next_cursor)
    return Answer(result, call.features.caching)


def list_templates(resources: Resources[Any], call: Call) -> Answer:
    call.refuse_cursor()
    templates = list(resources.templates(call.caller))
    return Answer({"resourceTemplates": templates}, call.features.caching)


def read_resource(resources: Resources[Any], call: Call) -> Answer | InputRequired:
    uri = text_of(call.params, "uri")
    found = resources.read(uri, call.caller, call.exchange)
    if found is None:
        code = INVALID_PARAMS if call.is_current else RESOURCE_NOT_FOUND
        raise McpError(code, "params.uri is not the address of a resource", {"uri": uri})
    if isinstance(found, InputRequired):
        return found
    return Answer({"contents": list(found.contents)}, found.caching)


def list_prompts(prompts: Prompts[Any], call: Call) -> Answer:
    call.refuse_cursor()
    return Answer({"prompts": list(prompts.list(call.caller))}, call.features.caching)


def get_prompt(prompts: Prompts[Any], call: Call) -> Answer | InputRequired:
    name, arguments = text_of(call.params, "name"), texts_of(call.params, "arguments")
    found = prompts.get(name, arguments, call.caller, call.exchange)
    if found is None:
        raise McpError(INVALID_PARAMS, "params.name is not the name of a prompt")
    if isinstance(found, InputRequired):
        return found
    messages = list(found.messages)
    return Answer(fields_present(description=found.description, messages=messages))


def complete(completions: Completions[Any], call: Call) -> Answer:
    ref, argument = object_of(call.params, "ref"), object_of(call.params, "argument")
    field = NAMED_BY.get(text_of(ref, "type", "params.ref"))
    if field is None:
        raise McpError(INVALID_PARAMS, f"params.ref.type must be one of {', '.join(NAMED_BY)}")
    text_of(ref, field, "params.ref")
    found = completions.complete(
        ref,
        text_of(argument, "name", "params.argument"),
        text_of(argument, "value", "params.argument"),
        texts_of(object_of(call.params, "context"), "arguments", "params.context"),
        call.caller,
    )
    completion = fields_present(
        values=list(found.values), total=found.total, hasMore=found.has_more
    )
    return Answer({"completion": completion})


def discover(call: Call) -> Answer:
    return Answer({"supportedVersions": list(SUPPORTED), **_offer(call)}, call.features.caching)


def initialize(call: Call) -> Answer:
    """The handshake, of which nothing is kept: there is no session."""
    version = version_after_handshake(text_of(call.params, "protocolVersion"))
    identity = call.features.identity
    return Answer({"protocolVersion": version, "serverInfo": identity, **_offer(call)})


def ping(_call: Call) -> Answer:
    return Answer({})


def _offer(call: Call) -> JsonObject:
    capabilities: JsonObject = {name: {} for name in call.features.parts()}
    return fields_present(capabilities=capabilities, instructions=call.features.instructions)


Run = Callable[[Call], Answer | InputRequired]
RunPart = Callable[[Any, Call], Answer | InputRequired]

OF_PARTS: dict[str, tuple[str, RunPart]] = {
    "tools/list": ("tools", list_tools),
    "tools/call": ("tools", call_tool),
    "resources/list": ("resources", list_resources),
    "resources/templates/list": ("resources", list_templates),
    "resources/read": ("resources", read_resource),
    "prompts/list": ("prompts", list_prompts),
    "prompts/get": ("prompts", get_prompt),
    "completion/complete": ("completions", complete),
}
"""Methods of every version, with the part of the features that a method needs."""

OF_CURRENT: dict[str, Run] = {"server/discover": discover}
OF_HANDSHAKE: dict[str, Run] = {"initialize": initialize, "ping": ping}


def run_method(method: str, call: Call) -> Answer:
    """The answer with the result in the form of the call's version; raises McpError."""
    found = _method_named(method, call)(call)
    if isinstance(found, InputRequired):
        return Answer(_with_identity(input_required_result(found, call), call))
    if not call.is_current:
        return found
    result: JsonObject = {"resultType": "complete", **found.result}
    if found.caching is not None:
        result |= {"ttlMs": found.caching.ttl_ms, "cacheScope": found.caching.scope}
    return found._replace(result=_with_identity(result, call))


def _method_named(method: str, call: Call) -> Run:
    own = OF_CURRENT if call.is_current else OF_HANDSHAKE
    if method in own:
        return own[method]
    name, run = OF_PARTS.get(method, ("", None))
    part = call.features.parts().get(name)
    if run is None or part is None:
        status = NOT_FOUND if call.is_current else OK
        raise McpError(METHOD_NOT_FOUND, "the server has no such method", status=status)
    return partial(run, part)


def _with_identity(result: JsonObject, call: Call) -> JsonObject:
    return {**result, "_meta": {SERVER_INFO: call.features.identity}}


def input_required_result(found: InputRequired, call: Call) -> JsonObject:
    """The result that sends the requests; raises McpError if the client cannot answer them."""
    if not call.is_current:
        why = f"the request needs answers of the user, which clients of {CURRENT} can give"
        raise McpError(INVALID_REQUEST, why)
    needed = {CAPABILITIES[each["method"]] for each in found.requests.values()}
    if missing := needed - set(call.exchange.capabilities):
        capabilities: JsonObject = {name: {} for name in sorted(missing)}
        why = "the request needs capabilities that the client has not declared"
        required = {"requiredCapabilities": capabilities}
        raise McpError(MISSING_CLIENT_CAPABILITY, why, required, status=BAD_REQUEST)
    return fields_present(
        resultType="input_required",
        inputRequests=dict(found.requests) or None,
        requestState=found.state,
    )
