"""Topics as replies show them by id, in a list and in a graph (spec 6.1, 6.3), and what is added.

Whatever is longer than a reply carries is cut where it is put into these.
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
"""MemState shows it and never writes it (spec 1.1)."""

LABEL_CHARACTERS = 80

SUMMARY_CHARACTERS = 1_000
"""Of a summary that there is no room for."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A field, and what a reply says of it: `history` is still empty."""

    field: Field
    shape: "TopicField"


# --- a topic by its id ---------------------------------------------------------------------------


def whole_topic(topic: Topic, access: Access, now_s: float) -> "TopicHead":
    """All but its fields and its audit trail."""
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
    """That of a field; its reference as far as it may be seen, aliases followed."""
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
    """A group as one field, whose value holds the shapes of its fields (spec 1.5)."""
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


def event(told: TopicEvent) -> "reading.TopicEvent":
    return {
        "ts": told.ts,
        "kind": told.kind,
        "detail": told.detail,
        "principal": told.principal,
        "why": told.why,
    }


# --- a topic in a graph --------------------------------------------------------------------------


def node(
    topic: Topic, salience: float, community: int | None, ends: Mapping[str, str]
) -> "TopicNode":
    """With its fields, without detached ones; `ends` as for `graph.referring`."""
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
    """A node whose values a reply has no room for."""
    return {**shown, "fields": [_emptied(each) for each in shown["fields"]], "is_cut": True}


def without_fields(shown: "TopicNode") -> "TopicNode":
    """A node whose fields, and all of whose summary, a reply has no room for."""
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


def _emptied(summary: "FieldSummary") -> "FieldSummary":
    empty: FieldSummary = {**summary, "current_value": None}
    if "nested_fields" in summary:
        empty["nested_fields"] = [_emptied(each) for each in summary["nested_fields"]]
    return empty


def _container_summary(name: str, container: Container) -> "FieldSummary":
    """Its value would say no more than `nested_fields` does."""
    return {
        "name": name,
        "field_type": FieldType.JSON,
        "current_value": {NESTED: True},
        "history_len": 1,
        "ref_topic_id": None,
        "nested_fields": [_summary(inner, each) for inner, each in container.fields.items()],
    }
