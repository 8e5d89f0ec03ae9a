"""A topic in the answer to a query."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal

from membrane.domain.language.json_text import JsonObject
from membrane.domain.topics.graph.graph import Direction
from membrane.domain.topics.nesting import NESTED, Container, shown_fields, whole_name
from membrane.domain.topics.revisions import FieldType, Revision
from membrane.domain.topics.showing.naming import seen_revision
from membrane.domain.topics.showing.shapes import FAILED_SALIENCE
from membrane.domain.topics.topic import Field, Topic

if TYPE_CHECKING:
    from membrane.domain.topics.replies.reading import (
        BundledField,
        BundledRevision,
        TopicBundle,
        TopicNeighbour,
    )

Shown = Field | Container

MAX_LINES = 5
"""Topics named by the summary of a reply."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    topic: Topic
    kind: str
    """The kind of the edge, or `field:<name>` for the reference of a field."""
    direction: Direction

    def as_json(self) -> "TopicNeighbour":
        return {
            "id": self.topic.id,
            "title": self.topic.title,
            "kind": self.kind,
            "direction": self.direction,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A topic, with the parts that the stages of a query show."""

    topic: Topic
    salience: float
    similarity: float | None
    neighbours: Sequence[Neighbour] = ()
    is_cut: bool = False
    """Whether there are more neighbours."""
    entity_id: str | None = None
    """The entity to which the topic refers; None without one, or if not requested."""
    fields: "Sequence[BundledField]" = ()
    fields_cut: bool = False
    """Whether there are more fields than could be read."""
    history_limit: Literal[1] | None = None
    """The number of revisions to which histories are cut; None for whole histories."""
    explanation: JsonObject = field(default_factory=dict)
    """Empty unless requested."""

    def as_json(self) -> "TopicBundle":
        bundle: TopicBundle = {
            "topic_id": self.topic.id,
            "title": self.topic.title,
            "summary": self.topic.summary or None,
            "topic_kind": self.topic.kind or None,
            "salience": self.salience,
            "failed_salience": FAILED_SALIENCE,
            "neighbors": [each.as_json() for each in self.neighbours],
            "neighbors_truncated": self.is_cut,
            "fields": list(self.fields),
            "similarity": self.similarity,
        }
        if self.entity_id is not None:
            bundle["entity_id"] = self.entity_id
        if self.fields_cut:
            bundle["fields_cut"] = True
        if self.history_limit is not None:
            bundle["history_limit"] = self.history_limit
        if self.explanation:
            bundle["explanation"] = self.explanation
        return bundle


@dataclass(frozen=True, slots=True)
class FieldContext:
    histories: Mapping[str, Sequence[Revision]]
    """By whole name, the newest first; a field not listed has only its current value."""
    saliences: Mapping[str, float]
    """By whole name."""
    refs: Mapping[str, str]
    """By referenced id, the id of the topic at the end of the aliases, if visible."""
    seen: Collection[str] = ()
    """The ids of topics that the reason of a revision may name."""
    is_brief: bool = False
    """Whether only the current value is shown, without a history."""


def wanted_fields(topic: Topic, names: Sequence[str]) -> Mapping[str, Shown]:
    """The named fields and groups, detached ones included; without names the working set."""
    if not names:
        return shown_fields(topic, detached=False)
    shown = shown_fields(topic, detached=True)
    single: Mapping[str, Shown] = topic.living_fields
    there = {**single, **shown}
    return {name: there[name] for name in dict.fromkeys(names) if name in there}


def leaves(shown: Mapping[str, Shown]) -> Iterator[tuple[str, Field]]:
    """The fields by whole name, with groups replaced by their fields."""
    for name, each in shown.items():
        if isinstance(each, Field):
            yield name, each
        else:
            yield from ((whole_name(name, inner), one) for inner, one in each.fields.items())


def fields_out(shown: Mapping[str, Shown], context: FieldContext) -> "list[BundledField]":
    """The fields for a reply; a field without a value is left out."""
    return [one for name, each in shown.items() if (one := _field(name, each, context)) is not None]


def version(revision: Revision, value: object, seen: Collection[str]) -> "BundledRevision":
    """A revision for a reply, with the value; `seen` as in FieldContext."""
    shown = seen_revision(revision, seen)
    return {
        "id": revision.id,
        "value": value,
        "valid_from": revision.valid_from,
        "provenance": revision.provenance,
        "why_changed": shown.why_changed,
        "impact_expected": revision.impact_expected,
    }


def summary_text(question: str, found: Iterable[tuple[str, str, float | None]]) -> str:
    """A line for each of the first topics: id, title and similarity, in Python's spelling."""
    lines = [f"Top topics for {question!r}:"]
    lines += [
        f"- {topic_id} {title!r} sim={similarity}"
        for topic_id, title, similarity in islice(found, MAX_LINES)
    ]
    return "\n".join(lines)


def _field(name: str, shown: Shown, context: FieldContext) -> "BundledField | None":
    if isinstance(shown, Container):
        return _container(name, shown, context)
    if shown.current is None:
        return None
    return {
        "name": name,
        "field_type": shown.type,
        "ref_topic_id": _ref(shown, context),
        "current": version(shown.current, shown.current.value, context.seen),
        "history": [] if context.is_brief else _history(name, shown, context),
    }


def _container(name: str, container: Container, context: FieldContext) -> "BundledField | None":
    """A group as a container, whose history has one revision."""
    inner = {
        each: _inner(whole_name(name, each), one, context)
        for each, one in container.fields.items()
        if one.current is not None
    }
    if not inner:
        return None
    revision = version(container.group.made, {NESTED: True, "fields": inner}, context.seen)
    return {
        "name": name,
        "field_type": FieldType.JSON,
        "ref_topic_id": None,
        "current": revision,
        "history": [] if context.is_brief else [revision],
    }


def _inner(name: str, each: Field, context: FieldContext) -> JsonObject:
    return {
        "field_type": each.type,
        "ref_topic_id": _ref(each, context),
        "salience": context.saliences[name],
        "history": _history(name, each, context),
    }


def _history(name: str, each: Field, context: FieldContext) -> "list[BundledRevision]":
    alone = [] if each.current is None else [each.current]
    revisions = context.histories.get(name, alone)
    return [version(each, each.value, context.seen) for each in revisions]


def _ref(each: Field, context: FieldContext) -> str | None:
    return None if each.ref_topic_id is None else context.refs.get(each.ref_topic_id)
