"""Topics as documents in the shape of MemState's tools."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from membrane.domain.language.json_text import JsonObject
from membrane.domain.tools.memstate.documents import ByName, Long, Value
from membrane.domain.topics.access import Access
from membrane.domain.topics.graph.graph import Link, LinkType
from membrane.domain.topics.nesting import NESTED, Container, shown_fields, whole_name
from membrane.domain.topics.revisions import FieldType
from membrane.domain.topics.salience import field_salience, salience_of
from membrane.domain.topics.topic import Field, Topic, TopicStatus

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import (
        FieldSummary,
        TopicEvent,
        TopicField,
        TopicNode,
        TopicReply,
        TopicRevision,
    )

_DIGITS = 4

_MOST_OF_A_BUNDLE = 10.0
"""MemState's limit for the salience of a bundle, the mean of the inner fields' saliences."""


class Seen(NamedTuple):
    """A topic as a reader sees the topic at an instant."""

    topic: Topic
    access: Access
    now_s: float
    refs: Mapping[str, str]
    """By referenced id, the id of the visible topic at the end of the aliases."""

    @property
    def salience(self) -> float:
        return _round_salience(salience_of(self.topic, self.access, self.now_s).total)

    def salience_of_field(self, name: str) -> float:
        return _round_salience(field_salience(self.topic, name, self.access, self.now_s))


def head(topic: Topic) -> JsonObject:
    """A topic in a list."""
    return {
        "id": topic.id,
        "title": Long(topic.title),
        "summary": Long(topic.summary),
        "topic_kind": Long(topic.kind),
        "archived": topic.status is TopicStatus.ARCHIVED,
    }


def outline(seen: Seen) -> JsonObject:
    """A topic without summary, values and histories."""
    topic = seen.topic
    return {
        "id": topic.id,
        "title": Long(topic.title),
        "topic_kind": Long(topic.kind),
        "archived": topic.status is TopicStatus.ARCHIVED,
        "salience": seen.salience,
        "fields": fields(seen, with_values=False),
    }


def fields(seen: Seen, *, with_values: bool) -> ByName:
    """The fields and bundles by name, detached fields included, without histories."""
    shown = ByName()
    for name, each in shown_fields(seen.topic, detached=True).items():
        if isinstance(each, Container):
            shown[name] = _bundle(seen, name, each, with_values=with_values)
        else:
            shown[name] = _field(seen, name, each, with_values=with_values)
    return shown


def whole_topic(body: "TopicReply") -> JsonObject:
    """A topic with values, histories and audit trail."""
    shown: JsonObject = {
        "id": body["id"],
        "title": Long(body["title"]),
        "summary": Long(body["summary"]),
        "topic_kind": Long(body["topic_kind"]),
        "salience": _round_salience(body["salience"]),
        "failed_salience": body["failed_salience"],
        "archived": body["archived"],
        "fields": ByName(
            {name: read_field(each, with_history=True) for name, each in body["fields"].items()}
        ),
        "topic_history": [_event(each) for each in body["topic_history"]],
        "created_at": body["created_at"],
        "updated_at": body["updated_at"],
    }
    return {**shown, **{name: True for name in ("fields_cut", "topic_history_cut") if name in body}}


def read_field(field: "TopicField", *, with_history: bool) -> JsonObject:
    """A field, or a bundle, with the current value and, if wanted, the history."""
    inner = inner_shapes(field)
    shown: JsonObject = {
        "field_type": field["field_type"],
        "ref_topic_id": field["ref_topic_id"],
        "salience": _salience(field, inner),
        "value": _value_of(field)
        if inner is None
        else _bundle_value(inner, with_history=with_history),
    }
    if with_history:
        revisions = field["history"]
        if inner is not None:  # the value of the bundle has the inner fields
            revisions = [{**revisions[0], "value": {NESTED: True}}]
        shown["history"] = [_revision(each) for each in revisions]
        shown["history_count"] = field["history_length"]
    return shown


def inner_shapes(field: "TopicField") -> "Mapping[str, TopicField] | None":
    """The inner fields of a bundle; None for a single field."""
    value = field["history"][0]["value"] if "salience" not in field else None
    return None if value is None else value["fields"]


def node(shown: "TopicNode") -> JsonObject:
    """A topic of the graph."""
    return {
        "id": shown["id"],
        "label": shown["label"],
        "title": Long(shown["title"]),
        "summary": Long(shown["summary"]),
        "topic_kind": Long(shown["topic_kind"]),
        "archived": shown["archived"],
        "salience": _round_salience(shown["salience"]),
        "fields": [_summary(each) for each in shown["fields"]],
        "community": shown["community"],
    }


def edges_by_source(links: Iterable[Link], *, with_references: bool) -> dict[str, list[JsonObject]]:
    """The edges by the id of the topic at the beginning."""
    found: dict[str, list[JsonObject]] = {}
    for link in links:
        if with_references or link.type is LinkType.RELATED:
            edge = {"from": link.from_id, "to": link.to_id, "kind": Long(link.kind)}
            found.setdefault(link.from_id, []).append({**edge, "edge_type": link.type.value})
    return found


def _field(seen: Seen, name: str, field: Field, *, with_values: bool) -> JsonObject:
    shape: JsonObject = {
        "field_type": field.type.value,
        "ref_topic_id": seen.refs.get(field.ref_topic_id or ""),
        "salience": seen.salience_of_field(name),
    }
    return {**shape, "value": _current(field)} if with_values else shape


def _bundle(seen: Seen, name: str, bundle: Container, *, with_values: bool) -> JsonObject:
    saliences = [seen.salience_of_field(whole_name(name, inner)) for inner in bundle.fields]
    shape: JsonObject = {
        "field_type": FieldType.JSON.value,
        "ref_topic_id": None,
        "salience": _mean(saliences),
        "nested_field_names": [Long(inner) for inner in sorted(bundle.fields)],
    }
    if not with_values:
        return shape
    values = ByName({inner: _current(each) for inner, each in sorted(bundle.fields.items())})
    return {**shape, "value": {NESTED: True}, "nested_fields_current": values}


def _bundle_value(inner: "Mapping[str, TopicField]", *, with_history: bool) -> JsonObject:
    shown = {name: read_field(each, with_history=with_history) for name, each in inner.items()}
    return {NESTED: True, "fields": ByName(shown)}


def _current(field: Field) -> Value:
    return Value(None if field.current is None else field.current.value)


def _value_of(field: "TopicField") -> Value:
    return Value(field["history"][0]["value"] if field["history"] else None)


def _revision(revision: "TopicRevision") -> JsonObject:
    return {
        "id": revision["id"],
        "valid_from": revision["valid_from"],
        "value": Value(revision["value"]),
        "why_changed": _long(revision["why_changed"]),
        "impact_expected": _long(revision["impact_expected"]),
        "provenance": Long(revision["provenance"]),
        "operation": revision["operation"],
    }


def _event(event: "TopicEvent") -> JsonObject:
    shown = {"ts": event["ts"], "kind": str(event["kind"]), "detail": Value(event["detail"])}
    return {**shown, "why": Long(event["why"])} if event["why"] else shown


def _summary(field: "FieldSummary") -> JsonObject:
    shown: JsonObject = {
        "name": Long(field["name"]),
        "field_type": field["field_type"].value,
        "ref_topic_id": field.get("ref_topic_id"),
        "current_value": Value(field["current_value"]),
        "history_len": field["history_len"],
    }
    if "nested_fields" in field:
        inner = (_summary(each) for each in field["nested_fields"])
        shown["nested_fields"] = [_without_reference(each) for each in inner]
    return shown


def _without_reference(summary: JsonObject) -> JsonObject:
    return {name: each for name, each in summary.items() if name != "ref_topic_id"}


def _salience(field: "TopicField", inner: "Mapping[str, TopicField] | None") -> float:
    if inner is None:
        return _round_salience(field["salience"])
    return _mean([each["salience"] for each in inner.values()])


def _mean(saliences: Sequence[float]) -> float:
    if not saliences:
        return 1.0
    return _round_salience(min(_MOST_OF_A_BUNDLE, sum(saliences) / len(saliences)))


def _round_salience(salience: float) -> float:
    return round(salience, _DIGITS)


def _long(text: Any) -> Long | None:
    return None if text is None else Long(text)
