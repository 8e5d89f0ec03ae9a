"""Topics in replies: by id, in a list and in a graph.

The callers fill in histories, and cut nodes, as far as a reply has room.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from membrane.domain.language.timestamps import from_epoch_seconds, rfc3339
from membrane.domain.topics.access import Access
from membrane.domain.topics.events import TopicEvent
from membrane.domain.topics.graph.graph import Link
from membrane.domain.topics.nesting import NESTED, Container, shown_fields
from membrane.domain.topics.revisions import FieldType, Revision
from membrane.domain.topics.salience import salience_of
from membrane.domain.topics.topic import Field, Topic, TopicStatus

if TYPE_CHECKING:
    from membrane.domain.topics.replies import reading
    from membrane.domain.topics.replies.reading import (
        FieldSummary,
        TopicEdge,
        TopicField,
        TopicHead,
        TopicNode,
        TopicRevision,
    )

FAILED_SALIENCE = 0.0
"""A field of MemState's replies, which MemState never sets to any other value."""

LABEL_CHARACTERS = 80

SUMMARY_CHARACTERS = 1_000
"""The length to which a summary is cut if a reply is full."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A field, and its shape in a reply, with `history` still empty."""

    field: Field
    shape: "TopicField"


# --- a topic by its id ---------------------------------------------------------------------------


def whole_topic(topic: Topic, access: Access, now_s: float) -> "TopicHead":
    """A topic without fields and audit trail."""
    parts = salience_of(topic, access, now_s)
    return {
        "id": topic.id,
        "title": topic.title,
        "summary": topic.summary,
        "topic_kind": topic.kind,
        "salience": parts.total,
        "failed_salience": FAILED_SALIENCE,
        "salience_parts": asdict(parts),
        "archived": topic.status is TopicStatus.ARCHIVED,
        "status": topic.status,
        "scope": topic.scope,
        "sensitivity": topic.sensitivity,
        "absorbed": list(topic.absorbed),
        "created_at": topic.created_at,
        "updated_at": topic.updated_at,
        "access_trail": [
            {
                "at": rfc3339(from_epoch_seconds(read.at_s)),
                "principal": read.principal,
                "fields": list(read.fields),
            }
            for read in access.trail
        ],
    }


def slot_of(field: Field, salience: float, ref_topic_id: str | None) -> Slot:
    """The slot of a field; `ref_topic_id` is the visible end of the reference, aliases followed."""
    shape: TopicField = {
        "field_type": field.type,
        "ref_topic_id": ref_topic_id,
        "history": [],
        "salience": salience,
        "history_length": field.history_length,
        "detached": field.is_detached,
    }
    return Slot(field, shape)


def container_of(made: Revision, inner: "Mapping[str, TopicField]") -> "TopicField":
    """A group as one field, whose value holds the shapes of the inner fields."""
    value = {NESTED: True, "fields": dict(inner)}
    return {
        "field_type": FieldType.JSON,
        "ref_topic_id": None,
        "history": [{**entry(made), "value": value}],
        "history_length": 1,
    }


def entry(revision: Revision) -> "TopicRevision":
    return {
        "id": revision.id,
        "valid_from": revision.valid_from,
        "value": revision.value,
        "why_changed": revision.why_changed,
        "impact_expected": revision.impact_expected,
        "provenance": revision.provenance,
        "operation": revision.operation,
        "recorded_at": revision.recorded_at,
        "principal": revision.principal,
        "evidence": revision.evidence,
    }


def event(logged: TopicEvent) -> "reading.TopicEvent":
    return {
        "ts": logged.ts,
        "kind": logged.kind,
        "detail": logged.detail,
        "principal": logged.principal,
        "why": logged.why,
    }


# --- a topic in a graph --------------------------------------------------------------------------


def node(topic: Topic, salience: float, community: int, ends: Mapping[str, str]) -> "TopicNode":
    """A topic with its fields, without detached ones; `ends` as for `graph.reference_links`."""
    return {
        "id": topic.id,
        "label": (topic.title or topic.id)[:LABEL_CHARACTERS],
        "title": topic.title,
        "summary": topic.summary,
        "topic_kind": topic.kind,
        "archived": topic.status is TopicStatus.ARCHIVED,
        "salience": salience,
        "scope": topic.scope,
        "sensitivity": topic.sensitivity,
        "fields": list(_summaries(topic, ends)),
        "community": community,
    }


def without_values(shown: "TopicNode") -> "TopicNode":
    """The node without values, for a reply that is full."""
    return {**shown, "fields": [_without_value(each) for each in shown["fields"]], "is_cut": True}


def without_fields(shown: "TopicNode") -> "TopicNode":
    """The node without fields and with a cut summary, for a reply that is full."""
    return {**shown, "summary": shown["summary"][:SUMMARY_CHARACTERS], "fields": [], "is_cut": True}


def link(shown: Link) -> "TopicEdge":
    return {
        "from": shown.from_id,
        "to": shown.to_id,
        "kind": shown.kind,
        "edge_type": shown.type,
    }


def _summaries(topic: Topic, ends: Mapping[str, str]) -> "Iterator[FieldSummary]":
    for name, field in shown_fields(topic, detached=False).items():
        if isinstance(field, Container):
            yield _container_summary(name, field)
        else:
            ref = ends.get(field.ref_topic_id or "")
            yield {**_summary(name, field), "ref_topic_id": ref}


def _summary(name: str, field: Field) -> "FieldSummary":
    return {
        "name": name,
        "field_type": field.type,
        "current_value": None if field.current is None else field.current.value,
        "history_len": field.history_length,
    }


def _without_value(summary: "FieldSummary") -> "FieldSummary":
    empty: FieldSummary = {**summary, "current_value": None}
    if "nested_fields" in summary:
        empty["nested_fields"] = [_without_value(each) for each in summary["nested_fields"]]
    return empty


def _container_summary(name: str, container: Container) -> "FieldSummary":
    """The summary of a group; a value would only repeat `nested_fields`."""
    return {
        "name": name,
        "field_type": FieldType.JSON,
        "current_value": {NESTED: True},
        "history_len": 1,
        "ref_topic_id": None,
        "nested_fields": [_summary(inner, each) for inner, each in container.fields.items()],
    }
