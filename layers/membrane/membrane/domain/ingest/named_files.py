"""Files in the messages of model providers, named in place of their content."""

from collections.abc import Iterable, Iterator
from typing import Any

from membrane.domain.language.json_text import JsonObject

NAMES = ("filename", "title", "display_name", "displayName", "name")
_MEDIA_TYPES = ("media_type", "mime_type", "mimeType", "format")
_DATA = ("data", "base64", "bytes", "file_data", "fileData")
_ADDRESSES = (
    *("url", "uri", "file_uri", "fileUri", "file_url", "image_url", "document_url"),
    *("file_id", "fileId"),
)
_LABELS = {
    "image_url": "image",
    "input_image": "image",
    "input_audio": "audio",
    **dict.fromkeys(("input_file", "file_data", "fileData", "inline_data", "inlineData"), "file"),
}
_MAX_ADDRESS_CHARACTERS = 2_000
_SCHEME_CHARACTERS = 10
_LEVELS = 3
"""Levels of a part in which a file may be named: `source`, `s3Location`, `uri`."""


def named_file(kind: str, body: JsonObject) -> str | None:
    """`[image: image/png, 4500 bytes]`; None for a part that names no file."""
    leaves = dict(_leaves(body, _LEVELS))
    if kind == "image" and (image := leaves.get("image")):  # of Vercel: an address, or base64
        leaves["url" if ":" in image[:_SCHEME_CHARACTERS] else "data"] = image
    media_type, data = first(leaves, _MEDIA_TYPES), first(leaves, _DATA)
    address = first(leaves, _ADDRESSES)
    inline = next((each for each in (address, data) if each and each.startswith("data:")), None)
    if inline:
        about, _, data = inline.removeprefix("data:").partition(",")
        media_type = about.partition(";")[0]
        address = None if inline is address else address
    size = f"{len(data.rstrip('=')) * 3 // 4} bytes" if data else None
    said = (first(leaves, NAMES), media_type, size, address and address[:_MAX_ADDRESS_CHARACTERS])
    words = ", ".join(each for each in said if each)
    label = _LABELS.get(kind, kind)
    return f"[{label}: {words}]" if words else None


def _leaves(body: JsonObject, levels: int) -> Iterator[tuple[str, str]]:
    for each in body.values():
        if isinstance(each, dict) and levels:
            yield from _leaves(each, levels - 1)
    yield from ((name, each) for name, each in body.items() if isinstance(each, str))


def first(body: JsonObject, names: Iterable[str]) -> Any:
    return next((body[name] for name in names if body.get(name) is not None), None)
