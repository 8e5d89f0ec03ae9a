"""Content blocks of the fixtures: text, a red pixel, a silent sample, an embedded resource."""

from typing import Any

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8"
    "z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
"""A PNG of one pixel."""

SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="
"""A WAV of one sample."""


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def image() -> dict[str, Any]:
    return {"type": "image", "data": PIXEL, "mimeType": "image/png"}


def audio() -> dict[str, Any]:
    return {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}


def embedded(uri: str, mime_type: str, words: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": words}}


def said(*contents: dict[str, Any]) -> dict[str, Any]:
    """The result of a tool."""
    return {"content": list(contents)}
