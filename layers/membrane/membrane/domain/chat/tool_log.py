"""The log of a conversation's calls of tools, within a size that a reply can carry."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NotRequired
from urllib.parse import quote

from typing_extensions import TypedDict

from membrane.domain.language.json_text import compact_json

MAX_LINKS = 20
"""The most addresses of one call."""

_OF_MEMORIES = frozenset({"id", "record_id", "memory_id", "replaced", "superseded_by"})


def topic_ids_in(*values: Any) -> Sequence[str]:
    """The ids of topics in arguments and reply, each once, in order."""
    return [*dict.fromkeys(name for name, is_topic in _ids_in(values) if is_topic)]


def links_of(*values: Any) -> Sequence[str]:
    """The paths of the named topics and memories, each once, in order; at most MAX_LINKS."""
    paths = (
        f"/v1/{'topics' if is_topic else 'records'}/{quote(name, safe='')}"
        for name, is_topic in _ids_in(values)
    )
    return [*dict.fromkeys(paths)][:MAX_LINKS]


def _ids_in(value: Any) -> Iterator[tuple[str, bool]]:
    """Ids with whether each is a topic's; MemState's tools name topics by `topic_id` and lists."""
    match value:
        case {"topics": list(topics)} | {"nodes": list(topics)}:
            yield from ((each["id"], True) for each in topics if _has_id(each))
            yield from _ids_in({name: value[name] for name in value.keys() - {"topics", "nodes"}})
        case {"topic": {"id": str(name)}}:
            yield name, True
        case dict():
            for key, inner in value.items():
                yield from _ids_under(key, inner)
        case list() | tuple():
            for inner in value:
                yield from _ids_in(inner)
        case _:
            pass


def _ids_under(key: str, inner: Any) -> Iterator[tuple[str, bool]]:
    if not isinstance(inner, str):
        yield from _ids_in(inner)
    elif inner and (key == "topic_id" or key.endswith("_topic_id")):
        yield inner, True
    elif inner and key in _OF_MEMORIES:
        yield inner, False


def _has_id(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), str)


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
