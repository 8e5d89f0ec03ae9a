"""Content blocks of the fixtures: text, a red pixel, a silent sample, an embedded resource."""

from membrane.domain.language.json_text import JsonObject

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8"
    "z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
"""A PNG of one pixel."""

SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="
"""A WAV of one sample."""


def text(words: str) -> JsonObject:
    return {"type": "text", "text": words}


def image() -> JsonObject:
    return {"type": "image", "data": PIXEL, "mimeType": "image/png"}


def audio() -> JsonObject:
    return {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}


def embedded(uri: str, mime_type: str, words: str) -> JsonObject:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": words}}


def said(*contents: JsonObject) -> JsonObject:
    """The result of a tool."""
    return {"content": list(contents)}
