"""The log of a conversation's calls of tools, within a size that a reply can carry, and hints.

The hints help a program that draws the graph of topics (MemState's `viz`).
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, NotRequired
from urllib.parse import quote

from typing_extensions import TypedDict

from membrane.domain.language.json_text import JsonObject, compact_json

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


class Action(StrEnum):
    """What a tool does to the drawn graph."""

    SCAN = "scan"
    READ = "read"
    WRITE_FIELD = "write_field"
    WRITE_TOPIC = "write_topic"
    WRITE_EDGE = "write_edge"
    REORGANIZE = "reorganize"
    OTHER = "other"


class _Group(NamedTuple):
    action: Action
    focus: str


_SCANS = _Group(Action.SCAN, "scan")
_READS_TOPIC = _Group(Action.READ, "topic")
_READS_FIELD = _Group(Action.READ, "field")
_WRITES_FIELD = _Group(Action.WRITE_FIELD, "field")
_WRITES_TOPIC = _Group(Action.WRITE_TOPIC, "topic")
_WRITES_EDGE = _Group(Action.WRITE_EDGE, "topic")
_REORGANIZES = _Group(Action.REORGANIZE, "topic")
_PLANS = _Group(Action.REORGANIZE, "scan")
_OTHER = _Group(Action.OTHER, "topic")

_GROUPS: Mapping[str, _Group] = {
    "memory_graph_snapshot": _SCANS,
    "memory_list_topics": _SCANS,
    "memory_topics_schema_page": _SCANS,
    "study_graph_snapshot": _SCANS,
    "memory_get_topic": _READS_TOPIC,
    "memory_get_topic_schema": _READS_TOPIC,
    "memory_get_field": _READS_FIELD,
    "memory_get_field_history": _READS_FIELD,
    "memory_append_field": _WRITES_FIELD,
    "memory_delete_field": _WRITES_FIELD,
    "memory_set_field_ref": _WRITES_FIELD,
    "memory_create_topic": _WRITES_TOPIC,
    "memory_update_topic": _WRITES_TOPIC,
    "memory_delete_topic": _WRITES_TOPIC,
    "memory_add_relationship": _WRITES_EDGE,
    "memory_remove_relationship": _WRITES_EDGE,
    "memory_nest_fields_in_topic": _REORGANIZES,
    "memory_unnest_fields_in_topic": _REORGANIZES,
    "memory_promote_fields_to_nested_topic": _REORGANIZES,
    "memory_undo_promote_nested_topic": _REORGANIZES,
}

_PLANNER = "memory_reorganize_"
_EDGE_PARTS = ("from_topic_id", "to_topic_id", "kind")
_SHOWN_OF_ID = 8
"""The characters of an id in a label."""


def hints_of(tool: str, args: JsonObject, result: Mapping[str, Any] | None) -> JsonObject:
    """The hints before a call (`result` None) or after the call."""
    group = _GROUPS.get(tool, _PLANS if tool.startswith(_PLANNER) else _OTHER)
    topic_ids = [*topic_ids_in(args, result or {})]
    names = _field_names(group, args, result or {})
    nest_key = _text(args, "nest_key") or _nest_of(args)
    hints: JsonObject = {
        "action": group.action.value,
        "viz_focus": group.focus,
        "topic_ids": topic_ids[:MAX_LINKS],
        "field_target": _field_target(names, nest_key) if group.focus == "field" else None,
        "field_names": names,
        "nest_key": nest_key or None,
        "highlight_fields": names if group.focus == "field" else [],
        "label": _label(tool, group, args, topic_ids),
        "ok": result is None or result.get("ok") is not False,
    }
    if group.action is Action.WRITE_EDGE:
        hints["edge"] = {name: _text(args, name) for name in _EDGE_PARTS}
    return hints


def _field_names(group: _Group, args: JsonObject, result: Mapping[str, Any]) -> list[str]:
    given = args.get("field_names")
    if isinstance(given, list):
        return [each for each in given if isinstance(each, str)]
    if group is _READS_FIELD and (inside := _fields_of_bundle(result)):
        return inside
    name = _text(args, "nested_field_name") or _text(args, "field_name")
    return [name] if name else []


def _fields_of_bundle(result: Mapping[str, Any]) -> list[str]:
    match result:
        case {"field": {"value": {"_memstate_nested": True, "fields": dict(inner)}}}:
            return [*inner]
        case _:
            return []


def _nest_of(args: JsonObject) -> str:
    return _text(args, "field_name") if _text(args, "nested_field_name") else ""


def _field_target(names: list[str], nest_key: str) -> JsonObject | None:
    if not names:
        return None
    return {"name": names[0], **({"nest_key": nest_key} if nest_key else {})}


def _label(tool: str, group: _Group, args: JsonObject, topic_ids: list[str]) -> str:
    field, topic = _text(args, "field_name"), topic_ids[0][:_SHOWN_OF_ID] if topic_ids else ""
    match group.action:
        case Action.SCAN:
            return f"Scanning {len(topic_ids)} topics" if topic_ids else "Scanning topics"
        case Action.READ:
            return f"Reading field {field}" if group.focus == "field" else f"Reading topic {topic}"
        case Action.WRITE_FIELD:
            return f"Writing field {field}"
        case Action.WRITE_TOPIC:
            verb = tool.removeprefix("memory_").partition("_")[0]
            name = _text(args, "title") or topic
            return f"{_DOING[verb]} topic {name}"
        case Action.WRITE_EDGE:
            return f"Linking topics ({_text(args, 'kind')})"
        case Action.REORGANIZE:
            return "Planning a reorganisation" if group is _PLANS else f"Reorganizing topic {topic}"
        case Action.OTHER:
            return tool


_DOING = {"create": "Creating", "update": "Updating", "delete": "Deleting"}


def _text(args: JsonObject, name: str) -> str:
    value = args.get(name)
    return value if isinstance(value, str) else ""
