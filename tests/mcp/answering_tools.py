"""The suite's tools that answer at once."""

import json
from collections.abc import Callable

from membrane.adapters.aws_lambda.mcp.features import Progress, ToolResult
from membrane.domain.language.json_text import JsonObject
from tests.mcp.contents import audio, embedded, image, text


def simple_text() -> ToolResult:
    return ToolResult([text("This is a simple text response for testing.")])


def image_content() -> ToolResult:
    return ToolResult([image()])


def audio_content() -> ToolResult:
    return ToolResult([audio()])


def embedded_resource() -> ToolResult:
    words = "This is an embedded resource content."
    return ToolResult([embedded("test://embedded-resource", "text/plain", words)])


def multiple_content_types() -> ToolResult:
    value = json.dumps({"test": "data", "value": 123})
    return ToolResult(
        [
            text("Multiple content types test:"),
            image(),
            embedded("test://mixed-content-resource", "application/json", value),
        ]
    )


def error_handling() -> ToolResult:
    words = "This tool intentionally returns an error for testing"
    return ToolResult([text(words)], is_error=True)


def tool_with_progress() -> ToolResult:
    steps = [Progress(done, 100) for done in (0, 50, 100)]
    return ToolResult([text("The tool took three steps.")], progress=steps)


def logging_tool() -> ToolResult:
    return ToolResult([text("The tool wrote no log.")])


ANSWERING: dict[str, Callable[[], ToolResult]] = {
    "test_simple_text": simple_text,
    "test_image_content": image_content,
    "test_audio_content": audio_content,
    "test_embedded_resource": embedded_resource,
    "test_multiple_content_types": multiple_content_types,
    "test_error_handling": error_handling,
    "test_tool_with_progress": tool_with_progress,
    "test_logging_tool": logging_tool,
    "json_schema_2020_12_tool": simple_text,
}

NO_ARGUMENTS: JsonObject = {"type": "object", "properties": {}}

EVERY_KEYWORD: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
"""A schema of which the dispatcher may drop no keyword."""

SCHEMAS = {"json_schema_2020_12_tool": EVERY_KEYWORD}
"""Input schemas of tools with arguments."""
