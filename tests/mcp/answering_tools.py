"""The suite's tools that answer at once."""

import json
from typing import Any

from tests.mcp.contents import audio, embedded, image, said, text

_SIMPLE = said(text("This is a simple text response for testing."))
_EMBEDDED = "This is an embedded resource content."
_MIXED = json.dumps({"test": "data", "value": 123})
_REFUSAL = "This tool intentionally returns an error for testing"

ANSWERING: dict[str, dict[str, Any]] = {
    "test_simple_text": _SIMPLE,
    "test_image_content": said(image()),
    "test_audio_content": said(audio()),
    "test_embedded_resource": said(embedded("test://embedded-resource", "text/plain", _EMBEDDED)),
    "test_multiple_content_types": said(
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", "application/json", _MIXED),
    ),
    "test_error_handling": {**said(text(_REFUSAL)), "isError": True},
    "test_tool_with_progress": said(text("The tool took three steps.")),
    "test_logging_tool": said(text("The tool wrote no log.")),
    "json_schema_2020_12_tool": _SIMPLE,
}

STEPS = {"test_tool_with_progress": (0, 50, 100)}
"""The steps of a hundred that a tool reports."""

NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}

EVERY_KEYWORD: dict[str, Any] = {
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
