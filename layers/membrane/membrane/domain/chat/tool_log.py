"""The log of a conversation's calls of tools, within a size that a reply can carry."""

from collections.abc import Mapping
from typing import Any, NotRequired

from typing_extensions import TypedDict

from membrane.domain.chat.links import links_of
from membrane.domain.language.json_text import compact_json

MAX_PART_BYTES = 16_384
"""The most bytes of the arguments, and of the result, of a call in the log."""

MAX_LOG_BYTES = 1_048_576
"""The most bytes of the log; the parts of later calls are cut to previews."""

PREVIEW_CHARACTERS = 400


class CutPart(TypedDict):
    """The place of arguments or of a result that the log has no room for."""

    cut: bool
    bytes: int
    """The size of the whole JSON text."""
    preview: str
    """The beginning of the JSON text."""


class LoggedCall(TypedDict):
    """A call of a tool in a conversation."""

    tool: str
    """The name of the tool."""
    args: Any
    """The arguments as the model gave them, or a CutPart."""
    result: Any
    """The answer of the tool, or a CutPart."""
    links: NotRequired[list[str]]
    """Where the topics and memories of a cut call are read."""


class ToolLog:
    """The calls so far."""

    def __init__(self) -> None:
        self.calls: list[LoggedCall] = []
        self._bytes = 0

    def add(self, tool: str, args: Any, result: Mapping[str, Any]) -> LoggedCall:
        """Add a call; the entry is cut if the entry or the log would be too large."""
        room = min(MAX_PART_BYTES, MAX_LOG_BYTES - self._bytes)
        entry: LoggedCall = {
            "tool": tool,
            "args": within(args, room),
            "result": within(result, room),
        }
        if entry["args"] is not args or entry["result"] is not result:
            entry["links"] = [*links_of(args, result)]
        self._bytes += len(compact_json(entry))
        self.calls.append(entry)
        return entry


def within(part: Any, room_bytes: int) -> Any:
    """The part itself if the JSON text fits the room, else a CutPart."""
    text = compact_json(part)
    size = len(text.encode())
    if size <= room_bytes:
        return part
    cut: CutPart = {"cut": True, "bytes": size, "preview": text[:PREVIEW_CHARACTERS]}
    return cut
