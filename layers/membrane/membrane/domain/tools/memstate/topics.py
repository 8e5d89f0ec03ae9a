"""Topics as documents in the shape of MemState's tools, made of the shapes of replies."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.memstate.documents import ByName, Long, Value
from membrane.domain.topics.nesting import NESTED
from membrane.domain.topics.showing import link
from membrane.domain.topics.topic import Link, LinkType, Topic, TopicStatus

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import (
        FieldSummary,
        TopicField,
        TopicNode,
        TopicReply,
    )

_DIGITS = 4

_MOST_OF_A_BUNDLE = 10.0
"""MemState's limit for the salience of a bundle, the mean of the inner fields' saliences."""

_LONG = frozenset(
    (
        *("title", "summary", "topic_kind", "name"),
        *("why", "why_changed", "impact_expected", "provenance"),
        *("nest_key", "relationship_kind"),
    )
)
"""The texts of a reply that may be cut, by name."""

_NAMES = frozenset({"moved_fields", "restored_fields", "removed_ref_fields"})
"""The lists of texts that may be cut, by name."""

_VALUES = frozenset({"current_value", "detail", "value"})
"""The parts of a reply that are any JSON, by name."""


def pick(shape: Mapping[str, Any], *names: str) -> JsonObject:
    """The parts of a reply of these names, as far as present; parts that may be cut are marked."""
    return {name: _mark_part(name, shape[name]) for name in names if name in shape}


def head(topic: Topic) -> JsonObject:
    """A topic in a list."""
    return {
        "id": topic.id,
        "title": Long(topic.title),
        "summary": Long(topic.summary),
        "topic_kind": Long(topic.kind),
        "archived": topic.status is TopicStatus.ARCHIVED,
    }


def outline(body: JsonObject) -> JsonObject:
    """A topic without summary, values and histories."""
    shown = pick(body, "id", "title", "topic_kind", "archived", "salience")
    return {**shown, "fields": fields(body, with_values=False)}


def fields(body: JsonObject, *, with_values: bool) -> ByName:
    """The fields and bundles by name, without histories."""
    every = body["fields"].items()
    return ByName({name: _current(each, with_values=with_values) for name, each in every})


def whole_topic(body: "TopicReply") -> JsonObject:
    """A topic with values, histories and audit trail."""
    every = body["fields"].items()
    return {
        **pick(body, "id", "title", "summary", "topic_kind"),
        **pick(body, "salience", "failed_salience", "archived"),
        "fields": ByName({name: read_field(each, with_history=True) for name, each in every}),
        "topic_history": [
            pick(each, "ts", "kind", "detail", *(["why"] if each["why"] else []))
            for each in body["topic_history"]
        ],
        **pick(body, "created_at", "updated_at", "fields_cut", "topic_history_cut"),
    }


def read_field(field: "TopicField", *, with_history: bool) -> JsonObject:
    """A field, or a bundle, with the current value and, if wanted, the history."""
    inner = _inner_shapes(field)
    shown, revisions = _outline_of_field(field), field["history"]
    if inner is None:
        shown["value"] = _value_of(field)
    else:
        every = {name: read_field(each, with_history=with_history) for name, each in inner.items()}
        shown["value"] = {NESTED: True, "fields": ByName(every)}
        revisions = [{**revisions[0], "value": {NESTED: True}}]
    if with_history:
        shown["history"] = [
            {
                **pick(each, "id", "valid_from", "value", "why_changed"),
                **pick(each, "impact_expected", "provenance", "operation"),
            }
            for each in revisions
        ]
        shown["history_count"] = field["history_length"]
    return shown


def node(shown: "TopicNode") -> JsonObject:
    """A topic of the graph."""
    return {
        **pick(shown, "id", "label", "title", "summary", "topic_kind", "archived", "salience"),
        "fields": [_summary(each) for each in shown["fields"]],
        "community": shown["community"],
    }


def edges_by_source(links: Iterable[Link], *, with_references: bool) -> dict[str, list[JsonObject]]:
    """The edges by the id of the topic at the beginning."""
    found: dict[str, list[JsonObject]] = {}
    for each in links:
        if with_references or each.type is LinkType.RELATED:
            found.setdefault(each.from_id, []).append({**link(each), "kind": Long(each.kind)})
    return found


def _mark_part(name: str, part: Any) -> Any:
    if name in _VALUES:
        return Value(part)
    if name == "salience":
        return round(part, _DIGITS)
    if name in _NAMES:
        return [Long(each) for each in part]
    return Long(part) if name in _LONG and part is not None else part


def _current(field: "TopicField", *, with_values: bool) -> JsonObject:
    inner, shown = _inner_shapes(field), _outline_of_field(field)
    if inner is not None:
        shown["nested_field_names"] = [Long(name) for name in inner]
    if with_values:
        shown["value"] = _value_of(field) if inner is None else {NESTED: True}
    if with_values and inner is not None:
        values = {name: _value_of(each) for name, each in inner.items()}
        shown["nested_fields_current"] = ByName(values)
    return shown


def _outline_of_field(field: "TopicField") -> JsonObject:
    """Type, reference and salience; the salience of a bundle is the mean of the inner fields'."""
    inner = _inner_shapes(field)
    shown = pick(field, "field_type", "ref_topic_id", "salience")
    if inner is not None:
        mean = sum(each["salience"] for each in inner.values()) / len(inner) if inner else 1.0
        shown["salience"] = round(min(_MOST_OF_A_BUNDLE, mean), _DIGITS)
    return shown


def _inner_shapes(field: "TopicField") -> "Mapping[str, TopicField] | None":
    value = field["history"][0]["value"] if "salience" not in field else None
    return None if value is None else value["fields"]


def _value_of(field: "TopicField") -> Value:
    return Value(field["history"][0]["value"] if field["history"] else None)


def _summary(field: "FieldSummary") -> JsonObject:
    shown = pick(field, "name", "field_type", "ref_topic_id", "current_value", "history_len")
    if "nested_fields" in field:
        shown["nested_fields"] = [_summary(each) for each in field["nested_fields"]]
    return shown
