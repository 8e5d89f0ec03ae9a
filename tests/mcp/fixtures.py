"""What the conformance suite looks for on a server: its own tools, resources and prompts."""

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from membrane.adapters.aws_lambda.mcp.errors import Code, ProtocolError, invalid_params
from membrane.adapters.aws_lambda.mcp.features import (
    InputRequired,
    Outcome,
    Result,
    Retry,
    Server,
)
from membrane.domain.language.json_text import JsonObject

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5E"
    "rkJggg=="
)
SOUND = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="

SECRET = b"of this process"

Call = Callable[[JsonObject, Retry], Result]


def text(words: str) -> JsonObject:
    return {"type": "text", "text": words}


IMAGE: JsonObject = {"type": "image", "data": PIXEL, "mimeType": "image/png"}


def content(*blocks: JsonObject) -> Outcome:
    return Outcome({"content": [*blocks]})


def resource(uri: str, kind: str, words: str) -> JsonObject:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


def asking(message: str, **properties: str) -> JsonObject:
    """A request to ask the user for values of the named types."""
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": [*properties],
    }
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def sampling(words: str) -> JsonObject:
    """A request to let the client's model answer."""
    messages = [{"role": "user", "content": text(words)}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": 100}}


ROOTS: JsonObject = {"method": "roots/list"}


def accepted(retry: Retry, key: str) -> Mapping[str, Any]:
    """The values that the user gave; empty for an absent or malformed answer."""
    response = retry.responses.get(key)
    given = response.get("content") if isinstance(response, dict) else None
    return given if isinstance(given, dict) else {}


def sealed(state: JsonObject) -> str:
    """A state for the client to send back, with a code that a changed state breaks."""
    words = json.dumps(state, sort_keys=True)
    return f"{hmac.new(SECRET, words.encode(), hashlib.sha256).hexdigest()}.{words}"


def unsealed(given: str) -> JsonObject:
    """The state; raises ProtocolError for a state that is not of this server."""
    _, _, words = given.partition(".")
    try:
        state: JsonObject = json.loads(words)
    except ValueError as error:
        raise invalid_params("requestState is not of this server") from error
    if not hmac.compare_digest(sealed(state), given):
        raise invalid_params("requestState is not of this server")
    return state


def simple_text(_arguments: JsonObject, _retry: Retry) -> Result:
    return content(text("This is a simple text response for testing."))


def image(_arguments: JsonObject, _retry: Retry) -> Result:
    return content(IMAGE)


def audio(_arguments: JsonObject, _retry: Retry) -> Result:
    return content({"type": "audio", "data": SOUND, "mimeType": "audio/wav"})


def embedded(_arguments: JsonObject, _retry: Retry) -> Result:
    words = "This is an embedded resource content."
    return content(resource("test://embedded-resource", "text/plain", words))


def mixed(_arguments: JsonObject, _retry: Retry) -> Result:
    data = json.dumps({"test": "data", "value": 123})
    return content(
        text("Multiple content types test:"),
        IMAGE,
        resource("test://mixed-content-resource", "application/json", data),
    )


def failing(_arguments: JsonObject, _retry: Retry) -> Result:
    words = "This tool intentionally returns an error for testing"
    return Outcome({"content": [text(words)], "isError": True})


def logging(_arguments: JsonObject, _retry: Retry) -> Result:
    steps = ("Tool execution started", "Tool processing data", "Tool execution completed")
    return Outcome(
        {"content": [text("Tool with logging executed successfully")]},
        [
            {"method": "notifications/message", "params": {"level": "info", "data": each}}
            for each in steps
        ],
    )


def progress(_arguments: JsonObject, retry: Retry) -> Result:
    token = retry.progress_token
    steps = () if token is None else (0, 50, 100)
    return Outcome(
        {"content": [text(str(token))]},
        [
            {
                "method": "notifications/progress",
                "params": {"progressToken": token, "progress": each, "total": 100},
            }
            for each in steps
        ],
    )


def quiet(_arguments: JsonObject, _retry: Retry) -> Result:
    """Log nothing, since no client asks for a level of logs."""
    return content(text("Nothing was logged"))


def missing_capability(_arguments: JsonObject, _retry: Retry) -> Result:
    return InputRequired({"sample": sampling("Anything")})


def elicitation(_arguments: JsonObject, retry: Retry) -> Result:
    name = accepted(retry, "user_name").get("name")
    if isinstance(name, str):
        return content(text(f"Hello, {name}!"))
    return InputRequired({"user_name": asking("What is your name?", name="string")})


def sampled(_arguments: JsonObject, retry: Retry) -> Result:
    response = retry.responses.get("sample_request")
    if isinstance(response, dict) and isinstance(response.get("content"), dict):
        return content(text(f"Sampling result: {response['content'].get('text')}"))
    return InputRequired({"sample_request": sampling("What is the capital of France?")})


def list_roots(_arguments: JsonObject, retry: Retry) -> Result:
    response = retry.responses.get("roots_request")
    if isinstance(response, dict) and isinstance(response.get("roots"), list):
        return content(text(f"Found {len(response['roots'])} root(s)"))
    return InputRequired({"roots_request": ROOTS})


def request_state(_arguments: JsonObject, retry: Retry) -> Result:
    if retry.state is not None:
        unsealed(retry.state)
        if accepted(retry, "confirm").get("ok") is True:
            return content(text("state-ok: requestState validated"))
    state = sealed({"kind": "request-state"})
    return InputRequired({"confirm": asking("Please confirm", ok="boolean")}, state)


def multiple_inputs(_arguments: JsonObject, retry: Retry) -> Result:
    name = accepted(retry, "user_name").get("name")
    if retry.state is not None and {"user_name", "greeting", "client_roots"} <= {*retry.responses}:
        unsealed(retry.state)
        return content(text(f"Name: {name}"))
    requests = {
        "user_name": asking("What is your name?", name="string"),
        "greeting": sampling("Generate a greeting"),
        "client_roots": ROOTS,
    }
    return InputRequired(requests, sealed({"kind": "multiple-inputs"}))


def multi_round(_arguments: JsonObject, retry: Retry) -> Result:
    state = {"round": 0} if retry.state is None else unsealed(retry.state)
    name, color = accepted(retry, "step1").get("name"), accepted(retry, "step2").get("color")
    if state["round"] == 2 and color:
        return content(text(f"Multi-round complete for {state['name']} who likes {color}"))
    if state["round"] == 1 and name:
        asked = asking("Step 2: What is your favorite color?", color="string")
        return InputRequired({"step2": asked}, sealed({"round": 2, "name": name}))
    asked = asking("Step 1: What is your name?", name="string")
    return InputRequired({"step1": asked}, sealed({"round": 1}))


def capable(_arguments: JsonObject, retry: Retry) -> Result:
    """Ask for what the client is capable of, and for nothing else."""
    possible = {
        "elicitation": asking("What is your name?", name="string"),
        "sampling": sampling("Generate a greeting"),
    }
    requests = {name: each for name, each in possible.items() if name in retry.capabilities}
    return InputRequired(requests) if requests else content(text("nothing to ask for"))


TOOLS: Mapping[str, Call] = {
    "test_simple_text": simple_text,
    "test_image_content": image,
    "test_audio_content": audio,
    "test_embedded_resource": embedded,
    "test_multiple_content_types": mixed,
    "test_tool_with_logging": logging,
    "test_tool_with_progress": progress,
    "test_error_handling": failing,
    "test_logging_tool": quiet,
    "test_missing_capability": missing_capability,
    "test_streaming_elicitation": elicitation,
    "test_input_required_result_elicitation": elicitation,
    "test_input_required_result_sampling": sampled,
    "test_input_required_result_list_roots": list_roots,
    "test_input_required_result_request_state": request_state,
    "test_input_required_result_multiple_inputs": multiple_inputs,
    "test_input_required_result_multi_round": multi_round,
    "test_input_required_result_tampered_state": request_state,
    "test_input_required_result_capabilities": capable,
}

RESOURCES: Mapping[str, JsonObject] = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PIXEL},
}


def simple_prompt(_arguments: JsonObject, _retry: Retry) -> Result:
    return prompt(text("This is a simple prompt for testing."))


def prompt_with_arguments(arguments: JsonObject, _retry: Retry) -> Result:
    shown = f"arg1='{arguments.get('arg1')}', arg2='{arguments.get('arg2')}'"
    return prompt(text(f"Prompt with arguments: {shown}"))


def prompt_with_resource(arguments: JsonObject, _retry: Retry) -> Result:
    words = "Embedded resource content for testing."
    shown = resource(str(arguments.get("resourceUri")), "text/plain", words)
    return prompt(shown, text("Please process the embedded resource above."))


def prompt_with_image(_arguments: JsonObject, _retry: Retry) -> Result:
    return prompt(IMAGE, text("Please analyze the image above."))


def prompt_with_input(_arguments: JsonObject, retry: Retry) -> Result:
    context = accepted(retry, "user_context").get("context")
    if isinstance(context, str):
        return prompt(text(f"Prompt with context: {context}"))
    asked = asking("What context should the prompt use?", context="string")
    return InputRequired({"user_context": asked})


def prompt(*blocks: JsonObject) -> Outcome:
    return Outcome({"messages": [{"role": "user", "content": each} for each in blocks]})


PROMPTS: Mapping[str, tuple[Call, Sequence[str]]] = {
    "test_simple_prompt": (simple_prompt, ()),
    "test_prompt_with_arguments": (prompt_with_arguments, ("arg1", "arg2")),
    "test_prompt_with_embedded_resource": (prompt_with_resource, ("resourceUri",)),
    "test_prompt_with_image": (prompt_with_image, ()),
    "test_input_required_result_prompt": (prompt_with_input, ()),
}


@dataclass(frozen=True, slots=True)
class Fixtures:
    """The Features of the suite."""

    server: Server = field(
        default_factory=lambda: Server("fixtures", "1.0.0", "Fixtures", "For the suite.")
    )

    @property
    def capabilities(self) -> JsonObject:
        """See Features."""
        return {"tools": {}, "resources": {}, "prompts": {}, "completions": {}}

    def list_tools(self) -> Sequence[JsonObject]:
        """See Features."""
        schema = {"type": "object", "properties": {}}
        return [
            {"name": name, "description": f"Fixture {name}", "inputSchema": schema}
            for name in TOOLS
        ]

    def call_tool(self, name: str, arguments: JsonObject, retry: Retry) -> Result:
        """See Features."""
        if name not in TOOLS:
            raise invalid_params(f"Unknown tool: {name}")
        return TOOLS[name](arguments, retry)

    def list_resources(self) -> Sequence[JsonObject]:
        """See Features."""
        return [
            {"uri": uri, "name": uri.removeprefix("test://"), "mimeType": each["mimeType"]}
            for uri, each in RESOURCES.items()
        ]

    def list_templates(self) -> Sequence[JsonObject]:
        """See Features."""
        template = "test://template/{id}/data"
        return [{"uriTemplate": template, "name": "template", "mimeType": "application/json"}]

    def read_resource(self, uri: str, _retry: Retry) -> Result:
        """See Features."""
        if uri in RESOURCES:
            return Outcome({"contents": [{"uri": uri, **RESOURCES[uri]}]})
        begin, end = "test://template/", "/data"
        if not (uri.startswith(begin) and uri.endswith(end)):
            raise ProtocolError(Code.INVALID_PARAMS, "Resource not found", {"uri": uri})
        found = uri.removeprefix(begin).removesuffix(end)
        words = json.dumps({"id": found, "templateTest": True, "data": f"Data for ID: {found}"})
        return Outcome({"contents": [{"uri": uri, "mimeType": "application/json", "text": words}]})

    def list_prompts(self) -> Sequence[JsonObject]:
        """See Features."""
        return [
            {
                "name": name,
                "description": f"Fixture {name}",
                "arguments": [{"name": each, "required": True} for each in arguments],
            }
            for name, (_, arguments) in PROMPTS.items()
        ]

    def get_prompt(self, name: str, arguments: JsonObject, retry: Retry) -> Result:
        """See Features."""
        if name not in PROMPTS:
            raise invalid_params(f"Unknown prompt: {name}")
        return PROMPTS[name][0](arguments, retry)

    def complete(self, _reference: JsonObject, argument: JsonObject) -> Sequence[str]:
        """See Features."""
        words = ("paris", "park", "party")
        return [each for each in words if each.startswith(str(argument.get("value", "")))]
