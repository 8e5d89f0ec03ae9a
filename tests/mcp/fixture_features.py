"""The features that the suite of conformance looks for, in the form of the product's features."""

import json
import re
from collections.abc import Mapping, Sequence

from membrane.adapters.aws_lambda.mcp.features import (
    Caching,
    Completion,
    Exchange,
    Features,
    InputRequired,
    Page,
    PromptResult,
    ResourceResult,
    ToolResult,
)
from membrane.domain.language.json_text import JsonObject
from tests.mcp.answering_tools import ANSWERING, NO_ARGUMENTS, SCHEMAS
from tests.mcp.asking_tools import ASKING
from tests.mcp.contents import PIXEL, embedded, image, text
from tests.mcp.questions import elicitation, elicited, required

A_MINUTE = Caching(60_000, "public")

TEXT = {
    "uri": "test://static-text",
    "mimeType": "text/plain",
    "text": "This is the content of the static text resource.",
}
PICTURE = {"uri": "test://static-binary", "mimeType": "image/png", "blob": PIXEL}


class FixtureTools:
    def list(self, _caller: None) -> Sequence[JsonObject]:
        return [
            {
                "name": name,
                "description": "A tool of the suite of conformance.",
                "inputSchema": SCHEMAS.get(name, NO_ARGUMENTS),
            }
            for name in (*ANSWERING, *ASKING)
        ]

    def call(
        self, name: str, _arguments: JsonObject, _caller: None, exchange: Exchange
    ) -> ToolResult | InputRequired | None:
        if name in ANSWERING:
            return ANSWERING[name]()
        return ASKING[name](exchange) if name in ASKING else None


class FixtureResources:
    def list(self, _caller: None, _cursor: str | None) -> Page:
        return Page(
            [
                {"uri": each["uri"], "name": each["uri"], "mimeType": each["mimeType"]}
                for each in (TEXT, PICTURE)
            ]
        )

    def templates(self, _caller: None) -> Sequence[JsonObject]:
        return [
            {
                "uriTemplate": "test://template/{id}/data",
                "name": "A template of the suite",
                "mimeType": "application/json",
            }
        ]

    def read(self, uri: str, _caller: None, _exchange: Exchange) -> ResourceResult | None:
        for each in (TEXT, PICTURE):
            if each["uri"] == uri:
                return ResourceResult([each], A_MINUTE)
        found = re.fullmatch("test://template/([^/]+)/data", uri)
        if found is None:
            return None
        value = {"id": found[1], "templateTest": True, "data": f"Data for ID: {found[1]}"}
        content = {"uri": uri, "mimeType": "application/json", "text": json.dumps(value)}
        return ResourceResult([content], A_MINUTE)


class FixturePrompts:
    def list(self, _caller: None) -> Sequence[JsonObject]:
        return [
            {
                "name": name,
                "description": "A prompt of the suite of conformance.",
                "arguments": [{"name": each, "required": True} for each in arguments],
            }
            for name, arguments in _ARGUMENTS.items()
        ]

    def get(
        self, name: str, arguments: Mapping[str, str], _caller: None, exchange: Exchange
    ) -> PromptResult | InputRequired | None:
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
                return _prompt_in_context(exchange)
            case _:
                return None


_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


def _prompt_in_context(exchange: Exchange) -> PromptResult | InputRequired:
    if context := elicited(exchange, "user_context", "context"):
        return _said(text(f"The context is {context}"))
    question = elicitation("What context should the prompt use?", "context")
    return required({"user_context": question})


def _said(*contents: JsonObject) -> PromptResult:
    return PromptResult([{"role": "user", "content": each} for each in contents])


class FixtureCompletions:
    def complete(
        self,
        _ref: JsonObject,
        _argument: str,
        value: str,
        _context: Mapping[str, str],
        _caller: None,
    ) -> Completion:
        words = [each for each in ("paris", "park", "party", "testing") if each.startswith(value)]
        return Completion(words, len(words))


FIXTURES: Features[None] = Features(
    {"name": "membrane-conformance", "version": "0.1.0"},
    "A server with the fixtures of the suite of conformance.",
    FixtureTools(),
    FixtureResources(),
    FixturePrompts(),
    FixtureCompletions(),
    A_MINUTE,
)
