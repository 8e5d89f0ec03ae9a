"""The server that the suite of conformance looks for."""

import json
import re
from collections.abc import Mapping, Sequence

from membrane.adapters.aws_lambda.mcp.methods import Call
from membrane.adapters.aws_lambda.mcp.protocol import INVALID_PARAMS, McpError
from membrane.domain.language.json_text import JsonObject
from tests.mcp.answering_tools import ANSWERING, NO_ARGUMENTS, SCHEMAS, STEPS
from tests.mcp.asking_tools import ASKING
from tests.mcp.contents import PIXEL, embedded, image, text
from tests.mcp.questions import elicitation, elicited, required

TEXT = {
    "uri": "test://static-text",
    "mimeType": "text/plain",
    "text": "This is the content of the static text resource.",
}
PICTURE = {"uri": "test://static-binary", "mimeType": "image/png", "blob": PIXEL}


class FixtureServer:
    identity: JsonObject = {"name": "membrane-conformance", "version": "0.1.0"}
    instructions = "A server with the fixtures of the suite of conformance."
    lists_ttl_ms = 60_000

    def tools(self) -> Sequence[JsonObject]:
        return [
            {
                "name": name,
                "description": "A tool of the suite of conformance.",
                "inputSchema": SCHEMAS.get(name, NO_ARGUMENTS),
            }
            for name in (*ANSWERING, *ASKING)
        ]

    def call_tool(self, name: str, _arguments: JsonObject, call: Call) -> JsonObject:
        if name in ASKING:
            return ASKING[name](call)
        if name not in ANSWERING:
            raise McpError(INVALID_PARAMS, "params.name is not the name of a tool")
        call.steps.extend({"progress": done, "total": 100} for done in STEPS.get(name, ()))
        return ANSWERING[name]

    def resources(self) -> Sequence[JsonObject]:
        return [
            {"uri": each["uri"], "name": each["uri"], "mimeType": each["mimeType"]}
            for each in (TEXT, PICTURE)
        ]

    def templates(self) -> Sequence[JsonObject]:
        return [
            {
                "uriTemplate": "test://template/{id}/data",
                "name": "A template of the suite",
                "mimeType": "application/json",
            }
        ]

    def read(self, uri: str) -> JsonObject | None:
        for each in (TEXT, PICTURE):
            if each["uri"] == uri:
                return each
        found = re.fullmatch("test://template/([^/]+)/data", uri)
        if found is None:
            return None
        value = {"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"}
        return {"uri": uri, "mimeType": "application/json", "text": json.dumps(value)}

    def prompts(self) -> Sequence[JsonObject]:
        return [
            {
                "name": name,
                "description": "A prompt of the suite of conformance.",
                "arguments": [{"name": each, "required": True} for each in arguments],
            }
            for name, arguments in _ARGUMENTS.items()
        ]

    def prompt(self, name: str, arguments: Mapping[str, str], call: Call) -> JsonObject:
        match name:
            case "test_simple_prompt":
                return _said(text("This is a simple prompt for testing."))
            case "test_prompt_with_arguments":
                pairs = ", ".join(f"{key}='{value}'" for key, value in arguments.items())
                return _said(text(f"Prompt with arguments: {pairs}"))
            case "test_prompt_with_embedded_resource":
                words = "Embedded resource content for testing."
                resource = embedded(arguments["resourceUri"], "text/plain", words)
                return _said(resource, text("Please process the embedded resource above."))
            case "test_prompt_with_image":
                return _said(image(), text("Please analyze the image above."))
            case "test_input_required_result_prompt":
                return _prompt_in_context(call)
            case _:
                raise McpError(INVALID_PARAMS, "params.name is not the name of a prompt")

    def complete(self, _ref: JsonObject, value: str, _context: Mapping[str, str]) -> JsonObject:
        words = [each for each in ("paris", "park", "party", "testing") if each.startswith(value)]
        return {"values": words, "total": len(words), "hasMore": False}


_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


def _prompt_in_context(call: Call) -> JsonObject:
    if context := elicited(call, "user_context", "context"):
        return _said(text(f"The context is {context}"))
    question = elicitation("What context should the prompt use?", "context")
    return required({"user_context": question})


def _said(*contents: JsonObject) -> JsonObject:
    return {"messages": [{"role": "user", "content": each} for each in contents]}
