"""Hints about a call of a tool for a program that draws the graph of topics (MemState's `viz`)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from membrane.domain.chat.tool_log import MAX_LINKS, topic_ids_in
from membrane.domain.language.json_text import JsonObject


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
    """The fields that a call names; for a bundle that was read, the fields in the bundle."""
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
    """The bundle in which a field is read."""
    return _text(args, "field_name") if _text(args, "nested_field_name") else ""


def _field_target(names: list[str], nest_key: str) -> JsonObject | None:
    if not names:
        return None
    return {"name": names[0], **({"nest_key": nest_key} if nest_key else {})}


def _label(tool: str, group: _Group, args: JsonObject, topic_ids: list[str]) -> str:
    """A few words about the call for a status line."""
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
