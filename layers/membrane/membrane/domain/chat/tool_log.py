"""The log of a conversation's calls of tools, within a size that a reply can carry."""

from collections.abc import Mapping
from typing import Any, NotRequired

from typing_extensions import TypedDict

from membrane.domain.chat.links import links_of
from membrane.domain.language.json_text import compact_json

MAX_PART_BYTES = 16_384
"""The most bytes of the arguments, and of the result, of a call in the log."""

MAX_LOG_BYTES = 1_048_576
"""The bytes after which the log is full: later calls keep the name and the sizes of the parts."""

PREVIEW_CHARACTERS = 400


class CutPart(TypedDict):
    """The place of arguments or of a result that the log has no room for."""

    cut: bool
    bytes: int
    """The size of the whole JSON text."""
    preview: str
    """The beginning of the JSON text; empty in a full log."""


class LoggedCall(TypedDict):
    """A call of a tool in a conversation."""

    tool: str
    """The name of the tool."""
    args: Any
    """The arguments of the model, or a CutPart; a text that is no object is `unreadable`."""
    result: Any
    """The answer of the tool, or a CutPart."""
    phase: NotRequired[str]
    """`study_a` or `study_b`, for a call of a study session."""
    links: NotRequired[list[str]]
    """Where the topics and memories of a cut call are read."""


class ToolLog:
    """The calls so far."""

    def __init__(self, phase: str = "") -> None:
        """`phase` is noted with each call, unless empty."""
        self._phase = phase
        self.calls: list[LoggedCall] = []
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        return self._bytes >= MAX_LOG_BYTES

    def add(self, tool: str, args: Any, result: Mapping[str, Any]) -> LoggedCall:
        """Add a call; large parts are cut, and parts without previews and links in a full log."""
        entry: LoggedCall = {
            "tool": tool,
            "args": self.cut_to_fit(args),
            "result": self.cut_to_fit(result),
        }
        if self._phase:
            entry["phase"] = self._phase
        is_cut = entry["args"] is not args or entry["result"] is not result
        if is_cut and not self.is_full:
            entry["links"] = [*links_of(args, result)]
        self._bytes += len(compact_json(entry).encode())
        self.calls.append(entry)
        return entry

    def cut_to_fit(self, part: Any) -> Any:
        """The part itself if the log has the room, else a CutPart."""
        text = compact_json(part)
        size = len(text.encode())
        if size <= min(MAX_PART_BYTES, MAX_LOG_BYTES - self._bytes):
            return part
        preview = "" if self.is_full else text[:PREVIEW_CHARACTERS]
        cut: CutPart = {"cut": True, "bytes": size, "preview": preview}
        return cut
